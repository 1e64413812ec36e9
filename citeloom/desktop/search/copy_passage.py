"""The text of a quotation with its citation, for the clipboard. Used by `reader`."""

from __future__ import annotations

import re

from citeloom.api.search import SearchHit
from citeloom.core.text.sanitize import clean

_LONG_WORDS, _LONG_CHARACTERS = 40, 300  # from here on a quotation stands in a block of its own
_PARAGRAPHS = re.compile(r"\n\s*\n")
# A quotation within the quotation changes to single marks, as print has it.
_INNER = str.maketrans({"“": "‘", "”": "’"})


def quotation(text: str, cite: str) -> str:
    """A quotation with its citation: in marks within the line, or as a block of Markdown where it is long."""
    cite = clean(cite)
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPHS.split(clean(text))]
    paragraphs = [part for part in paragraphs if part]
    if not paragraphs:
        return cite
    message = " ".join(paragraphs)
    if len(paragraphs) == 1 and len(message.split()) <= _LONG_WORDS and len(message) <= _LONG_CHARACTERS:
        return f"“{message.translate(_INNER)}” {cite}"
    paragraphs[-1] = f"{paragraphs[-1]} {cite}"
    return "\n>\n".join(f"> {part}" for part in paragraphs)


def opens_in_zotero(hit: SearchHit) -> bool:
    """Whether Zotero shows the passage; else its file or its page on the web is opened."""
    return (hit.open_uri or "").startswith("zotero:")
