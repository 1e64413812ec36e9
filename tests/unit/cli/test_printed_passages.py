"""What is printed is what is there, whatever signs it holds."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom.api.maintenance import CheckUp, HealthFinding
from citeloom.api.search import PassageReference, RerankCost
from citeloom.cli import doctor, search, show
from citeloom.cli import main as run
from tests.sample_results import neighbour, passage_result, query_result, search_hit

SIGNS = "[/x] \\[/y] [bold]z :smile: \\"


FIELDS: dict[str, Any] = {
    "cite": f"[@k, {SIGNS}]",
    "section_path": (SIGNS,),
    "authors": (),
    "title": SIGNS,
    "year": None,
    "page_span": None,
    "open_uri": None,
    "render_text": SIGNS,
    "full_text": SIGNS,
}


def test_a_hit_is_printed_as_it_stands_in_the_paper(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hit = search_hit(**FIELDS, also_in=(PassageReference("c2", f"[@preprint, {SIGNS}]"),))
    answer = query_result(hit, reranked=RerankCost("m", 30, 1.25))
    monkeypatch.setattr(search, "ask", lambda *_, **__: answer)
    assert run(["search", "thesis", "formula"]) == 0
    printed = capsys.readouterr().out
    assert printed.count(SIGNS) == 5
    assert "Reranked by m: 30 passages in 1.2 s." in printed


def test_a_hit_that_is_not_embedded_yet_says_so_beside_its_score(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = query_result(search_hit(), search_hit(by_words_only=True))
    monkeypatch.setattr(search, "ask", lambda *_, **__: answer)
    assert run(["search", "thesis", "moths"]) == 0
    printed = capsys.readouterr().out
    assert (printed.count("0.90"), printed.count("0.90 by words only")) == (2, 1)


def test_a_passage_is_printed_as_it_stands_in_the_paper(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    around = (neighbour(SIGNS),)
    answer = passage_result(**FIELDS, before=around, after=around)
    monkeypatch.setattr(show, "ask", lambda *_, **__: answer)
    assert run(["show", "c1"]) == 0
    assert capsys.readouterr().out.count(SIGNS) == 5


def test_the_check_up_prints_paths_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Engine:
        def __enter__(self) -> Engine:
            return self

        def __exit__(self, *_: object) -> None: ...

        def call(self, request: CheckUp) -> list[HealthFinding]:
            return [HealthFinding("data", ok=False, note=False, seen=SIGNS, next_step=SIGNS)]

    monkeypatch.setattr(doctor, "connected", Engine)
    with pytest.raises(SystemExit):
        run(["doctor"])
    assert capsys.readouterr().out.count(SIGNS) == 2
