"""The stand-in Zotero answers as the recorded programs did, and sets the traps that cannot be recorded as replies."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.serving import StandIn
from tests.zotero_stand_in.web_api import WebZotero
from tests.zotero_stand_in.world import MY_LIBRARY, Change, Shelf, World, example

RECORDINGS = Path(__file__).parents[2] / "recordings"
PORTS = {"zotero-9": "23119", "zotero-10": "23120", "better-bibtex": "23119"}
# What depends on the files and on their text, of which the recordings keep a few words.
MASKED = ("md5", "mtime", "indexedPages", "totalPages", "indexedChars", "totalChars")


def ask(
    stand_in: StandIn, path: str, *, method: str = "GET", body: Any = None, **headers: str
) -> tuple[int, str, dict[str, str], Any]:
    connection = http.client.HTTPConnection("127.0.0.1", stand_in.port, timeout=10)
    try:
        connection.request(
            method, path, body and json.dumps(body), {k.replace("_", "-"): v for k, v in headers.items()}
        )
        reply = connection.getresponse()
        content = reply.read()
    finally:
        connection.close()
    try:
        told = json.loads(content)
    except ValueError:
        told = content.decode()
    return reply.status, reply.reason, dict(reply.headers), told


def recorded(name: str, home: Path | None = None, port: int | None = None) -> dict[str, dict[str, Any]]:
    text = (RECORDINGS / f"{name}.json").read_text(encoding="utf-8")
    if home:
        text = text.replace("file:///home/user", home.as_uri()).replace("/home/user", home.as_posix())
    if port:
        text = text.replace(f":{PORTS[name]}/", f":{port}/")
    return {reply["name"]: reply for reply in json.loads(text)}


def recorded_world(name: str, home: Path) -> World:
    """The library that was recorded, with files of the recorded sizes."""
    world = World(home / "Zotero")
    replies: dict[str, Any] = {key: reply.get("body") for key, reply in recorded(name, home).items()}
    group = world.group(4242, replies["groups"][0]["data"]["name"])
    _fill(world.libraries[MY_LIBRARY], replies["trashed_incl"], replies["collections"], replies["searches"])
    _fill(group, replies["group_items"], replies.get("group_collections", ()), ())
    shelf = world.libraries[MY_LIBRARY]
    shelf.full_text = dict.fromkeys(replies["fulltext_since0"], "A few words of the text.")
    for item in replies["trashed_incl"]:
        links = item["links"]
        of = {item["key"]: links.get("enclosure", {}).get("length")}
        if best := links.get("attachment"):
            of[best["href"].rpartition("/")[2]] = best["attachmentSize"]
        for key, size in of.items():
            path = world.path(key) if size else None
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(bytes(size))
    return world


def _fill(shelf: Shelf, items: Any, collections: Any, searches: Any) -> None:
    changes: dict[int, Change] = {}
    for kind, objects in (("items", items), ("collections", collections), ("searches", searches)):
        for told in objects:
            data = {k: v for k, v in told["data"].items() if k not in ("version", "deleted", "md5", "mtime")}
            if kind != "items":
                data.pop("relations", None)
            getattr(shelf, kind)[told["key"]] = data
            if told["version"]:
                changes[told["version"]] = Change("add", kind, told["key"])
            if told["data"].get("deleted"):
                shelf.trash.add(told["key"])
    gone = Change("erase", "items", "GVZVD5FA")
    shelf.journal = [changes.get(version, gone) for version in range(1, max(changes, default=0) + 1)]


def masked(told: Any) -> Any:
    if isinstance(told, list):
        return [masked(one) for one in told]
    if isinstance(told, dict):
        return {k: type(v).__name__ if k in MASKED else masked(v) for k, v in told.items()}
    return told


NAMES = [
    pytest.param(program, name, id=f"{program}-{name}")
    for program in ("zotero-9", "zotero-10", "better-bibtex")
    for name in recorded(program)
]


@pytest.mark.parametrize(("program", "name"), NAMES)
def test_it_answers_as_the_recorded_program_did(program: str, name: str, tmp_path: Path) -> None:
    library = program.replace("better-bibtex", "zotero-9")
    world = recorded_world(library, tmp_path)
    if program == "better-bibtex":
        group = recorded(program)["user_groups"]["body"]["result"][1]
        for collection in group["collections"]:
            world.libraries["groups/4242"].collections[collection["key"]] = collection
    version = recorded(program)[name]["headers"]["X-Zotero-Version"]
    with LocalZotero(world, version=version, enabled=name != "disabled") as zotero:
        expected = recorded(program, tmp_path, zotero.port)[name]
        call = expected.get("request")
        status, reason, headers, told = ask(zotero, expected["path"], method="POST" if call else "GET", body=call)
        whole = recorded(library, tmp_path, zotero.port)["trashed_incl"]["body"]
    wanted = expected.get("body")
    if "items" in expected:
        wanted = [item for key in expected["items"] for item in whole if item["key"] == key]
    assert (status, reason) == (expected["status"], expected["reason"])
    assert headers == expected["headers"]
    assert masked(told) == masked(wanted)
    assert json.dumps(masked(told)) == json.dumps(masked(wanted)), "the same, but in another order"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "Zotero")


@pytest.fixture
def keys(world: World) -> dict[str, str]:
    return example(world)


@pytest.fixture(params=["9.0.6", "10.0.1"])
def local(request: pytest.FixtureRequest, world: World) -> Iterator[LocalZotero]:
    with LocalZotero(world, version=request.param) as zotero:
        yield zotero


@pytest.fixture
def web(world: World) -> Iterator[WebZotero]:
    with WebZotero(world, api_key="s3cret") as zotero:
        yield zotero


def test_zotero_9_does_not_see_what_was_done_since_the_last_sync(world: World, keys: dict[str, str]) -> None:
    with LocalZotero(world, version="9.0.6") as zotero:
        assert ask(zotero, "/api/users/0/items")[2]["Last-Modified-Version"] == "0"
        world.sync()
        synced = ask(zotero, "/api/users/0/items")[2]["Last-Modified-Version"]
        world.edit(keys["article"], title="Another")
        world.add("book", title="New")
        assert ask(zotero, f"/api/users/0/items?since={synced}")[3] == []
        assert ask(zotero, "/api/users/0/items", If_Modified_Since_Version=synced)[0] == 304


def test_zotero_10_counts_changes_but_not_renamed_tags_and_replaced_files(world: World, keys: dict[str, str]) -> None:
    with LocalZotero(world) as zotero:
        before = ask(zotero, "/api/users/0/items")[2]["Last-Modified-Version"]
        world.rename_tag("to-read", "read")
        world.replace_file(keys["article_pdf"], b"%PDF-1.7 another")
        assert ask(zotero, f"/api/users/0/items?since={before}")[3] == []
        world.edit(keys["article"], title="Another")
        assert [item["key"] for item in ask(zotero, f"/api/users/0/items?since={before}")[3]] == [keys["article"]]
        world.erase(keys["book"])
        assert int(ask(zotero, "/api/users/0/items")[2]["Last-Modified-Version"]) > int(before) + 1


@pytest.mark.parametrize("header", [{"Origin": "https://example.org"}, {"User_Agent": "Mozilla/5.0"}])
def test_a_browser_is_dropped_without_a_reply(local: LocalZotero, header: dict[str, str]) -> None:
    with pytest.raises(http.client.RemoteDisconnected):
        ask(local, "/api/users/0/items", **header)


def test_another_host_is_refused(local: LocalZotero) -> None:
    assert ask(local, "/api/users/0/items", Host="example.org")[0] == 400


def test_a_zotero_whose_api_is_off_still_answers_a_ping(world: World) -> None:
    with LocalZotero(world, enabled=False) as zotero:
        assert ask(zotero, "/connector/ping")[0] == 200
        assert ask(zotero, "/api/users/0/items")[0] == 403


def test_without_better_bibtex_nobody_answers_there(world: World) -> None:
    with LocalZotero(world, better_bibtex=False) as zotero:
        assert ask(zotero, "/better-bibtex/cayw?probe=probe")[0] == 404


def test_a_zotero_that_was_closed_opens_again_in_the_same_place(local: LocalZotero) -> None:
    port = local.port
    local.close()
    with pytest.raises(ConnectionRefusedError):
        ask(local, "/connector/ping")
    local.open()
    assert ask(local, "/connector/ping")[0] == 200
    assert local.port == port


@pytest.mark.parametrize("fault", ["cut", "not json"])
def test_a_broken_reply_looks_whole_until_it_is_read(local: LocalZotero, keys: dict[str, str], fault: str) -> None:
    local.faults["/api/users/0/items"] = (fault, 1)
    status, _, headers, told = ask(local, "/api/users/0/items")
    assert (status, headers["Total-Results"]) == (200, "20")
    assert isinstance(told, str), "no JSON"
    assert isinstance(ask(local, "/api/users/0/items")[3], list), "the fault has passed"


@pytest.mark.parametrize("fault", ["endless", "slow", "silent"])
def test_closing_ends_a_reply_that_would_never_end(local: LocalZotero, keys: dict[str, str], fault: str) -> None:
    local.faults["/api/users/0/items"] = fault
    connection = http.client.HTTPConnection("127.0.0.1", local.port, timeout=10)
    connection.request("GET", "/api/users/0/items")
    if fault != "silent":
        assert connection.getresponse().read(2)
    connection.close()
    local.close()


def test_the_servers_give_pages_of_25_unless_asked_and_100_at_most(world: World, web: WebZotero) -> None:
    for number in range(230):
        world.add("book", title=str(number))
    key = {"Zotero_API_Key": "s3cret"}
    _, _, headers, told = ask(web, "/users/12345/items", **key)
    assert (len(told), headers["Total-Results"]) == (25, "230")
    seen: list[str] = []
    path: str | None = "/users/12345/items?limit=1000"
    while path:
        _, _, headers, told = ask(web, path, Authorization="Bearer s3cret")
        seen += [item["key"] for item in told]
        links = {
            part.partition('rel="')[2]: part.partition("<")[2].partition(">")[0] for part in headers["Link"].split(",")
        }
        path = links.get('next"', "").removeprefix(web.url) or None
    assert len(seen) == len(set(seen)) == 230
    assert len(web.requests) == 4


def test_the_servers_tell_what_changed_since_and_what_is_gone(
    world: World, keys: dict[str, str], web: WebZotero
) -> None:
    key = {"Zotero_API_Key": "s3cret"}
    before = ask(web, "/users/12345/items", **key)[2]["Last-Modified-Version"]
    assert ask(web, "/users/12345/items", If_Modified_Since_Version=before, **key)[0] == 304
    world.rename_tag("to-read", "read")
    world.erase_collection(keys["dense"])
    world.trash(keys["preprint"])
    changed = ask(web, f"/users/12345/items?since={before}&includeTrashed=1", **key)[3]
    assert {item["key"] for item in changed} == {keys["article"], keys["book"], keys["preprint"]}
    assert [item["data"]["deleted"] for item in changed if "deleted" in item["data"]] == [1]
    assert ask(web, f"/users/12345/deleted?since={before}", **key)[3]["collections"] == [keys["dense"]]
    trash = {item["key"] for item in ask(web, "/users/12345/items/trash", **key)[3]}
    assert trash == {keys["preprint"], keys["trashed_thesis"]}
    there = {item["key"] for item in ask(web, "/users/12345/items?limit=100", **key)[3]}
    assert keys["preprint"] not in there
    assert keys["preprint_linked"] in there, "for the servers, a child of something in the trash is not in the trash"


def test_the_servers_want_the_right_key_and_their_storage_none(keys: dict[str, str], web: WebZotero) -> None:
    assert ask(web, "/keys/current", Zotero_API_Key="wrong")[0] == 403
    assert ask(web, "/users/12345/items")[0] == 403
    path = f"/users/12345/items/{keys['article_pdf']}/file"
    status, _, headers, _ = ask(web, path, Zotero_API_Key="s3cret")
    assert status == 302
    place = headers["Location"].removeprefix(web.storage.url)
    assert ask(web.storage, place, Zotero_API_Key="s3cret")[0] == 400
    status, _, there, text = ask(web.storage, place)
    assert (status, there["ETag"]) == (200, f'"{headers["Zotero-File-MD5"]}"')
    status, _, part, rest = ask(web.storage, place, Range="bytes=10-", If_Range=there["ETag"])
    assert (status, part["Content-Range"], rest) == (206, f"bytes 10-{len(text) - 1}/{len(text)}", text[10:])
    assert ask(web.storage, place, Range="bytes=10-", If_Range='"another"')[0] == 200
    assert ask(web, f"/users/12345/items/{keys['article_missing']}/file", Zotero_API_Key="s3cret")[0] == 404


def test_busy_servers_say_when_to_come_back(keys: dict[str, str], web: WebZotero) -> None:
    web.refusals = [(429, {"Retry-After": "3"}), (503, {})]
    web.backoff = "5"
    key = {"Zotero_API_Key": "s3cret"}
    status, _, headers, _ = ask(web, "/users/12345/items", **key)
    assert (status, headers["Retry-After"]) == (429, "3")
    assert ask(web, "/users/12345/items", **key)[0] == 503
    status, _, headers, _ = ask(web, "/users/12345/items", **key)
    assert (status, headers["Backoff"]) == (200, "5")
