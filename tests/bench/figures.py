"""Percentiles, tables and memory, as every measurement needs them."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence

import psutil


def say(what: str) -> None:
    """Tell the person who waits."""
    print(f"bench: {what}", file=sys.stderr, flush=True)


def p50(seconds: Sequence[float]) -> float:
    """The median."""
    return statistics.median(seconds)


def p95(seconds: Sequence[float]) -> float:
    """All but the slowest twentieth are faster."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def ms(seconds: float) -> str:
    """Seconds as milliseconds."""
    return f"{seconds * 1000:.1f}"


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table under a title."""
    lines = [f"**{title}**", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def megabytes(pid: int) -> float:
    """Resident memory of a process."""
    return float(psutil.Process(pid).memory_info().rss / 1_000_000)
