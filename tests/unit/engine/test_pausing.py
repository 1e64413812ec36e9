"""Imports that are paused: nothing runs, nothing is lost, and it goes on from there."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from citeloom.api.engine import Pause, Resume, Status
from citeloom.api.events import Event, JobFinished, Paused
from citeloom.api.library import AgentChunk, DeleteDocument, RemoveProject, StoreChunks
from citeloom.catalog import Catalog
from citeloom.core import fault_injection
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import Job
from citeloom.core.settings import Settings, Watch
from citeloom.core.types import Source
from citeloom.engine.container import Container
from citeloom.importing.rebuild import Rebuild
from citeloom.importing.requests import ImportRequest
from citeloom.importing.watch.watcher import ProjectWatcher
from citeloom.zotero.gateway import ZoteroGateway
from tests.faults import Pause as PausePoint
from tests.support import wait_for
from tests.unit.engine.conftest import PAPERS


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PausePoint]:
    """Holds an import at its second document."""
    made = PausePoint(tmp_path / "second")
    rules = json.dumps([made.at("import.read", "coral.md"), made.at("import.convert", "coral.md")])
    monkeypatch.setattr(fault_injection, "RULES", fault_injection.parse(rules))
    yield made
    made.release()


def submit(engine: Container) -> Job:
    return engine.jobs.submit(ImportRequest("p"))


def paused(engine: Container) -> list[str]:
    return [job.job_id for job in engine.jobs.unfinished() if job.state == "paused"]


def finished(engine: Container, job: Job) -> dict[str, Any]:
    ended, _ = engine.jobs.wait(job.id, 60)
    assert ended is not None
    return {"state": ended.state, **ended.result}


def test_a_paused_import_waits_and_goes_on_with_what_is_left(engine: Container, gate: PausePoint) -> None:
    told: list[Event] = []
    engine.events.subscribe(told.append)
    job = submit(engine)
    gate.wait()
    engine.engine.pause(Pause())
    gate.release()
    wait_for(lambda: paused(engine) == [job.id], "the import to pause")
    before = engine.engine.status(Status()).coverage.searchable
    assert before < len(PAPERS)
    assert engine.engine.status(Status()).paused is True
    assert [e for e in told if isinstance(e, JobFinished | Paused)] == [Paused(True)]
    assert engine.catalog.jobs.past(None, 10) == []

    engine.engine.resume(Resume())
    result = finished(engine, job)
    assert result["state"] == "done"
    assert result["new"] + before == len(PAPERS), "what was read before is not read again"
    assert engine.engine.status(Status()).coverage.searchable == len(PAPERS)
    assert engine.engine.status(Status()).paused is False
    assert [e.state if isinstance(e, JobFinished) else e for e in told if isinstance(e, JobFinished | Paused)] == [
        Paused(True),
        Paused(False),
        "done",
    ]


def test_the_same_import_asked_for_while_it_pauses_is_not_done_twice(engine: Container, gate: PausePoint) -> None:
    job = submit(engine)
    gate.wait()
    engine.engine.pause(Pause())
    assert submit(engine).id == job.id
    gate.release()
    wait_for(lambda: paused(engine) == [job.id], "the import to pause")
    assert submit(engine).id == job.id
    engine.engine.resume(Resume())
    assert finished(engine, job)["state"] == "done"
    assert [j.id for j in engine.catalog.jobs.past(None, 10)] == [job.id]


def test_a_job_that_is_cancelled_while_it_pauses_does_not_come_back(engine: Container, gate: PausePoint) -> None:
    job = submit(engine)
    gate.wait()
    engine.engine.pause(Pause())
    assert engine.jobs.cancel(job.id)
    gate.release()
    assert finished(engine, job)["state"] == "cancelled"
    assert engine.jobs.unfinished() == []


def test_what_waits_for_a_removed_project_is_cancelled_and_said(engine: Container) -> None:
    told: list[Event] = []
    engine.events.subscribe(told.append)
    engine.engine.pause(Pause())
    job = submit(engine)
    engine.projects.remove_project(RemoveProject(project="p"))
    assert [(e.job_id, e.state) for e in told if isinstance(e, JobFinished)] == [(job.id, "cancelled")]
    assert engine.jobs.unfinished() == []


def test_a_project_that_may_not_be_removed_loses_nothing_that_waits(engine: Container, gate: PausePoint) -> None:
    submit(engine)
    gate.wait()
    waiting = engine.jobs.submit(ImportRequest("p", force_rebuild=True))
    with pytest.raises(CiteLoomError, match="is running"):
        engine.projects.remove_project(RemoveProject(project="p"))
    assert waiting.id in [job.job_id for job in engine.jobs.unfinished()]
    gate.release()
    assert finished(engine, waiting)["state"] == "done"


def test_what_is_asked_for_during_a_pause_waits_also_for_the_next_engine(
    engine: Container, new_engine: Callable[[], Container]
) -> None:
    engine.engine.pause(Pause())
    engine.engine.pause(Pause())
    job = submit(engine)
    assert engine.jobs.state(job) == "paused"
    after = new_engine()
    assert after.jobs.paused
    assert paused(after) == [job.id]
    after.engine.resume(Resume())
    assert finished(after, job)["new"] == len(PAPERS)
    assert not new_engine().jobs.paused


def test_a_rebuild_that_is_paused_leaves_the_old_index_until_it_is_done(engine: Container, gate: PausePoint) -> None:
    gate.release()
    assert finished(engine, submit(engine))["new"] == len(PAPERS)
    gate.reset()
    job = engine.jobs.submit(ImportRequest("p", force_rebuild=True))
    gate.wait()
    engine.engine.pause(Pause())
    gate.release()
    wait_for(lambda: paused(engine) == [job.id], "the rebuild to pause")
    project = engine.catalog.projects.get("p")
    assert engine.collection(project).count() == len(PAPERS)
    engine.engine.resume(Resume())
    assert finished(engine, job)["state"] == "done"
    rebuilt = engine.catalog.projects.get("p")
    assert rebuilt.generation == project.generation + 1
    assert engine.collection(rebuilt).count() == len(PAPERS)


def test_a_rebuild_that_is_done_when_the_pause_comes_is_not_done_again(
    engine: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = Rebuild.finish

    def then_pause(rebuild: Rebuild) -> None:
        finish(rebuild)
        engine.engine.pause(Pause())

    monkeypatch.setattr(Rebuild, "finish", then_pause)
    job = engine.jobs.submit(ImportRequest("p", force_rebuild=True))
    assert finished(engine, job)["state"] == "done"
    assert engine.catalog.projects.get("p").generation == 2


def test_what_is_stored_and_removed_during_a_rebuild_is_so_after_it(
    engine: Container, gate: PausePoint, papers: Path
) -> None:
    gate.release()
    finished(engine, submit(engine))
    gate.reset()
    job = engine.jobs.submit(ImportRequest("p", force_rebuild=True))
    gate.wait()
    item = AgentChunk(id="note-1", text="The dune was measured.", embedding=[1.0] + [0.0] * 383)
    engine.agent_chunks.store_chunks(StoreChunks(project="p", items=[item]), Cancel())
    removed = engine.catalog.documents.find("p", source=str(papers / "bog.md"))
    assert removed is not None
    engine.documents.delete_document(DeleteDocument(project="p", doc_id=removed.doc_id))
    gate.release()
    assert finished(engine, job)["state"] == "done"
    rebuilt = engine.catalog.projects.get("p")
    titles = {document.title for document in engine.catalog.documents.all("p")}
    assert rebuilt.generation == 2
    assert engine.collection(rebuilt).count() == len(PAPERS) == engine.catalog.documents.chunk_count("p")
    assert "On the bog" not in titles and len(titles) == len(PAPERS)


def test_files_are_followed_that_changed_while_nobody_watched_or_during_a_pause(
    tmp_path: Path, catalog: Catalog, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITELOOM_WATCH", raising=False)
    model = {"dense_model": "m", "dense_fingerprint": "f", "dense_size": 4, "sparse_model": ""}
    for name in ("of-zotero", "p"):
        catalog.projects.add(name, None, model)
    catalog.projects.add_source("p", Source("folder", str(papers)))
    catalog.projects.add_source("of-zotero", Source("zotero", "zotero:library"))
    asked, followed, rests = threading.Event(), list[str](), True

    def is_paused() -> bool:
        asked.set()
        return rests

    zotero = ZoteroGateway(Settings().zotero, tmp_path / "mirror")
    watching = ProjectWatcher(Watch(zotero=False), catalog, zotero, is_paused)
    watching.start(followed.append)
    try:
        assert asked.wait(60), "what changed before the start is looked for"
        assert followed == []
        rests = False
        watching.resume()
        wait_for(lambda: followed == ["p"], "the change to be followed")
    finally:
        watching.stop()
