"""Rebuild of an index as a new generation beside the one in use, with the models of the settings or a chosen one."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from citeloom.catalog.database import now
from citeloom.catalog.documents import Document, State
from citeloom.core.errors import Cause, CiteLoomError, Code
from citeloom.core.jobs import JobStopped
from citeloom.importing.import_state import ImportState, check_weights
from citeloom.importing.sources.names import STORED
from citeloom.importing.stages.embed import embed_missing, known_vectors
from citeloom.importing.stages.payloads import embedded_text
from citeloom.importing.writer import RebuildWriter
from citeloom.index.base import Collection, Point, ScoredPoint
from citeloom.index.filters import of_document
from citeloom.index.models.available import fetch, is_downloaded

_MEGABYTE = 1_000_000


def check_model(state: ImportState) -> None:
    """Raise an error if passages of two models would be mixed in one project."""
    project, models = state.project, state.context.models
    wanted = _configured_model(state)
    if wanted != project.dense_model:
        raise CiteLoomError(
            Code.EMBEDDING_MISMATCH,
            f"Project '{project.id}' was built with the model {project.dense_model}, the settings name {wanted}.",
            "Set models.dense back, or rebuild the index;"
            f" on the command line: citeloom ingest {project.id} --force-rebuild.",
            project_model=project.dense_model,
            settings_model=wanted,
        )
    check_weights(project, models.info(wanted))


class Rebuild:
    """Builds a new generation of an index while the old one stays in use."""

    def __init__(self, state: ImportState) -> None:
        settings = state.context.settings.models
        self._state = state
        self._collections = state.context.collections
        self._began = now()
        self._doc_ids_at_start = set(self._documents())
        self.old = state.project
        wanted = state.request.model or _configured_model(state)
        if state.request.download and not is_downloaded(wanted):
            _download(state, wanted)
        try:
            info = state.context.models.info(wanted)
        except CiteLoomError as error:
            error.details["lasting"] = wanted  # nothing has started yet, and the index in use still works
            raise
        state.project = replace(
            self.old,
            dense_model=info.name,
            dense_fingerprint=info.fingerprint,
            dense_size=info.size,
            sparse_model=settings.sparse,
            own_model=self.old.own_model or bool(state.request.model),
            generation=self.old.generation + 1,
            server="" if state.request.embedded else self.old.server,
        )
        state.result.dense_model, state.result.sparse_model = info.name, settings.sparse or None
        self._unreadable: CiteLoomError | None = None
        self._recovered: dict[str, list[ScoredPoint]] = {}  # by document, if the generation in use cannot be opened
        try:
            # Opened, so that no clean-up deletes the new generation; queried, because its server may be unreachable.
            state.context.open_collection(self.old).any_passages(1)
        except CiteLoomError as error:
            self._unreadable = error
            state.result.warnings.append(f"{error.message} The index is rebuilt from the files.")
        self.collection = self._collections.create(
            state.project.index_location, info.size, sparse=bool(settings.sparse)
        )
        self.writer = RebuildWriter(state.catalog, self.collection)

    @property
    def same_model(self) -> bool:
        """Whether the vectors of the generation in use can be used in the new one."""
        return self._state.project.dense_fingerprint == self.old.dense_fingerprint

    def stored(self, document: Document) -> Iterable[Point]:
        """Return a document's passages in the generation in use; none if it cannot be read."""
        try:
            return list(self._old_collection().stored(of_document(document.doc_id), document.chunks))
        except CiteLoomError:
            return []

    def _old_collection(self) -> Collection:
        """Return the generation in use. If it could not be read, it is not tried again for each document."""
        if self._unreadable:
            raise self._unreadable
        return self._collections.get(self.old.index_location)

    def copy_unread_documents(self, to_reread: Container[str]) -> None:
        """Carry over documents without a readable file: stored by an agent, or on a drive that is not connected."""
        state = self._state
        documents = [
            document
            for document in state.catalog.documents.all(self.old.id)
            if document.source not in to_reread
            and document.doc_id not in state.removed
            and document.state == State.READY
            and not self.writer.has(document.doc_id)  # carried over before an interruption
        ]
        if self._unreadable and documents:
            self._recovered = self._collections.recover_passages(
                self.old.index_location, [document.doc_id for document in documents]
            )
        for document in documents:
            if self.copy_document(document):
                state.result.skipped += 1
            else:
                state.result.add_failure(document.source, CiteLoomError(Code.INDEX_UNAVAILABLE, document.reason or ""))

    def copy_document(self, document: Document) -> bool:
        """Write a document's passages from the old generation into the new one, with new embeddings."""
        project = self._state.project
        try:
            hits = self._old_passages(document)
        except CiteLoomError as error:
            if self._unreadable is None and error.cause is Cause.OUTSIDE:
                raise
            document.state, document.reason_code, document.reason = State.FAILED, str(error.code), str(error)
            document.version, document.chunks = None, 0
            self.writer.save_row(document)
            return False
        known = known_vectors(self._state, document, self.stored(document) if self.same_model else ())
        texts = [embedded_text(hit.payload) for hit in hits]
        words = self._state.embed_sparse(texts, document.language)
        models = {"embed_model": project.dense_model, "sparse_model": project.sparse_model or None}
        vectors = embed_missing(self._state, known, texts)
        points = [
            Point(hit.id, vectors[text], sparse, {**hit.payload, **models})
            for hit, text, sparse in zip(hits, texts, words, strict=True)
        ]
        document.without_vector = 0
        self.writer.write(document, document.version or "", points, {})
        self._state.written[document.content_hash or ""] = document.source
        self.build_search_graph()
        return True

    def _old_passages(self, document: Document) -> list[ScoredPoint]:
        """Return a document's passages in the old generation, as far as they could be read."""
        recovered = self._recovered.get(document.doc_id)
        if not recovered:
            return self._old_collection().scroll(of_document(document.doc_id), limit=max(1, document.chunks))
        if len(recovered) < document.chunks:
            share = f"{len(recovered)} of {document.chunks} passages could be read in the damaged index"
            listed = f"citeloom documents {document.project_id}"
            self._state.warnings.other(document.title or document.source, f"{share}.", listed)
        return recovered

    def build_search_graph(self) -> None:
        """Build the search graph over the passages written so far, before too many are without one."""
        building = self._state.progress.stage("search graph")
        self._collections.build_graph_if_large(self.collection, building, self._state.stop)

    def finish(self) -> None:
        """Make the new generation the one in use."""
        state = self._state
        with self._collections.swapping(state.project.index_location, self.collection):
            self.writer.finish(state.project, sorted(state.removed))
        state.result.removed += len(state.removed)

    def catch_up(self) -> None:
        """Apply changes made to the generation in use meanwhile: passages stored by agents, documents removed."""
        documents = self._documents()
        for document in documents.values():
            if document.source.startswith(STORED) and document.updated_at >= self._began:
                self.copy_document(document)
        for doc_id in self._doc_ids_at_start - documents.keys():
            self.writer.drop(doc_id)

    def _documents(self) -> dict[str, Document]:
        return {document.doc_id: document for document in self._state.catalog.documents.all(self._state.project.id)}


def _configured_model(state: ImportState) -> str:
    """Return the dense model chosen for the project, else that of the settings."""
    return state.project.dense_model if state.project.own_model else state.context.settings.models.dense


def _download(state: ImportState, model: str) -> None:
    """Download a model's weights if necessary, and report progress."""

    def report(done: int, total: int) -> None:
        done, total = done // _MEGABYTE, total // _MEGABYTE
        state.report(stage="model", file=f"{model}: {done} of {total} MB", page=done, pages=total)

    if not fetch(model, report, state.should_stop):
        raise JobStopped
