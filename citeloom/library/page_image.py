"""Renders page images with a passage highlighted. Called by the search page of the app."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.api.library import GetPageImage, PageImage
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.conversion.cache import conversion_file
from citeloom.conversion.limits import Limits
from citeloom.conversion.pool import StandbyWorker
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.lru_cache import LruCache
from citeloom.core.settings import Ocr
from citeloom.importing.sources.names import STORED, shown_source
from citeloom.importing.stages.match import QUICK
from citeloom.index.base import ScoredPoint
from citeloom.library.document_text import DocumentTexts, OriginalFiles
from citeloom.search.passages import PassageService

_MIN_WIDTH, _MAX_WIDTH = 200, 4000  # pixels
_MAX_CACHED = 20  # responses: going back and forth is instant
_MAX_CACHED_CHARACTERS = 60_000_000  # of all cached responses
_RENDER_SECONDS = 30.0
_OCR_SECONDS = 180.0
_WORKER_MEGABYTES = 2000
_MAX_COORDINATE = 1e6  # points: no page is larger


@dataclass
class PageImageService:
    """Renders pages in separate worker processes: a file that crashes or takes long affects nothing else."""

    _catalog: Catalog
    _conversions: Path
    _ocr: Ocr
    _passages: PassageService
    _texts: DocumentTexts
    _original_files: OriginalFiles

    def __post_init__(self) -> None:
        self._render_worker, self._ocr_worker = StandbyWorker(), StandbyWorker()
        self._answers: LruCache[dict[str, Any]] = LruCache(_MAX_CACHED, _MAX_CACHED_CHARACTERS)

    @handles(GetPageImage)
    def page_image(self, request: GetPageImage) -> PageImage:
        """Return a page of a passage's document, by default its first one, with the lines of the passage marked."""
        if not _MIN_WIDTH <= request.width <= _MAX_WIDTH:
            raise CiteLoomError(
                Code.INVALID_INPUT, f"width is {request.width}.", f"Ask for {_MIN_WIDTH} to {_MAX_WIDTH} pixels."
            )
        project = self._catalog.projects.get(request.project)
        hit = self._passages.get(project, request.chunk_id)
        document = self._document(project, hit)
        first, last = hit.payload["page_start"], hit.payload["page_end"] or hit.payload["page_start"]
        number = first if request.page is None else request.page
        own = hit.payload["doc_id"] == document.doc_id
        content_hash = hit.payload["content_hash"] if own else document.content_hash
        path = self._original_files.path(document, content_hash)
        of_passage = {
            "path": str(path),
            "kind": document.file_type,
            "content_hash": content_hash,
            "page": number,
            "passage": hit.payload["chunk_text"],
            "first": first,
            "last": last,
        }
        rendering = {"view": "picture", "width": request.width, "places": _annotated_areas(hit, number)}
        answer = self._call_worker(of_passage | rendering)
        pending = hit.payload["text_source"] == "ocr" and not answer["found"] and first <= number <= last
        if pending and request.recognise:
            languages = document.ocr_languages or list(self._ocr.languages)
            ocr_request = {"view": "recognised", "ocr_languages": languages, "ocr_engine": self._ocr.engine}
            answer |= self._call_worker(of_passage | ocr_request)
            pending = False
        label = self._label(project, document, hit, number) or answer["label"] or str(number)
        return PageImage(**answer | {"label": label, "pending": pending, "text_source": hit.payload["text_source"]})

    def end(self) -> None:
        """Stop the worker processes."""
        self._render_worker.end()
        self._ocr_worker.end()

    def _call_worker(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the response of a worker, cached."""
        key = json.dumps(request)
        answer = self._answers.get(key)
        if answer is None:
            if request["view"] == "picture":
                answer = self._render_worker.call(request, Limits(_RENDER_SECONDS, _WORKER_MEGABYTES))
            else:
                answer = self._ocr_worker.call(request, Limits(_OCR_SECONDS, _WORKER_MEGABYTES))
            answer = {name: value for name, value in answer.items() if name not in ("id", "ok")}
            self._answers.put(key, answer, len(answer.get("png", "")))
        return dict(answer)

    def _document(self, project: Project, hit: ScoredPoint) -> Document:
        """Return the document with the pages of a passage."""
        document = self._original_files.with_pages(self._catalog.documents.get(project.id, hit.payload["doc_id"], None))
        shown = document.file_type in ("pdf", "image") and not document.source.startswith(STORED)
        if not shown or hit.payload.get("page_start") is None:
            raise CiteLoomError(
                Code.UNSUPPORTED_FORMAT,
                f"{shown_source(document)} has no pages to show.",
                "Its passages can be read as text; PDFs and pictures are shown page by page.",
                file_type=document.file_type,
            )
        return document

    def _label(self, project: Project, document: Document, hit: ScoredPoint, number: int) -> str | None:
        """Return the label of a page: from the passage for its own pages, else from the conversion."""
        first, labels = hit.payload["page_start"], hit.payload.get("page_labels") or []
        if 0 <= number - first < len(labels):
            return str(labels[number - first])
        cache = conversion_file(self._conversions, document.content_hash or "", document.converter)
        if document.converter_engine != QUICK and not cache.exists():
            return None  # converting the file again takes too long for a page label
        page = self._texts.page(project, document.doc_id, number)
        return page.label if page else None


def _annotated_areas(hit: ScoredPoint, number: int) -> list[list[float]]:
    """Return the areas of a Zotero annotation on a page, in PDF points."""
    position = (hit.payload.get("annotation") or {}).get("position") or {}
    rects = position.get("rects" if number == hit.payload["page_start"] else "nextPageRects")
    if not isinstance(rects, list):
        return []
    return [rect for rect in rects if isinstance(rect, list) and len(rect) == 4 and all(map(_is_number, rect))]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < _MAX_COORDINATE
