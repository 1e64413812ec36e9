"""Imports that wait for what is away: nothing is held against a document, and nobody else waits with them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keyring
import pytest

from citeloom.api.engine import Pause, Resume
from citeloom.api.events import JobProgress
from citeloom.api.library import AddProject
from citeloom.api.maintenance import CheckUp
from citeloom.catalog.documents import State
from citeloom.conversion.pool import WorkerPool
from citeloom.core import fault_injection
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job
from citeloom.core.settings import BUNDLED_DENSE, Index, Settings
from citeloom.engine import active_job, container, jobs
from citeloom.engine.container import Container
from citeloom.importing import document_queue
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.models.embedding import DenseModel
from citeloom.notes.embedding import NoteEmbedder
from tests.faults import set_number
from tests.keyring_for_tests import Memory
from tests.qdrant_stand_in import QdrantStandIn
from tests.support import wait_for
from tests.unit.engine.conftest import PAPERS, ended, submit

Read = Callable[..., dict[str, Any]]


@pytest.fixture
def qdrant() -> Iterator[QdrantStandIn]:
    with QdrantStandIn() as server:
        yield server


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, papers: Path) -> Iterator[Callable[..., Container]]:
    """Makes an engine whose project `p` reads the papers; pauses are short."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    monkeypatch.setattr(keyring.core, "_keyring_backend", Memory())
    monkeypatch.setattr(active_job, "_FIRST_DELAY", 0.05)
    made: list[Container] = []

    def service(server: str = "") -> Container:
        made.append(Container(Settings(index=Index(server=server, timeout_seconds=5.0))))
        made[-1].jobs.start()
        made[-1].projects.add_project(AddProject(project="p", folders=[str(papers)]))
        return made[-1]

    yield service
    made[-1].stop()


def waits_for(service: Container, job: Job) -> str:
    def said() -> str:
        return next((one.waits_for for one in service.jobs.unfinished() if one.job_id == job.id), "")

    words: str = wait_for(said, "the import to wait")
    return words


def states(service: Container) -> dict[str, str]:
    return {Path(one.source).stem: str(one.state) for one in service.catalog.documents.all("p")}


def test_every_way_in_which_a_server_fails_is_waited_for_and_counts_once(
    make: Callable[..., Container], qdrant: QdrantStandIn, papers: Path
) -> None:
    service = make(qdrant.address)
    told: list[str] = []
    service.events.subscribe(lambda event: told.append(event.waits_for) if isinstance(event, JobProgress) else None)
    troubles: list[tuple[int, str]] = [
        (500, "a shard is broken"),
        (500, "No space left on device"),
        (503, "starting"),
        (429, "too much at once"),
        (403, "another key"),
    ]
    for trouble in troubles:
        (papers / "moth.md").write_text(f"# On the moth\n\nIt said: {trouble[1]}.\n")
        qdrant.says = trouble
        told.clear()
        job = submit(service)
        assert qdrant.address in waits_for(service, job)
        wait_for(lambda: sum(map(bool, told)) > 2, "further tries, which fail too")
        assert service.jobs.wait(job.id, 0)[0] is None, "it goes on"
        qdrant.says = None
        result = ended(service, job)
        assert (result["state"], result["failed"]) == ("done", 0), trouble
        assert set(states(service).values()) == {"ready"}
        assert not told[-1]


def test_what_waits_can_be_stopped_paused_or_asked_for_again(
    make: Callable[..., Container], qdrant: QdrantStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make(qdrant.address)
    monkeypatch.setattr(active_job, "_FIRST_DELAY", 600.0)
    monkeypatch.setattr(active_job, "_MAX_DELAY", 600.0)
    qdrant.says = (503, "starting")
    job = submit(service)
    waits_for(service, job)
    assert service.jobs.cancel(job.id)
    assert ended(service, job)["state"] == "cancelled"

    job = submit(service)
    waits_for(service, job)
    service.engine.pause(Pause())
    wait_for(lambda: [one.state for one in service.jobs.unfinished()] == ["paused"], "the import to pause")
    service.engine.resume(Resume())
    waits_for(service, job)
    qdrant.says = None
    assert submit(service).id == job.id, "who asks for the same ends the pause"
    assert ended(service, job)["new"] == len(PAPERS)


def test_a_rebuild_elsewhere_takes_the_place_of_what_waits_for_a_server_that_is_gone(
    make: Callable[..., Container], qdrant: QdrantStandIn, papers: Path
) -> None:
    service = make(qdrant.address)
    assert ended(service, submit(service))["new"] == len(PAPERS)
    qdrant.close()
    (papers / "moth.md").write_text("# On the moth\n\nAnother text.\n")
    waiting = submit(service)
    waits_for(service, waiting)
    rebuilt = ended(service, submit(service, force_rebuild=True, embedded=True))
    assert (rebuilt["state"], rebuilt["failed"]) == ("done", 0)
    assert service.catalog.projects.get("p").server == ""
    assert ended(service, waiting)["state"] == "done", "it goes on with the index that there is now"
    assert set(states(service).values()) == {"ready"}
    qdrant.open()


def test_a_rebuild_goes_on_where_it_was(make: Callable[..., Container], monkeypatch: pytest.MonkeyPatch) -> None:
    service, upsert = make(), EdgeCollection.upsert
    assert ended(service, submit(service))["new"] == len(PAPERS)
    written: list[str] = []

    def full_once(self: EdgeCollection, points: Any) -> None:
        source = points[0].payload["source"]
        written.append(source)
        if written.count(source) == 1 and len(written) == 3:
            raise CiteLoomError(Code.STORAGE_ERROR, "The disk is full.")
        upsert(self, points)

    monkeypatch.setattr(EdgeCollection, "upsert", full_once)
    result = ended(service, submit(service, force_rebuild=True))
    assert (result["state"], result["new"] + result["replaced"], result["failed"]) == ("done", len(PAPERS), 0)
    assert len(written) == len(PAPERS) + 1, "what was written is not written again"


def test_a_document_whose_reader_is_killed_is_read_later_and_fails_only_when_that_goes_on(
    make: Callable[..., Container], monkeypatch: pytest.MonkeyPatch
) -> None:
    service, convert = make(), WorkerPool.convert
    killed: list[str] = []
    times = 2

    def kill(self: WorkerPool, request: dict[str, Any], *more: Any) -> dict[str, Any]:
        if request["path"].endswith("coral.md") and len(killed) < times:
            killed.append(request["path"])
            raise CiteLoomError(
                Code.ENGINE_UNAVAILABLE, "The process that read coral.md was killed by another program."
            )
        return convert(self, request, *more)

    monkeypatch.setattr(WorkerPool, "convert", kill)
    result = ended(service, submit(service))
    assert (result["new"], result["failed"], len(killed)) == (len(PAPERS), 0, 2)

    killed.clear()
    times = 10**6
    (Path(service.catalog.documents.all("p")[0].source).parent / "coral.md").write_text("# On the coral\n\nAnother.\n")
    result = ended(service, submit(service))
    assert (result["failed"], len(killed)) == (1, 3), "one document holds up no import for ever"
    times = 0
    assert ended(service, submit(service))["replaced"] == 1


@pytest.fixture
def missing_model(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The model is not on this machine until this is set."""
    embed, is_there = DenseModel.embed, threading.Event()

    def absent(self: DenseModel, *passages: Any) -> Any:
        if not is_there.is_set():
            raise CiteLoomError(Code.MODEL_NOT_AVAILABLE, "The model is not on this machine.", "Fetch it.")
        return embed(self, *passages)

    monkeypatch.setattr(DenseModel, "embed", absent)
    return is_there


def test_a_model_that_is_missing_is_waited_for_and_words_are_found_meanwhile(
    make: Callable[..., Container], missing_model: threading.Event
) -> None:
    service = make()
    job = submit(service)
    assert waits_for(service, job) == "The model is not on this machine. Fetch it."
    assert set(states(service).values()) == {"ready"}, "found by their words meanwhile"
    assert service.catalog.documents.without_vectors("p")
    missing_model.set()
    assert ended(service, job)["new"] == len(PAPERS)
    assert not service.catalog.documents.without_vectors("p")


def test_an_engine_whose_import_only_waits_rests_and_closes_its_index_when_the_import_has_ended(
    make: Callable[..., Container], monkeypatch: pytest.MonkeyPatch, missing_model: threading.Event
) -> None:
    monkeypatch.setattr(jobs, "_IDLE_SECONDS", 0.05)
    monkeypatch.setattr(active_job, "_FIRST_DELAY", 600.0)
    monkeypatch.setattr(document_queue, "_CHECK_SECONDS", 0.05)
    rules = json.dumps([set_number("engine.unused_seconds", 0)])
    monkeypatch.setattr(fault_injection, "RULES", fault_injection.parse(rules))
    service = make()

    def fail(self: NoteEmbedder) -> None:
        raise CiteLoomError(Code.STORAGE_ERROR, "The disk is full.")

    def rests() -> bool:
        readers = [worker._process for worker in service.workers._all]
        return not service.models._loaded and all(one is None or one.poll() is not None for one in readers)

    monkeypatch.setattr(NoteEmbedder, "embed_missing", fail)  # which keeps nothing else from being done
    job = submit(service)
    assert "The model" in waits_for(service, job)
    project = service.catalog.projects.get("p")
    index = service.collection(project)
    wait_for(rests, "the engine to rest while its import waits for the model")

    missing_model.set()
    monkeypatch.setattr(container, "runs_on_battery", lambda: True)
    service.jobs.retry_now()
    wait_for(lambda: "battery" in waits_for(service, job), "the wait for power")
    service.models.dense(BUNDLED_DENSE)  # as a question does
    wait_for(rests, "the engine to rest while its import waits for power")

    assert service.collection(project) is index, "an import that waits goes on with it"
    service.jobs.cancel(job.id)
    ended(service, job)
    wait_for(lambda: service.collection(project) is not index, "the index to be closed")
    assert service.collection(project).count() == len(PAPERS)


def test_an_index_that_somebody_deleted_ends_the_import_and_blames_no_document(
    make: Callable[..., Container], qdrant: QdrantStandIn
) -> None:
    service = make(qdrant.address)
    qdrant.lose(qdrant.local.get_collections().collections[0].name)
    result = ended(service, submit(service))
    assert result["state"] == "failed" and "--force-rebuild" in result["error"]["message"]
    assert State.FAILED not in states(service).values()


def test_what_an_outage_made_fail_before_is_read_by_the_next_sync_and_the_rest_when_asked(
    make: Callable[..., Container], papers: Path
) -> None:
    service = make()
    (papers / "empty.md").write_text("")
    assert ended(service, submit(service))["failed"] == 1
    for document in service.catalog.documents.all("p"):  # as an earlier version left them
        if document.state == State.READY:
            document.state, document.reason_code, document.reason = State.FAILED, "INDEX_UNAVAILABLE", "It was away."
            service.catalog.documents.save(document)
    findings = {one.part: one for one in service.doctor.check_up(CheckUp())}
    note = findings["documents of p"]
    assert note.ok and note.note and note.seen.startswith("5 could not be read: ")
    assert "and 2 more" in note.seen and "citeloom sync p --retry" in note.next_step

    assert ended(service, submit(service))["failed"] == 1
    assert states(service) == {**dict.fromkeys(PAPERS, "ready"), "empty": "failed"}
    (cached,) = [one for one in service.catalog.documents.all("p") if one.state == State.FAILED]
    cached.reason = "as it was told before"
    service.catalog.documents.save(cached)
    assert ended(service, submit(service))["errors"][0]["reason"] == "as it was told before"
    assert ended(service, submit(service, retry_failed=True))["errors"][0]["reason"] != "as it was told before"
