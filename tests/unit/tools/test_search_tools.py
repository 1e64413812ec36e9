"""What an agent gets from a search while some passages are not embedded yet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate as check_schema

from citeloom.api.importing import Ingest
from citeloom.api.library import AddProject
from citeloom.core.cancel import Cancel
from citeloom.core.settings import Settings
from citeloom.core.types import Source
from citeloom.engine.container import Container
from citeloom.index.filters import of_document
from citeloom.tools.arguments import validate
from citeloom.tools.table import TOOLS
from citeloom.tools.tool import Call


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    """An engine with a project of two papers, both embedded."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    folder = tmp_path / "papers"
    folder.mkdir()
    for word in ("moth", "heron"):
        (folder / f"{word}.md").write_text(f"# On the {word}\n\nThe {word} was measured.\n", encoding="utf-8")
    made = Container(Settings())
    made.jobs.start()
    made.projects.add_project(AddProject(project="thesis"))
    made.catalog.projects.add_source("thesis", Source("folder", str(folder), recursive=True))
    finished, _ = made.jobs.wait(made.imports.ingest(Ingest(project="thesis")).job_id, 120)
    assert finished and finished.state == "done", finished
    yield made
    made.stop()


def take_vectors(engine: Container, name: str) -> None:
    """Let a paper be as it is before its passages are embedded."""
    collection = engine.collection(engine.catalog.projects.get("thesis"))
    (document,) = (d for d in engine.catalog.documents.all("thesis") if d.source.endswith(name))
    points = list(collection.stored(of_document(document.doc_id), document.chunks))
    collection.upsert([replace(point, dense=None) for point in points])
    engine.catalog.documents.save(replace(document, without_vector=document.chunks))


def call(engine: Container, tool: str, **given: Any) -> dict[str, Any]:
    made = TOOLS[tool]
    ran = made.run(Call(engine, None, validate(made.arguments, {"project": "thesis", **given}), Cancel()))
    answer: dict[str, Any] = json.loads(json.dumps(ran))
    check_schema({**answer, "correlation_id": "c"}, made.output or {})
    return answer


def test_a_hit_is_marked_only_where_it_is_not_embedded_and_the_answer_says_what_it_could_not_see(
    engine: Container,
) -> None:
    before = call(engine, "query_hybrid", text="moth")
    assert before["warnings"] == [] and not any("by_words_only" in hit for hit in before["items"])
    take_vectors(engine, "moth.md")
    found = call(engine, "query_hybrid", text="how was the moth measured")["items"]
    assert {hit["source"]: hit.get("by_words_only") for hit in found} == {"moth.md": True, "heron.md": None}
    by_meaning = call(engine, "query", text="moth")
    assert [hit["source"] for hit in by_meaning["items"]] == ["heron.md"]
    assert "1 of 2 searchable documents is not embedded yet" in by_meaning["warnings"][0]
    counts = {"documents": 2, "searchable": 2, "by_meaning": 1, "pending": 0, "failed": 0, "without_file": 0}
    assert by_meaning["coverage"] == call(engine, "inspect_collection")["coverage"] == counts
    listed = call(engine, "list_documents")
    assert {row["source"]: bool(row["without_vector"]) for row in listed["documents"]} == {
        "moth.md": True,
        "heron.md": False,
    }
