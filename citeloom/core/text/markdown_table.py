"""Tables as text that people, agents and the chunker read alike: Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def as_markdown(rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table as Markdown under its caption; the first row is its head."""
    width = max(len(row) for row in rows)
    lines = [f"| {' | '.join(_cell(cell) for cell in (*row, *[''] * (width - len(row))))} |" for row in rows]
    table = "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])
    return f"{caption}\n\n{table}" if caption else table


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
