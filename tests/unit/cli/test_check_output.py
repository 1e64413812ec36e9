"""What `citeloom check` prints, and what its exit code says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from citeloom.api.evidence import CheckManuscript, CheckReport, Finding
from citeloom.api.verbs import decode
from citeloom.cli import check_run
from citeloom.cli.check import check
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Coverage
from tests.sample_results import check_report, finding

SIGNS = "[/x] \\[/y] [bold]z :smile: \\"


def report(*findings: Finding, **other: Any) -> CheckReport:
    return check_report(*findings, **{"coverage": Coverage(9, 8, 8, 0, 1, 0), **other})


def answering(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], CheckReport]) -> list[str]:
    """An engine that answers by the name of the manuscript; gives the names it was asked about."""
    asked: list[str] = []

    def ask(request: CheckManuscript, _: str) -> CheckReport:
        assert request.path and Path(request.path).is_absolute() and request.project is None
        asked.append(Path(request.path).name)
        return answer(Path(request.path).name)

    monkeypatch.setattr(check_run, "ask", ask)
    return asked


def run(*arguments: str) -> Result:
    return CliRunner().invoke(check, arguments, standalone_mode=False, catch_exceptions=False)


def test_a_finding_is_one_line_with_its_place_level_and_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    message = f"Its words differ: the [-most-] {{+least+}} {SIGNS} {'and so on ' * 40}end."
    changed = finding("quote-changed", message=f"\x1b[2J{message}\x07")  # no terminal is cleared, no bell rung
    answering(monkeypatch, lambda _: report(changed, finding("no-text", "warning")))
    result = run("my thesis.md")
    first, second, summary, coverage = result.stdout.splitlines()
    assert first == f"my thesis.md:3:7: error: [2J{message} [quote-changed]"
    assert second == "my thesis.md:3:7: warning: No work has this key. [no-text]"
    assert summary == "my thesis.md: 4 citations of 2 works, 1 quotation: 1 error, 1 warning."
    assert coverage == "Checked against thesis: 8 of 9 documents searchable, 1 failed."
    assert result.return_value == 1


def test_in_a_word_document_the_words_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    quoted = finding(quotation="so " * 30)
    answering(monkeypatch, lambda _: report(finding(), quoted, format="docx", fixable=False))
    first, second, *_ = run("thesis.docx").stdout.splitlines()
    assert first == "thesis.docx: paragraph 3: error: No work has this key. In: So it is. [unknown-key]"
    assert second.endswith(f" In: {'so ' * 19}so… [unknown-key]")


@pytest.mark.parametrize(
    ("findings", "code", "said"),
    [
        ([], 0, "a.md: 4 citations of 2 works, 1 quotation: nothing is wrong."),
        ([finding("no-text", "warning"), finding("no-near-passage", "note")], 0, "1 quotation: 1 warning, 1 note."),
        ([finding(), finding()], 1, "1 quotation: 2 errors."),
    ],
    ids=["clean", "hints", "errors"],
)
def test_only_errors_make_the_exit_code_one(
    findings: list[Finding], code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, lambda _: report(*findings))
    result = run("a.md")
    assert result.return_value == code and said in result.stdout


def test_a_manuscript_without_citations_is_said_to_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(
        monkeypatch,
        lambda _: report(citations=0, works=0, quotations=0, warnings=("It is empty.", "There is no citation.")),
    )
    result = run("a.md")
    assert result.stdout == "a.md: It is empty. There is no citation.\n" and result.return_value == 0


def test_a_file_that_cannot_be_read_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(name: str) -> CheckReport:
        if name == "gone.md":
            raise CiteLoomError(Code.FILE_NOT_FOUND, "There is no such file.", "Look at the name.")
        return report(finding())

    asked = answering(monkeypatch, answer)
    result = run("gone.md", "b.md")
    assert asked == ["gone.md", "b.md"] and result.return_value == 2
    assert result.stderr == "gone.md: not checked: There is no such file. Look at the name.\n"
    assert "b.md: 4 citations" in result.stdout
    failed, checked = json.loads(run("gone.md", "b.md", "--json").stdout)
    assert failed == {"file": str(Path("gone.md").absolute()), "error": failed["error"]}
    assert failed["error"]["code"] == "FILE_NOT_FOUND" and decode(checked, CheckReport) == report(finding())


def test_what_fails_for_all_manuscripts_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_: str) -> CheckReport:
        raise CiteLoomError(Code.INVALID_PROJECT, "No project is named.", "Choose one of: a, b.")

    asked = answering(monkeypatch, answer)
    result = run("a.md", "b.md")
    assert asked == ["a.md"] and result.return_value == 2 and not result.stdout


@pytest.mark.parametrize("options", ["--json --sarif", "--fix --watch", "--json --fix", "--yes"])
def test_options_that_do_not_go_together_are_refused(options: str) -> None:
    result = CliRunner().invoke(check, ["a.md", *options.split()])
    assert result.exit_code == 2 and "--fix" in result.stderr
