"""The prose of a manuscript without its markup, with the position of each character in the manuscript.

Each format's reader builds one; `pairing` then finds sentences and quotations in the prose alone, for all formats.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from citeloom.evidence.manuscripts.types import Citation

# Replaces a group of citations in the prose.
MARK = "\ufffc"
_MAX_NAMED = 10


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A range of the prose; sentences do not cross its ends."""

    start: int  # in the prose
    end: int
    block_quote: bool


@dataclass(frozen=True, slots=True)
class Cited:
    """A group of citations at a position of the prose."""

    at: int
    citations: tuple[Citation, ...]


class Prose:
    """Collects prose, citations and paragraphs in reading order."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        self.origins = array("q")  # offset in the manuscript of each character of the prose
        self.cited: list[Cited] = []
        self.paragraphs: list[Paragraph] = []
        self.included: list[str] = []  # files that the manuscript includes; their text is not part of it
        self.unread: list[str] = []  # warnings about other parts that were not read
        self._begin = 0

    @property
    def warnings(self) -> list[str]:
        """Return warnings about what was not read."""
        names = list(dict.fromkeys(self.included))
        shown = ", ".join(names[:_MAX_NAMED]) + (f" and {len(names) - _MAX_NAMED} more" * (len(names) > _MAX_NAMED))
        left_out = [f"What it includes was not read ({shown}): check those files too."] if names else []
        return [*self.unread, *left_out]

    @property
    def text(self) -> str:
        """The prose so far."""
        return "".join(self._parts)

    def add(self, text: str, at: int, *, verbatim: bool = True) -> None:
        """Add prose from a position of the manuscript: verbatim, or in place of the markup there."""
        self._parts.append(text)
        self.origins.extend(range(at, at + len(text)) if verbatim else [at] * len(text))
        self.length += len(text)

    def cite(self, citations: tuple[Citation, ...], at: int) -> None:
        """Add a group of citations."""
        self.cited.append(Cited(self.length, citations))
        self.add(MARK, at)

    def end_paragraph(self, *, block_quote: bool = False) -> None:
        """End the current paragraph."""
        if self.length > self._begin:
            self.paragraphs.append(Paragraph(self._begin, self.length, block_quote))
        self._begin = self.length
