"""Unified diff of a change to an editor's file, short enough to show to a person."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path

_CONTEXT_LINES = 1  # lines near a change may contain secret keys
_MAX_WIDTH = 200
_CONTEXT_CHARACTERS = 40  # shown before a change in a line that is cut


def unified_diff(file: Path, before: bytes | None, after: bytes | None) -> str:
    """Return a unified diff whose long lines are cut, because a file may be one line."""
    old, new = (before or b"").decode().splitlines(), (after or b"").decode().splitlines()
    # Only what lies between the first and the last difference is compared: a file may have 100,000 lines.
    same = _common_prefix(old, new)
    begin = max(0, same - _CONTEXT_LINES)
    end = max(0, _common_prefix(old[same:][::-1], new[same:][::-1]) - _CONTEXT_LINES)
    lines = difflib.unified_diff(
        old[begin : len(old) - end], new[begin : len(new) - end], str(file), str(file), n=_CONTEXT_LINES, lineterm=""
    )
    one_line = len(old) == len(new) == 1
    skipped = max(0, _common_prefix(old[0], new[0]) - _CONTEXT_CHARACTERS) if one_line else 0
    return "".join(f"{_cut(_renumbered(line, begin), skipped)}\n" for line in lines)


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _renumbered(line: str, skipped: int) -> str:
    if not line.startswith("@@"):
        return line
    return re.sub(r"(?<=[-+])\d+", lambda number: str(int(number[0]) + skipped), line)


def _cut(line: str, skipped: int) -> str:
    if skipped and len(line) > _MAX_WIDTH and not line.startswith(("---", "+++", "@@")):
        line = f"{line[0]}… {line[1 + skipped :]}"
    return line if len(line) <= _MAX_WIDTH else f"{line[:_MAX_WIDTH]} …"
