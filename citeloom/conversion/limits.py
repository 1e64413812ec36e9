"""Time and memory limits of a conversion, and the number of workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from citeloom.core import fault_injection as faults
from citeloom.core.processes import cores, machine_megabytes

_MAX_WORKERS = 8
_WORKER_MEGABYTES = 1500  # expected use of one worker
_ENGINE_MEGABYTES = 2000  # reserved for the engine, its models and other programs
_MAX_SHARE = 0.6  # of the machine's memory, for one document
_UNKNOWN_PAGES = 500
_MIN_PAGE_BYTES = 1000  # bytes; gives an upper bound for the page count of a file that was not opened yet


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one conversion."""

    seconds: float = 600.0
    megabytes: int = 0  # 0: unlimited


def worker_count() -> int:
    """Return the number of documents that this machine can convert in parallel."""
    by_memory = (machine_megabytes() - _ENGINE_MEGABYTES) // _WORKER_MEGABYTES
    return max(1, min(cores(), by_memory, _MAX_WORKERS))


class KnownPages(Protocol):
    """Page counts of an earlier conversion."""

    @property
    def pages(self) -> int | None:
        """Number of pages, if known."""

    @property
    def text_source(self) -> str | None:
        """Source of the text: native, ocr or mixed."""

    @property
    def waiting_for_ocr(self) -> int:
        """Number of pages without OCR so far."""


def limits(known: KnownPages | None, *, quick: bool, megabytes: int = 0, size: int | None = None) -> Limits:
    """Return the limits of a document by its pages, or by its size in bytes where they are unknown.

    A quick conversion over its limit is postponed, not failed: it must not delay others. `megabytes` is the setting for
    memory.
    """
    pages, for_ocr = _UNKNOWN_PAGES, 0
    if size is not None:
        pages = min(pages, 1 + size // _MIN_PAGE_BYTES)
    if known is not None and known.pages is not None:
        pages = known.pages
        for_ocr = pages if known.text_source in ("ocr", "mixed") else known.waiting_for_ocr
    seconds = faults.number("conversion.quick_seconds", 30) + 0.1 * pages if quick else 60 + 10 * pages + 120 * for_ocr
    allowed = megabytes or min(_WORKER_MEGABYTES + pages, int(_MAX_SHARE * machine_megabytes()))
    return Limits(float(seconds), allowed)
