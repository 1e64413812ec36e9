"""Printed page numbers that only the record knows: those of a document that prints none."""

from __future__ import annotations

import re
from dataclasses import replace

from citeloom.model import Converted

_RANGE = re.compile(r"^\s*(\d{1,6})\s*[-–—]+\s*(\d{1,6})\s*$")


def with_record_pages(doc: Converted, page_range: str | None) -> Converted:
    """The document with the pages of its record ("253-265") where it prints none and has just as many."""
    match = _RANGE.match(page_range or "")
    if not match or not doc.pages or any(page.printed for page in doc.pages):
        return doc
    first, last = int(match[1]), int(match[2])
    if len(match[2]) < len(match[1]):  # 1253-65
        last = int(match[1][: -len(match[2])] + match[2])
    if last - first + 1 != len(doc.pages):
        return doc
    pages = [replace(page, printed=str(first + at), printed_from="record") for at, page in enumerate(doc.pages)]
    return replace(doc, pages=tuple(pages))
