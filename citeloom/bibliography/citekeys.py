"""Generates citekeys like Better BibTeX by default: `auth.lower + shorttitle(3,3) + year`. Used by imports.

A generated key should be the one that the researcher gets on installing Better BibTeX later, so the omitted words and
the handling of names and hyphens are those of Better BibTeX.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import count

from citeloom.core.text.numerals import to_letters

_SKIPPED_WORDS = {
    "a", "ab", "aboard", "about", "above", "across", "after", "against", "al", "along", "amid", "among",
    "an", "and", "anti", "around", "as", "at", "before", "behind", "below", "beneath", "beside", "besides",
    "between", "beyond", "but", "by", "d", "da", "das", "de", "del", "dell", "dello", "dei", "degli",
    "della", "delle", "dem", "den", "der", "des", "despite", "die", "do", "down", "du", "during", "ein",
    "eine", "einem", "einen", "einer", "eines", "el", "en", "et", "except", "for", "from", "gli", "i", "il",
    "in", "inside", "into", "is", "l", "la", "las", "le", "les", "like", "lo", "los", "near", "nor", "of",
    "off", "on", "onto", "or", "over", "past", "per", "plus", "round", "save", "since", "so", "some", "sur",
    "than", "the", "through", "to", "toward", "towards", "un", "una", "unas", "under", "underneath", "une",
    "unlike", "uno", "unos", "until", "up", "upon", "versus", "via", "von", "while", "with", "within",
    "without", "yet", "zu", "zum",
}  # fmt: skip

# Letters that Unicode does not decompose into a plain letter and an accent.
_PLAIN = str.maketrans(
    {
        **{"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l"},
        **{"Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ı": "i", "ħ": "h"},
    }
)
_MARKUP = re.compile(r"</?(?:i|b|sc|sub|sup|nc|code|span)\b[^>]*>", re.IGNORECASE)
_ELISION = re.compile(r"\b(?:[dl]|qu)['’](?=\w)", re.IGNORECASE)
_TITLE_WORDS = 3
# A title without spaces or a committee's full name must not give a key that nobody can type.
_MAX_WORD_LENGTH = 40


def make_citekey(
    authors: Sequence[str], year: int | None, title: str, is_taken: Callable[[str], bool], *, stem: str = ""
) -> str:
    """Return a citekey that is not taken; `stem`, the file's name, is used without author and title."""
    family = _plain(authors[0].partition(",")[0]).lower()[:_MAX_WORD_LENGTH] if authors else ""
    short_title = "".join(word[0].upper() + word[1:] for word in _significant_words(title)[:_TITLE_WORDS])
    work = family + short_title or _plain(stem)[:_MAX_WORD_LENGTH] or "untitled"
    key = work + (str(year) if year is not None else "")
    if not is_taken(key):
        return key
    return next(made for suffix in map(to_letters, count(1)) if not is_taken(made := key + suffix))


def _plain(text: str) -> str:
    """Return the text as ASCII letters and digits; other characters are omitted."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return re.sub(r"[^A-Za-z0-9]", "", decomposed)


def _significant_words(title: str) -> list[str]:
    # A slash or colon separates words, a hyphen or apostrophe does not ("Pre-training" gives Pretraining).
    text = _ELISION.sub("", _MARKUP.sub("", title))
    words = [plain for word in re.split(r"[\s/:–—]+", text) if (plain := _plain(word)[:_MAX_WORD_LENGTH])]
    significant = [w for w in words if w.lower() not in _SKIPPED_WORDS and (len(w) > 1 or w.isdigit())]
    return significant or words
