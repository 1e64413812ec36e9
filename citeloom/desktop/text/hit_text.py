"""Wording of hits: highlighted words, cut texts, authors, pages and quotations. Used by the search page and lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from citeloom.api.search import SearchHit
from citeloom.core.text.normalize import fold_for_search
from citeloom.core.text.sanitize import clean
from citeloom.core.text.stopwords import FUNCTION_WORDS

_WORD = re.compile(r"\w+")
_SUPPLEMENTARY = re.compile("[\U00010000-\U0010ffff]")
_NOT_HIGHLIGHTED = FUNCTION_WORDS | {"warum", "wer", "wo"}
_STEM = 4  # letters from which on a prefix matches: "tree" highlights "trees"
_LONG_WORDS, _LONG_CHARACTERS = 40, 300  # longer quotations become a block quotation
_PARAGRAPHS = re.compile(r"\n\s*\n")
# Quotation marks within the quotation become single ones, as is usual in print.
_INNER = str.maketrans({"“": "‘", "”": "’"})


def highlight_spans(text: str, question: str) -> list[tuple[int, int]]:
    """Return the spans of the question's words in a text."""
    query_words = {fold_for_search(word) for word in _WORD.findall(question)}
    terms = {word for word in query_words if word not in _NOT_HIGHLIGHTED and (len(word) > 1 or not word.isascii())}
    stems = tuple(word for word in terms if len(word) >= _STEM)
    if not terms:
        return []
    found = []
    for match in _WORD.finditer(text):
        word = fold_for_search(match.group())
        if word in terms or (stems and word.startswith(stems)):
            found.append(match.span())
    return found


def utf16(text: str, at: int) -> int:
    """Convert a position in a text to UTF-16 units as Qt counts: characters such as emoji count twice."""
    return at if text.isascii() else at + len(_SUPPLEMENTARY.findall(text, 0, at))


def cut(text: str, max_length: int) -> str:
    """Return a text on one line, shortened to a maximum length."""
    text = " ".join(clean(text[: 2 * max_length]).split())
    return text if len(text) <= max_length else text[: max_length - 1].rstrip() + "…"


def isolated(text: str) -> str:
    """Return a text in Unicode isolates, so that it keeps its direction within a line of the other one."""
    return f"\u2068{text}\u2069"


def names(authors: Sequence[str]) -> str:
    """Return the authors as cited in running text."""
    last = [author.split(",")[0].strip() for author in authors if author.strip()]
    if len(last) > 2:
        return f"{last[0]} et al."
    return " & ".join(last)


def span(first: Any, last: Any) -> str:
    """Return a page or a page range."""
    return str(first) if first == last else f"{first}–{last}"


def also_cites(hit: SearchHit) -> str:
    """Return the citations of other documents with the same passage, such as a preprint; each once."""
    cites = dict.fromkeys(other.cite for other in hit.also_in if other.cite)
    return cut(" ".join(cites), 200)


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
