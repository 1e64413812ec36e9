"""BM25 vectors by language, and language detection by stop words. Nothing is downloaded: Qdrant Edge brings them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import SparseVector
from citeloom.index.edge.collection import Bm25

ENGLISH = "en"  # for texts of unknown language, and for indexes made before languages were detected
LANGUAGES = {
    "ar": "arabic", "az": "azerbaijani", "eu": "basque", "bn": "bengali", "ca": "catalan", "zh": "chinese",
    "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german", "el": "greek",
    "he": "hebrew", "hu": "hungarian", "id": "indonesian", "it": "italian", "ja": "japanese", "kk": "kazakh",
    "ne": "nepali", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sl": "slovene",
    "es": "spanish", "sv": "swedish", "tg": "tajik", "tr": "turkish",
}  # fmt: skip

_WORD = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")
_KANA, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\u4e00-\u9fff]")
_MAX_CHARS = 20_000  # characters of a text that are enough for detection
_MIN_WORDS = 4  # stop words of a language, and their share of a text
_MIN_SHARE = 0.15
_MIN_LEAD = 1.15  # required lead over the second language
_MAX_WORD_LENGTH = 30


def code_of(language: str) -> str:
    """Return the code of a language that the settings name, such as "german" or "de"."""
    wanted = language.strip().lower()
    for code, name in LANGUAGES.items():
        if wanted in (code, name):
            return code
    raise CiteLoomError(
        Code.INVALID_INPUT,
        f"There are no stop words for the language '{language}'.",
        f'Write models.language = "auto", or one of: {", ".join(sorted(LANGUAGES.values()))}.',
    )


def stemmed_as(language: str) -> str:
    """Return the language of the stemmer for a text: its own if supported, else English."""
    return language if language in LANGUAGES else ENGLISH


def passage_vector(text: str, language: str) -> SparseVector:
    """Return the BM25 vector of a passage."""
    return _bm25(stemmed_as(language)).passage(text)


def question_vector(text: str, languages: Iterable[str]) -> SparseVector:
    """Return the BM25 vector of a question, with the stems of each language of the documents.

    Stop words of the question's own language are removed for all of them: in others they would be rare words.
    """
    codes = sorted({ENGLISH, *map(stemmed_as, languages)})
    weights: dict[int, float] = {}
    stop_words = _stop_words(text, codes) if len(codes) > 1 else ""
    for code in codes:
        found = _bm25(code).query(text)
        left_out = set(_bm25(code).query(stop_words).indices) if stop_words else set()
        weights |= {at: value for at, value in zip(found.indices, found.values, strict=True) if at not in left_out}
    return SparseVector(list(weights), list(weights.values()))


def detect(text: str) -> str:
    """Return the language of a text, such as "de"; "" where its stop words do not decide.

    Measured on sentences of interfaces in 33 languages: 3 of 100 texts of 100 words got a wrong one of those that have
    stems, and 79 the right one; running prose has more common words, so that one sentence is enough.
    """
    text = text[:_MAX_CHARS]
    letters = len(_LETTER.findall(text))
    if len(_KANA.findall(text)) > letters / 10:
        return "ja"
    if len(_HAN.findall(text)) > letters / 3:
        return "zh"
    words = [word for word in _WORD.findall(text.lower()) if len(word) <= _MAX_WORD_LENGTH]
    count, weight = Counter[str](), Counter[str]()
    for word in words:
        known = _stop_word_languages(word)
        for code in known:
            count[code] += 1
            weight[code] += 1 / len(known)  # type: ignore[assignment]
    (first, most), (_, second) = [*weight.most_common(2), ("", 0), ("", 0)][:2]
    certain = count[first] >= max(_MIN_WORDS, _MIN_SHARE * len(words)) and most >= _MIN_LEAD * second
    return first if certain else ""


def _stop_words(text: str, codes: Sequence[str]) -> str:
    """Return the stop words of a question in its most likely language; none where two languages fit equally."""
    words = set(_WORD.findall(text.lower()))
    stop_words = {code: [word for word in words if code in _stop_word_languages(word)] for code in codes}
    first, second = sorted(stop_words.values(), key=len, reverse=True)[:2]
    return " ".join(first) if len(first) > len(second) else ""


@lru_cache(maxsize=20_000)
def _stop_word_languages(word: str) -> tuple[str, ...]:
    """Return the languages in which a word is a stop word."""
    return tuple(code for code in LANGUAGES if not _bm25(code).query(word).indices)


@cache
def _bm25(code: str) -> Bm25:
    return Bm25(LANGUAGES[code])
