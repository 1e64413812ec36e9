"""Citation keys that are stored in an item itself."""

from __future__ import annotations

import re

from citeloom.zotero.notes import printable
from citeloom.zotero.types import Item

# "Citation Key: …" as Better BibTeX wrote it for years; "citekey:" and "bibtex:" as older versions and people did.
_KEY_LINE = re.compile(r"(?:citation[ \-_]?key|citekey|bibtex)[ \t]*:(.*)", re.IGNORECASE)


def own_citekey(item: Item) -> str | None:
    """Return the key in Zotero's own field, else from a line of Extra; None if there is none."""
    native = item.data.get("citationKey")
    if isinstance(native, str) and (key := printable(native).strip()):
        return key
    extra = item.data.get("extra")
    lines = printable(extra).splitlines() if isinstance(extra, str) else []
    return next((key for line in lines if (key := _key_in(line))), None)


def without_key_line(extra: str) -> str:
    """Return Extra without the lines that give a citation key."""
    return "\n".join(line for line in extra.splitlines() if not _key_in(line))


def _key_in(line: str) -> str:
    match = _KEY_LINE.fullmatch(line.strip())
    key = match[1].strip() if match else ""
    return key if len(key.split()) == 1 else ""  # "Citation key: see the list" is a remark
