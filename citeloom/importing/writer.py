"""Writes a document's passages atomically: a reader sees the old set or the new one, and a kill loses nothing.

The order is: record in the catalog which set is being written; write its passages, hidden; write the catalog row
that makes it the current set, with the map from old to new passages; show it and hide the old one in one step;
delete the old one. `repair` finishes or undoes what a kill interrupted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core import fault_injection as faults
from citeloom.index.base import Collection, Point
from citeloom.index.filters import AnyOf, Condition, Every, Not, of_document

log = logging.getLogger(__name__)


class Writer(Protocol):
    """Writes the documents of an import."""

    def write(self, document: Document, passage_set: str, points: Sequence[Point], became: Mapping[str, str]) -> None:
        """Replace the document's passages by these; `became` maps ids of old passages to new ones."""

    def save_row(self, document: Document) -> None:
        """Save a document's row without touching its passages."""


class LiveWriter:
    """Writes into the index in use."""

    def __init__(self, catalog: Catalog, collection: Callable[[], Collection]) -> None:
        self._catalog = catalog
        self._collection = collection  # called for each document: the collection may be replaced in between

    def write(self, document: Document, passage_set: str, points: Sequence[Point], became: Mapping[str, str]) -> None:
        """Replace the document's passages in one step."""
        collection, before = self._collection(), document.version
        fresh = before != passage_set and not collection.count(AnyOf("version", (passage_set,)))
        self._catalog.documents.mark_writing(document, passage_set)
        if fresh:
            collection.hide(passage_set)
        try:
            collection.upsert(points)
        except BaseException:
            # If the passages cannot be deleted now, they stay hidden and marked, and the next start repairs it.
            if fresh and _undo_write(collection, document.doc_id, passage_set):
                collection.show(passage_set)
                self._catalog.documents.mark_writing(document, None)
            raise
        document.version, document.writing = passage_set, before if before != passage_set else None
        document.state, document.reason, document.reason_code = State.READY, None, None
        document.chunks = len(points)
        self._catalog.projects.add_without_graph(document.project_id, sum(point.dense is not None for point in points))
        with self._catalog.db.transaction():
            if before != passage_set:
                self._catalog.replaced_passages.record(document.project_id, document.doc_id, became)
            faults.point("import.row_saving", document.source)
            self._catalog.documents.save(document)
        faults.point("import.row_saved", document.source)
        if document.writing:
            collection.show(passage_set, instead_of=document.writing)
            deleted = collection.delete(_not_current(document))
            self._catalog.projects.add_without_graph(document.project_id, deleted)
            collection.show(document.writing)  # nothing of it remains to be hidden
            document.writing = None
            self._catalog.documents.save(document)
        else:
            collection.show(passage_set)

    def save_row(self, document: Document) -> None:
        """Save the row."""
        self._catalog.documents.save(document)

    def stored(self, document: Document) -> Iterator[Point]:
        """Return a document's passages."""
        return self._collection().stored(of_document(document.doc_id), document.chunks)

    def clear(self, doc_id: str) -> int:
        """Delete a document's passages, not its row."""
        return self._collection().delete(of_document(doc_id))

    def remove(self, project_id: str, doc_id: str) -> int:
        """Delete a document and its passages; return the number of passages."""
        deleted = self.clear(doc_id)
        self._catalog.projects.add_without_graph(project_id, deleted)
        self._catalog.documents.remove(project_id, doc_id)
        return deleted


class RebuildWriter:
    """Writes a new generation beside the one in use; `finish` makes all of it current at once."""

    def __init__(self, catalog: Catalog, collection: Collection) -> None:
        self._catalog = catalog
        self._collection = collection
        self._rows: dict[str, Document] = {}
        self._became: dict[str, Mapping[str, str]] = {}

    def write(self, document: Document, passage_set: str, points: Sequence[Point], became: Mapping[str, str]) -> None:
        """Write passages into the new generation, which is not visible yet."""
        self._collection.upsert(points)
        if document.version != passage_set:
            self._became[document.doc_id] = became
        self._rows[document.doc_id] = replace(
            document,
            version=passage_set,
            writing=None,
            state=State.READY,
            reason=None,
            reason_code=None,
            chunks=len(points),
        )

    def save_row(self, document: Document) -> None:
        """Store the row until `finish`."""
        self._rows[document.doc_id] = document

    def has(self, doc_id: str) -> bool:
        """Whether a document has been written or noted."""
        return doc_id in self._rows

    def drop(self, doc_id: str) -> None:
        """Remove a document from the new generation."""
        self._collection.delete(of_document(doc_id))
        self._rows.pop(doc_id, None)
        self._became.pop(doc_id, None)

    def finish(self, project: Project, removed: Sequence[str]) -> None:
        """Make the new generation, named in `project`, and its rows the current ones."""
        self._collection.flush()
        project = replace(project, without_graph=self._collection.count())
        with self._catalog.db.transaction():
            for document in self._rows.values():
                self._catalog.documents.save(document)
            for doc_id, became in self._became.items():
                self._catalog.replaced_passages.record(project.id, doc_id, became)
            for doc_id in removed:
                self._catalog.documents.remove(project.id, doc_id)
            self._catalog.projects.save(project)


def repair(catalog: Catalog, project: Project, collection: Collection) -> int:
    """Undo or finish writes interrupted by a kill; return the number of documents repaired."""
    interrupted = catalog.documents.interrupted(project.id)
    for document in interrupted:
        # Whether the kill came before or after the catalog's commit, the row names the valid set.
        collection.delete(_not_current(document))
        document.writing = None
        catalog.documents.save(document)
    if interrupted:
        log.info("repaired %d documents of %s", len(interrupted), project.id)
    return len(interrupted)


def _not_current(document: Document) -> Condition:
    own = of_document(document.doc_id)
    return Every((own, Not(AnyOf("version", (document.version,))))) if document.version else own


def _undo_write(collection: Collection, doc_id: str, passage_set: str) -> bool:
    try:
        collection.delete(Every((of_document(doc_id), AnyOf("version", (passage_set,)))))
    except Exception:
        log.exception("passages of %s could not be deleted; the next start deletes them", doc_id)
        return False
    return True
