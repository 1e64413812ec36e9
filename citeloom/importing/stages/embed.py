"""The embed stage: adds vectors to passages that are found by their words already, in batches across documents."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from citeloom.catalog.documents import NOT_EMBEDDED, Document
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing.import_state import ImportState
from citeloom.importing.sources.names import shown_source
from citeloom.importing.stages.payloads import embedded_text
from citeloom.index.base import Collection, Point, ScoredPoint
from citeloom.index.filters import AnyOf, of_document

log = logging.getLogger(__name__)

_PROBE = "Can the model embed this sentence?"
_BATCH = 64  # passages: a batch is embedded in a second or two, then words come first again


@dataclass(slots=True)
class Batch:
    """Passages that are embedded together."""

    passages: list[ScoredPoint]
    vectors: dict[str, Sequence[float]] = field(default_factory=dict)  # by passage

    @property
    def by_version(self) -> Counter[tuple[str, str]]:
        """Number of passages with a vector by document and passage set."""
        return Counter(
            (str(p.payload["doc_id"]), str(p.payload["version"])) for p in self.passages if p.id in self.vectors
        )


class Embedder:
    """Embeds the passages of one import's project."""

    def __init__(self, state: ImportState) -> None:
        self._state = state
        self._refused: dict[str, tuple[str, CiteLoomError]] = {}  # by passage: its document, and why it has no vector

    def next_batch(self, doc_ids: Sequence[str], embedding: Batch | None) -> Batch | None:
        """Return the next passages without a vector, besides those that are being embedded: of the first documents."""
        size = faults.number("import.embedding_batch", _BATCH)
        others = {passage.id for passage in embedding.passages} if embedding else set()
        others |= self._refused.keys()
        # All of them, too: the catalog may count too few of a document that is written again.
        for some in (self._first_of(doc_ids, size + len(others)), doc_ids):
            found = self._collection().without_vectors(AnyOf("doc_id", tuple(some)), size + len(others)) if some else ()
            if passages := [passage for passage in found if passage.id not in others][:size]:
                return Batch(passages)
        return None

    def _first_of(self, doc_ids: Sequence[str], passages: int) -> list[str]:
        """Return the first documents that lack so many vectors, so that one after the other is found by meaning."""
        documents = self._state.catalog.documents.by_ids(self._state.project.id, doc_ids)
        missing = {document.doc_id: document.without_vector for document in documents}
        first, count = list[str](), 0
        for doc_id in doc_ids:
            if count < passages and missing.get(doc_id):
                first.append(doc_id)
                count += missing[doc_id]
        return first

    def embed(self, batch: Batch) -> None:
        """Make the vectors of a batch; equal texts are embedded once."""
        texts = {passage.id: embedded_text(passage.payload) for passage in batch.passages}
        unique = list(dict.fromkeys(texts.values()))
        vectors, errors = {}, dict[str, CiteLoomError]()
        with self._state.timed("embed"):
            try:
                vectors = dict(zip(unique, self._state.embed(unique), strict=True))
            except CiteLoomError as error:
                if error.code != Code.EMBEDDING_FAILED:
                    raise
                self._state.embed([_PROBE])  # fails if the model is broken, not a text
                vectors, errors = self._embed_one_by_one(unique)
        batch.vectors = {id: vectors[text] for id, text in texts.items() if text in vectors}
        for passage in batch.passages:
            if problem := errors.get(texts[passage.id]):
                self._refused[passage.id] = str(passage.payload["doc_id"]), problem
        faults.point("import.embedded", " ".join({str(passage.payload.get("source")) for passage in batch.passages}))

    def _embed_one_by_one(self, texts: Sequence[str]) -> tuple[dict[str, Sequence[float]], dict[str, CiteLoomError]]:
        """Return the vectors of texts, and why some have none: one text must not leave the others without."""
        vectors, errors = dict[str, Sequence[float]](), dict[str, CiteLoomError]()
        for text in texts:
            try:
                (vectors[text],) = self._state.embed([text])
            except CiteLoomError as error:
                if error.code != Code.EMBEDDING_FAILED:
                    raise
                errors[text] = error
        return vectors, errors

    def write(self, batch: Batch) -> None:
        """Add the vectors to the passages. A kill before the catalog knows only makes it count too many as missing."""
        with self._state.timed("write"), self._state.lock_index():
            self._collection().add_vectors(batch.vectors)
            self._state.catalog.documents.count_embedded(self._state.project.id, batch.by_version)
            self._state.catalog.projects.add_without_graph(self._state.project.id, len(batch.vectors))

    def finish(self, doc_ids: Sequence[str]) -> None:
        """Record that all passages of these documents have vectors, or why some have none."""
        with self._state.lock_index():  # their rows may be updated by others
            self._finish(doc_ids)

    def _finish(self, doc_ids: Sequence[str]) -> None:
        documents, project_id = self._state.catalog.documents, self._state.project.id
        refused = dict[str, CiteLoomError]()
        if self._refused:  # some of these passages may have been replaced since
            left = self._collection().without_vectors(AnyOf("doc_id", tuple(doc_ids)), len(self._refused))
            refused = dict(self._refused[passage.id] for passage in left if passage.id in self._refused)
        documents.set_all_embedded(project_id, [doc_id for doc_id in doc_ids if doc_id not in refused])
        for document in documents.by_ids(project_id, list(refused)):
            error = refused[document.doc_id]
            warning = f"{NOT_EMBEDDED}: {error}"
            if warning not in document.warnings:
                document.warnings.append(warning)
                documents.save(document)
            self._state.result.warnings.append(f"{shown_source(document)}: {warning}")

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
        if twin.project_id in state.without_index:
            continue
        try:
            project = state.catalog.projects.get(twin.project_id)
            points = state.context.open_collection(project).stored(of_document(twin.doc_id), twin.chunks)
            found |= {embedded_text(point.payload): point.dense for point in points if point.dense is not None}
        except CiteLoomError as error:  # it can be embedded again
            log.info("vectors of %s are not available: %s", twin.project_id, error)
            state.without_index.add(twin.project_id)  # to find that out again takes long if a server does not answer
    return found


def embed_missing(
    state: ImportState, known: Mapping[str, Sequence[float]], texts: Iterable[str]
) -> dict[str, Sequence[float]]:
    """Return vectors by text: the known ones, and those of the other texts, made at once."""
    missing = list(dict.fromkeys(text for text in texts if text not in known))
    with state.timed("embed"):
        return {**known, **dict(zip(missing, state.embed(missing), strict=True))}
