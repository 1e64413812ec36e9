"""The page on which a passage stands, as a picture with the passage marked."""

from __future__ import annotations

import json
from typing import Any

from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.conversion.limits import Limits
from citeloom.conversion.pool import StandbyWorker, conversion_file
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.lru_cache import LruCache
from citeloom.importing.ids import STORED, shown_source
from citeloom.importing.importer import Importer
from citeloom.importing.stages.match import QUICK
from citeloom.index.base import Hit
from citeloom.library.document_text import Reading
from citeloom.search.passages import PassageService

_NARROWEST, _WIDEST = 200, 4000  # pixels
_KEPT = 20  # answers: stepping back and forth is instant
_KEPT_CHARACTERS = 60_000_000  # of all of them
_SHOWING = 30.0  # seconds that a page may take
_RECOGNISING = 180.0
_MEGABYTES = 2000
_FARTHEST = 1e6  # points: no page is larger


class PageImageService:
    """Shows pages. What a file does to its reader is done to a process of its own, which no import waits for."""

    def __init__(self, importer: Importer, passages: PassageService, reading: Reading) -> None:
        self._catalog = importer.catalog
        self._conversions = importer.conversions
        self._ocr = importer.settings.ocr
        self._passages, self._reading = passages, reading
        self._showing, self._recognising = StandbyWorker(), StandbyWorker()
        self._answers: LruCache[dict[str, Any]] = LruCache(_KEPT, _KEPT_CHARACTERS)

    def page(
        self, project: Project, chunk_id: str, width: int, page: int | None = None, *, recognise: bool = False
    ) -> dict[str, Any]:
        """A page of a passage's document, by default the one where the passage begins, with its lines marked.

        Marks on a page whose text was recognised may take seconds: such an answer is `pending`, without marks, until
        it is asked for with `recognise`.
        """
        if not _NARROWEST <= width <= _WIDEST:
            raise CiteLoomError(Code.INVALID_INPUT, f"width is {width}.", f"Ask for {_NARROWEST} to {_WIDEST} pixels.")
        hit = self._passages.get(project, chunk_id)
        document = self._document(project, hit)
        first, last = hit.payload["page_start"], hit.payload["page_end"] or hit.payload["page_start"]
        number = first if page is None else page
        own = hit.payload["doc_id"] == document.doc_id
        content_hash = hit.payload["content_hash"] if own else document.content_hash
        path = self._reading.originals.file(document, content_hash)
        of_passage = {
            "path": str(path),
            "kind": document.file_type,
            "content_hash": content_hash,
            "page": number,
            "passage": hit.payload["chunk_text"],
            "first": first,
            "last": last,
        }
        answer = self._shown(of_passage | {"look": "picture", "width": width, "places": _places(hit, number)})
        pending = hit.payload["text_source"] == "ocr" and not answer["found"] and first <= number <= last
        if pending and recognise:
            languages = document.ocr_languages or list(self._ocr.languages)
            asked = {"look": "recognised", "ocr_languages": languages, "ocr_engine": self._ocr.engine}
            answer |= self._shown(of_passage | asked)
            pending = False
        label = self._label(project, document, hit, number) or answer["label"] or str(number)
        return {**answer, "label": label, "pending": pending, "text_source": hit.payload["text_source"]}

    def end(self) -> None:
        """End the processes."""
        self._showing.end()
        self._recognising.end()

    def _shown(self, request: dict[str, Any]) -> dict[str, Any]:
        """An answer of a worker, or the same as a moment ago."""
        key = json.dumps(request)
        answer = self._answers.get(key)
        if answer is None:
            if request["look"] == "picture":
                answer = self._showing.ask(request, Limits(_SHOWING, _MEGABYTES))
            else:
                answer = self._recognising.ask(request, Limits(_RECOGNISING, _MEGABYTES))
            answer = {name: value for name, value in answer.items() if name not in ("id", "ok")}
            self._answers.keep(key, answer, len(answer.get("png", "")))
        return dict(answer)

    def _document(self, project: Project, hit: Hit) -> Document:
        """The document whose pages the passage stands on."""
        document = self._reading.originals.with_pages(
            self._catalog.documents.get(project.id, hit.payload["doc_id"], None)
        )
        shown = document.file_type in ("pdf", "image") and not document.source.startswith(STORED)
        if not shown or hit.payload.get("page_start") is None:
            raise CiteLoomError(
                Code.UNSUPPORTED_FORMAT,
                f"{shown_source(document)} has no pages to show.",
                "Its passages can be read as text; PDFs and pictures are shown page by page.",
                file_type=document.file_type,
            )
        return document

    def _label(self, project: Project, document: Document, hit: Hit, number: int) -> str | None:
        """How the page is cited: the passage knows its own pages, the conversion knows all of them."""
        first, labels = hit.payload["page_start"], hit.payload.get("page_labels") or []
        if 0 <= number - first < len(labels):
            return str(labels[number - first])
        cache = conversion_file(self._conversions, document.content_hash or "", document.converter)
        if document.converter_engine != QUICK and not cache.exists():
            return None  # reading it again would take longer than anybody waits for a number
        page = self._reading.page(project, document.doc_id, number)
        return page.label if page else None


def _places(hit: Hit, number: int) -> list[list[float]]:
    """Where Zotero says that an annotation stands on a page, in the file's own measure."""
    position = (hit.payload.get("annotation") or {}).get("position") or {}
    rects = position.get("rects" if number == hit.payload["page_start"] else "nextPageRects")
    if not isinstance(rects, list):
        return []
    return [rect for rect in rects if isinstance(rect, list) and len(rect) == 4 and all(map(_is_number, rect))]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < _FARTHEST
