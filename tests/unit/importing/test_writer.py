"""Writing a document's passages: a reader sees the old set or the new one, whenever the power goes."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing.writer import LiveWriter, RebuildWriter, repair
from citeloom.index.base import Point, SparseVector
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import AnyOf

OLD, NEW = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
MANY = 130  # more than two batches of the index


class Killed(BaseException):
    """The process has ended: from here on nothing it does has an effect."""


def points(doc_id: str, passage_set: str, count: int) -> list[Point]:
    return [
        Point(
            str(uuid.uuid5(uuid.UUID(passage_set), f"{doc_id}{n}")),
            [1.0, 0.0, 0.0, float(n)],
            SparseVector([n], [1.0]),
            {"doc_id": doc_id, "version": passage_set, "chunk_index": n},
        )
        for n in range(count)
    ]


def ids(made: list[Point]) -> set[str]:
    return {point.id for point in made}


def visible(collection: EdgeCollection, doc_id: str = "doc") -> set[str]:
    return {hit.id for hit in collection.scroll(AnyOf("doc_id", (doc_id,)), 1000)}


def row(catalog: Catalog, project: Project, doc_id: str = "doc") -> Document:
    found = catalog.documents.find(project.id, doc_id)
    assert found is not None
    return found


def new_process(collection: EdgeCollection) -> None:
    """What is hidden is known to the running process only."""
    collection._hidden.clear()


class Effects:
    """Lets some changes of index and catalog through, then none; looks at the readers' view around each."""

    def __init__(self, catalog: Catalog, collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 10**6
        self.done = 0
        self.look: Callable[[], None] = lambda: None
        shard, write = collection._shard, catalog.db.write
        effects = self

        class Shard:
            def __getattr__(self, name: str) -> Any:
                return getattr(shard, name)

            def update(self, operation: Any) -> None:
                effects.one(lambda: shard.update(operation))

        monkeypatch.setattr(collection, "_shard", Shard())
        monkeypatch.setattr(catalog.db, "write", lambda *a: self.one(lambda: write(*a)))

    def one(self, change: Callable[[], Any]) -> Any:
        if self.left == 0:
            raise Killed
        self.left -= 1
        self.done += 1
        self.look()
        result = change()
        self.look()
        return result


@pytest.fixture
def effects(catalog: Catalog, collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch) -> Effects:
    return Effects(catalog, collection, monkeypatch)


def begin(catalog: Catalog, project: Project, collection: EdgeCollection, before: str | None) -> Document:
    """A document with its old passages, or none, beside another document."""
    writer = LiveWriter(catalog, lambda: collection)
    writer.write(Document(project.id, "other", "/other.pdf"), str(uuid.UUID(int=9)), points("other", OLD, 3), {})
    document = Document(project.id, "doc", "/doc.pdf", title="Salt", citekey="salt2019")
    catalog.documents.save(document)
    if before:
        writer.write(document, before, points("doc", before, MANY), {})
    return row(catalog, project)


@pytest.mark.parametrize(
    ("before", "after"), [(None, NEW), (OLD, NEW), (OLD, OLD)], ids=["first time", "replaced", "written again"]
)
def test_a_kill_at_any_point_leaves_the_old_set_or_the_new_one(
    catalog: Catalog,
    project: Project,
    collection: EdgeCollection,
    effects: Effects,
    before: str | None,
    after: str,
) -> None:
    old, new = points("doc", before, MANY) if before else [], points("doc", after, 70)
    if before == after:
        new = old
    became = {old[0].id: new[0].id} if old and old != new else {}
    outcomes = []
    for survived in range(100):
        effects.left, effects.look = 10**6, lambda: None
        document = begin(catalog, project, collection, before)
        effects.left = survived
        effects.look = lambda: outcomes_seen(collection, ids(old), ids(new))
        try:
            LiveWriter(catalog, lambda: collection).write(document, after, new, became)
            completed = True
        except Killed:
            completed = False
        new_process(collection)
        effects.left, effects.look = 10**6, lambda: None

        repaired = repair(catalog, project, collection)
        kept = row(catalog, project)
        assert kept.version in (before, after)
        assert visible(collection) == (ids(new) if kept.version == after else ids(old))
        assert kept.writing is None
        assert kept.chunks == len(visible(collection))
        assert (kept.state == State.READY) == (kept.version is not None)
        assert visible(collection, "other") == ids(points("other", OLD, 3))
        for old_id, new_id in became.items():
            assert catalog.replaced_passages.find(project.id, old_id) == (new_id if kept.version == after else None)
        assert repair(catalog, project, collection) == 0
        assert not (completed and repaired)
        outcomes.append(kept.version)
        catalog.documents.remove(project.id, "doc")
        collection.delete(AnyOf("doc_id", ("doc", "other")))
        if completed:
            break
    assert completed and len(outcomes) > 3
    # Before the row is written the old set counts, from then on the new one.
    assert outcomes == sorted(outcomes, key=lambda version: version == after)
    assert {outcomes[0], outcomes[-1]} == {before, after}


def outcomes_seen(collection: EdgeCollection, old: set[str], new: set[str]) -> None:
    seen = visible(collection)
    assert seen in (old, new), f"a reader saw {len(seen & old)} old and {len(seen & new)} new passages"


def test_a_write_leaves_exactly_its_passages_and_its_row(
    catalog: Catalog, project: Project, collection: EdgeCollection
) -> None:
    document = begin(catalog, project, collection, OLD)
    document.state, document.reason, document.reason_code = State.FAILED, "No text.", "CONVERSION_FAILED"
    LiveWriter(catalog, lambda: collection).write(document, NEW, points("doc", NEW, 5), {})
    kept = row(catalog, project)
    assert (kept.version, kept.writing, kept.chunks, kept.title) == (NEW, None, 5, "Salt")
    assert (kept.state, kept.reason, kept.reason_code) == (State.READY, None, None)
    new_process(collection)
    assert visible(collection) == ids(points("doc", NEW, 5))


def fail_after(collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch, passed: int, failing: int) -> None:
    """Some changes of the index succeed, then some fail."""
    shard, counter = collection._shard, iter(range(1000))

    class Shard:
        def __getattr__(self, name: str) -> Any:
            return getattr(shard, name)

        def update(self, operation: Any) -> None:
            if passed <= next(counter) < passed + failing:
                raise RuntimeError("the disk is broken")
            shard.update(operation)

    monkeypatch.setattr(collection, "_shard", Shard())


@pytest.mark.parametrize("failing", [1, 100], ids=["once", "for good"])
@pytest.mark.parametrize("before", [None, OLD])
def test_a_write_that_fails_leaves_the_old_set_visible(
    catalog: Catalog,
    project: Project,
    collection: EdgeCollection,
    monkeypatch: pytest.MonkeyPatch,
    before: str | None,
    failing: int,
) -> None:
    document = begin(catalog, project, collection, before)
    old = visible(collection)
    with monkeypatch.context() as patch:
        fail_after(collection, patch, 1, failing)
        with pytest.raises(CiteLoomError, match="broken") as caught:
            LiveWriter(catalog, lambda: collection).write(document, NEW, points("doc", NEW, MANY), {})
        assert caught.value.code == Code.STORAGE_ERROR
        assert visible(collection) == old
        assert row(catalog, project).version == before
    new_process(collection)
    repair(catalog, project, collection)
    assert visible(collection) == old
    assert row(catalog, project).writing is None
    LiveWriter(catalog, lambda: collection).write(row(catalog, project), NEW, points("doc", NEW, MANY), {})
    assert visible(collection) == ids(points("doc", NEW, MANY))


def test_a_removed_document_leaves_nothing(catalog: Catalog, project: Project, collection: EdgeCollection) -> None:
    begin(catalog, project, collection, OLD)
    assert LiveWriter(catalog, lambda: collection).remove(project.id, "doc") == MANY
    assert visible(collection) == set()
    assert catalog.documents.find(project.id, "doc") is None
    assert visible(collection, "other")


def test_a_rebuild_changes_no_row_before_it_is_finished_and_all_of_them_then(
    catalog: Catalog, project: Project, collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(catalog, project, collection, OLD)
    before = catalog.documents.all(project.id)
    collection.delete(AnyOf("doc_id", ("doc", "other")))
    rebuilt = RebuildWriter(catalog, collection)
    rebuilt.write(row(catalog, project), NEW, points("doc", NEW, 7), {"an old id": "a new id"})
    assert catalog.documents.all(project.id) == before

    with monkeypatch.context() as patch:
        patch.setattr(catalog.projects, "save", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            rebuilt.finish(project, ["other"])
    assert catalog.documents.all(project.id) == before
    assert catalog.replaced_passages.find(project.id, "an old id") is None

    rebuilt.finish(project, ["other"])
    assert catalog.replaced_passages.find(project.id, "an old id") == "a new id"
    (kept,) = catalog.documents.all(project.id)
    assert (kept.doc_id, kept.version, kept.chunks, kept.state) == ("doc", NEW, 7, State.READY)
