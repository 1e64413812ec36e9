"""A Qdrant server that is lost, slow, closed, too old or full: clear errors, nothing lost, and it works again."""

from __future__ import annotations

import json
import logging
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Fusion, Point, SparseVector
from citeloom.index.filters import EVERYTHING, AnyOf
from citeloom.index.server import circuit_breaker
from citeloom.index.server import collection as remote_collection
from citeloom.index.server.collection import ServerCollection
from citeloom.index.server.connection import QdrantServer
from tests.qdrant_stand_in import QdrantStandIn
from tests.zotero_stand_in.serving import Request

KEY = "a-very-secret-key"
NAME = "proj-thesis-g0001"


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[QdrantStandIn, ServerCollection]]:
    with QdrantStandIn(KEY) as stand_in:
        made = ServerCollection.create(QdrantServer(stand_in.address, KEY), NAME, 2, sparse=True)
        yield stand_in, made
        made.close()


@pytest.fixture
def qdrant(running: tuple[QdrantStandIn, ServerCollection]) -> Iterator[QdrantStandIn]:
    """A server that answers, with an empty collection."""
    stand_in, collection = running
    stand_in.requests.clear()
    yield stand_in
    stand_in.everywhere = stand_in.says = stand_in.meanwhile = None
    stand_in.version = "1.20.0"
    if NAME in QdrantServer(stand_in.address, KEY).collection_names():
        collection.delete(EVERYTHING)


@pytest.fixture
def collection(running: tuple[QdrantStandIn, ServerCollection], qdrant: QdrantStandIn) -> ServerCollection:
    return running[1]


def point(number: int, text: str = "") -> Point:
    payload = {"doc_id": "d", "version": "v", "chunk_index": number, "chunk_text": text}
    return Point(str(uuid.UUID(int=number + 1)), [1.0, number / 10], SparseVector([number], [1.0]), payload)


def failure(call: Callable[[], Any]) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        call()
    assert KEY not in f"{caught.value!s}{caught.value!r}{caught.value.as_dict()}{caught.value.__cause__!r}"
    assert caught.value.message.endswith(".")
    return caught.value


# -- addresses and keys ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("http://localhost", "http://localhost:6333"),
        (" https://Qdrant.Example.org/ ", "https://qdrant.example.org:6333"),
        ("https://example.org:443/qdrant/", "https://example.org:443/qdrant"),
        ("http://[::1]:7000", "http://[::1]:7000"),
        ("http://192.168.0.7:1234", "http://192.168.0.7:1234"),
    ],
)
def test_an_address_is_kept_in_one_way(written: str, kept: str) -> None:
    assert QdrantServer(written).address == QdrantServer(kept).address == kept


NO_ADDRESSES = [
    "", "localhost:6333", "ftp://host", "http://", "http://host:port", "http://host:99999", "http://[::1", "http://a b",
    "https://user:secret@host", "https://u:se/cret@host", "http://host?api_key=secret", "http://host#x",
]  # fmt: skip


@pytest.mark.parametrize("written", NO_ADDRESSES)
def test_what_is_no_address_is_refused_without_repeating_a_password(written: str) -> None:
    error = failure(lambda: QdrantServer(written))
    assert error.code == Code.INVALID_INPUT
    assert "secret" not in str(error) and "cret" not in repr(error.__cause__)


@given(st.text(max_size=30), st.sampled_from(["", "http://", "https://"]))
def test_any_text_is_an_address_or_refused(text: str, scheme: str) -> None:
    try:
        address = QdrantServer(scheme + text).address
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
    else:
        assert QdrantServer(address).address == address


@pytest.mark.parametrize("address", ["http://qdrant.example.org", "http://192.168.0.7", "http://0.0.0.0"])
def test_a_key_is_never_sent_where_others_could_read_it(address: str) -> None:
    assert "https://" in failure(lambda: QdrantServer(address, KEY)).next_step
    assert QdrantServer(address).address


def test_a_key_occurs_in_no_text_and_must_be_one(qdrant: QdrantStandIn) -> None:
    assert KEY not in repr(QdrantServer(qdrant.address, KEY))
    assert "log in" in failure(lambda: QdrantServer(qdrant.address, "line\nbreak")).next_step


def test_another_key_is_used_from_now_on_and_what_is_being_written_stays_hidden(
    qdrant: QdrantStandIn, collection: ServerCollection
) -> None:
    collection.hide("v")
    collection.upsert([point(0)])
    collection.reconnect(QdrantServer(qdrant.address, "withdrawn"))
    assert failure(collection.count).code == Code.PERMISSION_DENIED
    collection.reconnect(QdrantServer(qdrant.address, KEY))
    assert collection.count() == 0
    collection.show("v")
    assert collection.count() == 1


def test_a_server_that_wants_a_key_says_how_to_log_in(qdrant: QdrantStandIn) -> None:
    for key, says in ((None, "requires a key"), ("wrong", "refuses the key")):
        error = failure(lambda key=key: QdrantServer(qdrant.address, key).check())  # type: ignore[misc]
        assert (error.code, says in error.message) == (Code.PERMISSION_DENIED, True)
        assert "citeloom index login" in error.next_step
    assert QdrantServer(qdrant.address, KEY).check() == "1.20.0"


# -- failures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "code", "says"),
    [
        ({"everywhere": "drop"}, Code.INDEX_UNAVAILABLE, "was lost"),
        ({"everywhere": "cut"}, Code.INDEX_UNAVAILABLE, "was lost"),
        ({"everywhere": "not json"}, Code.INDEX_UNAVAILABLE, "not a Qdrant server"),
        ({"everywhere": 504}, Code.TIMEOUT, "did not answer in time"),
        ({"says": (503, "starting")}, Code.INDEX_UNAVAILABLE, "starting"),
        ({"says": (500, "a shard is broken")}, Code.QUERY_FAILED, "a shard is broken"),
        ({"says": (500, "No space left on device: WAL")}, Code.STORAGE_ERROR, "disk"),
        ({"says": (403, "Forbidden: read-only")}, Code.PERMISSION_DENIED, "read-only"),
    ],
    ids=str,
)
def test_a_failure_is_told_and_all_is_there_when_the_server_is_back(
    qdrant: QdrantStandIn, collection: ServerCollection, fault: dict[str, Any], code: Code, says: str
) -> None:
    collection.upsert([point(0)])
    for name, value in fault.items():
        setattr(qdrant, name, value)
    error = failure(lambda: collection.search([1.0, 0.0], None, 3))
    assert (error.code, says in error.message, bool(error.next_step)) == (code, True, True), error
    assert qdrant.address in error.message
    qdrant.everywhere = qdrant.says = None
    assert collection.count() == len(collection.search([1.0, 0.0], None, 3)) == 1


def test_a_server_that_does_not_answer_is_left_after_its_time(
    qdrant: QdrantStandIn, collection: ServerCollection
) -> None:
    hasty = QdrantServer(qdrant.address, KEY, timeout=0.5)
    impatient = ServerCollection(hasty, NAME, hasty.connect())
    qdrant.everywhere = "silent"
    assert failure(impatient.count).code == Code.TIMEOUT
    impatient.close()
    qdrant.everywhere = None
    assert collection.count() == 0


def test_a_silent_server_is_asked_by_one_question_at_a_time_until_it_answers_again(
    qdrant: QdrantStandIn, collection: ServerCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection.upsert([point(0)])
    hasty = QdrantServer(qdrant.address, KEY, timeout=0.5)
    impatient = ServerCollection(hasty, NAME, hasty.connect())
    search = partial(impatient.search, [1.0, 0.0], None, 3)
    qdrant.everywhere = "silent"
    assert failure(search).code == Code.TIMEOUT
    asked = len(qdrant.requests)
    assert [failure(search).code for _ in range(3)] == [Code.TIMEOUT] * 3
    assert len(qdrant.requests) == asked
    monkeypatch.setattr(circuit_breaker, "_OPEN_SECONDS", 0.0)
    impatient._breaker._until = 0.0  # the while is over
    with ThreadPoolExecutor(4) as pool:
        assert [error.code for error in pool.map(lambda _: failure(search), range(4))] == [Code.TIMEOUT] * 4
    assert len(qdrant.requests) == asked + 1
    qdrant.everywhere = 503
    assert [failure(search).code for _ in range(3)] == [Code.INDEX_UNAVAILABLE] * 3, "an error is an answer"
    qdrant.everywhere = None
    assert len(search()) == len(search()) == 1
    impatient.close()


def test_a_refused_write_is_told_with_the_servers_reason(qdrant: QdrantStandIn, collection: ServerCollection) -> None:
    qdrant.says = (500, "a shard is broken")
    for call in (
        lambda: collection.upsert([point(0)]),
        lambda: collection.delete(EVERYTHING),
        lambda: collection.rewrite(EVERYTHING, {"a": 1}),
        lambda: collection.add_vectors({point(0).id: [1.0, 0.0]}),
    ):
        error = failure(call)
        assert (error.code, "a shard is broken" in error.message) == (Code.STORAGE_ERROR, True)
    assert failure(collection.indexes).code == Code.INDEX_UNAVAILABLE


def test_a_server_that_stops_is_unreachable_until_it_is_back(
    qdrant: QdrantStandIn, collection: ServerCollection
) -> None:
    collection.upsert([point(0)])
    qdrant.close()
    for call in (collection.count, lambda: collection.upsert([point(1)])):
        error = failure(call)
        assert (error.code, "cannot be reached" in error.message) == (Code.INDEX_UNAVAILABLE, True)
    qdrant.open()
    collection.upsert([point(1)])
    assert collection.count() == 2


def test_a_connection_that_was_closed_while_idle_is_opened_again(
    qdrant: QdrantStandIn, collection: ServerCollection
) -> None:
    qdrant.everywhere = ("drop", 1)
    collection.upsert([point(0)])
    qdrant.everywhere = ("drop", 1)
    assert collection.count() == 1


def test_names_that_are_not_found_and_servers_without_tls_are_told(qdrant: QdrantStandIn) -> None:
    missing = failure(lambda: QdrantServer("http://no-such-machine.invalid").check())
    assert (missing.code, "no-such-machine.invalid" in missing.message) == (Code.INDEX_UNAVAILABLE, True)
    plain = failure(lambda: QdrantServer(qdrant.address.replace("http", "https"), KEY).check())
    assert (plain.code, "certificate" in plain.next_step) == (Code.INDEX_UNAVAILABLE, True)


@pytest.mark.parametrize(
    ("version", "usable"), [("1.19.3", False), ("0.11.0", False), ("1.20.1-dev", True), ("2.0", True)]
)
def test_a_server_that_is_too_old_is_told_with_both_versions(qdrant: QdrantStandIn, version: str, usable: bool) -> None:
    qdrant.version = version
    server = QdrantServer(qdrant.address, KEY)
    if usable:
        assert server.check() == version
        return
    for call in (
        server.check,
        lambda: ServerCollection.open(server, NAME),
        lambda: ServerCollection.create(server, "another", 2, sparse=False),
    ):
        error = failure(call)
        assert error.code == Code.INDEX_UNAVAILABLE
        assert version in error.message and "1.20" in error.message
    assert server.collection_names() == [NAME]


def test_a_collection_that_somebody_deleted_is_told_and_can_be_made_again(qdrant: QdrantStandIn) -> None:
    server = QdrantServer(qdrant.address, KEY)
    made = ServerCollection.create(server, "proj-lost", 2, sparse=True)
    made.upsert([point(0)])
    qdrant.lose("proj-lost")
    for call in (
        made.count,
        lambda: made.search([1.0, 0.0], SparseVector([1], [1.0]), 3, fusion=Fusion()),
        lambda: made.upsert([point(1)]),
        lambda: ServerCollection.open(server, "proj-lost"),
    ):
        error = failure(call)
        assert (error.code, "proj-lost" in error.message) == (Code.INDEX_UNAVAILABLE, True)
    made.close()
    again = ServerCollection.create(server, "proj-lost", 2, sparse=True)
    again.upsert([point(0)])
    assert again.count() == 1
    again.close()
    server.delete_collection("proj-lost")
    server.delete_collection("proj-lost")
    assert "proj-lost" not in server.collection_names()


# -- how it is written and read -------------------------------------------------------------------------------


def test_an_index_that_an_interrupted_making_left_out_is_added(
    qdrant: QdrantStandIn, collection: ServerCollection
) -> None:
    server, asked = QdrantServer(qdrant.address, KEY), iter(range(100))
    qdrant.meanwhile = lambda request: (
        setattr(qdrant, "says", (500, "killed")) if request.path.endswith("/index") and next(asked) == 5 else None
    )
    failure(lambda: ServerCollection.create(server, "proj-half", 2, sparse=True))
    qdrant.meanwhile = qdrant.says = None
    opened = ServerCollection.open(server, "proj-half")
    assert opened.indexes() == collection.indexes()
    opened.close()
    server.delete_collection("proj-half")


def test_large_passages_are_sent_in_requests_that_a_server_takes(
    qdrant: QdrantStandIn, collection: ServerCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_collection, "_MAX_REQUEST_BYTES", 10_000)
    sizes = list[int]()
    qdrant.meanwhile = lambda request: sizes.append(len(request.body))
    collection.upsert([point(n, "ä" * 700) for n in range(20)])
    assert len(sizes) > 5 and max(sizes) < 11_000
    assert collection.count() == 20


def test_passages_deleted_while_vectors_are_sent_do_not_keep_others_from_theirs(
    qdrant: QdrantStandIn, collection: ServerCollection
) -> None:
    points = [replace(point(n), dense=None) for n in range(5)]
    collection.upsert(points)
    gone = iter(points[1:4])

    def delete(request: Request) -> None:
        if request.path.endswith("/points/vectors") and (point := next(gone, None)):
            qdrant.local.delete(NAME, [point.id])

    qdrant.meanwhile = delete
    collection.add_vectors({p.id: [1.0, 0.0] for p in points})
    qdrant.meanwhile = None
    assert [(p.id, p.dense is None) for p in collection.points(None, 10)] == [(points[n].id, False) for n in (0, 4)]


def test_a_cluster_is_told_of_shards_and_copies_and_keeps_writes_in_order(qdrant: QdrantStandIn) -> None:
    asked = list[Request]()
    qdrant.meanwhile = asked.append
    made = ServerCollection.create(QdrantServer(qdrant.address, KEY, shards=3, replicas=2), "proj-wide", 2, sparse=True)
    made.upsert([point(0)])
    made.rewrite(EVERYTHING, {"citekey": "x"})
    made.delete(EVERYTHING)
    made.close()
    (wanted,) = [json.loads(r.body) for r in asked if (r.method, r.path) == ("PUT", "/collections/proj-wide")]
    assert (wanted["shard_number"], wanted["replication_factor"]) == (3, 2)
    writes = [r.query for r in asked if r.path.endswith(("/points", "/payload", "/delete", "/index"))]
    assert len(writes) > 20
    assert {(query["wait"], query["ordering"]) for query in writes} == {("true", "strong")}
    QdrantServer(qdrant.address, KEY).delete_collection("proj-wide")


def test_questions_are_asked_at_the_same_time(qdrant: QdrantStandIn, collection: ServerCollection) -> None:
    collection.upsert([point(0)])
    together = threading.Barrier(10, timeout=20)

    def meet(request: Request) -> None:
        if request.path.endswith("/count"):
            together.wait()

    qdrant.meanwhile = meet
    with ThreadPoolExecutor(10) as pool:
        assert list(pool.map(lambda _: collection.count(AnyOf("doc_id", ("d",))), range(10))) == [1] * 10


def test_the_key_reaches_no_log(
    qdrant: QdrantStandIn, collection: ServerCollection, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        collection.count()
        QdrantServer(qdrant.address, KEY).check()
    assert KEY not in caplog.text
