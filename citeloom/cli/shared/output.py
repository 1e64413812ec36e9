"""What every command needs: places as the engine finds them; tables on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from citeloom.api.verbs import encode
from citeloom.core.text.sanitize import clean, escaped_json, one_line
from citeloom.core.types import Coverage


class _SafeConsole(Console):
    """A console whose colours are its own: what papers, records and editors hold cannot steer the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)


class _SafeStream(io.TextIOBase):
    """Standard output or error as everything but the console writes it. It has no buffer that goes past it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    def write(self, text: str) -> int:
        self._stream.write(clean(text))
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


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    """Clean all that is printed meanwhile, error messages and tracebacks too."""
    out, err = sys.stdout, sys.stderr
    with contextlib.redirect_stdout(_SafeStream(out)), contextlib.redirect_stderr(_SafeStream(err)):
        console.file = out
        try:
            yield
        finally:
            console.file = None  # type: ignore[assignment]  # standard output, whatever that is by then


def absolute(place: str) -> str:
    """A path as the engine, which works in another folder, finds it; addresses and parts of Zotero stay as they are."""
    if place == "zotero" or place.startswith("zotero:"):
        return place
    return place if "://" in place else str(Path(place).expanduser().absolute())


def as_json(value: Any) -> None:
    """Print a result for other programs."""
    click.echo(escaped_json(json.dumps(encode(value), ensure_ascii=False, indent=2)))


def say(words: str, *, err: bool = False) -> None:
    """Print one line, whatever line ends the names in it hold."""
    click.echo(one_line(words), err=err)


def as_file(text: str) -> None:
    """Print what could be a file: as it is, unless it goes to a terminal."""
    if console.is_terminal:
        click.echo(text, nl=False)
    else:
        console.file.write(text)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under headings; tab-separated when nobody looks at it."""
    if not console.is_terminal:
        for row in rows:
            click.echo("\t".join("" if cell is None else one_line(str(cell)) for cell in row))
        return
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        # As text: a title may hold what looks like markup.
        made.add_row(*(Text("" if cell is None else one_line(str(cell))) for cell in row))
    console.print(made)


def coverage(of: Coverage | dict[str, int]) -> str:
    """How much can be searched, in words."""
    known = of if isinstance(of, Coverage) else Coverage(**of)
    parts = [f"{known.searchable} of {known.documents} documents searchable"]
    others = ((known.pending, "pending"), (known.failed, "failed"), (known.without_file, "without a file"))
    return ", ".join([*parts, *(f"{count} {word}" for count, word in others if count)])


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
