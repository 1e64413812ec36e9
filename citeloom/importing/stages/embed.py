"""The embed stage: adds vectors to passages that are found by their words already, in batches across documents."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from citeloom.catalog.documents import Document
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError
from citeloom.importing.import_state import ImportState
from citeloom.importing.payloads import embedded_text
from citeloom.index.base import Collection, Point, ScoredPoint
from citeloom.index.filters import AnyOf, of_document

log = logging.getLogger(__name__)

_BATCH = 64  # passages: a batch is embedded in a second or two, then words come first again


@dataclass(slots=True)
class Batch:
    """Passages that are embedded together."""

    passages: list[ScoredPoint]
    vectors: dict[str, Sequence[float]] = field(default_factory=dict)  # by passage

    @property
    def by_document(self) -> Counter[str]:
        """Number of passages by document."""
        return Counter(str(passage.payload["doc_id"]) for passage in self.passages)


class Embedder:
    """Embeds the passages of one import's project."""

    def __init__(self, state: ImportState) -> None:
        self._state = state

    def next_batch(self, doc_ids: Sequence[str], embedding: Batch | None) -> Batch | None:
        """Return the next passages of these documents without a vector, besides those that are being embedded."""
        in_progress = {passage.id for passage in embedding.passages} if embedding else set()
        found = self._collection().without_vectors(AnyOf("doc_id", tuple(doc_ids)), _BATCH + len(in_progress))
        passages = [passage for passage in found if passage.id not in in_progress][:_BATCH]
        return Batch(passages) if passages else None

    def embed(self, batch: Batch) -> None:
        """Make the vectors of a batch; equal texts are embedded once."""
        texts = {passage.id: embedded_text(passage.payload) for passage in batch.passages}
        unique = list(dict.fromkeys(texts.values()))
        with self._state.timed("embed"):
            vectors = dict(zip(unique, self._state.embed(unique), strict=True))
        batch.vectors = {id: vectors[text] for id, text in texts.items()}
        faults.point("import.embedded", " ".join({str(passage.payload.get("source")) for passage in batch.passages}))

    def write(self, batch: Batch) -> None:
        """Add the vectors to the passages. A kill before the catalog knows only makes it count too many as missing."""
        with self._state.timed("write"), self._state.lock_index():
            self._collection().add_vectors(batch.vectors)
            self._state.catalog.documents.count_embedded(self._state.project.id, batch.by_document)
            self._state.catalog.projects.add_without_graph(self._state.project.id, len(batch.vectors))

    def finish(self, doc_ids: Sequence[str]) -> None:
        """Record that all passages of these documents have vectors."""
        self._state.catalog.documents.set_all_embedded(self._state.project.id, doc_ids)

    def _collection(self) -> Collection:
        return self._state.collection()


def known_vectors(state: ImportState, document: Document, old: Iterable[Point]) -> dict[str, Sequence[float]]:
    """Return the vectors of texts that were embedded before with the same model, by text.

    They come from the document's earlier passages, and from other documents with the same content in any project.
    """
    found = {embedded_text(point.payload): point.dense for point in old if point.dense is not None}
    for twin in state.catalog.documents.embedded_elsewhere(
        document.content_hash or "", document.doc_id, state.project.dense_fingerprint
    ):
        try:
            project = state.catalog.projects.get(twin.project_id)
            points = state.context.open_collection(project).stored(of_document(twin.doc_id), twin.chunks)
            found |= {embedded_text(point.payload): point.dense for point in points if point.dense is not None}
        except CiteLoomError as error:  # it can be embedded again
            log.info("vectors of %s are not available: %s", twin.project_id, error)
    return found


def embed_missing(state: ImportState, points: Sequence[Point]) -> list[Point]:
    """Return passages with the vectors that are missing, made at once."""
    texts = [embedded_text(point.payload) for point in points]
    missing = list(dict.fromkeys(text for text, p in zip(texts, points, strict=True) if p.dense is None))
    with state.timed("embed"):
        made = dict(zip(missing, state.embed(missing), strict=True))
    return [p if p.dense is not None else replace(p, dense=made[text]) for p, text in zip(points, texts, strict=True)]
