"""The text of a quotation with its citation, for the clipboard. Used by `reader`."""

from __future__ import annotations

import re

from citeloom.api.search import SearchHit
from citeloom.core.text.sanitize import clean

_LONG_WORDS, _LONG_CHARACTERS = 40, 300  # longer quotations become a block quotation
_PARAGRAPHS = re.compile(r"\n\s*\n")
# Quotation marks within the quotation become single ones, as is usual in print.
_INNER = str.maketrans({"“": "‘", "”": "’"})


def quotation(text: str, cite: str) -> str:
    """Return a quotation with its citation: in quotation marks, or as a Markdown block quotation if it is long."""
    cite = clean(cite)
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPHS.split(clean(text))]
    paragraphs = [part for part in paragraphs if part]
    if not paragraphs:
        return cite
    text = " ".join(paragraphs)
    if len(paragraphs) == 1 and len(text.split()) <= _LONG_WORDS and len(text) <= _LONG_CHARACTERS:
        return f"“{text.translate(_INNER)}” {cite}"
    paragraphs[-1] = f"{paragraphs[-1]} {cite}"
    return "\n>\n".join(f"> {part}" for part in paragraphs)


def opens_in_zotero(hit: SearchHit) -> bool:
    """Return whether the link of a hit opens Zotero, rather than a file or a web page."""
    return (hit.open_uri or "").startswith("zotero:")
