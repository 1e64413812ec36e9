"""Documents whose passages an agent made and embedded: stored, marked as such, without a citekey until confirmed.

Called by the tool `store_chunks`; used by the indexes, the claims and the text of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citeloom.api.library import AgentChunk, ChunkDocument, StoreChunks, StoredChunks
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.documents import STORED_TYPE, Document, State
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import document_id, passage_set_id, stored_passage_id
from citeloom.core.metadata import MAX_KEYS, invalid_field
from citeloom.core.text.sanitize import one_line
from citeloom.core.types import TextSource
from citeloom.importing.sources.names import STORED
from citeloom.importing.stages.match import AGENT, CONFIRMED, METADATA_KEYS, claimed_key
from citeloom.index.base import Collection, Point
from citeloom.index.filters import AnyOf, metadata_values, of_document, section_keys, section_names
from citeloom.index.models.embedding import ModelRegistry
from citeloom.library.chunk_metadata import ChunkMetadata, read_metadata
from citeloom.search.indexes import Indexes

MAX_ITEMS = 500
FULL_BATCH = 100
_MAX_FACETS = 1_000_000  # documents whose passages are counted at once
_MAX_COMPONENT = 1e18  # largest component of a vector: its square still fits into the index's 32-bit floats


@dataclass
class AgentChunkService:
    """Stores passages sent by agents."""

    _catalog: Catalog
    _indexes: Indexes
    _models: ModelRegistry

    @handles(StoreChunks)
    def store_chunks(self, request: StoreChunks, cancel: Cancel) -> StoredChunks:
        """Check a batch of passages, then write them and the rows of their documents."""
        project = self._catalog.projects.get(request.project)
        points, documents, warnings = make_points(project, request.items)
        if project.hybrid_enabled:
            sparse = self._models.sparse(project.sparse_model).embed([p.payload["chunk_text"] for p in points])
            points = [replace(point, sparse=vector) for point, vector in zip(points, sparse, strict=True)]
        cancel.check()
        with self._indexes.write_lock(project):
            collection = self._indexes.open(project)
            _merge_custom(self._catalog, project, documents)
            before = {str(hit.payload["doc_id"]) for hit in collection.get([point.id for point in points])}
            collection.upsert(points)
            self._catalog.projects.add_without_graph(project.id, len(points))
            save_documents(self._catalog, collection, project, documents, before)
        return StoredChunks(
            chunks_written=len(points),
            documents=[
                ChunkDocument(
                    doc_id=doc_id,
                    source=of.fields["source"].removeprefix(STORED),
                    claimed_citekey=of.fields.get("citekey"),
                )
                for doc_id, of in documents.items()
            ],
            project=project.id,
            embed_model=project.dense_model,
            warnings=warnings,
        )


def make_points(
    project: Project, items: Sequence[AgentChunk]
) -> tuple[list[Point], dict[str, ChunkMetadata], list[str]]:
    """Return the points to write, document metadata by id, and warnings; one invalid item rejects the batch."""
    if not 1 <= len(items) <= MAX_ITEMS:
        raise _invalid(f"There are {len(items)} items.", f"Send {FULL_BATCH} to {MAX_ITEMS} at a time.")
    warnings = []
    if len(items) < FULL_BATCH:
        warnings.append(f"Fewer than {FULL_BATCH} items: taken as the last batch.")
    made: dict[str, Point] = {}
    documents: dict[str, ChunkMetadata] = {}
    ignored, other_fulltext = set[str](), 0
    for position, item in enumerate(items):
        _check_vector(project, position, item.embedding)
        place = f"items[{position}].metadata"
        metadata = read_metadata(item.metadata or {}, place)
        _check_origin(project, position, metadata)
        ignored.update(metadata.ignored)
        other_fulltext += metadata.fulltext not in ("", item.text)
        if not item.id.strip() or not item.text.strip():
            raise _invalid(f"items[{position}] has an empty id or text.", "Nothing was written.")
        if one_line(item.id) != item.id:  # cleaned for display, the id would no longer identify the passage
            raise _invalid(f"items[{position}].id has control characters in it.", "Nothing was written.")
        key = metadata.doc_id or metadata.fields.get("source") or metadata.fields.get("citekey") or AGENT
        source = STORED + key
        doc_id = document_id(project.id, source)
        document = documents.setdefault(doc_id, ChunkMetadata({**metadata.fields, "source": source}))
        document.custom = _merged(metadata.custom, document.custom, place)
        point_id = stored_passage_id(project.id, item.id)
        made[point_id] = Point(point_id, item.embedding, None, _payload(project, item, metadata, doc_id, key, position))
    if len(made) < len(items):
        warnings.append(
            f"{len(items) - len(made)} items had an id that another item of the batch had too: the last one counts."
        )
    if ignored:
        warnings.append(
            f"CiteLoom sets these itself, what the metadata say of them was left out: {', '.join(sorted(ignored))}."
        )
    if other_fulltext:
        warnings.append(
            f"{other_fulltext} items have a fulltext that is not their text: the text is searched and shown."
        )
    return list(made.values()), documents, warnings


def _merged(custom: Mapping[str, Any], known: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the custom metadata of a document with those of one more passage; what is known comes first."""
    merged = {**custom, **known}
    if len(merged) > MAX_KEYS:
        raise invalid_field(
            place, f"gives its document {len(merged)} keys of its own", f"A document may have up to {MAX_KEYS}."
        )
    return merged


def _merge_custom(catalog: Catalog, project: Project, documents: Mapping[str, ChunkMetadata]) -> None:
    """Add what the documents have already, so that every key of one of their passages stays known."""
    for document in catalog.documents.by_ids(project.id, list(documents)):
        given = documents[document.doc_id]
        given.custom = _merged(document.metadata, given.custom, "metadata")


def _payload(
    project: Project, item: AgentChunk, metadata: ChunkMetadata, doc_id: str, key: str, position: int
) -> dict[str, Any]:
    fields = metadata.fields
    path = fields.get("section_path") or []
    return {
        "authors": [],
        "tags": [],
        "collections": [],
        "page_labels": [],
        "item_type": "document",
        "source": Path(key).name,
        "chunk_index": position,
        **fields,
        "citekey": "",
        "claimed_citekey": fields.get("citekey"),
        "text_source": str(TextSource.AGENT),
        "project_id": project.id,
        "doc_id": doc_id,
        "chunk_id": item.id,
        "section": fields.get("section") or (path[-1] if path else None),
        "section_path": path,
        "heading_chain": " > ".join(path),
        "section_keys": section_keys(path),
        "section_names": section_names(path),
        "source_path": STORED + key,
        "file_type": STORED_TYPE,
        "chunk_text": item.text,
        "embed_model": project.dense_model,
        "sparse_model": project.sparse_model or None,
        "version": passage_set(project, STORED + key),
        "content_hash": None,
        "last_modified": None,
        **metadata_values(metadata.custom),
    }


def _check_origin(project: Project, position: int, metadata: ChunkMetadata) -> None:
    """Raise an error for a passage that says it is of another project or model."""
    if metadata.embed_model and metadata.embed_model != project.dense_model:
        raise CiteLoomError(
            Code.EMBEDDING_MISMATCH,
            f"items[{position}] was embedded by {metadata.embed_model[:200]}, this project uses {project.dense_model}.",
            "Embed with that model. Nothing was written.",
        )
    if metadata.project and metadata.project != project.id:
        raise invalid_field(
            f"items[{position}].metadata.project",
            f"is {metadata.project[:80]!r}, but the call names '{project.id}'",
            "Store the passages of one project at a time.",
        )


def _check_vector(project: Project, position: int, vector: Sequence[float]) -> None:
    if len(vector) != project.dense_size:
        raise CiteLoomError(
            Code.EMBEDDING_MISMATCH,
            f"items[{position}].embedding has {len(vector)} numbers, {project.dense_model} gives {project.dense_size}.",
            "Embed with the project's model. Nothing was written.",
            expected=project.dense_size,
            got=len(vector),
        )
    if not any(vector) or not all(abs(x) <= _MAX_COMPONENT for x in vector):
        raise _invalid(f"items[{position}].embedding is all zero or holds no finite number.", "Nothing was written.")


def _invalid(problem: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, problem, next_step)


def passage_set(project: Project, source: str) -> str:
    """Return the id of the passage set of a stored document."""
    return passage_set_id(project.id, source, "stored", 0)


def save_documents(
    catalog: Catalog,
    collection: Collection,
    project: Project,
    documents: Mapping[str, ChunkMetadata],
    before: Iterable[str] = (),
) -> None:
    """Write the row of each document with stored passages; the passages of those in `before` are counted again."""
    for doc_id, given in documents.items():
        metadata = given.fields
        document = catalog.documents.find(project.id, doc_id) or Document(project.id, doc_id, metadata["source"])
        claim, decided = {key: metadata[key] for key in METADATA_KEYS if key in metadata}, document.decision
        if decided == CONFIRMED or claimed_key(claim) != document.claimed_citekey:
            document.decision = ""  # it was made on another text or claim
        document.state, document.file_type, document.text_source = State.READY, STORED_TYPE, TextSource.AGENT
        document.citekey, document.key_made, document.matched_by = "", False, None
        document.claimed_citekey, document.claimed_by = claimed_key(claim), AGENT
        document.title = metadata.get("title") or document.title or metadata["source"].removeprefix(STORED)
        document.record, document.metadata = {"_claim": claim}, given.custom
        document.version = passage_set(project, metadata["source"])
        document.chunks = collection.count(of_document(doc_id))
        if decided:
            clear_citekey(collection, document)
        catalog.documents.save(document)
    _count_again(catalog, collection, catalog.documents.by_ids(project.id, [*before, *documents]))
    # A write that ended between its passages and its rows: stored again, they no longer tell where they were before.
    stored = _stored(catalog, project)
    if sum(document.chunks for document in stored) != collection.count(AnyOf("file_type", (STORED_TYPE,))):
        _count_again(catalog, collection, stored)


def _stored(catalog: Catalog, project: Project) -> list[Document]:
    return [document for document in catalog.documents.with_claim(project.id) if document.by_agent]


def _count_again(catalog: Catalog, collection: Collection, documents: Iterable[Document]) -> None:
    """Correct the numbers of passages; a document whose passages are all stored under others is removed."""
    for document in documents:
        chunks, document.chunks = document.chunks, collection.count(of_document(document.doc_id))
        if not document.chunks:
            catalog.documents.remove(document.project_id, document.doc_id)
        elif document.chunks != chunks:
            catalog.documents.save(document)


def clear_citekey(collection: Collection, document: Document) -> None:
    """Remove the citekey from all passages of a document."""
    values = {"citekey": "", "citekey_made": False, "claimed_citekey": document.open_claim or None}
    if document.by_agent:
        values["text_source"] = str(TextSource.AGENT)
    collection.rewrite(of_document(document.doc_id), values)


def migrate(catalog: Catalog, project: Project, collection: Collection) -> None:
    """Mark passages of agents that an earlier version stored as text of the works, and correct what a kill left."""
    if stored := _stored(catalog, project):
        found = collection.values("doc_id", _MAX_FACETS)
        _count_again(catalog, collection, [d for d in stored if d.chunks != found.get(d.doc_id)])
    for document in catalog.documents.with_claim(project.id):
        if document.by_agent and document.text_source != TextSource.AGENT:
            clear_citekey(collection, document)
            document.text_source = TextSource.AGENT
            catalog.documents.save(document)
        elif document.record.get("_metadata"):  # until the file has been read again
            clear_citekey(collection, document)


def text(collection: Collection, document: Document) -> str:
    """Return the text of a stored document: its passages, one after the other."""
    hits = collection.scroll(of_document(document.doc_id), limit=max(1, document.chunks))
    return "\n\n".join(h.payload["chunk_text"] for h in hits)
