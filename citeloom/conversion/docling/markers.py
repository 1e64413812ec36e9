"""Marks in private-use characters that carry information through docling inside the text.

A mark names the kind of a paragraph, or the note that belongs to a word.
"""

from __future__ import annotations

import re

TITLE = "t"
CAPTION = "c"
FIGURE = "g"
NOTE = "n"  # the paragraph is a footnote or endnote

_OPEN, _CLOSE = "\ue210", "\ue211"
_MARK = re.compile(f"{_OPEN}(\\w+){_CLOSE}")
_PRIVATE = re.compile("[\ue200-\ue2ff]")


def mark(name: str) -> str:
    """Return a mark as text."""
    return f"{_OPEN}{name}{_CLOSE}"


def note_mark(kind: str, number: str) -> str:
    """Return the mark of a note, the same at its reference and before its text."""
    return mark(f"{kind}{re.sub(r'[^0-9]', '', number)}")


def remove_private_characters(text: str) -> str:
    """Return a text without characters that could be taken for marks."""
    return _PRIVATE.sub("", text)


def split_marks(text: str) -> tuple[str, list[str]]:
    """Return the text without its marks, and the marks in order."""
    found = _MARK.findall(text)
    return (_MARK.sub("", text), found) if found else (text, [])
