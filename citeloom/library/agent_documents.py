"""Documents whose passages an agent stored: their rows in the catalog and their text.

Used by the storage of passages, the indexes, the claims and the text of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.documents import STORED_TYPE, Document, State
from citeloom.catalog.projects import Project
from citeloom.core.ids import passage_set_id
from citeloom.core.types import TextSource
from citeloom.importing.sources.names import STORED
from citeloom.importing.stages.match import AGENT, CONFIRMED, METADATA_KEYS, claimed_key
from citeloom.index.base import Collection
from citeloom.index.filters import AnyOf


def passage_set(project: Project, source: str) -> str:
    """Return the id of the passage set of a stored document."""
    return passage_set_id(project.id, source, "stored", 0)


def save_documents(
    catalog: Catalog,
    collection: Collection,
    project: Project,
    documents: Mapping[str, Mapping[str, Any]],
    before: Iterable[str] = (),
) -> None:
    """Write the row of each document with stored passages; the passages of those in `before` are counted again."""
    for doc_id, metadata in documents.items():
        document = catalog.documents.find(project.id, doc_id) or Document(project.id, doc_id, metadata["source"])
        claim, decided = {key: metadata[key] for key in METADATA_KEYS if key in metadata}, document.decision
        if decided == CONFIRMED or claimed_key(claim) != document.claimed_citekey:
            document.decision = ""  # it was made on another text or claim
        document.state, document.file_type, document.text_source = State.READY, STORED_TYPE, TextSource.AGENT
        document.citekey, document.key_made, document.matched_by = "", False, None
        document.claimed_citekey, document.claimed_by = claimed_key(claim), AGENT
        document.title = metadata.get("title") or document.title or metadata["source"].removeprefix(STORED)
        document.record = {"_claim": claim}
        document.version = passage_set(project, metadata["source"])
        document.chunks = collection.count(AnyOf("doc_id", (doc_id,)))
        if decided:
            clear_citekey(collection, document)
        catalog.documents.save(document)
    for document in catalog.documents.some(project.id, sorted(set(before) - set(documents))):
        document.chunks = collection.count(AnyOf("doc_id", (document.doc_id,)))
        if document.chunks:
            catalog.documents.save(document)
        else:
            catalog.documents.remove(project.id, document.doc_id)


def clear_citekey(collection: Collection, document: Document) -> None:
    """Remove the citekey from all passages of a document."""
    values = {"citekey": "", "citekey_made": False, "claimed_citekey": document.open_claim or None}
    if document.by_agent:
        values["text_source"] = str(TextSource.AGENT)
    collection.rewrite(AnyOf("doc_id", (document.doc_id,)), values)


def migrate(catalog: Catalog, project: Project, collection: Collection) -> None:
    """Mark passages of agents that an earlier version stored as text of the works."""
    for document in catalog.documents.claiming(project.id):
        if document.by_agent and document.text_source != TextSource.AGENT:
            clear_citekey(collection, document)
            document.text_source = TextSource.AGENT
            catalog.documents.save(document)
        elif document.record.get("_metadata"):  # until the file has been read again
            clear_citekey(collection, document)


def text(collection: Collection, document: Document) -> str:
    """Return the text of a stored document: its passages, one after the other."""
    hits = collection.scroll(AnyOf("doc_id", (document.doc_id,)), limit=max(1, document.chunks))
    return "\n\n".join(h.payload["chunk_text"] for h in hits)
