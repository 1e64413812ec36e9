"""Result of looking a quotation up in one work. Made by `verification`."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.api.evidence import Change, Verdict
from citeloom.core.types import TextSource


@dataclass(frozen=True, slots=True)
class QuoteFinding:
    """A verdict, the place in the work, and the differences."""

    verdict: Verdict
    score: float  # 0 to 1, to compare works
    # Why inconclusive ("short", "common"), or why near although no word differs ("spliced", "far apart",
    # "negation left out" by an ellipsis).
    reason: str | None = None
    text: str | None = None  # as in the work
    sentence: str | None = None  # the sentences around it
    page_span: tuple[int, int] | None = None  # PDF pages
    page_labels: tuple[str, ...] = ()  # as printed, one for each page
    page_claimed: str | None = None
    page_right: bool | None = None  # None: no page was claimed, or the printed page numbers are not known
    pdf_page_claimed: bool = False  # the claim is a PDF page number, and the work has other printed ones
    section_path: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()  # kinds of differences that do not count
    diff: str | None = None
    changes: tuple[Change, ...] = ()
    in_references: bool = False
    is_quotation: bool = False  # the work itself quotes it
    aside: bool = False  # a caption, footnote, figure or margin
    text_source: TextSource | None = None
    ocr_confidence: float | None = None
    places: int = 0  # number of occurrences in the work
