"""The Web API: only changes are fetched, the servers are asked politely, and files arrive whole."""

from __future__ import annotations

import gzip
import inspect
import io
import logging
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyzotero import errors as pyzotero_errors

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.types import MY_LIBRARY, Item, Library
from citeloom.zotero.web_api import client, mirror
from citeloom.zotero.web_api.source import WebApi
from tests.zotero_stand_in.serving import Reply, Request
from tests.zotero_stand_in.web_api import WebZotero
from tests.zotero_stand_in.world import World, example

KEY = "k3yThatNobodySees"
MINE = Library(MY_LIBRARY, "My Library")
GROUP = Library("groups/4242", "Lab Group")
MUCH = 10_000_000


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "Zotero")


@pytest.fixture
def zotero(world: World) -> Iterator[WebZotero]:
    with WebZotero(world, api_key=KEY) as servers:
        yield servers


@pytest.fixture
def web(zotero: WebZotero, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[WebApi]:
    caplog.set_level(logging.DEBUG)
    yield WebApi(zotero.url, KEY, tmp_path / "mirror", timeout=5.0)
    assert KEY not in caplog.text
    assert not any(KEY in request.path for server in (zotero, zotero.storage) for request in server.requests)
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.rglob("*.part*"))


def asked(zotero: WebZotero) -> list[str]:
    """What was asked since the last time, without the query."""
    paths = [request.path.partition("?")[0] for request in zotero.requests]
    zotero.requests.clear()
    return [path for path in paths if path != "/keys/current"]


# -- the key -----------------------------------------------------------------------------------------------------


def test_a_key_says_whose_it_is_and_what_it_may_read(world: World, zotero: WebZotero, web: WebApi) -> None:
    example(world)
    zotero.access["user"]["notes"] = False
    assert web.check_key() == {
        "user_id": 12345,
        "name": "researcher",
        "libraries": [{"id": "library", "name": "My Library"}, {"id": "groups/4242", "name": "Lab Group"}],
        "files": True,
        "notes": False,
    }


@pytest.mark.parametrize("key", ["wr0ngKey", "", "not a key", "schlüssel", "two\nlines", KEY + "\r\nX: y"])
def test_a_wrong_key_is_refused_without_being_shown(zotero: WebZotero, tmp_path: Path, key: str) -> None:
    with pytest.raises(CiteLoomError) as failure:
        WebApi(zotero.url, key, tmp_path).check_key()
    assert failure.value.code is Code.PERMISSION_DENIED and "citeloom zotero login" in failure.value.next_step
    assert not key or key not in f"{failure.value.as_dict()}"


def test_only_what_the_key_may_read_is_told(world: World, zotero: WebZotero, web: WebApi) -> None:
    example(world)
    world.group(17, "Closed to the key")
    zotero.access = {"groups": {"4242": {"library": True}}}
    assert web.libraries() == [GROUP]
    with pytest.raises(CiteLoomError) as failure:
        web.read(MINE)
    assert failure.value.code is Code.PERMISSION_DENIED


def test_many_groups_are_told_from_all_pages(world: World, web: WebApi) -> None:
    for number in range(230):
        world.group(1000 + number, f"Group {number:03}")
    assert [library.name for library in web.libraries()] == ["My Library", *(f"Group {n:03}" for n in range(230))]


# -- only changes ------------------------------------------------------------------------------------------------


def test_all_pages_of_a_library_are_read(world: World, web: WebApi) -> None:
    keys = {world.add("book", title=f"Book {n}") for n in range(412)}
    assert set(web.read(MINE).items) == keys


def test_an_unchanged_library_costs_one_request(world: World, zotero: WebZotero, web: WebApi) -> None:
    example(world)
    first = web.read(MINE)
    asked(zotero)
    assert web.read(MINE) == first
    assert asked(zotero) == ["/users/12345/items"]


def test_only_changes_are_fetched(world: World, zotero: WebZotero, web: WebApi, tmp_path: Path) -> None:
    keys = [world.add("book", title=f"Book {n}") for n in range(300)]
    web.read(MINE)
    world.edit(keys[7], title="Another title")
    world.erase(keys[8])
    world.trash(keys[9])
    asked(zotero)
    changed = web.read(MINE)
    assert sorted(asked(zotero)) == [f"/users/12345/{what}" for what in ("collections", "deleted", "items", "searches")]
    assert changed.items[keys[7]].data["title"] == "Another title"
    assert len(changed.items) == 298
    assert changed == WebApi(zotero.url, KEY, tmp_path / "another mirror").read(MINE)


@pytest.mark.parametrize(
    "damage", [b"", b"not gzip", gzip.compress(b"{}", mtime=0), gzip.compress(b"[1", mtime=0), None]
)
def test_a_damaged_mirror_is_fetched_again(world: World, web: WebApi, tmp_path: Path, damage: bytes | None) -> None:
    example(world)
    first = web.read(MINE)
    (file,) = (tmp_path / "mirror").iterdir()
    file.write_bytes(file.read_bytes()[:-20] if damage is None else damage)
    assert web.read(MINE) == first


def test_a_mirror_belongs_to_one_key(world: World, zotero: WebZotero, web: WebApi, tmp_path: Path) -> None:
    example(world)
    web.read(MINE)
    zotero.api_key = "an0therKey"
    asked(zotero)
    WebApi(zotero.url, "an0therKey", tmp_path / "mirror").read(MINE)
    assert len(asked(zotero)) == 3
    assert all(KEY.encode() not in gzip.decompress(f.read_bytes()) for f in (tmp_path / "mirror").iterdir())


def test_a_mirror_that_cannot_be_saved_costs_only_time(world: World, zotero: WebZotero, tmp_path: Path) -> None:
    example(world)
    (tmp_path / "in the way").write_text("")
    web = WebApi(zotero.url, KEY, tmp_path / "in the way")
    assert web.read(MINE) == web.read(MINE)


def test_servers_that_went_back_in_time_are_read_anew(world: World, zotero: WebZotero, web: WebApi) -> None:
    example(world)
    web.read(MINE)
    shelf = world.libraries[MY_LIBRARY]
    del shelf.journal[-3:]
    shelf.items = dict(list(shelf.items.items())[:2])
    assert set(web.read(MINE).items) == set(shelf.items)


def test_a_library_that_changes_between_pages_is_read_again(world: World, zotero: WebZotero, web: WebApi) -> None:
    first, *_ = [world.add("book", title=f"Book {n}") for n in range(250)]
    answer, waiting = zotero.answer, [first]

    def and_change(request: Request) -> Reply:
        if request.query.get("start") == "100" and waiting:
            world.erase(waiting.pop())
        return answer(request)

    zotero.answer = and_change  # type: ignore[method-assign]
    assert set(web.read(MINE).items) == set(world.libraries[MY_LIBRARY].items)


@pytest.mark.parametrize("what", ["items", "collections", "searches", "deleted"])
def test_a_library_that_never_holds_still_is_an_error_and_its_mirror_stays(
    world: World, zotero: WebZotero, web: WebApi, what: str
) -> None:
    example(world)
    web.read(MINE)
    answer = zotero.answer

    def and_change(request: Request) -> Reply:
        here = request.path.endswith(f"/{what}")
        if here and what == "deleted":  # the last thing that is asked for
            world.add("book")
        reply = answer(request)
        if here and what != "deleted":
            world.add("book")
        return reply

    world.add("book")
    zotero.answer = and_change  # type: ignore[method-assign]
    with pytest.raises(CiteLoomError, match="kept changing"):
        web.read(MINE)
    zotero.answer = answer  # type: ignore[method-assign]
    assert len(web.read(MINE).items) == sum(
        not world.libraries[MY_LIBRARY].in_trash(key) for key in world.libraries[MY_LIBRARY].items
    )


@given(st.binary(max_size=200))
def test_whatever_a_mirror_holds_it_is_a_mirror_or_an_empty_one(tmp_path_factory: Any, content: bytes) -> None:
    file = tmp_path_factory.mktemp("mirror") / "library.json.gz"
    file.write_bytes(gzip.compress(content, mtime=0))
    assert mirror.load(file, "mine") == mirror.Mirror()


# -- politeness --------------------------------------------------------------------------------------------------


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that are made: noted, not slept."""
    made: list[float] = []
    clock = [1000.0]
    monkeypatch.setattr(client, "time", _Clock(clock, made))
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("pyzotero waits by itself"))
    return made


class _Clock:
    def __init__(self, now: list[float], made: list[float]) -> None:
        self._now, self._made = now, made

    def monotonic(self) -> float:
        return self._now[0]

    def sleep(self, seconds: float) -> None:
        self._made.append(round(seconds))
        self._now[0] += seconds


def test_a_pause_that_is_asked_for_is_made(world: World, zotero: WebZotero, web: WebApi, pauses: list[float]) -> None:
    example(world)
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    zotero.refusals = [(429, {"Retry-After": "7"}), (503, {"Retry-After": soon}), (429, {"Backoff": "3"})]
    assert web.read(MINE).items
    assert pauses[0] == 7 and 28 <= pauses[1] <= 30 and pauses[2] == 3


def test_a_backoff_with_a_good_reply_is_kept_before_the_next_request(
    world: World, zotero: WebZotero, web: WebApi, pauses: list[float]
) -> None:
    example(world)
    zotero.backoff = "5"
    web.read(MINE)
    web.read(MINE)
    assert pauses == [5] * (len(zotero.requests) - 1)


def test_servers_that_stay_busy_are_an_error(zotero: WebZotero, web: WebApi, pauses: list[float]) -> None:
    zotero.refusals = [(503, {})] * 10
    with pytest.raises(CiteLoomError) as failure:
        web.read(MINE)
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE and "busy" in failure.value.message
    assert pauses == [1, 2, 4]


@pytest.mark.parametrize("status", [429, 503])
def test_nobody_waits_for_an_hour(zotero: WebZotero, web: WebApi, pauses: list[float], status: int) -> None:
    zotero.refusals = [(status, {"Retry-After": "3600"})]
    for _ in range(2):  # and nobody asks again before it is over
        with pytest.raises(CiteLoomError, match="60 minutes") as failure:
            web.read(MINE)
        assert failure.value.details["retry_after"] == 3600
    assert not pauses and len(zotero.requests) == 1


# -- failures ----------------------------------------------------------------------------------------------------


def foreign() -> list[type[Exception]]:
    named = [*vars(pyzotero_errors).values(), *(getattr(httpx2, name) for name in httpx2.__all__)]
    return sorted({c for c in named if inspect.isclass(c) and issubclass(c, Exception)}, key=lambda c: c.__name__)


@pytest.mark.parametrize("kind", foreign(), ids=lambda kind: kind.__name__)
def test_every_failure_of_the_libraries_is_told_in_words_of_ours(kind: type[Exception]) -> None:
    error = kind.__new__(kind)
    error.args = (f"https://api.zotero.org?key={KEY}",)
    with pytest.raises(CiteLoomError) as failure, client.translate_errors():
        raise error
    assert failure.value.next_step and failure.value.code in (Code.ZOTERO_UNAVAILABLE, Code.PERMISSION_DENIED)
    assert KEY not in str(failure.value.as_dict())


def test_a_page_that_repeats_itself_is_an_error(world: World, zotero: WebZotero, web: WebApi) -> None:
    for n in range(250):
        world.add("book", title=f"Book {n}")
    answer = zotero.answer

    def first_page(request: Request) -> Reply:
        return answer(replace(request, query={**request.query, "start": "0"}))

    zotero.answer = first_page  # type: ignore[method-assign]
    with pytest.raises(CiteLoomError, match="fewer objects than they announced"):
        web.read(MINE)


@pytest.mark.parametrize(
    "said",
    [[], {"userID": "12345"}, {}, "<html>", {"userID": 12345}, {"userID": 1, "access": {"user": 1}}],
)
def test_something_else_at_the_address_is_not_taken_for_zotero(zotero: WebZotero, web: WebApi, said: Any) -> None:
    zotero.answer = lambda request: Reply(200, said, {"Content-Type": "application/json"})  # type: ignore[method-assign]
    with pytest.raises(CiteLoomError) as failure:
        web.check_key()
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE


# -- files -------------------------------------------------------------------------------------------------------


class Fetching:
    """A download with what was told of it."""

    def __init__(self, web: WebApi, item: Item, to: Path) -> None:
        self.web, self.item, self.to = web, item, to
        self.told: list[tuple[int, int | None]] = []

    def go(self, max_bytes: int = MUCH, stop_after: int | None = None) -> Path:
        return self.web.download(
            MINE,
            self.item,
            self.to,
            max_bytes=max_bytes,
            on_progress=lambda done, total: self.told.append((done, total)),
            stopped=lambda: stop_after is not None and bool(self.told) and self.told[-1][0] >= stop_after,
        )

    def left(self) -> list[str]:
        return sorted(file.name for file in self.to.parent.iterdir())


def attached(world: World, content: bytes | None, **fields: Any) -> str:
    return world.attach(world.add("book", title="A book"), fields.pop("name", "book.pdf"), content, **fields)


def fetching(web: WebApi, key: str, tmp_path: Path) -> Fetching:
    return Fetching(web, web.read(MINE).items[key], tmp_path / "files" / "book.pdf")


BYTES = bytes(range(256)) * 4000


def test_a_file_is_fetched_whole_and_the_storage_never_sees_the_key(
    world: World, zotero: WebZotero, web: WebApi, tmp_path: Path
) -> None:
    job = fetching(web, attached(world, BYTES), tmp_path)
    assert job.go().read_bytes() == BYTES
    assert job.told[-1] == (len(BYTES), len(BYTES)) and job.left() == ["book.pdf"]
    assert not any("authorization" in request.headers for request in zotero.storage.requests)


def test_a_stopped_download_goes_on_where_it_stopped(
    world: World, zotero: WebZotero, web: WebApi, tmp_path: Path
) -> None:
    job = fetching(web, attached(world, BYTES), tmp_path)
    with pytest.raises(CiteLoomError) as failure:
        job.go(stop_after=300_000)
    assert failure.value.details["stopped"] and not job.to.exists()
    have = (tmp_path / "files" / "book.pdf.part").stat().st_size
    assert job.go().read_bytes() == BYTES
    sent = zotero.storage.requests[-1].headers
    assert sent["range"] == f"bytes={have}-" and sent["if-range"]
    assert job.left() == ["book.pdf"]


def test_a_download_that_was_cut_off_goes_on(world: World, zotero: WebZotero, web: WebApi, tmp_path: Path) -> None:
    key = attached(world, BYTES)
    job = fetching(web, key, tmp_path)
    zotero.storage.faults[f"/{key}"] = ("cut", 1)
    with pytest.raises(CiteLoomError) as failure:
        job.go()
    assert failure.value.code is Code.ZOTERO_UNAVAILABLE and not job.to.exists()
    assert job.go().read_bytes() == BYTES
    assert "range" in zotero.storage.requests[-1].headers


def test_a_file_that_was_replaced_meanwhile_is_never_spliced(world: World, web: WebApi, tmp_path: Path) -> None:
    key = attached(world, BYTES)
    job = fetching(web, key, tmp_path)
    with pytest.raises(CiteLoomError):
        job.go(stop_after=300_000)
    world.replace_file(key, BYTES[::-1])
    assert job.go().read_bytes() == BYTES[::-1]


@pytest.mark.parametrize("lie", ["another etag", "another range", "no range"])
def test_a_storage_that_goes_on_with_something_else_is_asked_anew(
    world: World, zotero: WebZotero, web: WebApi, tmp_path: Path, lie: str
) -> None:
    job = fetching(web, attached(world, BYTES), tmp_path)
    with pytest.raises(CiteLoomError):
        job.go(stop_after=300_000)
    answer = zotero.storage.answer

    def lying(request: Request) -> Reply:
        reply = answer(request)
        if reply.status != 206:
            return reply
        headers = dict(reply.headers)
        if lie == "another etag":
            headers["ETag"] = '"00000000000000000000000000000000"'
        elif lie == "another range":
            headers["Content-Range"] = f"bytes 0-{len(BYTES) - 1}/{len(BYTES)}"
        else:
            del headers["Content-Range"]
        return Reply(206, bytes(len(reply.body)), headers)

    zotero.storage.answer = lying  # type: ignore[method-assign]
    assert job.go().read_bytes() == BYTES


def test_a_file_that_arrives_damaged_is_not_kept(world: World, zotero: WebZotero, web: WebApi, tmp_path: Path) -> None:
    job = fetching(web, attached(world, BYTES), tmp_path)
    answer = zotero.storage.answer
    zotero.storage.answer = lambda request: Reply(200, BYTES[::-1], answer(request).headers)  # type: ignore[method-assign]
    with pytest.raises(CiteLoomError, match="checksum is wrong"):
        job.go()
    assert job.left() == []


def test_a_part_that_is_longer_than_the_file_is_thrown_away(world: World, web: WebApi, tmp_path: Path) -> None:
    job = fetching(web, attached(world, BYTES), tmp_path)
    with pytest.raises(CiteLoomError):
        job.go(stop_after=300_000)
    (tmp_path / "files" / "book.pdf.part").write_bytes(BYTES * 2)
    assert job.go().read_bytes() == BYTES


@pytest.mark.parametrize("fault", [None, "endless"])
def test_a_file_over_the_limit_is_not_fetched(
    world: World, zotero: WebZotero, web: WebApi, tmp_path: Path, fault: str | None
) -> None:
    key = attached(world, BYTES)
    job = fetching(web, key, tmp_path)
    zotero.storage.faults[f"/{key}"] = fault
    with pytest.raises(CiteLoomError, match=r"larger than the 0 MB") as failure:
        job.go(max_bytes=500_000)
    assert failure.value.code is Code.BUDGET_EXCEEDED and "max_file_mb" in failure.value.next_step
    assert not job.to.exists()


def test_a_file_that_was_never_uploaded_is_explained(world: World, web: WebApi, tmp_path: Path) -> None:
    job = fetching(web, attached(world, None), tmp_path)
    with pytest.raises(CiteLoomError) as failure:
        job.go()
    assert failure.value.code is Code.FILE_NOT_FOUND
    assert "WebDAV" in failure.value.message and "sync" in failure.value.next_step
    assert job.left() == []


def test_a_key_without_file_access_is_explained(world: World, zotero: WebZotero, web: WebApi, tmp_path: Path) -> None:
    job = fetching(web, attached(world, BYTES), tmp_path)
    zotero.access["user"]["files"] = False
    with pytest.raises(CiteLoomError) as failure:
        job.go()
    assert failure.value.code is Code.PERMISSION_DENIED


def packed(**files: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return content.getvalue()


@pytest.mark.parametrize("files", [{"picture_png": b"\x89PNG", "page_html": b"<p>A page</p>"}, {"x": b"<p>A page</p>"}])
def test_a_saved_web_page_is_unpacked(world: World, web: WebApi, tmp_path: Path, files: dict[str, bytes]) -> None:
    key = attached(world, packed(**files), name="page.html", content_type="text/html", mode="imported_url")
    job = fetching(web, key, tmp_path)
    assert job.go().read_bytes() == b"<p>A page</p>"
    assert job.left() == ["book.pdf"]


@pytest.mark.parametrize("content", [b"PK\x03\x04 no archive", packed(), packed(a_png=b"", b_png=b"")])
def test_an_archive_without_the_page_is_an_error(world: World, web: WebApi, tmp_path: Path, content: bytes) -> None:
    content = b"PK\x03\x04"[: 0 if content.startswith(b"PK\x03\x04") else 4] + content
    key = attached(world, content, name="page.html", content_type="text/html", mode="imported_url")
    job = fetching(web, key, tmp_path)
    with pytest.raises(CiteLoomError, match="in an archive"):
        job.go()
    assert job.left() == []


def test_an_archive_that_expands_is_not_unpacked(world: World, web: WebApi, tmp_path: Path) -> None:
    key = attached(
        world, packed(page_html=b" " * 5_000_000), name="page.html", content_type="text/html", mode="imported_url"
    )
    job = fetching(web, key, tmp_path)
    with pytest.raises(CiteLoomError) as failure:
        job.go(max_bytes=1_000_000)
    assert failure.value.code is Code.BUDGET_EXCEEDED and job.left() == []


def test_a_place_that_cannot_be_written_is_an_error(world: World, web: WebApi, tmp_path: Path) -> None:
    job = fetching(web, attached(world, BYTES), tmp_path)
    (tmp_path / "files").write_text("in the way")
    with pytest.raises(CiteLoomError) as failure:
        job.go()
    assert failure.value.code is Code.STORAGE_ERROR
