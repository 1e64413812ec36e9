"""Deterministic ids of documents and passages, and the payload that is stored with each passage."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.core.ids import NAMESPACE
from citeloom.core.types import Passage, Record
from citeloom.importing.sources.folder import ZOTERO
from citeloom.importing.sources.web_address import is_address
from citeloom.index.filters import section_keys, section_names

STORED = "stored:"  # prefix of a source that is not a file: passages stored by an agent

_ZOTERO_TEXTS = {
    "note": "note in Zotero",
    "annotations": "annotations in Zotero",
    "fulltext": "text that Zotero kept of a file",
}


def document_id(project_id: str, source: str) -> str:
    """Return the id of a document, derived from its project and source."""
    return str(uuid.uuid5(NAMESPACE, f"document\n{project_id}\n{source}"))


def passage_set_id(project_id: str, content_hash: str, converter: str, max_tokens: int) -> str:
    """Return the id of the set of passages that a converter version makes from a content."""
    return str(uuid.uuid5(NAMESPACE, f"passages\n{project_id}\n{content_hash}\n{converter}\n{max_tokens}"))


def passage_id(passage_set: str, index: int) -> str:
    """Return the id of a passage, derived from project, content and position so that writing is idempotent."""
    return str(uuid.uuid5(uuid.UUID(passage_set), str(index)))


def source_name(source: str) -> str:
    """Return a source as people and agents see it: the file's name, the address, or the Zotero item."""
    return source if is_address(source) or source.startswith(ZOTERO) else Path(source).name


def shown_source(document: Document) -> str:
    """Return where a document comes from, as people and agents see it."""
    return _ZOTERO_TEXTS.get(document.file_type) or source_name(document.path or document.source)


def embedded_text(stored: Mapping[str, Any]) -> str:
    """Return the text that was embedded for a stored passage: the headings above it, then the passage."""
    headings = stored.get("heading_chain")
    return f"{headings}\n{stored['chunk_text']}" if headings else str(stored["chunk_text"])


def record_values(record: Record, renamed_from: Sequence[str] = (), claimed: str = "") -> dict[str, Any]:
    """Return the part of a payload that comes from the record; `claimed` is a citekey that nobody has confirmed."""
    return {
        "citekey": record.citekey,
        "claimed_citekey": claimed or None,
        "renamed_from": list(renamed_from),
        "doi": record.doi,
        "url": record.url,
        "year": record.year,
        "authors": list(record.authors),
        "title": record.title,
        "item_type": record.item_type,
        "tags": list(record.tags),
        "collections": list(record.collections),
        "citekey_made": record.key_made,
    }


def _section_names(passage: Passage) -> list[str]:
    """Return the names for `exclude_sections`: the headings and the role of the section."""
    role = passage.extra.get("section_role")
    return [*section_names(passage.section_path), *([role] if role else [])]


def payload(
    project: Project,
    document: Document,
    record: Record,
    passage: Passage,
    passage_set: str,
    renamed_from: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the payload that is stored with a passage."""
    return {
        "project_id": project.id,
        "doc_id": document.doc_id,
        "chunk_id": passage_id(passage_set, passage.index),
        "chunk_index": passage.index,
        **record_values(record, renamed_from, document.open_claim),
        "section": passage.section_path[-1] if passage.section_path else None,
        "section_path": list(passage.section_path),
        "heading_chain": " > ".join(passage.section_path),
        "section_keys": section_keys(passage.section_path),
        "section_names": _section_names(passage),
        "page_start": passage.page_start,
        "page_end": passage.page_end,
        "page_labels": list(passage.page_labels),
        "source": shown_source(document),
        "source_path": document.path or document.source,
        "file_type": document.file_type,
        "chunk_text": passage.text,
        "text_source": str(passage.text_source),
        "ocr_confidence": passage.ocr_confidence,
        "zotero": document.zotero or None,
        "embed_model": project.dense_model,
        "sparse_model": project.sparse_model or None,
        "version": passage_set,
        "content_hash": document.content_hash,
        "language": document.language or None,
        **passage.extra,
    }
