"""Creates the edits that correct a citekey or a page in a manuscript. Called by `evidence.check`."""

from __future__ import annotations

import re

from citeloom.api.evidence import ManuscriptEdit
from citeloom.evidence.manuscripts.markdown.reader import BARE_KEY
from citeloom.evidence.manuscripts.types import Citation, Manuscript

_DASH = re.compile(r"\s*(?:-{1,3}|[‐‑‒–—−]|\b(?:to|bis)\b)\s*")
_PAGE_WORD = re.compile(r"(?<![^\W\d_])(?P<word>pp?)\.?(?:[\s~]|\\[,; ])*\Z")
# Page labels that are safe in any markup: those of PDF files may contain anything.
_PLAIN_LABEL = re.compile(r"[0-9A-Za-z][0-9A-Za-z.*\-]{0,19}")
_KEYS = {
    "markdown": BARE_KEY,
    "latex": re.compile(r"[^\s,{}\\%#~\[\]\"]+"),
    "typst": re.compile(r"\w(?:[\w\-.:]*\w)?"),
    "org": re.compile(r"[\w\-.:/+]*\w"),
    "asciidoc": re.compile(r"\w[^\s,()\[\]\"=]*"),
}


def key_edit(manuscript: Manuscript, citation: Citation, key: str, why: str) -> ManuscriptEdit | None:
    """Return the edit that replaces a citekey; None if the format cannot express the new one."""
    start, end = citation.span.start, citation.span.end
    if not _fits(manuscript, key):
        return None
    if manuscript.fixable and _KEYS[manuscript.format].fullmatch(key):
        return _edit(manuscript, start, end, key, why)
    if manuscript.format == "markdown" and not re.search(r"[{}\s]", key):
        braced = manuscript.text[start - 1 : start] == "{" and manuscript.text[end : end + 1] == "}"
        return _edit(manuscript, start, end, key if braced else f"{{{key}}}", why)
    return None


def page_edit(manuscript: Manuscript, citation: Citation, labels: tuple[str, str], why: str) -> ManuscriptEdit | None:
    """Return the edit that replaces pages, with the manuscript's dash and p. or pp.; None if it is not possible."""
    span = citation.pages_span
    if not manuscript.fixable or span is None or not all(_PLAIN_LABEL.fullmatch(label) for label in labels):
        return None
    start, end = span.start, span.end
    dash = _DASH.search(manuscript.text, start, end)
    first, last = labels
    between = dash[0] if dash else "--" if manuscript.format == "latex" else "-"
    new = first if first == last else f"{first}{between}{last}"
    word = _PAGE_WORD.search(manuscript.text[max(0, start - 20) : start])
    right = "p" if first == last else "pp"
    if word and word["word"] != right:
        new = right + word[0][len(word["word"]) :] + new
        start -= len(word[0])
    return _edit(manuscript, start, end, new, why)


def _edit(manuscript: Manuscript, start: int, end: int, new: str, why: str) -> ManuscriptEdit:
    return ManuscriptEdit(start, end, manuscript.text[start:end], new, *manuscript.line_and_column(start), why)


def _fits(manuscript: Manuscript, text: str) -> bool:
    try:
        text.encode(manuscript.encoding)
    except UnicodeEncodeError:
        return False
    return True
