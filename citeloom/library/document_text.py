"""Returns the text of documents, whole or by page, from the conversion cache or the file.

Used by the tool `get_document`, the page view, the search and the check of quotations.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from citeloom.api.library import DocumentText, GetDocument
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.conversion.cache import conversion_file, load_conversion
from citeloom.conversion.limits import limits
from citeloom.conversion.markup.markdown_writer import to_markdown
from citeloom.conversion.pool import WorkerPool
from citeloom.conversion.record_page_numbers import with_record_pages
from citeloom.core import fault_injection as faults
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Settings
from citeloom.core.types import Converted, Page
from citeloom.importing.sources.names import STORED, shown_source
from citeloom.importing.stages.match import QUICK
from citeloom.index.base import Collection
from citeloom.index.filters import AnyOf
from citeloom.library import agent_documents
from citeloom.library.documents import summary_fields
from citeloom.library.original_files import OriginalFiles
from citeloom.library.passage_text import from_passages

_MAX_DOCUMENT_CHARACTERS = 60_000


class DocumentTexts:
    """Returns the converted text of documents."""

    def __init__(
        self,
        catalog: Catalog,
        workers: WorkerPool,
        settings: Settings,
        conversions: Path,
        original_files: OriginalFiles,
        open_collection: Callable[[Project], Collection],
    ) -> None:
        self._catalog = catalog
        self._workers = workers
        self._settings = settings
        self._conversions = conversions
        self._original_files = original_files
        self._collection = open_collection
        self._converting = threading.Lock()  # so that several callers convert the same text only once

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
        document = self._catalog.documents.get(project.id, request.doc_id, now or citekey)
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
            renamed_from=citekey if now else None,
            markdown=markdown,
            pages_given=[first or 1, last or count] if count else None,
            truncated=truncated,
            next_pages=next_pages,
        )

    def converted(self, project: Project, document: Document) -> Converted:
        """Return the conversion of a document, with its pages."""
        if document.state == State.DUPLICATE and document.content_hash:
            document = self._catalog.documents.same_content(project.id, document.content_hash, "") or document
        unread = document.content_hash is None and not document.source.startswith(STORED)
        if unread or document.state not in (State.READY, State.DUPLICATE):
            raise CiteLoomError(
                Code.CONVERSION_FAILED,
                f"{shown_source(document)} has no text: {document.reason or 'it is still to be read.'}",
                "list_documents shows its status.",
            )
        if document.converter_engine == QUICK or document.source.startswith(STORED):
            passages = self._collection(project).scroll(AnyOf("doc_id", (document.doc_id,)), max(1, document.chunks))
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
                "Free some space and try again.",
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
