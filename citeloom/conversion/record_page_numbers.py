"""What the record knows of printed pages: the numbers of a document that prints none, and the cover before page one."""

from __future__ import annotations

import re
from dataclasses import replace

from citeloom.core.types import Converted, Page

_RANGE = re.compile(r"^\s*(\d{1,6})\s*[-–—]+\s*(\d{1,6})\s*$")


def with_record_pages(doc: Converted, page_range: str | None) -> Converted:
    """The document with its printed pages held against those of its record ("253-265")."""
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
    """A cover that a repository put before the article has no number, whatever the pages after it print."""
    guessed = page.printed_from == "neighbours" and (page.printed or "").isdigit()
    if guessed and not first <= int(page.printed or 0) <= last:
        return replace(page, printed=None, printed_from=None)
    return page
