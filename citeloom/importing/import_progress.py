"""Progress of an import: documents and pages by what can be done with them already, and the time left.

The one place that counts: `sync`, the app, `ingest_from_source` and events show what is reported here.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from citeloom.core.jobs import Progress, ReportProgress

_UNKNOWN_PAGES = 12.0  # of a document that was not opened yet, before the first one was
_OCR_PAGE_COST = 20.0  # reading a page by OCR takes as long as so many others, before the first was measured
_EMBEDDING_COST = 5.0  # embedding the passages of a page, likewise
_FLOAT_ERROR = 1e-6  # of sums of pages
_REPORTED = (
    *("total", "searchable", "done", "pages_total", "pages_by_words", "pages_embedded", "pages_waiting"),
    *("pages_failed", "pages_for_layout"),
)


class Lane(IntEnum):
    """A lane of the document queue, in order of priority."""

    WORDS = 0
    VECTORS = 1
    SLOW_PAGES = 2


@dataclass(slots=True)
class _Document:
    """A document that an import reads, with its pages."""

    pages: float = _UNKNOWN_PAGES
    opened: bool = False
    searchable: bool = False
    waiting: int = 0  # pages that wait for OCR: they have no text
    for_layout: int = 0  # pages with text that wait for layout analysis
    lost: int = 0  # pages without text, because OCR failed
    passages: int = 0
    without_vector: int = 0
    done: bool = False

    @property
    def counts(self) -> dict[str, float]:
        """What the document adds to the counts of the import."""
        by_words = self.pages - self.waiting - self.lost if self.searchable else 0.0
        left_out = self.done and not self.searchable and not self.lost  # it has no file, for example
        return {
            "total": 1,
            "searchable": self.searchable,
            "done": self.done,
            "pages_total": 0.0 if left_out else self.pages,
            "pages_by_words": by_words,
            "pages_embedded": by_words * (1 - self.without_vector / max(1, self.passages)),
            "pages_waiting": self.waiting,
            "pages_failed": self.lost,
            "pages_for_layout": self.for_layout,
            "unread": 0.0 if self.searchable or self.done or self.waiting else self.pages,
        }


@dataclass(slots=True)
class _Rate:
    """Pages per second of a lane, measured while it works."""

    pages: float = 0.0
    seconds: float = 0.0
    _working: int = 0  # threads
    _since: float = 0.0

    def add(self, thread: int) -> None:
        """Count a thread that begins (1) or ends (-1)."""
        now = time.monotonic()
        if self._working:
            self.seconds += now - self._since
        self._working, self._since = self._working + thread, now

    def seconds_for(self, pages: float, otherwise: float | None) -> float | None:
        """Return the seconds for some pages; `otherwise` is the time of a page before the first was measured."""
        if pages <= _FLOAT_ERROR:
            return 0.0
        a_page = self.seconds / self.pages if self.pages else otherwise
        return None if a_page is None else pages * a_page


class ImportProgress:
    """Counts the documents of one import and reports the progress."""

    def __init__(self, send: ReportProgress) -> None:
        self._send = send
        self._began = time.monotonic()
        self.searchable_after = 0.0  # seconds until the last document was found by its words
        self._documents: dict[str, _Document] = {}  # by source
        # Kept up to date: summing thousands of documents for each report would take long.
        self._counts: defaultdict[str, float] = defaultdict(float)
        self._opened = (0, 0)  # documents, and their pages
        self._last = Progress(total=0)
        self._rates = {lane: _Rate() for lane in Lane}
        self._lock = threading.RLock()

    def add(self, source: str, pages: int | None = None) -> None:
        """Count a document that the import will read or embed; `pages` of an earlier reading, if it was read."""
        with self._changing(source, create=True) as document:
            count, of_all = self._opened
            document.pages = float(pages or (of_all / count if count else _UNKNOWN_PAGES))
            document.opened = document.searchable = document.done = False
            document.lost = 0

    def add_read(self, source: str, pages: int | None) -> None:
        """Count a document that was read by an earlier import: only its passages are to be embedded."""
        self.add(source, pages)
        with self._changing(source) as document:
            document.opened = True  # it tells nothing about the rate of reading

    def opened(
        self, source: str, pages: int, *, passages: int, without_vector: int, waiting: int = 0, for_layout: int = 0
    ) -> None:
        """Record what reading a document gave; `waiting` pages have no text before OCR."""
        with self._changing(source) as document:
            slow = self._rates[Lane.SLOW_PAGES]
            slow.pages += max(0, document.waiting + document.for_layout - waiting - for_layout)
            if not document.opened:
                self._rates[Lane.WORDS].pages += pages
                self._opened = (self._opened[0] + 1, self._opened[1] + pages)
            document.opened = True
            document.pages, document.waiting, document.for_layout = float(pages), waiting, for_layout
            document.passages, document.without_vector = passages, without_vector
            if passages > 0 and not document.searchable:
                self.searchable_after = time.monotonic() - self._began
            document.searchable = passages > 0

    def embedded(self, source: str, passages: int) -> None:
        """Record that some passages of a document have vectors now."""
        with self._changing(source) as document:
            self._rates[Lane.VECTORS].pages += document.pages * passages / max(1, document.passages)
            document.without_vector = max(0, document.without_vector - passages)

    def finished(self, source: str, *, searchable: bool = True, lost: int = 0) -> None:
        """Record that nothing is left to do for a document; `lost` pages have no text, because reading them failed."""
        with self._changing(source) as document:
            document.done, document.searchable = True, searchable
            document.lost = min(lost, round(document.pages))
            document.waiting = document.for_layout = document.without_vector = 0

    def forget(self, source: str) -> None:
        """Leave a document out: another import takes care of it."""
        with self._lock, self._changing(source):
            self._documents.pop(source, None)

    @contextmanager
    def _changing(self, source: str, *, create: bool = False) -> Iterator[_Document]:
        """Update the counts by what the block changes in a document."""
        with self._lock:
            known = self._documents.get(source)
            if known:
                self._count(known, -1)
            elif create:
                known = self._documents[source] = _Document()
            yield known or _Document()
            if source in self._documents:
                self._count(self._documents[source], 1)

    def _count(self, document: _Document, sign: int) -> None:
        for name, value in document.counts.items():
            self._counts[name] += sign * value

    @contextmanager
    def working(self, lane: Lane) -> Iterator[None]:
        """Measure the time in which a lane works."""
        with self._lock:
            self._rates[lane].add(1)
        try:
            yield
        finally:
            with self._lock:
                self._rates[lane].add(-1)

    def report(self, **changes: Any) -> None:
        """Report the progress, with other values for the given fields."""
        with self._lock:
            if "file" in changes:
                changes = {"page": 0, "pages": 0, **changes}
            counts = {name: round(self._counts[name]) for name in _REPORTED}
            # Part of a page does not count: the import would seem to be complete before it is.
            counts["pages_embedded"] = math.floor(self._counts["pages_embedded"] + _FLOAT_ERROR)
            values = {**counts, "eta_seconds": self._seconds_left(), "waits_for": "", **changes}
            self._last = replace(self._last, **values)
            self._send(self._last)

    @property
    def last(self) -> Progress:
        """What was reported last."""
        return self._last

    @contextmanager
    def stage(self, stage: str) -> Iterator[None]:
        """Report a stage, and after the block the previous one again."""
        before = self._last
        self.report(stage=stage, file="", eta_seconds=None)
        yield
        self.report(stage=before.stage, file=before.file)

    def _seconds_left(self) -> float | None:
        """Return the time left: words and vectors come one after the other, slow pages beside them."""
        words, counts = self._rates[Lane.WORDS], self._counts
        a_page = words.seconds / words.pages if words.pages else None  # unknown if nothing was read by this import
        unread = counts["unread"]
        unembedded = unread + counts["pages_by_words"] - counts["pages_embedded"]
        read = words.seconds_for(unread, None)
        vectors = self._rates[Lane.VECTORS].seconds_for(unembedded, a_page and _EMBEDDING_COST * a_page)
        slow_pages = counts["pages_waiting"] + counts["pages_for_layout"]
        slow = self._rates[Lane.SLOW_PAGES].seconds_for(slow_pages, a_page and _OCR_PAGE_COST * a_page)
        if read is None or vectors is None or slow is None:
            return None
        return round(max(read + vectors, slow), 1)
