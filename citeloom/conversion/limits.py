"""How much time and memory a document may take, and how many are read at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from citeloom.core import fault_injection as faults
from citeloom.core.processes import cores, machine_megabytes

_MOST_WORKERS = 8
_WORKER_MEGABYTES = 1500  # what one is expected to need
_ENGINE_MEGABYTES = 2000  # left to the engine, its models and everything else
_MOST_SHARE = 0.6  # of the machine's memory, for one document
_UNKNOWN_PAGES = 500
_SMALLEST_PAGE = 1000  # bytes; a file whose pages nobody has counted has at most one for so many, for all we know


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may take."""

    seconds: float = 600.0
    megabytes: int = 0  # 0: whatever it needs


def worker_count() -> int:
    """How many documents this machine can convert at the same time."""
    by_memory = (machine_megabytes() - _ENGINE_MEGABYTES) // _WORKER_MEGABYTES
    return max(1, min(cores() - 1, by_memory, _MOST_WORKERS))


class KnownPages(Protocol):
    """What an earlier reading of a document counted."""

    @property
    def pages(self) -> int | None:
        """How many pages it has."""

    @property
    def text_source(self) -> str | None:
        """Where its text comes from: native, ocr or mixed."""

    @property
    def waiting_for_ocr(self) -> int:
        """How many of its pages have still to be recognised."""


def limits(known: KnownPages | None, *, quick: bool, megabytes: int = 0, size: int | None = None) -> Limits:
    """The limits of a document, by what is known of its pages, or by its size in bytes where they were never counted.

    A quick reading that takes longer is put off, not failed: it may not hold up what others wait for. `megabytes` is
    the settings' word on its memory.
    """
    pages, for_ocr = _UNKNOWN_PAGES, 0
    if size is not None:
        pages = min(pages, 1 + size // _SMALLEST_PAGE)
    if known is not None and known.pages is not None:
        pages = known.pages
        for_ocr = pages if known.text_source in ("ocr", "mixed") else known.waiting_for_ocr
    seconds = faults.number("conversion.quick_seconds", 30) + 0.1 * pages if quick else 60 + 10 * pages + 120 * for_ocr
    allowed = megabytes or min(_WORKER_MEGABYTES + pages, int(_MOST_SHARE * machine_megabytes()))
    return Limits(float(seconds), allowed)
