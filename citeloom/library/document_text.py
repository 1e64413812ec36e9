"""Returns the text of documents, whole or by page, from the conversion cache or the file.

Used by the tool `get_document`, the page view, the search and the check of quotations.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.api.library import DocumentText, GetDocument
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.conversion.cache import conversion_file, load_conversion
from citeloom.conversion.limits import limits
from citeloom.conversion.markup.markdown_writer import to_markdown
from citeloom.conversion.page_numbers_from_record import with_record_pages
from citeloom.conversion.pool import WorkerPool
from citeloom.core import fault_injection as faults
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import document_id
from citeloom.core.lru_cache import LruCache
from citeloom.core.settings import Settings
from citeloom.core.types import Block, BlockKind, Converted, Page, TextSource
from citeloom.importing.sources.folder import hash_file
from citeloom.importing.sources.names import STORED, shown_source
from citeloom.importing.sources.web_address import is_address
from citeloom.importing.sources.zotero import ANNOTATIONS
from citeloom.importing.stages.match import QUICK
from citeloom.index.base import Collection, ScoredPoint
from citeloom.index.filters import of_document
from citeloom.library import agent_documents
from citeloom.library.documents import summary_fields

_MAX_DOCUMENT_CHARACTERS = 60_000
_CACHED_HASHES = 100

_Stamp = tuple[int, int]  # time of the last change, and size


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


@dataclass
class DocumentTexts:
    """Returns the converted text of documents."""

    _catalog: Catalog
    _workers: WorkerPool
    _settings: Settings
    _conversions: Path
    _original_files: OriginalFiles
    _collection: Callable[[Project], Collection]
    _find_work: Callable[[Project, str], object]  # raises CITEKEY_NOT_FOUND with similar keys
    _converting: threading.Lock = field(default_factory=threading.Lock)  # so that a text is converted only once

    def page(self, project: Project, doc_id: str, number: int | None) -> Page | None:
        """Return a page of a document, or None if it has no pages."""
        document = self._catalog.documents.find(project.id, doc_id)
        document = self._original_files.with_pages(document) if document else None
        if document is None or not document.pages or number is None or document.source.startswith(STORED):
            return None
        pages = self.converted(project, document).pages
        return pages[number - 1] if 1 <= number <= len(pages) else None

    @handles(GetDocument)
    def get_document(self, request: GetDocument, cancel: Cancel) -> DocumentText:
        """Return the text of a document, or of some of its pages, as Markdown."""
        faults.point("library.document", request.citekey)
        project, citekey = self._catalog.projects.get(request.project), request.citekey
        now = self._catalog.citekey_aliases.current(project.id, citekey) if citekey else None
        document = self._document(project, request.doc_id, now or citekey)
        first, last, next_pages, truncated = None, None, None, False
        if document.source.startswith(STORED):
            markdown, count = agent_documents.text(self._collection(project), document), 0
        else:
            converted = self.converted(project, document)
            cancel.check()
            count = len(converted.pages)
            first, last = _page_range(request.pages, count)
            markdown = to_markdown(converted, first, last)
            if len(markdown) > _MAX_DOCUMENT_CHARACTERS and count:
                first, end = first or 1, last or count
                last = _last_fitting_page(converted, first, end)
                markdown = to_markdown(converted, first, last)
                truncated = last < end
                next_pages = f"{last + 1}-{end}" if truncated else None
            if len(markdown) > _MAX_DOCUMENT_CHARACTERS:
                truncated = True
                markdown = markdown[:_MAX_DOCUMENT_CHARACTERS] + "\n\n[…]"
        return DocumentText(
            **summary_fields(document),
            metadata=document.metadata,
            renamed_from=citekey if now else None,
            markdown=markdown,
            pages_given=[first or 1, last or count] if count else None,
            truncated=truncated,
            next_pages=next_pages,
        )

    def _document(self, project: Project, doc_id: str | None, citekey: str | None) -> Document:
        try:
            return self._catalog.documents.get(project.id, doc_id, citekey)
        except CiteLoomError as error:
            if not doc_id and citekey and error.code == Code.DOCUMENT_NOT_FOUND:
                self._find_work(project, citekey)
                error.message = f"{citekey[:80]} is in the references, but no document of it is in this project."
            raise

    def converted(self, project: Project, document: Document) -> Converted:
        """Return the conversion of a document, with its pages."""
        if document.state == State.DUPLICATE and document.content_hash:
            document = self._catalog.documents.find_same_content(project.id, document.content_hash, "") or document
        unread = document.content_hash is None and not document.source.startswith(STORED)
        if unread or document.state not in (State.READY, State.DUPLICATE):
            raise CiteLoomError(
                Code.CONVERSION_FAILED,
                f"{shown_source(document)} has no text: {document.reason or 'it is still to be read.'}",
                "list_documents shows its status.",
            )
        if document.converter_engine == QUICK or document.source.startswith(STORED):
            passages = self._collection(project).scroll(of_document(document.doc_id), max(1, document.chunks))
            return from_passages(document, passages)
        cache = conversion_file(self._conversions, str(document.content_hash), document.converter)
        converted = load_conversion(cache) or self._convert_again(document, cache)
        return with_record_pages(converted, document.record.get("page_range"))

    def _convert_again(self, document: Document, cache: Path) -> Converted:
        """Convert the file again, if its cached conversion was deleted; raise an error if its content has changed."""
        path = self._original_files.path(document, document.content_hash)
        settings = self._settings
        request = {
            "path": str(path),
            "content_hash": document.content_hash,
            "cache_file": str(cache),
            "tokenizer": None,
            "max_tokens": 256,
            "use_cache": False,
            "ocr_languages": document.ocr_languages or list(settings.ocr.languages),
            "ocr_engine": settings.ocr.engine,
        }
        allowed = limits(document, quick=False, megabytes=settings.engine.worker_memory_mb)
        with self._converting:
            converted = load_conversion(cache)  # another caller may have converted it meanwhile
            if converted is None:
                self._workers.convert_in_own_process(request, allowed)
                converted = load_conversion(cache)
        if converted is None:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The text of {shown_source(document)} could not be written to the disk.",
                "Free some disk space and try again.",
            )
        return converted


def _page_range(pages: str | None, count: int) -> tuple[int | None, int | None]:
    if pages is None or not str(pages).strip():
        return None, None
    first, dash, last = str(pages).replace("–", "-").partition("-")
    try:
        start, end = int(first), int(last) if dash else int(first)
    except ValueError as error:
        raise CiteLoomError(Code.INVALID_INPUT, f"pages is {pages!r}.", 'Write PDF pages as "3" or "3-5".') from error
    if not count:
        raise CiteLoomError(Code.INVALID_INPUT, "This document has no pages.", "Leave pages out.")
    if not 1 <= start <= end <= count:
        raise CiteLoomError(Code.INVALID_INPUT, f"pages is {pages!r}.", f"The document has PDF pages 1 to {count}.")
    return start, end


def _last_fitting_page(converted: Converted, start: int, end: int) -> int:
    size, last = 0, start
    for page in converted.pages[start - 1 : end]:
        size += len(page.text) + sum(len(line) + 3 for line in page.margin) + 80
        if size > _MAX_DOCUMENT_CHARACTERS and page.number > start:
            break
        last = page.number
    return last


def from_passages(document: Document, hits: Sequence[ScoredPoint]) -> Converted:
    """Return a conversion built from passages, if there is none of the file: a page has the text of its passages."""
    blocks: list[Block] = []
    section: tuple[str, ...] = ()
    texts: dict[int, list[str]] = {}
    labels: dict[int, str] = {}
    for hit in hits:
        path, page = tuple(hit.payload.get("section_path") or ()), hit.payload.get("page_start")
        text = hit.payload["chunk_text"]
        if path and path != section:
            blocks.append(Block(BlockKind.HEADING, path[-1], path, page))
        section = path
        source = TextSource(hit.payload.get("text_source") or TextSource.NATIVE)
        blocks.append(Block(BlockKind.TEXT, text, path, page, text_source=source))
        if page is not None:
            for at, label in enumerate(hit.payload.get("page_labels") or (), start=page):
                texts.setdefault(at, []).append(text)
                labels[at] = label
    pages = []
    for number in sorted({*range(1, (document.pages or 0) + 1), *labels}):
        label = labels.get(number)
        pages.append(Page(number, "\n\n".join(texts.get(number, ())), printed=None if label == str(number) else label))
    return Converted(document.file_type, document.converter, tuple(blocks), tuple(pages), title=document.title)
