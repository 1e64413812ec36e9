"""What people would use instead, on the same vectors, texts and questions, in one run; nothing is embedded here.

CITELOOM_BENCH_PEERS names a virtual environment that has tests/bench/requirements.txt; without it, only what CiteLoom
itself installs is compared.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench import library, turns
from tests.bench.figures import ms, p50, p95, say, table
from tests.bench.peer import FOUND

PEERS = ("citeloom", "chromadb", "lancedb", "sqlite-vec", "bm25s", "qdrant-client local mode")
_QUESTIONS = 200
_AT_MOST = {"qdrant-client local mode": 10_000}  # it reads every vector for each question, in Python


def measure(root: Path, sizes: Sequence[int]) -> str:
    """The tables of import, size and questions, side by side."""
    root.mkdir()
    python = _python()
    library.write(root / "library", max(sizes))
    imports, asked = [], []
    for size in sizes:
        answerers = []
        for name in PEERS:
            if size <= _AT_MOST.get(name, size) and (name == "citeloom" or python):
                say(f"{name}: {size:,} passages")
                own = sys.executable if name == "citeloom" else str(python)
                folder = root / f"{name}-{size}"
                command = [own, "-m", "tests.bench.peer", name, str(root / "library"), str(folder), str(size)]
                answerers.append(turns.Answerer(name, command))
        say(f"asking {size:,} passages")
        turns.ask_in_turn(answerers, _QUESTIONS)
        right = library.nearest(root / "library", size, FOUND)
        for answerer in answerers:
            asked += _asked(size, answerer, right)
            imports.append(_imported(size, answerer))
    note = "" if python else "\n\nThe others are not installed: CITELOOM_BENCH_PEERS names no virtual environment."
    kinds = ("passages", "what", "questions", "p50 / p95 ms", "CPU p50 / p95 ms", "recall", "asked")
    built = ("passages", "what", "passages/s", "search graph, s", "disk MB", "memory MB (own + mapped)")
    return "\n\n".join(
        (
            table("Beside others: questions", kinds, asked),
            table("Beside others: import, disk and memory", built, imports) + note,
        )
    )


def _asked(size: int, answerer: turns.Answerer, right: Sequence[set[str]]) -> list[tuple[str, ...]]:
    return [
        (
            f"{size:,}",
            answerer.name,
            kind,
            f"{ms(p50(times.wall))} / {ms(p95(times.wall))}",
            f"{ms(p50(times.cpu))} / {ms(p95(times.cpu))}",
            times.recall(right) if kind == "dense" else "",
            str(len(times.wall)),
        )
        for kind, times in answerer.times.items()
    ]


def _imported(size: int, answerer: turns.Answerer) -> tuple[str, ...]:
    built = answerer.built
    own, mapped = answerer.end()
    optimised = f"{built['optimised']:.0f}" if built["optimised"] else ""
    memory = f"{own:.0f} + {mapped:.0f}"
    return (
        f"{size:,}",
        answerer.name,
        f"{size / built['imported']:.0f}",
        optimised,
        f"{built['disk']:.0f}",
        memory,
    )


def _python() -> Path | None:
    """The Python that has the others."""
    environment = os.environ.get("CITELOOM_BENCH_PEERS")
    return Path(environment) / ("Scripts/python.exe" if os.name == "nt" else "bin/python") if environment else None
