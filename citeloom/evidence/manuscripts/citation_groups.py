"""Splits a bracket with several citekeys into citations with prefix, locator and suffix. Used by the readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from citeloom.evidence.manuscripts.locators import parse_locator
from citeloom.evidence.manuscripts.types import Citation, Span

_BRACES = re.compile(r",?\s{0,20}\{(?P<inside>[^{}]{0,500})\}")


@dataclass(frozen=True, slots=True)
class Key:
    """A citekey in a piece of a manuscript, with its markup."""

    text: str
    start: int  # of the key without its markup
    begin: int  # including its markup
    end: int
    suppress_author: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a manuscript that contains citekeys."""

    text: str
    start: int  # offset in the manuscript

    def citations(
        self, keys: Sequence[Key], start: int, end: int, group: int, *, in_text: bool = False
    ) -> list[Citation]:
        """Return the citations of a bracket from start to end, separated by semicolons."""
        cited = []
        for key, following in zip_longest(keys, keys[1:]):
            last = following.begin if following else end
            semicolon = self.text.rfind(";", key.end, last) if following else -1
            last = semicolon if semicolon >= 0 else last
            cited.append(self.citation(key, start, key.end, last, group, in_text=in_text))
            start = last + (semicolon >= 0)
        return cited

    def citation(self, key: Key, before: int, start: int, end: int, group: int, *, in_text: bool = False) -> Citation:
        """Return one citation: the prefix is from `before` to the key, locator and suffix from start to end."""
        following = self.text[start:end].replace("\0", " ")
        braces = _BRACES.match(following)
        if braces:  # text in braces is always the locator
            found = parse_locator(braces["inside"], self.start + start + braces.start("inside"))
            locator, suffix = braces["inside"].strip(), following[braces.end() :].rstrip()
        else:
            found = parse_locator(following, self.start + start)
            locator, suffix = found.locator, found.suffix
        return Citation(
            key.text,
            Span(self.start + key.start, self.start + key.start + len(key.text)),
            group,
            prefix=" ".join(self.text[before : key.begin].replace("\0", " ").split()).rstrip(" ;"),
            locator=locator,
            pages=found.pages,
            pages_span=found.span,
            suffix=suffix if suffix.strip(" ,;") else "",
            suppress_author=key.suppress_author,
            in_text=in_text,
        )
