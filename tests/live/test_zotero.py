"""A real Zotero: the cases of the stand-in, as far as nobody's library needs to be known for them.

Opt in with CITELOOM_LIVE_ZOTERO=1 and Zotero running with its local API switched on. CITELOOM_ZOTERO_API_KEY adds
zotero.org, CITELOOM_LIVE_ZOTERO_FOLDER the database of a Zotero whose data folder is not found by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.core import settings
from citeloom.core.errors import CiteLoomError
from citeloom.zotero.better_bibtex import BetterBibTex
from citeloom.zotero.csl.items import to_csl
from citeloom.zotero.gateway import ZoteroGateway
from citeloom.zotero.local_api import LocalApi
from citeloom.zotero.scope import Scope, find_scope, select
from citeloom.zotero.types import MY_LIBRARY, LibrarySource, Snapshot

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not os.environ.get("CITELOOM_LIVE_ZOTERO"), reason="asks a real Zotero: set CITELOOM_LIVE_ZOTERO=1"
    ),
]

KINDS = ("local", "sqlite", "web")


@pytest.fixture
def zotero(tmp_path: Path) -> ZoteroGateway:
    return ZoteroGateway(settings.Zotero(data_folder=os.environ.get("CITELOOM_LIVE_ZOTERO_FOLDER", "")), tmp_path)


@pytest.fixture(params=KINDS)
def source(request: pytest.FixtureRequest, zotero: ZoteroGateway) -> LibrarySource:
    ways: dict[str, Callable[[], LibrarySource | None]] = {
        "local": zotero.local,
        "sqlite": zotero.database,
        "web": zotero.web,
    }
    found = ways[request.param]()
    if found is None:
        pytest.skip(f"no {request.param} here")
    return found


def mine(source: LibrarySource) -> Snapshot:
    library = source.libraries()[0]
    assert library.id == MY_LIBRARY
    return source.read(library)


def test_a_library_is_whole_and_every_child_has_its_parent(source: LibrarySource) -> None:
    snapshot = mine(source)
    assert all(item.type for item in snapshot.items.values())
    assert all(item.parent in snapshot.items for item in snapshot.items.values() if item.parent)
    assert all(
        collection.parent is None or collection.parent in snapshot.collections
        for collection in snapshot.collections.values()
    )


def test_every_work_has_a_csl_record(source: LibrarySource) -> None:
    for item in mine(source).top_level():
        assert to_csl(item)["type"]


def test_a_collection_is_a_part_of_the_library_and_one_that_is_not_there_is_an_error(source: LibrarySource) -> None:
    snapshot = mine(source)
    for key in snapshot.collections:
        part = select(snapshot, Scope(MY_LIBRARY, "collection", key), lambda *_: set())
        assert part <= {item.key for item in snapshot.top_level()}
    with pytest.raises(CiteLoomError):
        select(snapshot, Scope(MY_LIBRARY, "collection", "ZZZZZZZZ"), lambda *_: set())
    with pytest.raises(CiteLoomError):
        find_scope([snapshot], "no collection has this name")


def test_saved_searches_find_what_is_in_the_library(source: LibrarySource) -> None:
    snapshot = mine(source)
    for search in snapshot.searches.values():
        assert source.run_search(snapshot, search) <= snapshot.items.keys()


def test_the_running_zotero_and_its_database_tell_the_same(zotero: ZoteroGateway) -> None:
    database = zotero.database()
    if database is None:
        pytest.skip("no database here")
    assert mine(zotero.local()) == mine(database)


def test_every_file_is_found_or_has_a_reason(zotero: ZoteroGateway) -> None:
    file_here = zotero.file_finder()
    for item in mine(zotero.local()).items.values():
        if item.type == "attachment":
            here = file_here(item)
            assert here.reason or (here.path and here.path.is_file())


def test_better_bibtex_answers_for_items_of_the_library(zotero: ZoteroGateway) -> None:
    url = zotero.local_url(zotero.profile())
    if BetterBibTex(url).version() is None:
        pytest.skip("no Better BibTeX here")
    snapshot = mine(LocalApi(url))
    works = [item.key for item in snapshot.top_level() if item.type not in ("note", "attachment")]
    assert BetterBibTex(url).citekeys(snapshot.library, works).keys() <= set(works)
