"""Planning: every file found is dealt with once, and nothing outside the scope is ever gone."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog.documents import State
from citeloom.core.errors import RETRIED_CODES, Code
from citeloom.importing.planning import MASS_REMOVAL_COUNT, Plan, plan
from citeloom.importing.sources.folder import FoundFile

CONVERTER = "c2"
names = st.sampled_from([f"/{folder}/{name}.pdf" for folder in ("in", "out") for name in "abcdef"])
files = st.builds(FoundFile, names, st.just("pdf"), st.integers(1, 2), st.integers(1, 2))
rows = st.fixed_dictionaries(
    {
        "source": names,
        "state": st.sampled_from([str(s) for s in State]),
        "reason_code": st.none() | st.sampled_from([str(c) for c in Code]),
        "reason": st.none() | st.just("It has no file."),
        "path": st.just(""),
        "file_type": st.just("pdf"),
        "record_hash": st.none() | st.sampled_from(["r1", "r2"]),
        "size": st.integers(1, 2),
        "mtime_ns": st.integers(1, 2),
        "content_hash": st.sampled_from([None, "h1", "h2"]),
        "version": st.none() | st.just("v"),
        "converter": st.sampled_from(["c1", CONVERTER]),
        "converter_engine": st.sampled_from(["quick", "docling"]),
    }
).map(lambda row: {**row, "doc_id": f"id of {row['source']}"})
founds = st.lists(files, max_size=8, unique_by=lambda f: f.path)
knowns = st.lists(rows, max_size=8, unique_by=lambda r: r["source"])


def in_scope(source: str) -> bool:
    return source.startswith("/in/")


def make(found: list[FoundFile], known: list[dict[str, Any]], **more: Any) -> Plan:
    return plan(found, known, in_scope=in_scope, converter=CONVERTER, **more)


def ident(file: FoundFile) -> str:
    return f"id of {file.path}"


def row(path: str, **changes: Any) -> dict[str, Any]:
    made = {
        "doc_id": f"id of {path}",
        "source": path,
        "state": "ready",
        "reason_code": None,
        "reason": None,
        "path": "",
        "file_type": "pdf",
        "record_hash": None,
        "size": 1,
        "mtime_ns": 1,
        "content_hash": "h",
        "version": "v",
        "converter": CONVERTER,
        "converter_engine": "docling",
    }
    return {**made, **changes}


def file(path: str) -> FoundFile:
    return FoundFile(path, "pdf", 1, 1)


@given(founds, knowns, st.booleans())
def test_every_file_found_is_read_or_left_or_known_to_fail_and_only_one_of_these(
    found: list[FoundFile], known: list[dict[str, Any]], again: bool
) -> None:
    made = make(found, known, again=again)
    places = [*(ident(f) for f in made.to_read), *made.unchanged, *made.still_failed]
    assert sorted(places) == sorted(ident(f) for f in found)
    if again:
        assert list(made.to_read) == found


@given(founds, knowns)
def test_gone_is_what_was_known_within_the_scope_and_is_not_there(
    found: list[FoundFile], known: list[dict[str, Any]]
) -> None:
    here = {f.path for f in found}
    expected = {r["doc_id"] for r in known if in_scope(r["source"]) and r["source"] not in here}
    made = make(found, known)
    assert set(made.removed) == expected and len(made.removed) == len(expected)


@given(founds, knowns)
def test_what_is_left_alone_has_not_changed_and_is_searchable_or_failed_for_good(
    found: list[FoundFile], known: list[dict[str, Any]]
) -> None:
    by_id = {r["doc_id"]: r for r in known}
    by_name = {ident(f): f for f in found}
    made = make(found, known)
    for doc_id in (*made.unchanged, *made.still_failed):
        before, now = by_id[doc_id], by_name[doc_id]
        assert (before["size"], before["mtime_ns"], before["converter"]) == (now.size, now.mtime_ns, CONVERTER)
    for doc_id in made.unchanged:
        before = by_id[doc_id]
        if before["state"] != "ready":
            assert before["state"] == "duplicate"
            twins = [r for r in known if r["state"] == "ready" and r["content_hash"] == before["content_hash"]]
            assert [r for r in twins if r["doc_id"] not in made.removed]
    for doc_id in made.still_failed:
        assert by_id[doc_id]["state"] == "failed"
        assert by_id[doc_id]["reason_code"] not in RETRIED_CODES
    assert make(found, known, retry_failed=True).still_failed == []


@given(founds, knowns, st.sampled_from(["ready", "failed"]))
def test_a_plan_carried_out_leaves_no_work(found: list[FoundFile], known: list[dict[str, Any]], outcome: str) -> None:
    made = make(found, known)
    after = {r["doc_id"]: r for r in known if r["doc_id"] not in made.removed}
    for one in made.to_read:
        after[ident(one)] = row(
            one.path,
            state=outcome,
            reason_code="CONVERSION_FAILED",
            size=one.size,
            mtime_ns=one.mtime_ns,
            content_hash=f"content of {one.path}",
        )
    again = make(found, list(after.values()))
    # A duplicate whose original was just read anew, with other content, has to be looked at once more.
    left = [f for f in again.to_read if after[ident(f)]["state"] != "duplicate"]
    assert (left, again.removed) == ([], [])


def test_a_duplicate_is_read_when_the_document_it_repeats_is_gone() -> None:
    known = [row("/in/a.pdf"), row("/in/b.pdf", state="duplicate")]
    assert make([file("/in/a.pdf"), file("/in/b.pdf")], known).to_read == []
    made = make([file("/in/b.pdf")], known)
    assert (made.to_read, made.removed) == ([file("/in/b.pdf")], ["id of /in/a.pdf"])


def test_a_failure_that_may_pass_is_tried_again_and_one_of_the_file_is_not() -> None:
    found = [file("/in/a.pdf")]
    for code, tried in (("PERMISSION_DENIED", 1), ("EMBEDDING_FAILED", 1), ("CONVERSION_FAILED", 0)):
        made = make(found, [row("/in/a.pdf", state="failed", reason_code=code)])
        assert (len(made.to_read), len(made.still_failed)) == (tried, 1 - tried)


@given(st.integers(0, 30), st.integers(0, 120))
def test_many_are_removed_without_asking_only_if_they_are_few_or_a_small_share(removed: int, kept: int) -> None:
    known = [row(f"/in/gone{n}.pdf") for n in range(removed)] + [row(f"/in/kept{n}.pdf") for n in range(kept)]
    made = make([file(f"/in/kept{n}.pdf") for n in range(kept)], known)
    assert len(made.removed) == removed
    assert made.removes_many == (removed > MASS_REMOVAL_COUNT and removed * 5 > removed + kept)


def test_an_emptied_folder_is_asked_about() -> None:
    assert make([], [row(f"/in/{n}.pdf") for n in range(11)]).removes_many
    assert not make([], [row(f"/in/{n}.pdf") for n in range(10)]).removes_many
