"""The payload that is stored with each passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.core.ids import passage_id
from citeloom.core.types import Passage, Record
from citeloom.importing.sources.names import shown_source
from citeloom.index.filters import metadata_values, section_keys, section_names


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


def payload(
    project: Project,
    document: Document,
    record: Record,
    passage: Passage,
    passage_set: str,
    renamed_from: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the payload that is stored with a passage."""
    role = passage.extra.get("section_role")
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
        # The names for `exclude_sections`: the headings and the role of the section.
        "section_names": [*section_names(passage.section_path), *([role] if role else [])],
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
        "last_modified": document.last_modified,  # as it was read; a filter compares what the catalog knows
        **metadata_values(document.metadata),
        **passage.extra,
    }
