"""Tables as Markdown, as stored in passages. Used by the readers of all formats."""

from __future__ import annotations

from collections.abc import Sequence


def as_markdown(rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """Return a table as Markdown below its caption; the first row is the header."""
    width = max(len(row) for row in rows)
    lines = [f"| {' | '.join(_cell(cell) for cell in (*row, *[''] * (width - len(row))))} |" for row in rows]
    table = "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])
    return f"{caption}\n\n{table}" if caption else table


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
