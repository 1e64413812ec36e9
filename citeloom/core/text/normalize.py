"""Unicode normalization of text for comparison, which ignores case, accents, ligatures and punctuation.

Two comparisons have their own rules: quotations preserve accents, numbers and the position of every word
(evidence/quotes/words.py), and citekeys are ASCII in the way of Better BibTeX (bibliography/citekeys.py).
"""

from __future__ import annotations

import unicodedata

_DOTLESS = str.maketrans("ıȷ", "ij")


def fold(text: str) -> str:
    """Return the text without case and accents."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def fold_for_search(text: str) -> str:
    """Return the text as the full-text index compares it: like `fold`, also for signs that contain capitals, as №."""
    return fold(text).casefold()


def fold_case(text: str) -> str:
    """Return the text without case, in one Unicode form with accents: for file names and names of languages."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def fold_name(text: str) -> str:
    """Return a name without case, compatibility forms and extra spaces, but with accents."""
    return " ".join(unicodedata.normalize("NFKC", text.casefold()).split())


def letters_and_digits(text: str) -> str:
    """Return the letters and digits alone, without case and accents; ligatures are spelled out."""
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    folded = unicodedata.normalize("NFKD", text.translate(_DOTLESS)).casefold()
    return "".join(filter(str.isalnum, folded))
