"""Splits text into the word tokens that quotations and works are compared by, and folds them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from citeloom.core.text.sanitize import REMOVED
from citeloom.core.text.stopwords import FUNCTION_WORDS

# Scripts written without spaces: every character is a word.
_UNSPACED = (
    r"\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e80-\u0eb0\u1000-\u109f\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007"
    r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\uff66-\uff9f\U00020000-\U0003ffff"
)
# Combining accents and vowel signs belong to the preceding letter; Python's \w does not include them.
_MARKS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0963\u0966-\u0dff\u0e31"
    r"\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
    r"\ufe00-\ufe0f\ufe20-\ufe2f"
)
_LETTER = rf"[^\W_{_UNSPACED}]"
_APOSTROPHES = "'’ʼ＇‘`´"
_INVISIBLE = r"\u00ad\u061c\u200b-\u200f\u2060\ufeff" + REMOVED  # these are not shown to readers either
_DASHES = "-‐‑‒–—―−﹘﹣－⸺⸻"
_PUNCTUATION = (
    r"\s\x00-\x1f\x7f-\x9f!\"'(),\-./:;?\[\\\]_`{|}*¡¦¨«´¬·¸»¿\u2010-\u2043\u2045-\u206f\u3000-\u3004\u3008-\u3020"
    r"\u3030\u303d\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uff03\uff05-\uff0a\uff0c-\uff0f\uff1a\uff1b\uff1f\uff20"
    r"\uff3b-\uff3f\uff5b\uff5d-\uff65\u00ad\ufeff\ufff0-\uffff\u2022\u25a0-\u25ff\u2212\u055a-\u055f\u0589\u05be"
    r"\u05c0\u05c3\u05c6\u05f3\u05f4\u060c\u060d\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965"
)
_WORD = re.compile(
    # A minus and a leading point belong to their number: "-5" is not "5", nor is ".5".
    rf"(?:(?<![^\s(\[{{\"“‘=<>±~≈≤≥])(?:[-−–]\.?|\.)(?=\d))?{_LETTER}"
    rf"(?:[^\W_{_UNSPACED}]+|[{_MARKS}]+|[{_INVISIBLE}]*[{_INVISIBLE}{_APOSTROPHES}](?={_LETTER})|(?<=\d)[.,](?=\d))*"
    rf"|[{_UNSPACED}][{_MARKS}]*"
    rf"|[^\w{_PUNCTUATION}{_MARKS}{_INVISIBLE}]"
)
_PLAIN_APOSTROPHE = str.maketrans(dict.fromkeys(_APOSTROPHES, "'"))
_WITHOUT_INVISIBLE = re.compile(f"[{_INVISIBLE}\ufe00-\ufe0f]")
# "10²" must not become the number 102.
_RAISED = re.compile(r"(?<=\d)(?=[²³¹⁰⁴-⁹₀-₉½¼¾⅐-⅞])")

_QUOTATION_MARKS = "\"“”„‟«»‹›‘’‚‛'`´〝〞〟「」『』＂＇"  # not ′ and ″, which are feet and inches
_GAP_TABLE = str.maketrans(
    {
        **dict.fromkeys(_QUOTATION_MARKS, '"'),
        **dict.fromkeys(_DASHES, "-"),
        # Bullets, table rules, emphasis marks and invisible characters are not the author's punctuation.
        **dict.fromkeys("•◦▪▫■□●○‣⁃|*_\ufffe\uffff", None),
        **{chr(n): None for n in (*range(0x00, 0x20), *range(0x7F, 0xA0))},
        "…": "...",
    }
)
_DOTS = re.compile(r"\.{3,}")
_REPEATED = re.compile(r'(["-])\1+')
_LINE_END_HYPHEN = re.compile(r"^[-‐‑\u00ad¬](\s*)$")

_NEGATION_WORDS = """
    not no never nor neither none nobody nothing nowhere without cannot hardly scarcely barely nicht nichts kein keine
    keinem keinen keiner keines nie niemals niemand ohne kaum weder pas non jamais rien aucun aucune sans sin nunca nada
    niet geen nooit mai senza"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words and symbols of a text; between them are white space and punctuation."""
    for match in _WORD.finditer(text):
        yield match.span()


def fold(word: str) -> str:
    """Normalize a word for comparison: case, ligatures, invisible characters and kinds of apostrophes."""
    return fold_keeping_case(word).casefold()


def fold_keeping_case(word: str) -> str:
    """Normalize a word like `fold`, but preserve its case."""
    if word.isascii() and word.isprintable():
        return word.replace("`", "'")
    raised = _RAISED.sub("^", word)
    plain = unicodedata.normalize("NFKC", _WITHOUT_INVISIBLE.sub("", raised)).translate(_PLAIN_APOSTROPHE)
    return "-" + plain[1:] if plain[0] in "−–" else plain


@lru_cache(4096)
def punctuation(gap: str) -> str:
    """Normalize the text between two words: no white space, one kind of quotation mark and of dash."""
    if gap == " ":
        return ""
    folded = unicodedata.normalize("NFKC", _WITHOUT_INVISIBLE.sub("", gap).translate(_GAP_TABLE))
    folded = _DOTS.sub("…", "".join(folded.split()))
    folded = _REPEATED.sub(r"\1", folded)
    # Whether a comma comes before or after a closing quotation mark depends on the publisher.
    return "".join(sorted(folded)) if '"' in folded else folded


def is_hyphen(gap: str) -> bool:
    """Whether the text between two words is only a hyphen, optionally with a line end."""
    return _LINE_END_HYPHEN.match(gap) is not None


def is_function_word(word: str) -> bool:
    """Whether a folded word is a function word or a symbol, which says nothing about the subject."""
    return word in FUNCTION_WORDS or not any(c.isalnum() for c in word)


def is_negation(word: str) -> bool:
    """Whether a folded word negates."""
    return word in _NEGATIONS or word.endswith("n't")


def is_unspaced(word: str) -> bool:
    """Whether a word is a character of a script written without spaces."""
    return ord(word[0]) >= 0x0E00 and re.match(f"[{_UNSPACED}]", word) is not None
