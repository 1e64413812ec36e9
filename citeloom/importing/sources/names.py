"""Prefixes of sources that are not paths, and the names by which people and agents see documents."""

from __future__ import annotations

from pathlib import Path

from citeloom.catalog.documents import Document
from citeloom.importing.sources.web_address import is_address

ZOTERO = "zotero:"  # prefix of the sources of Zotero's documents
ALL_OF_ZOTERO = "zotero:*"  # every part of Zotero that a project may read
STORED = "stored:"  # prefix of the sources of passages that an agent stored

_ZOTERO_TEXTS = {
    "note": "note in Zotero",
    "annotations": "annotations in Zotero",
    "fulltext": "text that Zotero kept of a file",
}


def source_name(source: str) -> str:
    """Return a source as people and agents see it: the file's name, the address, or the Zotero item."""
    return source if is_address(source) or source.startswith(ZOTERO) else Path(source).name


def shown_source(document: Document) -> str:
    """Return where a document comes from, as people and agents see it."""
    return _ZOTERO_TEXTS.get(document.file_type) or source_name(document.path or document.source)
