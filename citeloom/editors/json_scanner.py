"""Parser for JSON with comments and trailing commas that keeps the position of each member. Used by `json_format`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from citeloom.editors.config_text import MalformedConfig

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_LITERAL = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_DEPTH = 200


def _refuse(constant: str) -> None:
    raise ValueError(constant)


_STANDARD_JSON = json.JSONDecoder(parse_constant=_refuse)  # NaN is not JSON


@dataclass
class Node:
    """A value and where it is in the text; of an object also its members."""

    start: int
    end: int
    value: Any
    members: list[Member] = field(default_factory=list)

    def member(self, key: str) -> Member | None:
        """Return the member that counts under a key: the last one."""
        return next((m for m in reversed(self.members) if m.key == key), None)


@dataclass
class Member:
    """A key of an object, with its value."""

    key: str
    start: int  # of the key
    node: Node
    comma: int | None = None  # index of the comma after it


def scan(text: str, servers_key: str, *, strict: bool) -> Node | None:
    """Parse a text, with its members and those of the object under one key; None if it is empty.

    Strict: comments and trailing commas are errors.
    """
    scanner = _Scanner(text, servers_key, strict)
    start = scanner.skip(0)
    if start == len(text):
        return None
    node = scanner.value(start, 0)
    rest = scanner.skip(node.end)
    if rest != len(text):
        raise scanner.error("something follows after the end", rest)
    return node


class _Scanner:
    def __init__(self, text: str, servers_key: str, strict: bool) -> None:
        self._text = text
        self._servers_key = servers_key
        self._strict = strict

    def error(self, reason: str, index: int) -> MalformedConfig:
        line = self._text.count("\n", 0, index) + 1
        return MalformedConfig(f"{reason} (line {line})")

    def skip(self, index: int) -> int:
        """Return the next index that is neither blank nor in a comment."""
        while True:
            index = _end(_BLANK, self._text, index)
            comment = _COMMENT.match(self._text, index)
            if not comment:
                return index
            if self._strict:
                raise self.error("comments are not allowed in it", index)
            index = comment.end()

    def value(self, index: int, depth: int) -> Node:
        first = self._text[index : index + 1]
        if depth > _MAX_DEPTH:
            raise self.error("it is nested too deeply", index)
        if first == "{":
            return self._object(index, depth)
        if first == "[":
            return self._array(index, depth)
        if first == '"':
            return self._string(index)
        literal = _LITERAL.match(self._text, index)
        if not literal:
            raise self.error("a value is missing or misspelt" if first else "it ends too early", index)
        return self._decoded(literal, "a number is too long")

    def _string(self, index: int) -> Node:
        found = _STRING.match(self._text, index)
        if not found:
            raise self.error("a text in quotation marks does not end", index)
        return self._decoded(found, "a text holds a wrong escape")

    def _decoded(self, found: re.Match[str], reason: str) -> Node:
        try:
            return Node(found.start(), found.end(), json.loads(found[0]))
        except ValueError:
            raise self.error(reason, found.start()) from None

    def _standard_json(self, index: int) -> Node | None:
        """Parse a value whose members do not matter, fast: a file may be megabytes. None if it is not standard JSON."""
        try:
            value, end = _STANDARD_JSON.raw_decode(self._text, index)
        except (ValueError, RecursionError):
            return None
        return Node(index, end, value)

    def _object(self, start: int, depth: int) -> Node:
        node = Node(start, start, {})
        index = self.skip(start + 1)
        while self._text[index : index + 1] != "}":
            if self._text[index : index + 1] != '"':
                raise self.error("a key in quotation marks was expected", index)
            key = self._string(index)
            colon = self.skip(key.end)
            if self._text[colon : colon + 1] != ":":
                raise self.error("a colon is missing", colon)
            begin = self.skip(colon + 1)
            standard = self._standard_json(begin) if depth == 0 and key.value != self._servers_key else None
            member = Member(key.value, index, standard or self.value(begin, depth + 1))
            node.members.append(member)
            # As programs read it: where a key comes twice, its last value is in force.
            node.value[member.key] = member.node.value
            index, member.comma = self._comma(member.node.end, "}")
        node.end = index + 1
        return node

    def _array(self, start: int, depth: int) -> Node:
        node = Node(start, start, [])
        index = self.skip(start + 1)
        while self._text[index : index + 1] != "]":
            item = self.value(index, depth + 1)
            node.value.append(item.value)
            index, _ = self._comma(item.end, "]")
        node.end = index + 1
        return node

    def _comma(self, index: int, closing: str) -> tuple[int, int | None]:
        """Return where the next member or the closing bracket is, and the index of the comma before it."""
        comma = self.skip(index)
        if self._text[comma : comma + 1] == closing:
            return comma, None
        if self._text[comma : comma + 1] != ",":
            raise self.error("a comma or a closing bracket is missing", comma)
        following = self.skip(comma + 1)
        if self._strict and self._text[following : following + 1] == closing:
            raise self.error("a comma stands before a closing bracket", comma)
        return following, comma


def _end(pattern: re.Pattern[str], text: str, index: int) -> int:
    found = pattern.match(text, index)
    return found.end() if found else index
