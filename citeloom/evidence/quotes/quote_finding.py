"""The outcome of looking a quotation up in one work."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.api.evidence import Change, Verdict
from citeloom.core.types import TextSource


@dataclass(frozen=True, slots=True)
class QuoteFinding:
    """A verdict, where the words stand, and what differs."""

    verdict: Verdict
    score: float  # 0 to 1, to compare works
    # Why inconclusive ("short", "common"), or why near although no word differs ("spliced", "far apart",
    # "negation left out" by an ellipsis).
    reason: str | None = None
    text: str | None = None  # as it stands in the work
    sentence: str | None = None  # the sentences around it
    page_span: tuple[int, int] | None = None  # PDF pages
    page_labels: tuple[str, ...] = ()  # as printed, one for each page
    page_claimed: str | None = None
    page_right: bool | None = None  # None: no page was claimed, or it is not known which pages are printed
    pdf_page_claimed: bool = False  # the claim counts the PDF's pages, though the work prints others
    section_path: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()  # differences that do not count
    diff: str | None = None
    changes: tuple[Change, ...] = ()
    in_references: bool = False
    is_quotation: bool = False  # the work itself quotes it
    aside: bool = False  # a caption, footnote, figure or margin
    text_source: TextSource | None = None
    ocr_confidence: float | None = None
    places: int = 0  # how often it stands in the work
