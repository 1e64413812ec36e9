"""CiteLoom's entry in YAML text, where servers are a list of named items: ruamel.yaml finds it, the text is spliced.

Dumping the round-trip document of ruamel.yaml breaks the golden files, though quotes and indentation survive. Adding
the entry to continue.before.yaml puts it below the comment "# What it should know." of the next key, removing it from
continue.after.yaml deletes that comment, and in a file with Windows line ends all lines but the comments lose them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from citeloom.editors.config_text import SERVER_NAME, ConfigText, MalformedConfig, UnsafeEdit

_MAX_CHARACTERS = 250_000  # parsing more would take minutes


class YamlText(ConfigText):
    """Text of a YAML file."""

    def __init__(self, text: str, servers_key: str) -> None:
        self._root, data = _parse(text)
        super().__init__(text, servers_key, data)
        pairs = self._root.value if isinstance(self._root, MappingNode) else []
        # The last one counts: what a merge key (<<) brings in comes first.
        pair: Any = next((pair for pair in reversed(pairs) if pair[0].value == servers_key), (None, None))
        self._key, self._value = pair
        servers = data.get(servers_key)
        self._servers = [] if servers is None else servers
        if not isinstance(self._servers, list):
            raise MalformedConfig(f"{servers_key} is not a list")
        self._own = [number for number, server in enumerate(self._servers) if _is_own(server)]

    @property
    def entry(self) -> Any | None:
        """CiteLoom's entry, without its name."""
        return {k: v for k, v in self._servers[self._own[0]].items() if k != "name"} if self._own else None

    def _other_servers(self) -> list[Any]:
        return [server for server in self._servers if not _is_own(server)]

    def with_entry(self, entry: Mapping[str, Any]) -> str:
        """Return the text with this entry added, or in place of the one that is there."""
        whole = {"name": SERVER_NAME, **entry}
        if isinstance(self._root, MappingNode) and self._root.flow_style:
            raise UnsafeEdit("it is written in curly brackets")
        if self._key is None:
            key = f"{self.servers_key}:{self._newline}"
            return self._with_line_end(self.text) + key + self._item(whole, indent=2)
        if isinstance(self._value, ScalarNode):  # the key alone
            indent = self._key.start_mark.column + 2
            return self._after_line(self._value.start_mark.index, self._item(whole, indent))
        if len(self._own) > 1:
            raise UnsafeEdit(f"the entry {SERVER_NAME} occurs more than once")
        if self._value.flow_style:
            return self._with_flow_item(_json(whole))
        item = self._item(whole, indent=self._value.start_mark.column)
        if self._own:
            start, end = self._item_lines(self._own[0])
            return self.text[:start] + item + self.text[end:]
        return self._after_line(_last_leaf(self._value).end_mark.index, item)

    def without_entry(self) -> str:
        """Return the text without the entry, however often it is there."""
        if not self._own:
            return self.text
        remove = self._without_flow_item if self._value.flow_style else self._without_block_item
        return YamlText(remove(self._own[0]), self.servers_key).without_entry()

    # -- block style: an item per line or lines, after a dash --------------------------------------------------

    def _item(self, entry: Mapping[str, Any], indent: int) -> str:
        lines = []
        for key, value in entry.items():
            if value and isinstance(value, list):
                lines += [f"{key}:", *(f"  - {_json(one)}" for one in value)]
            elif value and isinstance(value, Mapping):
                lines += [f"{key}:", *(f"  {_json(k)}: {_json(v)}" for k, v in value.items())]
            else:
                lines.append(f"{key}: {_json(value)}")
        return "".join(
            f"{' ' * indent}{'  ' if number else '- '}{line}{self._newline}" for number, line in enumerate(lines)
        )

    def _without_block_item(self, number: int) -> str:
        start, end = self._item_lines(number)
        shorter = self.text[:start] + self.text[end:]
        if len(self._servers) == 1:  # a key with nothing under it is no list any more
            colon = self.text.index(":", self._key.end_mark.index) + 1
            shorter = f"{shorter[:colon]} []{shorter[colon:]}"
        return shorter

    def _item_lines(self, number: int) -> tuple[int, int]:
        """Return where the lines of an item begin and end."""
        item = self._value.value[number]
        if item.anchor:
            raise UnsafeEdit(f"the entry {SERVER_NAME} is used elsewhere in it")
        start = self.text.rfind("\n", 0, item.start_mark.index) + 1
        if self.text[start : item.start_mark.index].strip() != "-":
            raise UnsafeEdit(f"the entry {SERVER_NAME} does not begin beside its dash")
        end = self._line_end(_last_leaf(item).end_mark.index)
        if end <= start:  # its last value is an alias, whose mark is that of what it refers to
            raise UnsafeEdit(f"the entry {SERVER_NAME} refers to another part of it")
        return start, end

    def _line_end(self, index: int) -> int:
        """Return where the line of an index ends; an index at the beginning of a line ends the line before."""
        if index and self.text[index - 1] == "\n":
            return index
        end = self.text.find("\n", index)
        return len(self.text) if end < 0 else end + 1

    def _after_line(self, index: int, item: str) -> str:
        end = self._line_end(index)
        return self._with_line_end(self.text[:end]) + item + self.text[end:]

    # -- flow style: items in square brackets ------------------------------------------------------------------

    def _with_flow_item(self, item: str) -> str:
        items = self._value.value
        if self._own:
            old = items[self._own[0]]
            return self.text[: old.start_mark.index] + item + self.text[old.end_mark.index :]
        index = items[-1].end_mark.index if items else self._value.start_mark.index + 1
        return f"{self.text[:index]}{', ' if items else ''}{item}{self.text[index:]}"

    def _without_flow_item(self, number: int) -> str:
        items = self._value.value
        start, end = items[number].start_mark.index, items[number].end_mark.index
        if number:
            start = items[number - 1].end_mark.index
        elif len(items) > 1:
            end = items[1].start_mark.index
        return self.text[:start] + self.text[end:]


def _parse(text: str) -> tuple[Node | None, dict[str, Any]]:
    if len(text) > _MAX_CHARACTERS:
        raise MalformedConfig("it is too large to be settings")
    try:
        yaml = YAML(typ="safe", pure=True)
        yaml.composer.warn_double_anchors = False  # it is allowed, and the warning would print lines of the file
        root = yaml.compose(text)
        data = None if root is None else yaml.constructor.construct_document(root)
    except YAMLError as error:
        raise MalformedConfig(_reason(error)) from None
    except (LookupError, TypeError):  # a value that is not of the kind that its tag says
        raise MalformedConfig("it contains an invalid value") from None
    except (ValueError, RecursionError) as error:
        raise MalformedConfig(str(error) or "it is nested too deeply") from None
    if data is not None and not isinstance(data, dict):
        raise MalformedConfig("it does not consist of keys and values")
    return root, data or {}


def _reason(error: YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f" (line {mark.line + 1})" if mark else ""
    return f"{getattr(error, 'problem', None) or 'it holds characters that YAML does not allow'}{line}"


def _is_own(server: Any) -> bool:
    return isinstance(server, Mapping) and server.get("name") == SERVER_NAME


def _last_leaf(node: Node) -> Node:
    """Return the last scalar or bracketed value inside: a block's own end mark lies after the comments below it."""
    while isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        inner = node.value[-1]
        node = inner[1] if isinstance(inner, tuple) else inner
    return node


def _json(value: Any) -> str:
    # JSON is YAML, and needs no rules about which words may stand without quotation marks.
    return json.dumps(value, ensure_ascii=False, default=str)
