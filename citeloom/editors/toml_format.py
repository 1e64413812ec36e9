"""Putting an entry into TOML text, and taking it out, without touching anything else."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import tomlkit

from citeloom.editors.types import NAME, Malformed, Unsuited

# What a statement is made of, so that no bracket or line end inside a text or a comment counts.
_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|\n|[\[{]|[\]}]|[^"\'#\n\[\]{}]+',
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t\r\n]*")


class _Statement(NamedTuple):
    start: int
    end: int  # behind its line
    path: tuple[str, ...]  # from the top of the file
    header: bool


class TomlText:
    """Text of a TOML file."""

    def __init__(self, text: str, servers: str) -> None:
        self.text = text
        self._servers = servers
        self._newline = "\r\n" if "\r\n" in text else "\n"
        try:
            self._data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise Malformed(str(error) or "it is nested too deeply") from None
        if not isinstance(self._data.get(servers, {}), dict):
            raise Malformed(f"{servers} is not a table")

    def data(self) -> Mapping[str, Any]:
        """Everything in it."""
        return self._data

    def entry(self) -> Any | None:
        """Our entry."""
        return self._data.get(self._servers, {}).get(NAME)

    def rest(self) -> Any:
        """Everything but our entry."""
        table = {k: v for k, v in self._data.get(self._servers, {}).items() if k != NAME}
        without = {k: v for k, v in self._data.items() if k != self._servers}
        return {**without, self._servers: table} if table else without

    def put(self, entry: Mapping[str, Any]) -> str:
        """The text with our entry in it."""
        written = tomlkit.dumps({self._servers: {NAME: dict(entry)}}).replace("\n", self._newline)
        spans = self._spans()
        if not spans:
            return self._appended(self.text, written)
        first, end, in_place = spans[0]
        rest = self._cut(self.text, spans[1:])
        return rest[:first] + written + rest[end:] if in_place else self._appended(self._cut(rest, spans[:1]), written)

    def take(self) -> str:
        """The text without our entry."""
        return self._cut(self.text, [self._with_gap(span) for span in self._spans()])

    def _appended(self, text: str, written: str) -> str:
        if not text.strip(" \t\r\n"):
            return text + written
        ending = "" if text.endswith("\n") else self._newline
        return f"{text}{ending}{self._newline}{written}"

    @staticmethod
    def _cut(text: str, spans: list[tuple[int, int, bool]]) -> str:
        for start, end, _ in reversed(spans):
            text = text[:start] + text[end:]
        return text

    def _with_gap(self, span: tuple[int, int, bool]) -> tuple[int, int, bool]:
        """With the empty line before it, if that parts it from nothing any more."""
        start, end, table = span
        above = re.compile(r"(?<=\n)\r?\n$").search(self.text[:start])
        below = re.compile(r"\r?\n|$").match(self.text, end)
        return (above.start(), end, table) if table and above and below else span

    def _spans(self) -> list[tuple[int, int, bool]]:
        """Where our entry stands: from, to, and whether a table of its own begins there."""
        ours = (self._servers, NAME)
        found: list[tuple[int, int, bool]] = []
        joined = False
        for statement in self._statements():
            if statement.path[:2] != ours:
                joined = False
                continue
            apart = found and self.text[found[-1][1] : statement.start].strip()
            if joined and not (statement.header and apart):
                found[-1] = (found[-1][0], statement.end, True)
            else:
                found.append((statement.start, statement.end, statement.header))
                joined = statement.header
        if self.entry() is not None and not found:
            raise Unsuited(f"{self._servers} is written in one line")
        return found

    def _statements(self) -> Iterator[_Statement]:
        table: tuple[str, ...] = ()
        place = 0
        while place < len(self.text):
            line = self.text.rfind("\n", 0, _end(_SPACE, self.text, place)) + 1
            start = max(place, line)
            if _end(_SPACE, self.text, place) == len(self.text):
                return
            place, words = self._one(_end(_SPACE, self.text, place))
            if not words:
                continue
            header = words.startswith("[")
            own = _keys(tomllib.loads(words))
            table = own if header else table
            yield _Statement(start, place, own if header else (*table, *own), header)

    def _one(self, start: int) -> tuple[int, str]:
        """Behind the statement that begins at a place, and its words without the comment."""
        depth, words, place = 0, "", start
        while place < len(self.text):
            piece = _PIECE.match(self.text, place)
            if not piece:
                raise Unsuited("a statement could not be told from the next one")
            place = piece.end()
            if piece[0] == "\n" and depth == 0:
                break
            depth += (piece[0] in "[{") - (piece[0] in "]}")
            words += "" if piece[0].startswith("#") else piece[0]
        return place, words.strip()


def _keys(data: Any) -> tuple[str, ...]:
    """The keys that lead down into a table that holds one thing."""
    keys: list[str] = []
    while isinstance(data, dict) and len(data) == 1:
        ((key, data),) = data.items()
        keys.append(key)
        data = data[0] if isinstance(data, list) and len(data) == 1 else data
    return tuple(keys)


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place
