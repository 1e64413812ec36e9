"""What `citeloom cite` and `citeloom verify` print, and what the exit code of a verdict says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from citeloom.api.evidence import CitationStyle, Cite, CiteResult, OtherWork, Verdict, VerifyQuote, VerifyResult
from citeloom.api.verbs import decode
from citeloom.cli import cite, verify
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Coverage
from tests.sample_results import verify_result

SIGNS = "[/x] \\[/y] [bold]z :smile: \\"


def verdict(word: str, **other: Any) -> VerifyResult:
    return verify_result(word, coverage=Coverage(9, 8, 8, 0, 1, 0), **other)


HERE = {
    "citekey": "hartmann2019",
    "title": f"On Quoting {SIGNS}",
    "cite": "[@hartmann2019, pp. 33-34]",
    "page_span": (3, 4),
    "page_labels": ("33", "34"),
    "section_path": ("Results", SIGNS),
    "text": "a quotation is a promise",
    "sentence": f"We say that a quotation is a\npromise. {SIGNS}",
    "places": 1,
}


def run(command: click.Command, *arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin, standalone_mode=False, catch_exceptions=False)


def verified(monkeypatch: pytest.MonkeyPatch, answer: VerifyResult, *options: str) -> tuple[int, list[str]]:
    monkeypatch.setattr(verify, "ask", lambda *_, **__: answer)
    result = run(verify.verify, "thesis", "a quotation is a promise", *options)
    return result.return_value, result.stdout.splitlines()


def test_an_exact_quotation_is_said_to_be_so_and_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = verdict("exact", **{**HERE, "places": 2}, page_claimed="33", page_right=True)
    assert verified(monkeypatch, answer) == (
        0,
        [
            "EXACT: So it is.",
            f"[@hartmann2019, pp. 33-34]  Results > {SIGNS}",
            f"On Quoting {SIGNS} (PDF page 3–4, printed 33–34)",
            f"    We say that a quotation is a promise. {SIGNS}",
            "Page 33 is right.",
            "It occurs in 2 places; this is the first.",
            "Searched 8 documents of 120 pages; in the project 8 of 9 documents searchable, 1 failed.",
        ],
    )


def test_a_changed_quotation_is_shown_with_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = verdict(
        "near", **HERE, renamed_from="hart2018", diff="is a [-threat-] {+promise+}", page_claimed="9", page_right=None
    )
    code, shown = verified(monkeypatch, answer)
    assert code == 1 and shown[0] == "NEAR: So it is." and shown[3] == "    is a [-threat-] {+promise+}"
    assert shown[4:-1] == [
        "hart2018 has the citekey hartmann2019 now.",
        "Page 9 may be right or wrong: the work has no printed page numbers.",
    ]


def test_what_is_absent_from_one_work_is_shown_in_another(monkeypatch: pytest.MonkeyPatch) -> None:
    other = OtherWork(
        citekey="okafor2021", title="Sleep", cite="[@okafor2021, p. 4]", verdict=Verdict.EXACT, page_span=(4, 4),
        page_labels=("4",), text=f"a promise {SIGNS}", source="a.pdf", matched_by="doi", text_source="native",
    )  # fmt: skip
    code, shown = verified(monkeypatch, verdict("absent", elsewhere=other))
    assert code == 1 and shown[:3] == [
        "ABSENT: So it is.",
        "Elsewhere: [@okafor2021, p. 4]  Sleep (PDF page 4, printed 4) (exact)",
        f"    a promise {SIGNS}",
    ]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (verdict("exact", **HERE), 0),
        (verdict("exact", **HERE, page_claimed="9", page_right=False), 1),
        (verdict("near", **HERE), 1),
        (verdict("absent"), 1),
        (verdict("inconclusive"), 2),
    ],
    ids=["exact", "wrong page", "near", "absent", "inconclusive"],
)
def test_the_exit_code_tells_right_wrong_and_not_known_apart(
    answer: VerifyResult, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, shown = verified(monkeypatch, answer, "--json")
    assert told == code and decode(json.loads("\n".join(shown)), VerifyResult) == answer


def test_a_quotation_that_could_not_be_looked_up_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise CiteLoomError(Code.CITEKEY_NOT_FOUND, "No work has the citekey x.", "Near: xy.")

    monkeypatch.setattr(verify, "ask", fail)
    result = CliRunner().invoke(verify.verify, ["thesis", "a quotation", "--citekey", "x"])
    assert (result.exit_code, result.stderr) == (2, "citeloom: No work has the citekey x. Near: xy.\n")


def test_a_quotation_is_read_from_the_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(request: VerifyQuote, _: str) -> VerifyResult:
        asked.append(request.quote)
        return verdict("absent")

    monkeypatch.setattr(verify, "ask", ask)
    run(verify.verify, "thesis", "-", stdin="\ufeff„ganz“\nanders\n".encode())
    assert asked == ["„ganz“\nanders"]
    result = CliRunner().invoke(verify.verify, ["thesis", "-"], input=b"\xe9t\xe9")
    assert result.exit_code == 2 and "UTF-8" in result.stderr and len(asked) == 1


def test_citations_and_bibliography_are_printed_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Cite] = []
    answer = CiteResult(
        style=CitationStyle("apa", "APA 7th"),
        locale="en-US",
        citations=(f"(Hartmann, 2019, p. 33) {SIGNS}", "Okafor (2021)"),
        bibliography=(f"Hartmann. {SIGNS}", "Okafor."),
        keys=(),
        warnings=("The citekey old is new now.",),
    )
    monkeypatch.setattr(cite, "ask", lambda request, _: asked.append(request) or answer)
    result = run(cite.cite, "[@hartmann2019, p. 33]", "@okafor2021", "--style", "House.CSL", "--format", "text")
    citations, bibliography = result.stdout.split("\nBibliography (APA 7th):\n\n")
    assert citations == f"In the text:\n\n(Hartmann, 2019, p. 33) {SIGNS}\nOkafor (2021)\n"
    assert bibliography == f"Hartmann. {SIGNS}\n\nOkafor.\n"
    assert result.stderr == "Note: The citekey old is new now.\n"
    assert asked[0].style == str(Path("House.CSL").absolute()) and asked[0].markup == "text"
    assert asked[0].cites == ("[@hartmann2019, p. 33]", "@okafor2021")
