"""What every command needs: places as the engine finds them; tables on a terminal, plain lines elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

console = Console(highlight=False, soft_wrap=False)


def absolute(place: str) -> str:
    """A path as the engine, which works in another folder, finds it; addresses and parts of Zotero stay as they are."""
    if place == "zotero" or place.startswith("zotero:"):
        return place
    return place if "://" in place else str(Path(place).expanduser().absolute())


def as_json(value: Any) -> None:
    """Print a result for other programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under headings; tab-separated when nobody looks at it."""
    if not console.is_terminal:
        for row in rows:
            click.echo("\t".join("" if cell is None else str(cell) for cell in row))
        return
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        # As text: a title may hold what looks like markup.
        made.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    console.print(made)


def coverage(of: dict[str, int]) -> str:
    """How much can be searched, in words."""
    parts = [f"{of['searchable']} of {of['documents']} documents searchable"]
    names = {"pending": "pending", "failed": "failed", "without_file": "without a file"}
    parts += [f"{of[key]} {word}" for key, word in names.items() if of[key]]
    return ", ".join(parts)


# The stages of jobs that are no import, and what is counted in each.
CHORES = {"copy": "passages copied", "wait": "passages copied", "check": "passages copied, comparing"}
CHORES |= {"write": "passages written", "graph": "passages written, building the search graph", "pack": "MB packed"}


def reached(progress: dict[str, Any]) -> str:
    """How far a job has come, in words."""
    if waits_for := progress.get("waits_for"):
        return f"{_reached(progress)}; it waits: {waits_for}"
    if counted := CHORES.get(progress.get("stage", "")):
        return f"{progress['done']:,} of {progress['total']:,} {counted}"
    return _reached(progress)


def _reached(progress: dict[str, Any]) -> str:
    searchable, done, total = (progress.get(key, 0) for key in ("searchable", "done", "total"))
    return f"{searchable} of {total} searchable, {done} finished"


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
