"""Printed page numbers by the page range of the record, for documents that print none, and unnumbered covers.

Numbers that are printed in the margins are found by pdf/margins.py. Called by the worker after conversion.
"""

from __future__ import annotations

import re
from dataclasses import replace

from citeloom.core.types import Converted, Page

_RANGE = re.compile(r"^\s*(\d{1,6})\s*[-–—]+\s*(\d{1,6})\s*$")


def with_record_pages(doc: Converted, page_range: str | None) -> Converted:
    """Return the document with printed numbers completed and checked by its record's page range ("253-265")."""
    match = _RANGE.match(page_range or "")
    if not match or not doc.pages:
        return doc
    first, last = int(match[1]), int(match[2])
    if len(match[2]) < len(match[1]):  # 1253-65
        last = int(match[1][: -len(match[2])] + match[2])
    if any(page.printed for page in doc.pages):
        pages = [_without_guess(page, first, last) for page in doc.pages]
    elif last - first + 1 == len(doc.pages):
        pages = [replace(page, printed=str(first + at), printed_from="record") for at, page in enumerate(doc.pages)]
    else:
        return doc
    return replace(doc, pages=tuple(pages))


def _without_guess(page: Page, first: int, last: int) -> Page:
    """Remove an inferred number outside the record's range: the cover page of a repository has none."""
    guessed = page.printed_from == "neighbours" and (page.printed or "").isdigit()
    if guessed and not first <= int(page.printed or 0) <= last:
        return replace(page, printed=None, printed_from=None)
    return page
