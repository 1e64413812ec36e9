"""Indexes on a Qdrant server and back: nothing is lost on the way, and nobody notices."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citeloom.api.library import AddProject, AgentChunk, ListProjects, RemoveProject, StoreChunks
from citeloom.api.maintenance import CompactIndex, ListIndexes, MoveIndex
from citeloom.api.search import GetPassage, Query
from citeloom.catalog.projects import Project
from citeloom.core import credentials
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Index, Settings
from citeloom.engine.container import Container
from citeloom.importing.requests import MoveRequest
from citeloom.index import registry
from citeloom.index.server.collection import ServerCollection
from citeloom.maintenance import index_jobs
from tests.qdrant_stand_in import QdrantStandIn
from tests.support import wait_for

KEY = "not-to-be-seen"
PASSAGES = 300  # more than one step of a copy


@pytest.fixture
def qdrant() -> Iterator[QdrantStandIn]:
    with QdrantStandIn(key=KEY) as server:
        yield server


@pytest.fixture
def new_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Container]]:
    """Makes engines in one data folder, one after the other."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    monkeypatch.setenv(credentials.variable_name("qdrant"), KEY)
    monkeypatch.setattr(registry, "_DELETION_DELAY", 0.0)
    monkeypatch.setattr(index_jobs, "_FIRST_PAUSE", 0.02)
    made: list[Container] = []

    def make(**settings: Any) -> Container:
        if made:
            made[-1].stop()
        made.append(Container(Settings(index=Index(timeout_seconds=5.0, **settings))))
        made[-1].jobs.start()
        return made[-1]

    yield make
    made[-1].stop()


def store(service: Container, project: str, first: int, count: int) -> None:
    draw = random.Random(first)
    items = [
        AgentChunk(
            id=f"p{n}",
            text=f"Passage {n} speaks of {draw.choice(['moths', 'tides', 'bogs'])}.",
            embedding=[draw.gauss(0, 1) for _ in range(384)],
            metadata={"doc_id": f"doc-{n // 100}", "chunk_index": n % 100},
        )
        for n in range(first, first + count)
    ]
    service.agent_chunks.store_chunks(StoreChunks(project=project, items=items), Cancel())


@pytest.fixture
def service(new_service: Callable[..., Container]) -> Container:
    made = new_service()
    made.projects.add_project(AddProject(project="thesis"))
    for first in range(0, PASSAGES, 100):
        store(made, "thesis", first, 100)
    return made


def project(service: Container) -> Project:
    return service.catalog.projects.get("thesis")


def answers(service: Container) -> list[Any]:
    second = sorted(d.doc_id for d in service.catalog.documents.all("thesis"))[1]
    asked = [("moths at night", True, None), ("tides", False, None), ("bogs", True, {"doc_id": second})]
    found = [
        service.search.query(Query(project="thesis", text=text, hybrid=hybrid, filters=where, top_k=10), Cancel())
        for text, hybrid, where in asked
    ]
    assert all(one.count for one in found)
    return [[(hit.chunk_id, hit.score, hit.render_text) for hit in one.items] for one in found]


def ended(service: Container, job_id: str) -> dict[str, Any]:
    job, _ = service.jobs.wait(job_id, 60)
    assert job is not None
    return {"state": job.state, **job.result}


def moved(service: Container, to: str) -> dict[str, Any]:
    return ended(service, service.index_service.move(MoveIndex(project="thesis", to=to)).job_id)


def on(qdrant: QdrantStandIn) -> list[str]:
    return [one.name for one in qdrant.local.get_collections().collections]


def test_an_index_moves_to_a_server_and_back_and_every_answer_stays_the_same(
    service: Container, new_service: Callable[..., Container], qdrant: QdrantStandIn, tmp_path: Path
) -> None:
    before = answers(service)
    done = moved(service, qdrant.address)
    assert (done["state"], done["passages"], done["written"]) == ("done", PASSAGES, PASSAGES)
    assert (done["from"], done["to"]) == ("embedded", qdrant.address)
    assert isinstance(service.collection(project(service)), ServerCollection)
    assert on(qdrant) == [project(service).index_location.on_server]
    assert on(qdrant)[0].startswith("proj-thesis-") and on(qdrant)[0].endswith("-g0002")
    assert list((tmp_path / "index" / "proj-thesis").iterdir()) == []
    assert answers(service) == before
    assert service.index_service.move(MoveIndex(project="thesis", to=qdrant.address + "/")).already
    assert service.index_service.compact(CompactIndex(project="thesis")).by_server

    # A server may have two addresses: neither its old index nor its new one is taken for what an earlier move left.
    alias = qdrant.address.replace("127.0.0.1", "localhost")
    assert moved(service, alias)["state"] == "done"
    assert answers(service) == before
    assert moved(service, qdrant.address)["state"] == "done"
    assert on(qdrant) == [project(service).index_location.on_server]

    # What agents do there is what they do at home.
    store(service, "thesis", PASSAGES, 1)
    (shown,) = service.index_service.show(ListIndexes()).projects
    assert (shown.place, shown.passages, shown.version) == (qdrant.address, PASSAGES + 1, qdrant.version)
    assert KEY not in str(service.index_service.show(ListIndexes()))

    again = new_service()
    with_one_more = answers(again)
    back = moved(again, "embedded")
    assert (back["state"], back["passages"], back["to"]) == ("done", PASSAGES + 1, "embedded")
    assert on(qdrant) == []
    assert answers(again) == with_one_more
    assert again.index_service.move(MoveIndex(project="thesis", to="embedded")).already

    # An engine that is killed after the swap has not cleared the server; the next one does.
    place = replace(project(again).index_location, server=qdrant.address)
    again.collections.create(place, 384, sparse=True).close()
    assert on(qdrant) == [place.on_server]
    job = again.jobs.submit(MoveRequest("thesis", "", origin=qdrant.address))
    assert (ended(again, job.id)["state"], on(qdrant)) == ("done", [])


def test_a_server_that_cannot_be_used_is_said_before_anything_is_made(
    service: Container, qdrant: QdrantStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(to: str = "") -> CiteLoomError:
        with pytest.raises(CiteLoomError) as caught:
            service.index_service.move(MoveIndex(project="thesis", to=to or qdrant.address))
        assert service.jobs.unfinished() == [] and on(qdrant) == [] and not project(service).server
        assert KEY not in str(caught.value)
        return caught.value

    qdrant.version = "1.9.0"
    assert "1.9.0" in refused().message
    qdrant.version = "1.20.0"
    monkeypatch.setenv(credentials.variable_name("qdrant"), "wrong")
    assert refused().code == Code.PERMISSION_DENIED
    assert "https://" in refused("http://qdrant.example.org:6333").next_step
    assert refused("somewhere").code == Code.INVALID_INPUT
    qdrant.close()
    assert refused().code == Code.INDEX_UNAVAILABLE
    qdrant.open()


def test_a_move_waits_for_a_server_that_is_lost_and_goes_on(service: Container, qdrant: QdrantStandIn) -> None:
    before = answers(service)
    lost = threading.Event()

    def lose(done: int, total: int) -> None:
        if not lost.is_set():
            lost.set()
            qdrant.close()
            threading.Timer(0.3, qdrant.open).start()

    Watch(service, "copy", lose)
    done = moved(service, qdrant.address)
    assert lost.is_set() and done["state"] == "done"
    assert answers(service) == before


class Watch:
    """Calls somebody when a job comes by a stage."""

    def __init__(self, service: Container, stage: str, call: Callable[[int, int], None]) -> None:
        def seen(event: Any) -> None:
            if getattr(event, "stage", None) == stage:
                call(event.done, event.total)

        service.events.subscribe(seen)


def test_a_cancelled_move_leaves_nothing_and_a_stopped_engine_goes_on_with_it(
    service: Container, new_service: Callable[..., Container], qdrant: QdrantStandIn
) -> None:
    before = answers(service)
    reached, go_on = threading.Event(), threading.Event()

    def hold(done: int, total: int) -> None:
        reached.set()
        assert go_on.wait(60)

    Watch(service, "copy", hold)
    job = service.index_service.move(MoveIndex(project="thesis", to=qdrant.address)).job_id
    assert reached.wait(60)
    assert answers(service) == before, "the old place answers"
    with pytest.raises(CiteLoomError, match="is being moved to"):
        service.index_service.move(MoveIndex(project="thesis", to="http://127.0.0.1:1"))
    with pytest.raises(CiteLoomError, match="A move of 'thesis' is running"):
        service.projects.remove_project(RemoveProject(project="thesis"))
    assert service.jobs.cancel(job)
    go_on.set()
    assert ended(service, job)["state"] == "cancelled"
    assert on(qdrant) == [] and answers(service) == before

    reached.clear()
    go_on.clear()
    paused = service.index_service.move(MoveIndex(project="thesis", to=qdrant.address)).job_id
    assert reached.wait(60)
    service.jobs.set_paused(True)
    go_on.set()
    wait_for(lambda: service.jobs.unfinished()[0].state == "paused", "the move to pause")
    assert len(on(qdrant)) == 1
    assert service.jobs.cancel(paused)
    assert on(qdrant) == [], "what it had copied before it was paused is gone"
    service.jobs.set_paused(False)

    reached.clear()
    go_on.clear()
    service.index_service.move(MoveIndex(project="thesis", to=qdrant.address))
    assert reached.wait(60)
    stopping = threading.Thread(target=service.jobs.stop)
    stopping.start()
    wait_for(service.jobs._stop.is_set, "the engine to stop")
    go_on.set()
    stopping.join(60)
    (left,) = on(qdrant)
    assert 0 < qdrant.local.count(left).count < PASSAGES

    after = new_service()
    wait_for(lambda: not after.jobs.unfinished(), "the move to end")
    assert project(after).server == qdrant.address
    (past,) = [job for job in after.catalog.jobs.past("thesis", 10) if job.state == "done"]
    assert 0 < past.result["written"] < PASSAGES, "what was there was not written again"
    assert answers(after) == before


def test_other_projects_work_while_a_server_is_away_and_a_rebuild_mends_what_was_deleted_there(
    service: Container, new_service: Callable[..., Container], qdrant: QdrantStandIn
) -> None:
    before = answers(service)
    assert moved(service, qdrant.address)["state"] == "done"
    service.projects.add_project(AddProject(project="other"))
    qdrant.close()
    again = new_service()
    store(again, "other", 0, 3)
    moths = Query(project="other", text="moths", hybrid=True)
    assert again.search.query(moths, Cancel()).count == 3
    assert {p.id for p in again.projects.list_projects(ListProjects())} == {"other", "thesis"}
    shown = {one.project: one.reachable for one in again.index_service.show(ListIndexes()).projects}
    assert shown == {"other": True, "thesis": False}
    chunk = again.search.query(moths, Cancel()).items[0].chunk_id
    assert again.passages.get_passage(GetPassage(chunk_id=chunk)).project == "other"
    with pytest.raises(CiteLoomError, match="cannot be reached") as caught:
        answers(again)
    assert caught.value.code == Code.INDEX_UNAVAILABLE and "If it is gone for good" in caught.value.next_step
    qdrant.open()
    assert answers(again) == before

    qdrant.lose(project(again).index_location.on_server)
    with pytest.raises(CiteLoomError, match="was deleted there") as caught:
        answers(again)
    assert "--force-rebuild" in caught.value.next_step
    third = new_service()
    with pytest.raises(CiteLoomError, match="was deleted there") as caught:
        answers(third)
    assert "thesis --force-rebuild" in caught.value.next_step
    assert "thesis --force-rebuild" in moved(third, "embedded")["error"]["message"], "it is not waited for"
    assert third.projects.remove_project(RemoveProject(project="thesis")).note is None


def test_a_new_project_goes_to_the_server_of_the_settings_or_is_not_made(
    new_service: Callable[..., Container], qdrant: QdrantStandIn
) -> None:
    service = new_service(server=qdrant.address)
    qdrant.close()
    with pytest.raises(CiteLoomError, match="cannot be reached"):
        service.projects.add_project(AddProject(project="thesis"))
    assert service.projects.list_projects(ListProjects()) == []
    qdrant.open()
    assert service.projects.add_project(AddProject(project="thesis")).server == qdrant.address
    assert len(on(qdrant)) == 1
    qdrant.close()
    note = service.projects.remove_project(RemoveProject(project="thesis")).note
    assert qdrant.address in note and "proj-thesis-" in note
    assert service.projects.list_projects(ListProjects()) == []
    qdrant.open()
