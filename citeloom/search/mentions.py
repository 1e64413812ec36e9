"""Finds the works and phrases that a question mentions: citekeys, authors and years, titles, quoted phrases.

Called by `search.query` to rank mentioned passages higher.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from citeloom.core.text.normalize import fold_for_search
from citeloom.index import filters as f
from citeloom.index.base import ScoredPoint

_BOOST = 0.5  # how far towards 1 the score of a mentioned passage is raised
_MIN_TITLE_SHARE = 0.5  # a smaller share of a title's words is a topic, not a mention
_MAX_NAME_WORDS = 8  # a longer question is not compared with titles and names
_MAX_WORDS = 40  # a longer question is a description without mentions
_MAX_PHRASES, _MAX_PHRASE = 4, 300

_PHRASE = re.compile(rf'["“”„«»]([^"“”„«»]{{3,{_MAX_PHRASE}}})["”“«»]')
_PUNCTUATION = "@[](){}<>,.;:?!'\"“”„«»‘’"
_KEY = re.compile(r"(?=\S*[^\W\d_])(?=\S*[\d_:])\S{4,}|\w*[a-z][A-Z]\w*")
_MAX_KEY = 200
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_AUTHOR_AND_YEAR = re.compile(rf"([^\W\d_]{{2,}})({_YEAR.pattern})[a-z]?")
_WORD = re.compile(r"\w+")
_NO_ACCENTS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_IGNORED_WORDS = {"and", "und", "et", "al", "y", "e", "by", "von"}


def _folded_words(text: str) -> list[str]:
    """Return the words of a text without case and accents, like the index."""
    return _WORD.findall(fold_for_search(text).translate(_NO_ACCENTS))


@dataclass(frozen=True, slots=True)
class Mentions:
    """Works and phrases that a question mentions."""

    citekeys: frozenset[str]
    years: frozenset[int]
    names: tuple[str, ...]  # words that may be an author's name next to a year
    words: tuple[str, ...]  # all words, which may be a title or names of authors
    phrases: tuple[str, ...]

    def condition(self) -> f.Condition | None:
        """Return the filter for passages that may be mentioned; `share` decides."""
        conditions: list[f.Condition] = [f.Words("chunk_text", phrase) for phrase in self.phrases]
        if self.citekeys:
            conditions.append(f.AnyOf("citekey", tuple(sorted(self.citekeys))))
        if self.years and self.names:
            author = f.Some(tuple(f.Words("authors", name) for name in self.names))
            conditions.append(f.Every((f.AnyOf("year", tuple(sorted(self.years))), author)))
        if 0 < len(self.words) <= _MAX_NAME_WORDS:
            conditions += [f.Words(field, " ".join(self.words)) for field in ("authors", "title")]
        return f.Some(tuple(conditions)) if conditions else None

    def boosted(self, hit: ScoredPoint) -> ScoredPoint:
        """Return the hit with a higher score if the question mentions it."""
        share = self.share(hit.payload)
        return replace(hit, score=round(hit.score + (1 - hit.score) * _BOOST * share, 4)) if share else hit

    def share(self, payload: dict[str, Any]) -> float:
        """Return how far a question mentions a passage, from 0 (not at all) to 1."""
        if payload.get("citekey") in self.citekeys:
            return 1.0
        authors = set(_folded_words(" ".join(payload.get("authors") or [])))
        if payload.get("year") in self.years and authors.intersection(self.names):
            return 1.0
        if self.words and authors.issuperset(self.words):
            return 1.0
        if self.phrases:
            text = f" {' '.join(_folded_words(str(payload.get('chunk_text', ''))))} "
            if any(f" {' '.join(_folded_words(phrase))} " in text for phrase in self.phrases):
                return 1.0
        title = set(_folded_words(payload.get("title") or "")) - _IGNORED_WORDS
        share = len(self.words) / len(title) if self.words and title.issuperset(self.words) else 0.0
        return share if share >= _MIN_TITLE_SHARE else 0.0


def find_mentions(question: str, current_key: Callable[[str], str | None]) -> Mentions:
    """Find what a question mentions; `current_key` maps a former citekey to the current one."""
    phrases = tuple(p for p in _PHRASE.findall(question) if _folded_words(p))[:_MAX_PHRASES]
    words = [word.strip(_PUNCTUATION) for word in question.split() if len(word) <= _MAX_KEY]
    if len(words) > _MAX_WORDS:
        return Mentions(frozenset(), frozenset(), (), (), phrases)
    keys = [word for word in words if word and (_KEY.fullmatch(word) or f"@{word}" in question or len(words) == 1)]
    joined = [match for word in words if (match := _AUTHOR_AND_YEAR.fullmatch(word))]
    years = {int(word[:4]) for word in words if re.fullmatch(rf"{_YEAR.pattern}[a-z]?", word)}
    names = [word for word in words if word[:1].isalpha() and not word[:1].islower()]
    return Mentions(
        citekeys=frozenset([*keys, *(current for key in keys if (current := current_key(key)))]),
        years=frozenset(years | {int(match[2]) for match in joined}),
        names=_names([*(match[1] for match in joined), *names]) or _names(word for word in words if len(word) > 2),
        words=tuple(dict.fromkeys(word for word in _folded_words(question) if word not in _IGNORED_WORDS)),
        phrases=phrases,
    )


def _names(words: Iterable[str]) -> tuple[str, ...]:
    parts = (part for word in words for part in _folded_words(word))
    return tuple(dict.fromkeys(name for name in parts if len(name) > 1 and name.isalpha()))
