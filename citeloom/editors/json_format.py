"""Putting an entry into JSON text, and taking it out, without touching anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from citeloom.editors.json_scanner import Node, scan
from citeloom.editors.types import NAME, Malformed

_BLANK = " \t\r\n"
_REST_OF_LINE = re.compile(r"(?:[ \t]|/\*(?:(?!\*/)[^\r\n])*\*/)*(?://[^\r\n]*)?(?=\r?\n|$)")
_LINE_COMMENT = re.compile(r"//[^\r\n]*$")


class JsonText:
    """Text of a JSON file; strict, if its program reads no comments."""

    def __init__(self, text: str, servers: str, *, strict: bool) -> None:
        self.text = text
        self._servers = servers
        self._strict = strict
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._root = scan(text, servers, strict=strict)
        if self._root is not None and not isinstance(self._root.value, dict):
            raise Malformed("it holds no object in curly brackets")
        table = self._root.member(servers) if self._root else None
        if table and not isinstance(table.node.value, dict):
            raise Malformed(f"{servers} is not an object in curly brackets")
        self._table = table.node if table else None

    def data(self) -> Mapping[str, Any]:
        """Everything in it."""
        return self._root.value if self._root else {}

    def entry(self) -> Any | None:
        """Our entry."""
        return self._table.value.get(NAME) if self._table else None

    def rest(self) -> Any:
        """Everything but our entry."""
        table = {k: v for k, v in self.data().get(self._servers, {}).items() if k != NAME}
        return {**self.data(), self._servers: table} if table else _without(self.data(), self._servers)

    def put(self, entry: Mapping[str, Any]) -> str:
        """The text with our entry in it."""
        if self._root is None:
            begun = self.text and not self.text.endswith("\n")
            whole = _written({self._servers: {NAME: entry}}, "", "  ", self._newline)
            return f"{self.text}{self._newline if begun else ''}{whole}{self._newline}"
        if self._table is None:
            return self._insert(self._root, self._servers, {NAME: entry})
        here = self._table.member(NAME)
        if here is None:
            return self._insert(self._table, NAME, entry)
        indent = self._own_line(here.start)
        return self._spliced((here.node.start, here.node.end, self._value(entry, indent)))

    def take(self) -> str:
        """The text without our entry."""
        table = self._table
        numbers = [n for n, member in enumerate(table.members) if member.key == NAME] if table else []
        if table is None or not numbers:
            return self.text
        shorter = self._remove(table, numbers[-1])
        # A key that came twice: the other one would be in force now.
        return JsonText(shorter, self._servers, strict=self._strict).take()

    # -- inserting -------------------------------------------------------------------------------------------

    def _insert(self, into: Node, key: str, value: Any) -> str:
        last = into.members[-1] if into.members else None
        indent = self._own_line(last.start) if last else self._first_indent(into)
        written = f"{json.dumps(key)}: {self._value(value, indent)}"
        if last is None:
            return self._fill(into, written, indent)
        before = "" if into.trailing_comma is not None else ","
        after = "," if into.trailing_comma is not None else ""
        end = last.node.end if into.trailing_comma is None else into.trailing_comma + 1
        if indent is None:
            return self._spliced((end, end, f"{before} {written}{after}"))
        comments = _REST_OF_LINE.match(self.text, end)  # what is said there of the one before stays with it
        line_end = comments.end() if comments else end
        return self._spliced((end, end, before), (line_end, line_end, f"{self._newline}{indent}{written}{after}"))

    def _fill(self, empty: Node, written: str, indent: str | None) -> str:
        opened, closed = empty.start + 1, empty.end - 1
        if indent is None:
            return self._spliced((opened, opened, written))
        inside = self.text[opened:closed]
        first_line = _REST_OF_LINE.match(self.text, opened)
        place = first_line.end() if first_line else opened
        if "\n" in inside and place < closed:
            return self._spliced((place, place, f"{self._newline}{indent}{written}"))
        outer = self._line_indent(empty.start)
        if inside.strip(_BLANK):  # a comment, in one line with both brackets
            return self._spliced((closed, closed, f"{self._newline}{indent}{written}{self._newline}{outer}"))
        return self._spliced((opened, closed, f"{self._newline}{indent}{written}{self._newline}{outer}"))

    def _first_indent(self, empty: Node) -> str | None:
        """How far the first member of an object is moved in; None: everything stands in one line."""
        if "\n" not in self.text.strip(_BLANK) and empty is not self._root:
            return None
        return self._line_indent(empty.start) + self._unit()

    def _unit(self) -> str:
        """How far this file moves things in."""
        if self._root is not None:
            outer = self._line_indent(self._root.start)
            for member in self._root.members:
                indent = (self._own_line(member.start) or "").removeprefix(outer)
                if indent:
                    return indent
        return "  "

    def _value(self, value: Any, indent: str | None) -> str:
        return _written(value, indent, self._unit(), self._newline)

    def _line_indent(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _own_line(self, place: int) -> str | None:
        """The blanks before a place, if nothing else stands before it in its line."""
        begin = self.text.rfind("\n", 0, place) + 1
        line = self.text[begin:place]
        return line if begin and not line.strip(" \t") else None

    # -- removing --------------------------------------------------------------------------------------------

    def _remove(self, table: Node, number: int) -> str:
        member, text = table.members[number], self.text
        start, end = member.start, member.node.end if member.comma is None else member.comma + 1
        blank = _line_begin(text, start)
        if self._keeps_its_line(table, number, blank, end):
            blank = start
        if len(table.members) == 1 and not text[table.start + 1 : blank].strip(_BLANK):
            inner = text[end : table.end - 1]
            if not inner.strip(_BLANK):
                return self._spliced((table.start + 1, table.end - 1, ""))
        before = table.members[number - 1] if number else None
        if before is not None and before.comma is not None and member.comma is None:
            return self._spliced((before.comma, before.comma + 1, ""), (blank, end, ""))
        return self._spliced((blank, end, ""))

    def _keeps_its_line(self, table: Node, number: int, blank: int, end: int) -> bool:
        """Whether what follows would be drawn into a comment that ends with its line."""
        since = table.members[number - 1].node.end if number else table.start + 1
        line = self.text[max(since, self.text.rfind("\n", 0, blank) + 1) : blank]
        follows = re.compile(r"[ \t]*(\r?\n|$)").match(self.text, end)
        return bool(_LINE_COMMENT.search(line)) and not follows

    def _spliced(self, *edits: tuple[int, int, str]) -> str:
        parts, at = [], 0
        for start, end, new in edits:
            parts += [self.text[at:start], new]
            at = end
        return "".join([*parts, self.text[at:]])


def _line_begin(text: str, place: int) -> int:
    """Where the blanks before a place begin, with the end of the line above."""
    while text[place - 1 : place] in (" ", "\t"):
        place -= 1
    if text[place - 1 : place] == "\n":
        place -= 2 if text[place - 2 : place] == "\r\n" else 1
    return place


def _written(value: Any, indent: str | None, unit: str, newline: str) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + indent)


def _without(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k != key}
