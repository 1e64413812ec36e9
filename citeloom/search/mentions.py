"""What a question names: a work by its citekey, its author and year or its title, or a phrase in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from citeloom.core.text.normalize import fold_for_search
from citeloom.index import filters as f
from citeloom.index.base import Hit

_LIFT = 0.5  # how far to 1 a passage is lifted that the question names
_SHARE_OF_TITLE = 0.5  # less of a title is a topic
_SHORT = 8  # words: works are looked for by them; what says more is found by what it says
_MOST_WORDS = 40  # a longer question describes, and names nothing
_MOST_PHRASES, _LONGEST_PHRASE = 4, 300

_PHRASE = re.compile(rf'["“”„«»]([^"“”„«»]{{3,{_LONGEST_PHRASE}}})["”“«»]')
_AROUND = "@[](){}<>,.;:?!'\"“”„«»‘’"
_KEY = re.compile(r"(?=\S*[^\W\d_])(?=\S*[\d_:])\S{4,}|\w*[a-z][A-Z]\w*")
_LONGEST_KEY = 200
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_AUTHOR_AND_YEAR = re.compile(rf"([^\W\d_]{{2,}})({_YEAR.pattern})[a-z]?")
_WORD = re.compile(r"\w+")
_NO_ACCENTS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_BETWEEN_NAMES = {"and", "und", "et", "al", "y", "e", "by", "von"}


def _folded(text: str) -> list[str]:
    """The words of a text without case and accents, as the index compares them."""
    return _WORD.findall(fold_for_search(text).translate(_NO_ACCENTS))


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question names."""

    citekeys: frozenset[str]
    years: frozenset[int]
    names: tuple[str, ...]  # words that may be an author's name beside a year
    words: tuple[str, ...]  # all of them, which may be a title or names of authors
    phrases: tuple[str, ...]

    def condition(self) -> f.Condition | None:
        """What passages must fit to be looked at; `lifted` decides."""
        some: list[f.Condition] = [f.Words("chunk_text", phrase) for phrase in self.phrases]
        if self.citekeys:
            some.append(f.AnyOf("citekey", tuple(sorted(self.citekeys))))
        if self.years and self.names:
            author = f.Some(tuple(f.Words("authors", name) for name in self.names))
            some.append(f.Every((f.AnyOf("year", tuple(sorted(self.years))), author)))
        if 0 < len(self.words) <= _SHORT:
            some += [f.Words(field, " ".join(self.words)) for field in ("authors", "title")]
        return f.Some(tuple(some)) if some else None

    def lifted(self, hit: Hit) -> Hit:
        """A hit with its score as far nearer to 1 as the question names its work or its words."""
        share = self.share(hit.payload)
        return Hit(hit.id, round(hit.score + (1 - hit.score) * _LIFT * share, 4), hit.payload) if share else hit

    def share(self, payload: dict[str, Any]) -> float:
        """How much of what a passage is known by the question names: 0 where it names something else, or nothing."""
        if payload.get("citekey") in self.citekeys:
            return 1.0
        authors = set(_folded(" ".join(payload.get("authors") or [])))
        if payload.get("year") in self.years and authors.intersection(self.names):
            return 1.0
        if self.words and authors.issuperset(self.words):
            return 1.0
        if self.phrases:
            text = f" {' '.join(_folded(str(payload.get('chunk_text', ''))))} "
            if any(f" {' '.join(_folded(phrase))} " in text for phrase in self.phrases):
                return 1.0
        title = set(_folded(payload.get("title") or "")) - _BETWEEN_NAMES
        share = len(self.words) / len(title) if self.words and title.issuperset(self.words) else 0.0
        return share if share >= _SHARE_OF_TITLE else 0.0


def named(question: str, todays_key: Callable[[str], str | None]) -> Mentions:
    """What a question names; `todays_key` knows what a citekey of before is called now."""
    phrases = tuple(p for p in _PHRASE.findall(question) if _folded(p))[:_MOST_PHRASES]
    said = [word.strip(_AROUND) for word in question.split() if len(word) <= _LONGEST_KEY]
    if len(said) > _MOST_WORDS:
        return Mentions(frozenset(), frozenset(), (), (), phrases)
    keys = [word for word in said if word and (_KEY.fullmatch(word) or f"@{word}" in question or len(said) == 1)]
    joined = [match for word in said if (match := _AUTHOR_AND_YEAR.fullmatch(word))]
    years = {int(word[:4]) for word in said if re.fullmatch(rf"{_YEAR.pattern}[a-z]?", word)}
    names = [word for word in said if word[:1].isalpha() and not word[:1].islower()]
    return Mentions(
        citekeys=frozenset([*keys, *(now for key in keys if (now := todays_key(key)))]),
        years=frozenset(years | {int(match[2]) for match in joined}),
        names=_names([*(match[1] for match in joined), *names]) or _names(word for word in said if len(word) > 2),
        words=tuple(dict.fromkeys(word for word in _folded(question) if word not in _BETWEEN_NAMES)),
        phrases=phrases,
    )


def _names(words: Iterable[str]) -> tuple[str, ...]:
    parts = (part for word in words for part in _folded(word))
    return tuple(dict.fromkeys(name for name in parts if len(name) > 1 and name.isalpha()))
