"""The search graph: built when enough passages wait for one, in another process, and swapped in unseen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citeloom.config import Settings
from citeloom.engine import indexes
from citeloom.engine.cancel import Cancel
from citeloom.engine.service import Service
from citeloom.ingest.place import place_of


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    made = Service(Settings())
    made.jobs.start()
    made.projects.add("thesis", None, [])
    yield made
    made.stop()


def items(count: int) -> list[dict[str, Any]]:
    chance = random.Random(3)
    return [
        {"id": f"p{n}", "text": f"Passage {n}.", "embedding": [chance.gauss(0, 1) for _ in range(384)], "metadata": {}}
        for n in range(count)
    ]


def test_a_graph_is_built_once_enough_passages_wait_and_answers_stay_the_same(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask() -> list[str]:
        project = service.catalog.projects.get("thesis")
        answer = service.questions.query(project, "passage", hybrid=False, cancel=Cancel(), top_k=20)
        return [hit["chunk_id"] for hit in answer["items"]]

    monkeypatch.setattr(indexes, "_OPTIMISE_FROM", 101)
    service.store_chunks(service.catalog.projects.get("thesis"), items(100), Cancel())
    service._when_idle()
    before = service.catalog.projects.get("thesis")
    assert (before.generation, before.without_graph) == (1, 100)
    answers = ask()

    service.store_chunks(before, items(100), Cancel())  # the same passages again: written anew, so they wait anew
    service._when_idle()
    after = service.catalog.projects.get("thesis")
    assert (after.generation, after.without_graph) == (2, 0)
    assert ask() == answers
    assert service.questions.query(before, "passage", hybrid=False, cancel=Cancel())["count"] == 6, (
        "an older row serves"
    )
    assert [f.name for f in service.collections.folder(place_of(after)).parent.iterdir()] == ["g0002"]

    (document,) = service.catalog.documents.all("thesis")
    service.delete_document(after, document.doc_id)
    assert service.catalog.projects.get("thesis").without_graph == 100, "what was deleted takes room until then"
