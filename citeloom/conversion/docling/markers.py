"""Marks that travel through docling inside the text, for what its document has no place for.

They are private-use characters: a mark names what a paragraph is, or the note that hangs on a word.
"""

from __future__ import annotations

import re

TITLE = "t"
CAPTION = "c"
FIGURE = "g"
NOTE = "n"  # the paragraph is a footnote or endnote

_OPEN, _SHUT = "\ue210", "\ue211"
_MARK = re.compile(f"{_OPEN}(\\w+){_SHUT}")
_PRIVATE = re.compile("[\ue200-\ue2ff]")


def mark(name: str) -> str:
    """The mark as it stands in the text."""
    return f"{_OPEN}{name}{_SHUT}"


def note_mark(kind: str, number: str) -> str:
    """The mark of a note: the same at the word it hangs on and before the note's own text."""
    return mark(f"{kind}{re.sub(r'[^0-9]', '', number)}")


def without_private(text: str) -> str:
    """A text in which no character can be taken for a mark."""
    return _PRIVATE.sub("", text)


def taken(text: str) -> tuple[str, list[str]]:
    """The text without its marks, and the marks in their order."""
    found = _MARK.findall(text)
    return (_MARK.sub("", text), found) if found else (text, [])
