"""Lines of output that are never broken, and the words in them."""

from __future__ import annotations

import re

from rich.text import Text

from citeloom.cli.shared.output import console
from citeloom.core.text import sanitize

Piece = str | tuple[str, str]  # text, or text and its style

_CHANGE = re.compile(r"(\[-.*?-\])|\{\+.*?\+\}", re.DOTALL)


def line(*pieces: Piece) -> None:
    """Print a line as one line: whatever reads it takes it for one thing."""
    # As texts, never as markup: what is printed may hold \[ and other signs that mean something to rich.
    made = Text()
    for piece in pieces:
        text, style = (piece, "") if isinstance(piece, str) else piece
        made.append(sanitize.one_line(text), style)
    console.print(made, soft_wrap=True)


def coloured(diff: str) -> list[Piece]:
    """A word diff in pieces: what only the quotation has in red, what only the work has in green."""
    pieces: list[Piece] = []
    end = 0
    for match in _CHANGE.finditer(diff):
        pieces += [diff[end : match.start()], (match[0], "red" if match[1] else "green")]
        end = match.end()
    return [*pieces, diff[end:]]


def one_line(text: str) -> str:
    """Text without the line breaks it came with."""
    return " ".join(text.split())


def count(number: int, word: str) -> str:
    """A number of things."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
