"""Judges the text layer of a page: good, garbled or absent. Decides which pages need OCR."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from citeloom.conversion.pdf.raw_page import RawPage
from citeloom.core.text.stopwords import FREQUENT_WORDS

_SCAN_SHARE = 0.5  # of the page covered by pictures; with hardly any text it is a scan
_FEW_WORDS = 25  # such as a stamp, a page number, a line that a library added to the scan
_ENOUGH_LETTERS = 150  # to judge letters by their frequency
_ENOUGH_WORDS = 25  # distinct words, so that a watermark repeated a hundred times does not count
_ENOUGH_OF_A_SCRIPT = 20  # letters of a script needed to judge a text in it
# Characters in daily use, by the parts of the national standards that list them: nearly all of what is printed in
# Chinese, Japanese or Korean, but only a third of random characters (a fifth in Korean).
_DAILY_HAN = (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("euc_jp", 0xB0, 0xCF))
_DAILY_HANGUL = (("euc_kr", 0xB0, 0xC8),)
_MIN_DAILY_USE = 0.6  # share of characters in daily use below which a text is garbled
_MIXED_SCRIPTS = 0.2  # of adjacent letters within words that belong to two scripts, which no language has
_PUNCTUATION = set("!\"#$%&'*+/<=>?@\\^_`{|}~")
_IGNORED = "\ufffe\x02"  # pdfium's codes of a hyphen at the end of a line
_GLYPH_NAMES = re.compile(r"\(cid:\d+\)|GLYPH<|(?:/G\d+){2,}|(?:/uni[0-9A-F]{4}){2,}")
# Letter frequencies of English and German prose together; other languages in Latin script are closer to them than any
# shuffled alphabet.
_LETTERS = {
    "e": 15, "t": 7.5, "a": 7, "o": 5.5, "i": 7.5, "n": 8.5, "s": 6.5, "h": 5.5, "r": 6.5, "d": 4.7, "l": 3.8, "u": 3.4,
    "c": 2.9, "m": 2.5, "f": 2, "w": 2.1, "y": 1, "g": 2.5, "p": 1.4, "b": 1.7, "v": 0.9, "k": 1, "x": 0.1, "q": 0.1,
    "j": 0.2, "z": 0.6,
}  # fmt: skip
_SINGLE = "aàioyéeu&.·_"  # words of one character, and the lines of plots and tables of contents
_MIN_COMMON = 0.12  # share of frequent words in prose with formulas
_MAX_DAMAGED = 0.2  # share of words with unmapped letters
_MIN_LIKENESS = 0.72  # cosine; prose in Latin letters is above 0.85, shifted alphabets below 0.65
_COMMON_WORDS = FREQUENT_WORDS | {"não", "os", "uma"}  # Portuguese


# Formulas mix Greek and Latin letters, and text in East Asian scripts has Latin words without a space.
_MIXED_WITH_LATIN = dict.fromkeys(("GREEK", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"), "LATIN")


class TextLayer(StrEnum):
    """Quality of a text layer."""

    GOOD = "good"
    GARBLED = "garbled"  # not what is printed: OCR replaces it
    ABSENT = "absent"  # an image of text: OCR adds to the few words


def judge(page: RawPage) -> TextLayer:
    """Return the quality of a page's text layer."""
    text = page.raw_text
    words = len(page.words)
    if not words and not page.rotated_text.strip():
        return TextLayer.ABSENT if page.drawn else TextLayer.GOOD  # an empty page needs no OCR
    if is_garbled(text) or (page.has_ocr_text and _is_poor_ocr(text)):
        return TextLayer.GARBLED
    if page.picture_share >= _SCAN_SHARE and words < _FEW_WORDS and not page.has_ocr_text:
        return TextLayer.ABSENT
    return TextLayer.GOOD


def is_garbled(text: str) -> bool:
    """Return whether letters differ from the printed ones: unmapped glyphs, private characters, shuffled alphabet."""
    # Characters are counted once, and every distinct one judged once: this runs over all text of a document.
    characters = Counter({c: count for c, count in Counter(text).items() if not c.isspace()})
    total = characters.total()
    if total < 20:
        return False
    junk = sum(count for c, count in characters.items() if _is_junk(c)) + 6 * len(_GLYPH_NAMES.findall(text))
    if junk > 0.1 * total and not _is_readable(text):
        return True
    if _is_no_language(text, characters):
        return True
    letters: Counter[str] = Counter()
    for character, count in characters.items():
        for c in unicodedata.normalize("NFKD", character).casefold():
            if c.isalpha():
                letters[c] += count
    # Leaders of a table of contents and signs of formulas are normal; ASCII signs in place of letters are not.
    punctuation = sum(count for c, count in characters.items() if c in _PUNCTUATION)
    mostly_signs = punctuation > 0.3 * total and punctuation > 2 * letters.total()
    if total >= _ENOUGH_LETTERS and mostly_signs and not _is_readable(text):
        return True
    high = sum(count for c, count in characters.items() if "À" <= c <= "ÿ")
    if letters.total() >= 40 and high > 0.5 * letters.total():
        return True  # another alphabet read as Western European letters
    words = re.findall(r"[^\W\d_]+", text.casefold())
    latin = Counter({c: count for c, count in letters.items() if c in _LETTERS})
    if latin.total() < max(_ENOUGH_LETTERS, 0.8 * letters.total()) or len(set(words)) < _ENOUGH_WORDS:
        return False
    common = sum(word in _COMMON_WORDS for word in words)
    return _similarity_to_prose(latin) < _MIN_LIKENESS and common < 0.04 * len(words)


def _is_readable(text: str) -> bool:
    """Return whether a text is sentences in which only the signs of formulas, or lines to write on, are odd.

    Of 4,769 pages, those with letters that are not the printed ones have at most 9 % frequent words of two letters and
    more; pages with such signs have 13 % or more.
    """
    words = text.split()
    common = sum(len(word) > 1 and word.strip(".,;:()").casefold() in _COMMON_WORDS for word in words)
    if len(words) < _ENOUGH_WORDS or common < _MIN_COMMON * len(words):
        return False
    return sum(_is_damaged(word) for word in words) < _MAX_DAMAGED * len(words)


def _is_damaged(word: str) -> bool:
    """Return whether letters of a word are unmapped: between others, or three and more."""
    junk = [_is_junk(character) for character in word]
    inner = any(is_junk and word[at].isalpha() and word[at + 2].isalpha() for at, is_junk in enumerate(junk[1:-1]))
    return inner or sum(junk) > 2


def _is_junk(character: str) -> bool:
    if character in _IGNORED or "\uf8e0" <= character <= "\uf8fe":  # pieces of large brackets
        return False
    return character == "\ufffd" or unicodedata.category(character) in ("Co", "Cn", "Cs", "Cc")


def _is_no_language(text: str, characters: Counter[str]) -> bool:
    """Return whether the characters cannot be text in any language: codes of other letters or of glyphs."""
    if len({_script(c) for c in characters if c.isalnum() and not c.isdecimal()} - {""}) > 1:
        scripts = [[_script(c) for c in word] for word in re.findall(r"[^\W\d_]+", text)]
        pairs = [pair for word in scripts for pair in pairwise(filter(None, word))]
        if len(pairs) >= _ENOUGH_OF_A_SCRIPT and sum(a != b for a, b in pairs) > _MIXED_SCRIPTS * len(pairs):
            return True
    han = {c: count for c, count in characters.items() if "\u3400" <= c <= "\u9fff"}
    hangul = {c: count for c, count in characters.items() if "\uac00" <= c <= "\ud7a3"}
    for found, daily in ((han, _DAILY_HAN), (hangul, _DAILY_HANGUL)):
        total = sum(found.values())
        common = sum(count for c, count in found.items() if _in_daily_use(c, daily))
        if total >= _ENOUGH_OF_A_SCRIPT and common < _MIN_DAILY_USE * total:
            return True
    return False


@lru_cache(20_000)
def _script(character: str) -> str:
    """Return the script of a letter, with scripts mixed within words as one; empty for letters of any script."""
    if unicodedata.category(character) == "Lm":
        return ""
    script = unicodedata.name(unicodedata.normalize("NFKC", character)[0], "").partition(" ")[0]
    return _MIXED_WITH_LATIN.get(script, script)


@lru_cache(20_000)
def _in_daily_use(character: str, daily: tuple[tuple[str, int, int], ...]) -> bool:
    for standard, first, last in daily:
        with suppress(UnicodeEncodeError):
            if first <= character.encode(standard)[0] <= last:
                return True
    return False


def _similarity_to_prose(letters: Counter[str]) -> float:
    """Return the cosine similarity of the letter frequencies to those of prose."""
    product = sum(letters[c] * share for c, share in _LETTERS.items())
    lengths = math.hypot(*letters.values()) * math.hypot(*_LETTERS.values())
    return product / lengths if lengths else 0.0


def _is_poor_ocr(text: str) -> bool:
    """Return whether the OCR text of a scan is so poor that new OCR is better."""
    words = text.split()
    if len(words) < 30:
        return False
    single = sum(len(word) == 1 and not word.isdigit() and word.casefold() not in _SINGLE for word in words)
    mixed = sum(bool(re.search(r"[^\W\d_]\d[^\W\d_]|[^\w\s]{3,}|[a-z][A-Z][a-z]", word)) for word in words)
    return (single + mixed) > 0.2 * len(words)
