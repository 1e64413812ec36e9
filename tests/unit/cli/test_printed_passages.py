"""What is printed is what is there, whatever signs it holds."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom.api.maintenance import CheckUp, CheckUpResult, Finding
from citeloom.cli import doctor, search
from citeloom.cli import main as run

SIGNS = "[/x] \\[/y] [bold]z :smile: \\"


def passage(**other: Any) -> dict[str, Any]:
    return {
        "cite": f"[@k, {SIGNS}]",
        "claimed_citekey": None,
        "text_source": "native",
        "section_path": [SIGNS],
        "authors": [],
        "title": SIGNS,
        "year": None,
        "page_span": [],
        "source": "a.pdf",
        "score": 0.5,
        "chunk_id": "c1",
        "open_uri": None,
        "render_text": SIGNS,
        "full_text": SIGNS,
        "also_in": [{"chunk_id": "c2", "cite": f"[@preprint, {SIGNS}]"}],
        **other,
    }


def test_a_hit_is_printed_as_it_stands_in_the_paper(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = {"documents": 1, "searchable": 1, "pending": 0, "failed": 0, "without_file": 0}
    reranked = {"model": "m", "candidates": 30, "seconds": 1.25}
    answer = {"items": [passage()], "warnings": [], "coverage": counts, "reranked": reranked}
    monkeypatch.setattr(search, "ask", lambda *_, **__: answer)
    assert run(["search", "thesis", "formula"]) == 0
    printed = capsys.readouterr().out
    assert printed.count(SIGNS) == 5
    assert "Reranked by m: 30 passages in 1.2 s." in printed


def test_a_passage_is_printed_as_it_stands_in_the_paper(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    around = [{"render_text": SIGNS}]
    answer = {"passage": passage(), "refined_from": None, "project": "p", "before": around, "after": around}
    monkeypatch.setattr(search, "ask", lambda *_, **__: answer)
    assert run(["show", "c1"]) == 0
    assert capsys.readouterr().out.count(SIGNS) == 5


def test_the_check_up_prints_paths_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Engine:
        def __enter__(self) -> Engine:
            return self

        def __exit__(self, *_: object) -> None: ...

        def call(self, request: CheckUp) -> CheckUpResult:
            return CheckUpResult([Finding("data", ok=False, note=False, seen=SIGNS, next_step=SIGNS)])

    monkeypatch.setattr(doctor, "connected", Engine)
    with pytest.raises(SystemExit):
        run(["doctor"])
    assert capsys.readouterr().out.count(SIGNS) == 2
