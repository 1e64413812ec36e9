"""Output of all commands: lines, tables, JSON and parts of them; and absolute paths for the engine."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from citeloom.api.search import FoundPassage
from citeloom.api.verbs import encode
from citeloom.core.text import sanitize
from citeloom.core.types import Coverage


class _SafeConsole(Console):
    """Console that removes terminal control sequences from the text of papers, records and editors."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(sanitize.clean(segment.text), segment.style)


class _SafeStream(io.TextIOBase):
    """Wrapper of standard output or error that cleans all text. It has no `buffer` that would bypass it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    def write(self, text: str) -> int:
        self._stream.write(sanitize.clean(text))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True


console = _SafeConsole(highlight=False, soft_wrap=False)

json_option = click.option("--json", "json_", is_flag=True, help="Print the result as JSON.")

Piece = str | tuple[str, str]  # text, or text and its style

_CHANGE = re.compile(r"(\[-.*?-\])|\{\+.*?\+\}", re.DOTALL)


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Clean everything printed in this context, including error messages and tracebacks."""
    out, err = sys.stdout, sys.stderr
    with contextlib.redirect_stdout(_SafeStream(out)), contextlib.redirect_stderr(_SafeStream(err)):
        console.file = out
        try:
            yield
        finally:
            console.file = None  # type: ignore[assignment]  # standard output, whatever that is by then


def absolute(place: str) -> str:
    """Return an absolute path, as the engine runs in another folder; addresses and parts of Zotero are unchanged."""
    if place == "zotero" or place.startswith("zotero:"):
        return place
    return place if "://" in place else str(Path(place).expanduser().absolute())


def as_json(value: Any) -> None:
    """Print a result as JSON."""
    click.echo(sanitize.escaped_json(json.dumps(encode(value), ensure_ascii=False, indent=2)))


def print_line(text: str, *, err: bool = False) -> None:
    """Print one line, with line breaks in names replaced."""
    click.echo(sanitize.one_line(text), err=err)


def print_notes(notes: Iterable[str], *, err: bool = False) -> None:
    """Print warnings, one per line."""
    for note in notes:
        print_line(f"Note: {note}", err=err)


def as_file(text: str) -> None:
    """Print the content of a file: unchanged, unless the output is a terminal."""
    if console.is_terminal:
        click.echo(text, nl=False)
    else:
        console.file.write(text)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under headings; tab-separated if the output is not a terminal."""
    if not console.is_terminal:
        for row in rows:
            click.echo("\t".join("" if cell is None else sanitize.one_line(str(cell)) for cell in row))
        return
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        # As text: a title may look like markup.
        made.add_row(*(Text("" if cell is None else sanitize.one_line(str(cell))) for cell in row))
    console.print(made)


def coverage(known: Coverage) -> str:
    """Return a text on how much of a project is searchable."""
    embedded = f" ({known.by_meaning} of them by meaning)" if known.by_meaning < known.searchable else ""
    parts = [f"{known.searchable} of {known.documents} documents searchable{embedded}"]
    others = ((known.pending, "pending"), (known.failed, "failed"), (known.without_file, "without a file"))
    return ", ".join([*parts, *(f"{count} {word}" for count, word in others if count)])


def size(count: float) -> str:
    """Return a number of bytes with a unit."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


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


def citation(passage: FoundPassage) -> str:
    """Return the citation of a passage, or why it has none; text stored by an agent is always marked."""
    by_agent = passage.text_source == "agent"
    if passage.cite:
        return f"{passage.cite} (stored by an agent)" if by_agent else passage.cite
    why = f"says it is {passage.claimed_citekey}, not confirmed" if passage.claimed_citekey else "no work"
    return f"[{'stored by an agent; ' if by_agent else ''}{why}]"
