"""Values that no honest client sends."""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import strategies as st

_SPECIAL = (
    "",
    " ",
    "\x00",
    "\x1b]0;owned\x07",
    "\x9b31m",
    "\u202eevil",
    "\u2066isolated\u2069",
    "a\r\n2026-01-01 00:00:00 INFO forged",
    "\ud800",
    "\U000e0041",
    "../../../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "/dev/zero",
    "http://127.0.0.1:1/",
    "http://a..b/",
    f"http://{'a' * 300}.example/",
    "https://[64:ff9b::7f00:1]/",
    "zotero:collection/../..",
    "'; DROP TABLE documents; --",
    "%s%n{0}{x!r}",
    "(a+)+$" * 20,
    "[[[[@" * 200,
    "<b>bold</b><img src=file:///etc/passwd>",
    "x" * 5_000,
    "word " * 20_000,
)
# Bidirectional controls, tags and separators: whoever reads an answer must not be shown something else by them.
_HIDDEN = {*"\u2028\u2029\ufeff", *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xE0000, 0xE0080)))}


def texts(*known: str) -> st.SearchStrategy[str]:
    """Hostile texts, and such as the program knows."""
    return st.one_of(st.sampled_from((*_SPECIAL, *known)), st.sampled_from(known or _SPECIAL), st.text(max_size=40))


def values(*known: str) -> st.SearchStrategy[Any]:
    """Hostile values of any kind that JSON can carry."""
    numbers = st.one_of(
        st.integers(-3, 30),
        st.sampled_from((2**31, 2**63, 2**64, -(2**63) - 1, 10**400, -(10**400), 1e308, -0.0, 0.5)),
    )
    plain = st.one_of(st.none(), st.booleans(), numbers, texts(*known))
    return st.recursive(plain, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts(), inner, max_size=4))


def nested(depth: int) -> str:
    """JSON text with so many lists in each other."""
    return "[" * depth + "]" * depth


def hidden_characters(answer: Any) -> set[str]:
    """Characters in the strings of an answer that could do something to whoever reads it."""
    found = {character for text in _strings(answer) for character in text} - {"\n", "\t"}
    return {one for one in found if one in _HIDDEN or unicodedata.category(one) in ("Cc", "Cs")}


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(one for inner in value.values() for one in _strings(inner))]
    return [one for inner in value for one in _strings(inner)] if isinstance(value, list) else []
