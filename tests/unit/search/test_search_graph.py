"""The search graph: built when enough passages wait for one, in another process, and swapped in unseen."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citeloom.api.events import JobProgress
from citeloom.api.importing import Ingest
from citeloom.api.library import AddProject, AgentChunk, DeleteDocument, StoreChunks
from citeloom.api.search import Query
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Settings
from citeloom.core.types import Source
from citeloom.engine.container import Container
from citeloom.index import registry
from citeloom.index.edge import optimise
from citeloom.index.filters import AnyOf
from citeloom.search import indexes


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    made = Container(Settings())
    made.jobs.start()
    made.projects.add_project(AddProject(project="thesis"))
    yield made
    made.stop()


def store_100(service: Container) -> None:
    chance = random.Random(3)
    items = [
        AgentChunk(id=f"p{n}", text=f"Passage {n}.", embedding=[chance.gauss(0, 1) for _ in range(384)])
        for n in range(100)
    ]
    service.agent_chunks.store_chunks(StoreChunks(project="thesis", items=items), Cancel())


def test_a_graph_is_built_once_enough_passages_wait_and_answers_stay_the_same(
    service: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask() -> list[str]:
        request = Query(project="thesis", text="passage", hybrid=False, top_k=20)
        return [hit.chunk_id for hit in service.search.query(request, Cancel()).items]

    monkeypatch.setattr(indexes, "_MIN_TO_OPTIMISE", 101)
    store_100(service)
    service._when_idle(jobs_wait=False)
    before = service.catalog.projects.get("thesis")
    assert (before.generation, before.without_graph) == (1, 100)
    answers = ask()

    store_100(service)  # the same passages again: written anew, so they wait anew
    service._when_idle(jobs_wait=False)
    after = service.catalog.projects.get("thesis")
    assert (after.generation, after.without_graph) == (2, 0)
    assert ask() == answers
    assert len(service.search.similar(before, ["passage"], 6, Cancel())) == 6, "an older row serves"
    assert [f.name for f in service.collections.folder(after.index_location).parent.iterdir()] == ["g0002"]

    (document,) = service.catalog.documents.all("thesis")
    service.documents.delete_document(DeleteDocument(project="thesis", doc_id=document.doc_id))
    assert service.catalog.projects.get("thesis").without_graph == 100, "what was deleted takes room until then"


@pytest.fixture
def papers(service: Container, tmp_path: Path) -> list[str]:
    """The words by which each of some papers is found, which the project is to read."""
    folder, words = tmp_path / "papers", ["bog", "coral", "moth", "tide", "gorse", "heron"]
    folder.mkdir()
    for word in words:
        (folder / f"{word}.md").write_text(f"# On the {word}\n\nThe {word} was measured.\n", encoding="utf-8")
    service.catalog.projects.add_source("thesis", Source("folder", str(folder), recursive=True))
    return words


def imported(service: Container, **options: Any) -> list[str]:
    """Import everything; gives the stages it went through."""
    stages: list[str] = []
    service.events.subscribe(lambda event: stages.append(event.stage) if isinstance(event, JobProgress) else None)
    project = service.catalog.projects.get("thesis")
    job = service.imports.ingest(Ingest(project=project.id, **options))
    finished, _ = service.jobs.wait(job.job_id, 120)
    assert finished and finished.state == "done", finished
    return [stage for stage, _ in groupby(stages)]


def found(service: Container, words: list[str]) -> list[str]:
    """For each of these words, the paper that comes first."""
    project = service.catalog.projects.get("thesis")
    answers = [service.search.query(Query(project="thesis", text=word, hybrid=True), Cancel()) for word in words]
    assert service.collection(project).count() == len(words)
    return [answer.items[0].source.removesuffix(".md") for answer in answers]


def test_a_long_import_builds_the_graph_on_its_way_and_loses_nothing(
    service: Container, papers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexes, "MAX_WITHOUT_GRAPH", 2)
    built = imported(service).count("search graph")
    assert built >= 1
    project = service.catalog.projects.get("thesis")
    assert (project.generation, project.without_graph) == (1 + built, 0)
    assert found(service, papers) == papers
    assert [f.name for f in service.collections.folder(project.index_location).parent.iterdir()] == [f"g000{1 + built}"]


def test_a_long_rebuild_builds_the_graph_on_its_way(
    service: Container, papers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(service)
    monkeypatch.setattr(registry, "MAX_WITHOUT_GRAPH", 4)
    assert imported(service, force_rebuild=True).count("search graph") == 1
    assert found(service, papers) == papers


def test_a_graph_that_cannot_be_built_keeps_nothing_from_being_imported_and_is_not_tried_all_the_time(
    service: Container, papers: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried: list[int] = []

    def fail(*_: object) -> None:
        tried.append(1)
        raise CiteLoomError(Code.STORAGE_ERROR, "The index could not be optimised: Killed.")

    monkeypatch.setattr(indexes, "MAX_WITHOUT_GRAPH", 6)
    monkeypatch.setattr(indexes, "_MIN_TO_OPTIMISE", 3)
    monkeypatch.setattr(indexes, "optimised_copy", fail)
    imported(service)
    service._when_idle(jobs_wait=False)
    assert len(tried) == 1 and "could not be optimised" in caplog.text
    service.catalog.projects.add_without_graph("thesis", 3)
    service._when_idle(jobs_wait=False)
    service._when_idle(jobs_wait=False)
    assert len(tried) == 2
    assert found(service, papers) == papers


def test_a_graph_that_cannot_take_the_place_of_the_index_is_taken_back_and_nothing_is_lost(
    service: Container, papers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    save, tried = service.catalog.projects.save, list[int]()

    def fail_once(project: Project) -> None:
        tried.append(project.generation)
        if len(tried) == 1:
            raise CiteLoomError(Code.STORAGE_ERROR, "database is locked.")
        save(project)

    monkeypatch.setattr(indexes, "MAX_WITHOUT_GRAPH", 6)
    monkeypatch.setattr(indexes, "_MIN_TO_OPTIMISE", 6)
    monkeypatch.setattr(service.catalog.projects, "save", fail_once)
    imported(service)
    assert (tried, service.catalog.projects.get("thesis").generation) == ([2], 1)
    service.catalog.projects.add_without_graph("thesis", 6)
    service._when_idle(jobs_wait=False)
    assert (tried, service.catalog.projects.get("thesis").generation) == ([2, 2], 2)
    assert found(service, papers) == papers


def test_a_disk_without_room_for_a_copy_is_not_filled(
    service: Container, papers: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(indexes, "MAX_WITHOUT_GRAPH", 2)
    monkeypatch.setattr(registry, "free_bytes", lambda folder: 1000)
    imported(service)
    assert service.catalog.projects.get("thesis").generation == 1
    assert found(service, papers) == papers and "no room" in caplog.text


def test_a_rebuild_whose_graph_cannot_be_built_goes_on_without_it(
    service: Container, papers: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    imported(service)
    monkeypatch.setattr(registry, "MAX_WITHOUT_GRAPH", 4)
    monkeypatch.setattr(optimise, "sys", SimpleNamespace(executable="/nowhere/python"))  # not that of the workers
    imported(service, force_rebuild=True)
    assert "stays without a search graph" in caplog.text
    assert found(service, papers) == papers


def test_what_a_failed_write_left_hidden_is_not_seen_in_the_index_with_the_graph(
    service: Container, papers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(service)
    project = service.catalog.projects.get("thesis")
    collection, document = service.collection(project), service.catalog.documents.all("thesis")[0]
    (passage,) = collection.stored(AnyOf("doc_id", (document.doc_id,)), 1)
    service.catalog.documents.mark_writing(document, "half-written")
    collection.hide("half-written")
    other = str(uuid.UUID(int=7))
    collection.upsert([replace(passage, id=other, payload={**passage.payload, "version": "half-written"})])
    monkeypatch.setattr(indexes, "_MIN_TO_OPTIMISE", 1)
    service._when_idle(jobs_wait=False)
    assert service.catalog.projects.get("thesis").generation == 2
    assert found(service, papers) == papers
