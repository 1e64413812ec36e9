"""Planning with Zotero: records change without being read again, and a missing file takes no text away."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog.documents import State
from citeloom.core.types import Record
from citeloom.importing.planning import Plan, plan
from citeloom.importing.sources.folder import FoundFile, ItemRecord, ReportBytes, ShouldStop, SourceContents

CONVERTER = "c1"
REASON = "Zotero has not downloaded it."


def get(tell: ReportBytes, stopped: ShouldStop) -> FoundFile:
    raise AssertionError("planning fetches nothing")


def make_work(fingerprint: str) -> ItemRecord:
    return ItemRecord(fingerprint, {"library": "library", "item": "I", "attachment": "A"}, lambda: Record("key"))


def source(key: str, library: str = "library") -> str:
    return f"zotero:{library}/items/{key}"


keys = st.sampled_from("ABCDEF")
libraries = st.sampled_from(["library", "groups/1"])
sources = st.builds(source, keys, libraries)
works = st.sampled_from(["r1", "r2"]).map(make_work)
here = st.builds(FoundFile, st.just("/z/a.pdf"), st.just("pdf"), st.integers(1, 2), st.integers(1, 2), sources, works)
elsewhere = st.builds(
    FoundFile, st.just(""), st.just("pdf"), st.just(0), st.integers(1, 2), sources, works, st.just(REASON),
    st.sampled_from([None, get]),
)  # fmt: skip
founds = st.lists(here | elsewhere, max_size=8, unique_by=lambda f: f.source)
rows = st.fixed_dictionaries(
    {
        "source": sources,
        "path": st.sampled_from(["", "/z/a.pdf"]),
        "file_type": st.sampled_from(["pdf", "fulltext"]),
        "state": st.sampled_from([str(s) for s in State]),
        "reason_code": st.sampled_from([None, "CONVERSION_FAILED", "FILE_NOT_FOUND"]),
        "reason": st.sampled_from([None, REASON]),
        "size": st.integers(0, 2),
        "mtime_ns": st.integers(1, 2),
        "content_hash": st.sampled_from([None, "h1", "h2"]),
        "version": st.none() | st.just("v"),
        "converter": st.sampled_from(["c0", CONVERTER]),
        "record_hash": st.sampled_from([None, "r1", "r2"]),
    }
).map(lambda row: {**row, "doc_id": f"id of {row['source']}"})
knowns = st.lists(rows, max_size=8, unique_by=lambda r: r["source"])


def make(found: list[FoundFile], known: list[dict[str, Any]], read: set[str], *, retry: bool = True) -> Plan:
    contents = SourceContents(libraries=read)
    return plan(found, known, in_scope=contents.covers, converter=CONVERTER, retry=retry)


def ident(file: FoundFile) -> str:
    return f"id of {file.source}"


@given(founds, knowns, st.booleans())
def test_every_work_found_is_dealt_with_in_one_way(
    found: list[FoundFile], known: list[dict[str, Any]], retry: bool
) -> None:
    made = make(found, known, {"library"}, retry=retry)
    read = [ident(f) for f in (*made.to_read, *made.without_file)]
    left = [*made.unchanged, *made.still_failed, *made.still_without]
    assert sorted(read + left) == sorted(ident(f) for f in found)
    by_id = {r["doc_id"]: r for r in known}
    expected = {
        i for f in found if (i := ident(f)) in left and f.item and f.item.fingerprint != by_id[i]["record_hash"]
    }
    assert {ident(f) for f in made.other_record} == expected


@given(founds, knowns)
def test_a_text_that_was_read_stays_while_its_file_is_away(found: list[FoundFile], known: list[dict[str, Any]]) -> None:
    made = make(found, known, {"library", "groups/1"})
    ready = {r["doc_id"]: r for r in known if r["state"] == "ready"}
    away = {ident(f): f for f in found if f.missing}
    to_fetch = {ident(f) for f in made.to_read}
    for doc_id in ready.keys() & away.keys():
        assert doc_id not in (*made.removed, *made.still_without, *(ident(f) for f in made.without_file))
        newer = ready[doc_id]["mtime_ns"] != away[doc_id].mtime_ns or ready[doc_id]["file_type"] == "fulltext"
        can_come = away[doc_id].fetch is not None and not ready[doc_id]["size"]
        assert (doc_id in to_fetch) == (can_come and newer)


@given(founds, knowns, st.sets(libraries))
def test_only_a_library_that_was_read_as_a_whole_can_lose_something(
    found: list[FoundFile], known: list[dict[str, Any]], read: set[str]
) -> None:
    made = make(found, known, read)
    there = {f.source for f in found}
    expected = {
        r["doc_id"]
        for r in known
        if r["source"] not in there and any(r["source"].startswith(f"zotero:{one}/") for one in read)
    }
    assert set(made.removed) == expected


@given(founds, knowns, st.sampled_from(["ready", "failed", "without_file"]))
def test_a_sync_carried_out_leaves_nothing_for_the_watcher_to_do(
    found: list[FoundFile], known: list[dict[str, Any]], outcome: str
) -> None:
    made = make(found, known, {"library", "groups/1"})
    after = {r["doc_id"]: dict(r) for r in known if r["doc_id"] not in made.removed}
    for file in (*made.to_read, *made.without_file, *made.other_record):
        row = after.setdefault(ident(file), {"doc_id": ident(file), "source": file.source, "version": None})
        assert file.item
        row["record_hash"] = file.item.fingerprint
        if file in made.other_record:
            continue
        row |= {"path": file.path, "size": file.size, "mtime_ns": file.mtime_ns, "converter": CONVERTER}
        row["file_type"] = "fulltext" if file.missing else file.file_type
        row |= {
            "content_hash": f"content of {file.source}",
            "reason_code": "CONVERSION_FAILED",
            "reason": "It is empty.",
        }
        row["state"] = outcome
        if file in made.without_file or outcome == "without_file":
            row |= {"state": "without_file", "reason_code": "FILE_NOT_FOUND", "reason": file.missing}
    again = make(found, list(after.values()), {"library", "groups/1"}, retry=False)
    # A duplicate whose original was just read anew, with other content, has to be looked at once more.
    left = [f for f in (*again.to_read, *again.without_file) if after[ident(f)]["state"] != "duplicate"]
    assert (left, again.other_record, again.removed) == ([], [], [])


def test_a_file_at_another_place_is_looked_at_again() -> None:
    moved = FoundFile("/new/a.pdf", "pdf", 1, 1, source("A"), make_work("r1"))
    known = {"doc_id": "d", "source": source("A"), "path": "/old/a.pdf", "state": "ready", "reason": None}
    known |= {"reason_code": None, "size": 1, "mtime_ns": 1, "content_hash": "h", "converter": CONVERTER}
    assert make([moved], [{**known, "record_hash": "r1"}], {"library"}).to_read == [moved]
