"""Parses Python code: classes and functions become sections."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from citeloom.core.types import Block, BlockKind

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def parse(text: str) -> list[Block]:
    """Return the blocks of a module. Raises SyntaxError, ValueError, RecursionError or MemoryError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about the code are not reported
        module = ast.parse(text)
    lines = text.split("\n")
    return list(_body(lines, module.body, 1, len(lines), _CodePath()))


@dataclass(frozen=True, slots=True)
class _CodePath:
    """Position in the code: section path, class and function."""

    path: tuple[str, ...] = ()
    class_name: str | None = None
    function_name: str | None = None


def _body(lines: list[str], nodes: list[ast.stmt], first: int, last: int, place: _CodePath) -> Iterator[Block]:
    """Yield the code from first to last line: definitions and the code between them."""
    at = first
    for node in nodes:
        if not isinstance(node, _Definition):
            continue
        start = _first_line(lines, node, at)
        end = node.end_lineno or start
        yield from _piece(lines, at, start - 1, place)
        path = (*place.path, node.name)
        if isinstance(node, ast.ClassDef):
            yield from _body(lines, node.body, start, end, _CodePath(path, node.name))
        else:
            yield from _piece(lines, start, end, _CodePath(path, place.class_name, node.name))
        at = max(at, end + 1)
    yield from _piece(lines, at, last, place)


def _first_line(lines: list[str], node: _Definition, at_least: int) -> int:
    """Return the first line of a definition with its decorators and the comment above."""
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    while start - 1 >= at_least and lines[start - 2].strip().startswith("#"):
        start -= 1
    return max(start, at_least)


def _piece(lines: list[str], first: int, last: int, place: _CodePath) -> Iterator[Block]:
    while first <= last and not lines[first - 1].strip():
        first += 1
    while last >= first and not lines[last - 1].strip():
        last -= 1
    if first > last:
        return
    names = {"class_name": place.class_name, "function_name": place.function_name}
    extra = {key: name for key, name in names.items() if name}
    text = "\n".join(line.rstrip() for line in lines[first - 1 : last])
    yield Block(BlockKind.CODE, text, place.path, lines=(first, last), extra=extra)
