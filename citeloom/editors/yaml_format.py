"""Putting an entry into YAML text, and taking it out, without touching anything else. Servers stand in a list."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from citeloom.editors.types import NAME, Malformed, Unsuited

_LARGEST = 250_000  # characters; reading more would take minutes


class YamlText:
    """Text of a YAML file."""

    def __init__(self, text: str, servers: str) -> None:
        self.text = text
        self._servers = servers
        self._newline = "\r\n" if "\r\n" in text else "\n"
        if len(text) > _LARGEST:
            raise Malformed("it is too large to be settings")
        try:
            yaml = YAML(typ="safe", pure=True)
            yaml.composer.warn_double_anchors = False  # it is allowed, and the warning would print lines of the file
            self._root = yaml.compose(text)
            self._data = None if self._root is None else yaml.constructor.construct_document(self._root)
        except YAMLError as error:
            raise Malformed(_reason(error)) from None
        except (LookupError, TypeError):  # a value that is not of the kind that its tag says
            raise Malformed("a value in it makes no sense") from None
        except (ValueError, RecursionError) as error:
            raise Malformed(str(error) or "it is nested too deeply") from None
        if self._data is not None and not isinstance(self._data, dict):
            raise Malformed("it does not consist of keys and values")
        if not isinstance(self._listed(), list):
            raise Malformed(f"{servers} is not a list")

    def data(self) -> Mapping[str, Any]:
        """Everything in it."""
        return self._data or {}

    def _listed(self) -> Any:
        value = self.data().get(self._servers)
        return [] if value is None else value

    def entry(self) -> Any | None:
        """Our entry, without its name."""
        ours = [server for server in self._listed() if _is_ours(server)]
        return {k: v for k, v in ours[0].items() if k != "name"} if ours else None

    def rest(self) -> Any:
        """Everything but our entry."""
        others = [server for server in self._listed() if not _is_ours(server)]
        without = {k: v for k, v in self.data().items() if k != self._servers}
        return {**without, self._servers: others} if others else without

    def put(self, entry: Mapping[str, Any]) -> str:
        """The text with our entry in it."""
        whole = {"name": NAME, **entry}
        value = self._value()
        if isinstance(self._root, MappingNode) and self._root.flow_style:
            raise Unsuited("it is written in curly brackets")
        if value is None:
            return self._appended(whole)
        if isinstance(value, ScalarNode):  # the key alone
            return self._after_line(value.start_mark.index, self._item(whole, self._indent_below()))
        numbers = self._ours()
        if len(numbers) > 1:
            raise Unsuited(f"the entry {NAME} stands in it more than once")
        if value.flow_style:
            return self._put_in_brackets(value, whole, numbers)
        indent = " " * value.start_mark.column
        if numbers:
            start, end = self._lines(value.value[numbers[0]])
            return self.text[:start] + self._item(whole, indent) + self.text[end:]
        return self._after_line(_last(value).end_mark.index, self._item(whole, indent))

    def take(self) -> str:
        """The text without our entry, however often it stands there."""
        value, numbers = self._value(), self._ours()
        if not numbers or not isinstance(value, SequenceNode):
            return self.text
        shorter = self._without(value, numbers[0])
        return YamlText(shorter, self._servers).take()

    def _without(self, value: SequenceNode, number: int) -> str:
        if value.flow_style:
            return self._take_from_brackets(value, number)
        start, end = self._lines(value.value[number])
        shorter = self.text[:start] + self.text[end:]
        if len(value.value) == 1:
            # A key with nothing under it is no list any more.
            colon = self.text.index(":", self._key().end_mark.index) + 1
            shorter = shorter[:colon] + " []" + shorter[colon:]
        return shorter

    # -- places ------------------------------------------------------------------------------------------------

    def _pair(self) -> tuple[Node, Node] | None:
        pairs = self._root.value if isinstance(self._root, MappingNode) else []
        return next((pair for pair in pairs if pair[0].value == self._servers), None)

    def _key(self) -> Node:
        pair = self._pair()
        assert pair is not None
        return pair[0]

    def _value(self) -> Any:
        pair = self._pair()
        return pair[1] if pair else None

    def _ours(self) -> list[int]:
        return [number for number, server in enumerate(self._listed()) if _is_ours(server)]

    def _indent_below(self) -> str:
        column: int = self._key().start_mark.column
        return " " * (column + 2)

    def _lines(self, item: Node) -> tuple[int, int]:
        """The lines of an item, from its dash on."""
        if isinstance(item, MappingNode) and item.anchor:
            raise Unsuited(f"the entry {NAME} is used elsewhere in it")
        start = self.text.rfind("\n", 0, item.start_mark.index) + 1
        if self.text[start : item.start_mark.index].strip() != "-":
            raise Unsuited(f"the entry {NAME} does not begin beside its dash")
        end = self._line_end(_last(item).end_mark.index)
        if end <= start:  # its last value is a reference, whose place is that of what it refers to
            raise Unsuited(f"the entry {NAME} refers to another part of it")
        return start, end

    def _line_end(self, place: int) -> int:
        """Behind the line that a place is in; a place at the beginning of a line is behind the one before."""
        if place and self.text[place - 1] == "\n":
            return place
        end = self.text.find("\n", place)
        return len(self.text) if end < 0 else end + 1

    # -- writing -----------------------------------------------------------------------------------------------

    def _item(self, entry: Mapping[str, Any], indent: str) -> str:
        lines = []
        for key, value in entry.items():
            if value and isinstance(value, list):
                lines += [f"{key}:", *(f"  - {_quoted(one)}" for one in value)]
            elif value and isinstance(value, Mapping):
                lines += [f"{key}:", *(f"  {_quoted(k)}: {_quoted(v)}" for k, v in value.items())]
            else:
                lines.append(f"{key}: {_quoted(value)}")
        marked = [f"{indent}{'- ' if number == 0 else '  '}{line}" for number, line in enumerate(lines)]
        return "".join(line + self._newline for line in marked)

    def _after_line(self, place: int, written: str) -> str:
        end = self._line_end(place)
        gap = "" if self.text[:end].endswith("\n") else self._newline
        return self.text[:end] + gap + written + self.text[end:]

    def _appended(self, entry: Mapping[str, Any]) -> str:
        gap = self._newline if self.text and not self.text.endswith("\n") else ""
        return f"{self.text}{gap}{self._servers}:{self._newline}{self._item(entry, '  ')}"

    def _put_in_brackets(self, value: SequenceNode, entry: Mapping[str, Any], numbers: list[int]) -> str:
        written = _quoted(entry)
        if numbers:
            item = value.value[numbers[0]]
            return self.text[: item.start_mark.index] + written + self.text[item.end_mark.index :]
        if value.value:
            end = value.value[-1].end_mark.index
            return f"{self.text[:end]}, {written}{self.text[end:]}"
        place = value.start_mark.index + 1
        return self.text[:place] + written + self.text[place:]

    def _take_from_brackets(self, value: SequenceNode, number: int) -> str:
        items = value.value
        start, end = items[number].start_mark.index, items[number].end_mark.index
        if number:
            start = items[number - 1].end_mark.index
        elif len(items) > 1:
            end = items[1].start_mark.index
        return self.text[:start] + self.text[end:]


def _is_ours(server: Any) -> bool:
    return isinstance(server, Mapping) and server.get("name") == NAME


def _last(node: Node) -> Node:
    """The last thing inside: only there it is known where a list or a table without brackets ends."""
    while isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        inner = node.value[-1]
        node = inner[1] if isinstance(inner, tuple) else inner
    return node


def _quoted(value: Any) -> str:
    # JSON is YAML, and needs no rules about which words may stand without quotation marks.
    return json.dumps(value, ensure_ascii=False, default=str)


def _reason(error: YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    place = f" (line {mark.line + 1})" if mark else ""
    return f"{getattr(error, 'problem', None) or 'it holds characters that YAML does not allow'}{place}"
