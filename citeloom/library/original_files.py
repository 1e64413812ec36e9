"""Finds the files that documents were read from, and checks that they are unchanged. Used by the page view."""

from __future__ import annotations

from pathlib import Path

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import document_id
from citeloom.core.lru_cache import LruCache
from citeloom.importing.sources.folder import hash_file
from citeloom.importing.sources.names import shown_source
from citeloom.importing.sources.web_address import is_address
from citeloom.importing.sources.zotero import ANNOTATIONS

_CACHED_HASHES = 100

_Stamp = tuple[int, int]


class OriginalFiles:
    """Finds the file of a document and checks that its content has not changed."""

    def __init__(self, catalog: Catalog, downloads: Path) -> None:
        self._catalog = catalog
        self._downloads = downloads
        self._hashes: LruCache[tuple[_Stamp, str]] = LruCache(_CACHED_HASHES)

    def with_pages(self, document: Document) -> Document:
        """Return the document with the pages: the attachment of annotations, else the document itself."""
        if document.file_type != "annotations":
            return document
        attachment = document.source.removesuffix(f"/{ANNOTATIONS}")
        return self._catalog.documents.find(document.project_id, source=attachment) or document

    def path(self, document: Document, content_hash: str | None) -> Path:
        """Return a document's file, if it still has the content that was read."""
        path = Path(document.path or document.source)
        if is_address(document.source):
            name = document_id(document.project_id, document.source)  # the row may come from a backup
            path = next(self._downloads.glob(f"{name}.*"), self._downloads / name)
        try:
            about = path.stat()
        except OSError:
            raise CiteLoomError(
                Code.FILE_NOT_FOUND,
                f"{shown_source(document)} is no longer where it was read.",
                "Put the file back, or sync the project.",
                path=str(path),
            ) from None
        if self._hash(path, (about.st_mtime_ns, about.st_size)) != content_hash:
            raise CiteLoomError(
                Code.CONVERSION_FAILED,
                f"{shown_source(document)} has changed since it was read: its pages may be others now.",
                "Sync the project, then search again.",
                path=str(path),
            )
        return path

    def _hash(self, path: Path, stamp: _Stamp) -> str:
        known = self._hashes.get(str(path))
        if known is None or known[0] != stamp:
            known = (stamp, hash_file(path))
            self._hashes.put(str(path), known)
        return known[1]
