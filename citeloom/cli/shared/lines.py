"""Prints lines that are never wrapped, and formats parts of them."""

from __future__ import annotations

import re

from rich.text import Text

from citeloom.cli.shared.output import console
from citeloom.core.text import sanitize

Piece = str | tuple[str, str]  # text, or text and its style

_CHANGE = re.compile(r"(\[-.*?-\])|\{\+.*?\+\}", re.DOTALL)


def line(*pieces: Piece) -> None:
    """Print a line without wrapping, so that programs can read it."""
    # As text, never as markup: it may contain \[ and other markup of rich.
    made = Text()
    for piece in pieces:
        text, style = (piece, "") if isinstance(piece, str) else piece
        made.append(sanitize.one_line(text), style)
    console.print(made, soft_wrap=True)


def coloured(diff: str) -> list[Piece]:
    """Return a word diff as styled pieces: words only in the quotation in red, words only in the work in green."""
    pieces: list[Piece] = []
    end = 0
    for match in _CHANGE.finditer(diff):
        pieces += [diff[end : match.start()], (match[0], "red" if match[1] else "green")]
        end = match.end()
    return [*pieces, diff[end:]]


def one_line(text: str) -> str:
    """Return text with line breaks replaced by spaces."""
    return " ".join(text.split())


def count(number: int, word: str) -> str:
    """Return a number with its noun in singular or plural."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
