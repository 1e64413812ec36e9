"""Findings as SARIF: what the standard requires is there, and points to the right places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citeloom.api.evidence import Finding, ManuscriptEdit
from citeloom.cli.check_run import CheckedManuscript
from citeloom.cli.check_sarif import RULES, as_sarif
from citeloom.core.errors import CiteLoomError, Code
from tests import sample_results

EDIT = ManuscriptEdit(10, 14, "okaf", "okafor2021", line=2, column=3, why="It has a new key.")


def finding(rule: str, edit: int | None = None) -> Finding:
    span = {"line": 2, "column": 3, "end_line": 2, "end_column": 7}
    return sample_results.finding(rule, RULES[rule][0], message=f"{rule}.", citekey="okaf", edit=edit, **span)


def checked(path: Path, *findings: Finding, **other: Any) -> CheckedManuscript:
    return CheckedManuscript(path.name, str(path), sample_results.check_report(*findings, edits=(EDIT,), **other))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


def test_a_log_has_what_the_standard_requires(folder: Path) -> None:
    log = as_sarif([checked(folder / "a.md", *(finding(rule) for rule in RULES))])
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "CiteLoom" and run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in driver["rules"]] == list(RULES)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] and rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    assert run["invocations"] == [{"executionSuccessful": True}]
    for result, rule in zip(run["results"], RULES, strict=True):
        assert (result["ruleId"], result["level"], result["message"]) == (rule, RULES[rule][0], {"text": f"{rule}."})
        (location,) = result["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "a.md"},
            "region": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 7},
        }
        assert "fixes" not in result


def test_an_edit_is_a_fix_at_its_characters(folder: Path) -> None:
    (run,) = as_sarif([checked(folder / "a.md", finding("renamed-key", edit=0))])["runs"]
    (fix,) = run["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert fix["description"] == {"text": "It has a new key."} and change["artifactLocation"] == {"uri": "a.md"}
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 7},
            "insertedContent": {"text": "okafor2021"},
        }
    ]


def test_a_place_is_a_relative_address_or_a_whole_one_outside(folder: Path) -> None:
    inside, outside = folder / "teil 1" / "c:ß%.md", folder.parent / "other.md"
    (run,) = as_sarif([checked(file, finding("no-text")) for file in (inside, outside)])["runs"]
    places = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
    assert places == ["teil%201/c%3A%C3%9F%25.md", outside.as_uri()]


def test_a_word_document_has_paragraphs_instead_of_lines(folder: Path) -> None:
    word = checked(folder / "a.docx", finding("renamed-key", edit=0), format="docx", fixable=False)
    (result,) = as_sarif([word])["runs"][0]["results"]
    (location,) = result["locations"]
    assert "region" not in location["physicalLocation"] and "fixes" not in result
    assert location["logicalLocations"] == [{"name": "paragraph 2"}]


def test_a_file_that_could_not_be_checked_is_told(folder: Path) -> None:
    problem = CiteLoomError(Code.FILE_NOT_FOUND, "There is no such file.")
    (run,) = as_sarif([CheckedManuscript("gone.md", str(folder / "gone.md"), problem=problem)])["runs"]
    (invocation,) = run["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is False and run["results"] == []
    assert told["message"] == {"text": "There is no such file."} and told["level"] == "error"
    assert told["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "gone.md"}
