"""What a change does to a file, as people read it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path

_AROUND = 1  # lines shown beside a change: what stands near may hold somebody's keys
_WIDEST = 200
_BESIDE = 40  # characters shown before a change in a line that is cut


def shown(file: Path, before: str, after: str) -> str:
    """A unified diff; long lines are cut, because a file may be one line."""
    old, new = before.splitlines(), after.splitlines()
    # Only what lies between the first and the last difference is compared: a file may have 100,000 lines.
    same = _same(old, new)
    begin = max(0, same - _AROUND)
    end = max(0, _same(old[same:][::-1], new[same:][::-1]) - _AROUND)
    lines = difflib.unified_diff(
        old[begin : len(old) - end], new[begin : len(new) - end], str(file), str(file), n=_AROUND, lineterm=""
    )
    skipped = max(0, _same(before, after) - _BESIDE) if len(old) == len(new) == 1 else 0
    return "".join(f"{_cut(_numbered(line, begin), skipped)}\n" for line in lines)


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _numbered(line: str, skipped: int) -> str:
    if not line.startswith("@@"):
        return line
    return re.sub(r"(?<=[-+])\d+", lambda number: str(int(number[0]) + skipped), line)


def _cut(line: str, skipped: int) -> str:
    if skipped and len(line) > _WIDEST and not line.startswith(("---", "+++", "@@")):
        line = f"{line[0]}… {line[1 + skipped :]}"
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]} …"
