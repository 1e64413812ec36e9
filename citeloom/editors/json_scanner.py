"""JSON with its places: what stands where in a text that may hold comments and trailing commas."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from citeloom.editors.types import Malformed

_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DEEPEST = 200


def _no_number(word: str) -> None:
    raise ValueError(word)


_PLAIN_JSON = json.JSONDecoder(parse_constant=_no_number)  # NaN is not JSON


@dataclass
class Node:
    """A value and its place; of an object also its members."""

    start: int
    end: int
    value: Any
    members: list[Member] = field(default_factory=list)
    trailing_comma: int | None = None  # place of the comma after the last member

    def member(self, key: str) -> Member | None:
        """The member that counts under a key: the last one."""
        return next((m for m in reversed(self.members) if m.key == key), None)


@dataclass
class Member:
    """A key of an object, with its value."""

    key: str
    start: int  # of the key
    node: Node
    comma: int | None = None  # place of the comma behind it


def scan(text: str, inside: str, *, strict: bool) -> Node | None:
    """The value of a text with the places of its members and of those under one key; None if it holds none.

    Strict: comments and trailing commas are faults.
    """
    scanner = _Scanner(text, inside, strict)
    start = scanner.skip(0)
    if start == len(text):
        return None
    node = scanner.value(start, 0)
    rest = scanner.skip(node.end)
    if rest != len(text):
        raise scanner.fault("something follows after the end", rest)
    return node


class _Scanner:
    def __init__(self, text: str, inside: str, strict: bool) -> None:
        self._text = text
        self._inside = inside
        self._strict = strict

    def fault(self, what: str, place: int) -> Malformed:
        line = self._text.count("\n", 0, place) + 1
        return Malformed(f"{what} (line {line})")

    def skip(self, place: int) -> int:
        """The next place that is neither blank nor in a comment."""
        while True:
            place = _end(_BLANK, self._text, place)
            comment = _COMMENT.match(self._text, place)
            if not comment:
                return place
            if self._strict:
                raise self.fault("comments are not allowed in it", place)
            place = comment.end()

    def value(self, place: int, depth: int) -> Node:
        first = self._text[place : place + 1]
        if depth > _DEEPEST:
            raise self.fault("it is nested too deeply", place)
        if first == "{":
            return self._object(place, depth)
        if first == "[":
            return self._array(place, depth)
        if first == '"':
            return self._string(place)
        plain = _PLAIN.match(self._text, place)
        if not plain:
            raise self.fault("a value is missing or misspelt" if first else "it ends too early", place)
        return self._decoded(plain, "a number is too long")

    def _string(self, place: int) -> Node:
        found = _STRING.match(self._text, place)
        if not found:
            raise self.fault("a text in quotation marks does not end", place)
        return self._decoded(found, "a text holds a wrong escape")

    def _decoded(self, found: re.Match[str], otherwise: str) -> Node:
        try:
            return Node(found.start(), found.end(), json.loads(found[0]))
        except ValueError:
            raise self.fault(otherwise, found.start()) from None

    def _whole(self, place: int) -> Node | None:
        """A value of no interest, read as a whole: such a file may be megabytes. None if it is not plain JSON."""
        try:
            value, end = _PLAIN_JSON.raw_decode(self._text, place)
        except (ValueError, RecursionError):
            return None
        return Node(place, end, value)

    def _object(self, place: int, depth: int) -> Node:
        node = Node(place, place, {})
        at = self.skip(place + 1)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                raise self.fault("a key in quotation marks was expected", at)
            key = self._string(at)
            colon = self.skip(key.end)
            if self._text[colon : colon + 1] != ":":
                raise self.fault("a colon is missing", colon)
            begin = self.skip(colon + 1)
            known = self._whole(begin) if depth == 0 and key.value != self._inside else None
            member = Member(key.value, at, known or self.value(begin, depth + 1))
            node.members.append(member)
            # As programs read it: where a key comes twice, its last value is in force.
            node.value[member.key] = member.node.value
            at, member.comma = self._comma(member.node.end, "}")
            node.trailing_comma = member.comma
        node.end = at + 1
        return node

    def _array(self, place: int, depth: int) -> Node:
        node = Node(place, place, [])
        at = self.skip(place + 1)
        while self._text[at : at + 1] != "]":
            item = self.value(at, depth + 1)
            node.value.append(item.value)
            at, _ = self._comma(item.end, "]")
        node.end = at + 1
        return node

    def _comma(self, place: int, closing: str) -> tuple[int, int | None]:
        """Where it goes on behind a value, and where its comma stands."""
        at = self.skip(place)
        if self._text[at : at + 1] == closing:
            return at, None
        if self._text[at : at + 1] != ",":
            raise self.fault("a comma or a closing bracket is missing", at)
        following = self.skip(at + 1)
        if self._strict and self._text[following : following + 1] == closing:
            raise self.fault("a comma stands before a closing bracket", at)
        return following, at


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place
