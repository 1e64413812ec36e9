"""CiteLoom's entry in TOML text: tomllib finds the statements, tomlkit writes the entry, the text is spliced.

Editing the tomlkit document itself breaks the golden files. Adding the entry to codex.before.toml puts it between the
comment "# Folders that I trust." and the table below that the comment is about; removing it from codex.after.toml
leaves an empty line behind and elsewhere deletes the comment above the next table, which tomlkit counts as part of
the entry; and in a file with Windows line ends the new lines end with a bare line feed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import tomlkit

from citeloom.editors.config_text import SERVER_NAME, ConfigText, MalformedConfig, UnsafeEdit

_LINE = re.compile(r".*\n|.+")  # unlike splitlines, which also splits at characters that may stand in a string
_END_OF_LONG_VALUE = re.compile(r'(?:"""|\'\'\'|[\]}])[ \t]*(?:#|\r?\n|\Z)')
_EMPTY_LINE_ABOVE = re.compile(r"(?<=\n)\r?\n\Z")
_EMPTY_LINE_BELOW = re.compile(r"\r?\n|\Z")


class _Span(NamedTuple):
    """A statement, or a table from its header to its last statement."""

    start: int
    end: int  # after its line
    path: tuple[str, ...]  # keys from the top of the file
    is_table: bool  # begins with a table header, not with a dotted key inside another table


class TomlText(ConfigText):
    """Text of a TOML file."""

    def __init__(self, text: str, servers_key: str) -> None:
        try:
            data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise MalformedConfig(str(error) or "it is nested too deeply") from None
        if not isinstance(data.get(servers_key, {}), dict):
            raise MalformedConfig(f"{servers_key} is not a table")
        super().__init__(text, servers_key, data)

    def with_entry(self, entry: Mapping[str, Any]) -> str:
        """Return the text with this entry added, or in place of the one that is there."""
        written = tomlkit.dumps({self.servers_key: {SERVER_NAME: dict(entry)}}).replace("\n", self._newline)
        spans = self._entry_spans()
        if spans and spans[0].is_table:
            shorter = _cut(self.text, spans[1:])
            return shorter[: spans[0].start] + written + shorter[spans[0].end :]
        text = _cut(self.text, spans)
        if not text.strip(" \t\r\n"):
            return text + written
        return self._with_line_end(text) + self._newline + written

    def without_entry(self) -> str:
        """Return the text without the entry."""
        return _cut(self.text, [self._with_empty_line(span) for span in self._entry_spans()])

    def _with_empty_line(self, span: _Span) -> _Span:
        """Extend a table over the empty line above it, unless that is needed to separate its neighbours."""
        above = _EMPTY_LINE_ABOVE.search(self.text[: span.start])
        below = _EMPTY_LINE_BELOW.match(self.text, span.end)
        return span._replace(start=above.start()) if span.is_table and above and below else span

    def _entry_spans(self) -> list[_Span]:
        spans: list[_Span] = []
        in_table = False  # the last span is a table that the next statement may belong to
        for statement in self._statements():
            if statement.path[:2] != (self.servers_key, SERVER_NAME):
                in_table = False
                continue
            # A comment between two tables is about the second one: it stays, and parts the span.
            commented = spans and self.text[spans[-1].end : statement.start].strip()
            if in_table and not (statement.is_table and commented):
                spans[-1] = spans[-1]._replace(end=statement.end)
            else:
                spans.append(statement)
                in_table = statement.is_table
        if self.entry is not None and not spans:
            raise UnsafeEdit(f"{self.servers_key} is written in one line")
        return spans

    def _statements(self) -> Iterator[_Span]:
        """Split the text: lines are joined until they parse, because only whole statements do."""
        table: tuple[str, ...] = ()
        start = 0
        for line in _LINE.finditer(self.text):
            if start < line.start() and not _END_OF_LONG_VALUE.search(line[0]):
                continue  # no use in parsing: done at every line of a long value that would take quadratic time
            statement = self.text[start : line.end()]
            try:
                path = _only_path(tomllib.loads(statement))
            except tomllib.TOMLDecodeError:
                continue
            if path:
                is_table = statement.lstrip().startswith("[")
                table = path if is_table else table
                yield _Span(start, line.end(), path if is_table else (*table, *path), is_table)
            start = line.end()


def _cut(text: str, spans: list[_Span]) -> str:
    for span in reversed(spans):
        text = text[: span.start] + text[span.end :]
    return text


def _only_path(data: Any) -> tuple[str, ...]:
    """Return the keys that lead down through tables with a single key."""
    path: list[str] = []
    while isinstance(data, dict) and len(data) == 1:
        ((key, data),) = data.items()
        path.append(key)
        data = data[0] if isinstance(data, list) and len(data) == 1 else data
    return tuple(path)
