"""The text of documents: whole, some pages, or one page, from the conversion cache or the file."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from pathlib import Path
from typing import Any

from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.conversion.limits import limits
from citeloom.conversion.markup.markdown_writer import to_markdown
from citeloom.conversion.pool import conversion_file
from citeloom.conversion.record_page_numbers import with_record_pages
from citeloom.core import fault_injection as faults
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Converted, Page
from citeloom.importing.ids import STORED, shown_source
from citeloom.importing.importer import Importer
from citeloom.importing.stages.match import QUICK
from citeloom.index.filters import AnyOf
from citeloom.library import agent_chunks
from citeloom.library.original_files import Originals
from citeloom.library.passage_text import from_passages

_MOST_DOCUMENT_CHARACTERS = 60_000


class Reading:
    """Gives back what was converted."""

    def __init__(self, importer: Importer) -> None:
        self._catalog = importer.catalog
        self._workers = importer.workers
        self._conversions = importer.conversions
        self._collection = importer.open_collection
        self._settings = importer.settings
        self.originals = Originals(importer)
        self._converting = threading.Lock()  # two who ask for the same text need it converted once

    def page(self, project: Project, doc_id: str, number: int | None) -> Page | None:
        """A page of a document, where it has pages."""
        document = self._catalog.documents.find(project.id, doc_id)
        document = self.originals.with_pages(document) if document else None
        if document is None or not document.pages or number is None or document.source.startswith(STORED):
            return None
        pages = self.converted(project, document).pages
        return pages[number - 1] if 1 <= number <= len(pages) else None

    def document(
        self, project: Project, doc_id: str | None, citekey: str | None, pages: str | None, cancel: Cancel
    ) -> dict[str, Any]:
        """The text of a document, or of some of its pages, as Markdown."""
        faults.point("library.document", citekey)
        now = self._catalog.aliases.current(project.id, citekey) if citekey else None
        document = self._catalog.documents.get(project.id, doc_id, now or citekey)
        answer = {**describe(document), "renamed_from": citekey if now else None}
        answer |= {"pages_given": None, "truncated": False, "next_pages": None}
        if document.source.startswith(STORED):
            return {**answer, "markdown": agent_chunks.text(self._collection(project), document)}
        converted = self.converted(project, document)
        cancel.check()
        first, last = _page_range(pages, len(converted.pages))
        markdown = to_markdown(converted, first, last)
        if len(markdown) > _MOST_DOCUMENT_CHARACTERS and converted.pages:
            start, end = first or 1, last or len(converted.pages)
            last = _last_fitting_page(converted, start, end)
            markdown = to_markdown(converted, start, last)
            first = start
            answer["truncated"] = last < end
            answer["next_pages"] = f"{last + 1}-{end}" if last < end else None
        if len(markdown) > _MOST_DOCUMENT_CHARACTERS:
            answer["truncated"] = True
            markdown = markdown[:_MOST_DOCUMENT_CHARACTERS] + "\n\n[…]"
        answer["pages_given"] = [first or 1, last or len(converted.pages)] if converted.pages else None
        return {**answer, "markdown": markdown}

    def converted(self, project: Project, document: Document) -> Converted:
        """A document's text with its pages, as it was read."""
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
        converted = _kept(cache) or self._convert_again(document, cache)
        return with_record_pages(converted, document.record.get("page_range"))

    def _convert_again(self, document: Document, cache: Path) -> Converted:
        """The cache may be deleted at any time; the file gives it back, if it is still the file that was read."""
        path = self.originals.file(document, document.content_hash)
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
            converted = _kept(cache)  # somebody may have waited for the same
            if converted is None:
                self._workers.convert_aside(request, allowed)
                converted = _kept(cache)
        if converted is None:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The text of {shown_source(document)} could not be written to the disk.",
                "Free some space and try again.",
            )
        return converted


def _kept(cache: Path) -> Converted | None:
    """A conversion, or None where there is none that can be read."""
    try:
        with gzip.open(cache, "rt", encoding="utf-8") as stream:
            return Converted.from_json(json.load(stream))
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return None


def describe(document: Document) -> dict[str, Any]:
    """A document as agents and people see it listed."""
    return {
        "doc_id": document.doc_id,
        "citekey": document.citekey,
        "claimed_citekey": document.open_claim or None,
        "citekey_made": document.key_made,
        "title": document.title,
        "source": shown_source(document),
        "file_type": document.file_type,
        "pages": document.pages,
        "chunk_count": document.chunks,
        "content_hash": document.content_hash,
        "status": str(document.state),
        "reason": document.reason,
        "matched_by": document.matched_by,
        "text_source": document.text_source or None,
        "converter_engine": document.converter_engine or None,
        "fallback_reason": document.fallback_reason,
        "quick": document.converter_engine == QUICK,
        "word_coverage": document.word_coverage,
        "warnings": document.warnings,
    }


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
        if size > _MOST_DOCUMENT_CHARACTERS and page.number > start:
            break
        last = page.number
    return last
