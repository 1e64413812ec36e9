"""CiteLoom's entry in JSON text, with or without comments: the json module parses it, the text is spliced."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from citeloom.editors.config_text import SERVER_NAME, ConfigText, MalformedConfig

_BLANK = " \t\r\n"
_BLANKS = re.compile(r"[ \t\r\n]*")
_STRING = r'"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*"'
# Group 1 is what standard JSON does not allow. A string that does not end is skipped with all that follows it.
_COMMENT = re.compile(rf'{_STRING}|(//[^\r\n]*|/\*(?s:.*?)\*/)|"(?s:.*)')
_TRAILING_COMMA = re.compile(rf"{_STRING}|[\[{{][ \t\r\n]*,|(,)(?=[ \t\r\n]*[\]}}])")
# Blanks and comments up to the end of the line, if nothing else is there.
_REST_OF_LINE = re.compile(r"(?:[ \t]|/\*(?:(?!\*/)[^\r\n])*\*/)*(?://[^\r\n]*)?(?=\r?\n|$)")
_LINE_COMMENT = re.compile(r"//[^\r\n]*$")
_LINE_END = re.compile(r"[ \t]*(\r?\n|$)")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


@dataclass
class _Member:
    """A key of an object, and where it and its value are in the text."""

    key: str
    start: int  # of the key
    value_start: int
    end: int  # of the value
    comma: int | None  # index of the comma after it


@dataclass
class _Object:
    """Where an object is in the text, and its members."""

    start: int
    end: int
    members: list[_Member]

    def member(self, key: str) -> _Member | None:
        """Return the member that counts under a key: the last one."""
        return next((m for m in reversed(self.members) if m.key == key), None)


class JsonText(ConfigText):
    """Text of a JSON file; strict if its program reads neither comments nor trailing commas."""

    def __init__(self, text: str, servers_key: str, *, strict: bool) -> None:
        self._strict = strict
        self._without_comments = text if strict else _blank_out(_COMMENT, text)
        self._plain = text if strict else _blank_out(_TRAILING_COMMA, self._without_comments)
        data = self._decoded()
        super().__init__(text, servers_key, data)
        if not isinstance(data.get(servers_key, {}), dict):
            raise MalformedConfig(f"{servers_key} is not an object in curly brackets")
        self._root = self._object(_skip(_BLANKS, self._plain, 0)) if self._plain.strip(_BLANK) else None
        servers = self._root.member(servers_key) if self._root else None
        self._servers = self._object(servers.value_start) if servers else None

    def _decoded(self) -> dict[str, Any]:
        if not self._plain.strip(_BLANK):
            return {}
        try:
            data = _DECODER.decode(self._plain)
        except RecursionError:
            raise MalformedConfig("it is nested too deeply") from None
        except json.JSONDecodeError as error:
            is_comment = self._strict and error.doc.startswith(("//", "/*"), error.pos)
            reason = "comments are not allowed" if is_comment else error.msg.rstrip(": ")
            raise MalformedConfig(f"{reason} (line {error.lineno})") from None
        except ValueError as error:
            raise MalformedConfig(str(error)) from None
        if not isinstance(data, dict):
            raise MalformedConfig("it contains no object in curly brackets")
        return data

    def _object(self, start: int) -> _Object:
        """Return the object that begins at an index."""
        members: list[_Member] = []
        index = _skip(_BLANKS, self._plain, start + 1)
        while self._plain[index] != "}":
            key, key_end = _DECODER.raw_decode(self._plain, index)
            value_start = _skip(_BLANKS, self._plain, _skip(_BLANKS, self._plain, key_end) + 1)
            _, end = _DECODER.raw_decode(self._plain, value_start)
            following = _skip(_BLANKS, self._without_comments, end)
            comma = following if self._without_comments[following] == "," else None
            members.append(_Member(key, index, value_start, end, comma))
            index = _skip(_BLANKS, self._plain, following if comma is None else comma + 1)
        return _Object(start, index + 1, members)

    def with_entry(self, entry: Mapping[str, Any]) -> str:
        """Return the text with this entry added, or in place of the one that is there."""
        if self._root is None:
            whole = _formatted({self.servers_key: {SERVER_NAME: entry}}, "", "  ", self._newline)
            return self._with_line_end(self.text) + whole + self._newline
        if self._servers is None:
            return self._insert(self._root, self.servers_key, {SERVER_NAME: entry})
        old = self._servers.member(SERVER_NAME)
        if old is None:
            return self._insert(self._servers, SERVER_NAME, entry)
        return self._spliced((old.value_start, old.end, self._value(entry, self._own_line_indent(old.start))))

    def without_entry(self) -> str:
        """Return the text without the entry, however often its key is there."""
        servers = self._servers
        numbers = [n for n, member in enumerate(servers.members) if member.key == SERVER_NAME] if servers else []
        if servers is None or not numbers:
            return self.text
        shorter = self._remove(servers, numbers[-1])
        # Of a key that comes twice the last one counts: without it the other one would.
        return JsonText(shorter, self.servers_key, strict=self._strict).without_entry()

    # -- inserting -------------------------------------------------------------------------------------------

    def _insert(self, parent: _Object, key: str, value: Any) -> str:
        last = parent.members[-1] if parent.members else None
        indent = self._own_line_indent(last.start) if last else self._first_indent(parent)
        written = f"{json.dumps(key)}: {self._value(value, indent)}"
        if last is None:
            return self._insert_first(parent, written, indent)
        before, after, end = ",", "", last.end
        if last.comma is not None:  # trailing
            before, after, end = "", ",", last.comma + 1
        if indent is None:
            return self._spliced((end, end, f"{before} {written}{after}"))
        line_end = _skip(_REST_OF_LINE, self.text, end)  # a comment there is about the member before, and stays with it
        return self._spliced((end, end, before), (line_end, line_end, f"{self._newline}{indent}{written}{after}"))

    def _insert_first(self, empty: _Object, written: str, indent: str | None) -> str:
        opened, closed = empty.start + 1, empty.end - 1
        if indent is None:
            return self._spliced((opened, opened, written))
        inside = self.text[opened:closed]
        line_end = _skip(_REST_OF_LINE, self.text, opened)
        line = f"{self._newline}{indent}{written}"
        if "\n" in inside and line_end < closed:
            return self._spliced((line_end, line_end, line))
        start = closed if inside.strip(_BLANK) else opened  # what is not blank is a comment
        return self._spliced((start, closed, f"{line}{self._newline}{self._line_indent(empty.start)}"))

    def _first_indent(self, empty: _Object) -> str | None:
        """Return the indentation for the first member of an object; None if the whole file is one line."""
        if "\n" not in self.text.strip(_BLANK) and empty is not self._root:
            return None
        return self._line_indent(empty.start) + self._indent_unit()

    def _indent_unit(self) -> str:
        """Return the indentation of one level in this file."""
        if self._root is not None:
            outer = self._line_indent(self._root.start)
            for member in self._root.members:
                indent = (self._own_line_indent(member.start) or "").removeprefix(outer)
                if indent:
                    return indent
        return "  "

    def _value(self, value: Any, indent: str | None) -> str:
        return _formatted(value, indent, self._indent_unit(), self._newline)

    def _line_indent(self, index: int) -> str:
        line = self.text[self.text.rfind("\n", 0, index) + 1 : index]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _own_line_indent(self, index: int) -> str | None:
        """Return the blanks before an index; None if anything else is before it in its line."""
        line_start = self.text.rfind("\n", 0, index) + 1
        line = self.text[line_start:index]
        return line if line_start and not line.strip(" \t") else None

    # -- removing --------------------------------------------------------------------------------------------

    def _remove(self, parent: _Object, number: int) -> str:
        member, text = parent.members[number], self.text
        start, end = _blank_start(text, member.start), member.end if member.comma is None else member.comma + 1
        if self._line_comment_before(parent, number, start) and not _LINE_END.match(text, end):
            start = member.start  # what follows would be drawn into the comment
        around = text[parent.start + 1 : start] + text[end : parent.end - 1]
        if len(parent.members) == 1 and not around.strip(_BLANK):
            return self._spliced((parent.start + 1, parent.end - 1, ""))
        comma = parent.members[number - 1].comma if number else None
        if comma is not None and member.comma is None:
            return self._spliced((comma, comma + 1, ""), (start, end, ""))
        return self._spliced((start, end, ""))

    def _line_comment_before(self, parent: _Object, number: int, index: int) -> bool:
        since = parent.members[number - 1].end if number else parent.start + 1
        line = self.text[max(since, self.text.rfind("\n", 0, index) + 1) : index]
        return bool(_LINE_COMMENT.search(line))

    def _spliced(self, *edits: tuple[int, int, str]) -> str:
        parts, done = [], 0
        for start, end, new in edits:
            parts += [self.text[done:start], new]
            done = end
        return "".join([*parts, self.text[done:]])


def _blank_out(pattern: re.Pattern[str], text: str) -> str:
    """Return the text with blanks for what group 1 of a pattern matches, so that every index stays the same."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[1]) if found[1] else found[0], text)


def _skip(pattern: re.Pattern[str], text: str, index: int) -> int:
    """Return the end of what a pattern matches at an index, else the index."""
    found = pattern.match(text, index)
    return found.end() if found else index


def _blank_start(text: str, index: int) -> int:
    """Return where the blanks before an index begin, including the end of the line above."""
    while text[index - 1 : index] in (" ", "\t"):
        index -= 1
    if text[index - 1 : index] == "\n":
        index -= 2 if text[index - 2 : index] == "\r\n" else 1
    return index


def _formatted(value: Any, indent: str | None, unit: str, newline: str) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + indent)
