"""Lines of a PDF that may be headings, with their type and the space above and below. Used by headings.py."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from citeloom.conversion.pdf.reading_order import Line, Region, RegionKind
from citeloom.conversion.text_tools import tidy
from citeloom.core.text.normalize import letters_and_digits

NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=[^\W\d_])(.+)$")
PART = re.compile(r"^(chapter|kapitel|part|teil|appendix|anhang)\s+([\dIVX]+|[A-Z])\b[.:]?\s*(.*)$", re.I)
# Captions too: the model mistakes a heading under a figure for its caption.
_MAY_HOLD_HEADINGS = (RegionKind.TEXT, RegionKind.HEADING, RegionKind.CAPTION)


@dataclass(slots=True)
class Heading:
    """A heading: its lines and level (0 is outermost)."""

    lines: list[Line]
    level: int

    @property
    def text(self) -> str:
        """Text of the heading on one line."""
        return " ".join(tidy(line.text).strip() for line in self.lines)


@dataclass(slots=True)
class Candidate:
    """A line that may be a heading, or a part of one."""

    line: Line
    text: str
    above: float  # distance to the line above, in line sizes; large where nothing is above
    below: float
    style: tuple[float, bool, str]
    kind: RegionKind


class BodyType:
    """Font and size of the document's running text."""

    def __init__(self, lines: list[Line]) -> None:
        letters: Counter[tuple[float, bool, str]] = Counter()
        for line in lines:
            letters[(line.size, line.bold, line.font)] += sum(len(word.text) for word in line.words)
        self.size, self.bold, self.font = max(letters, key=lambda s: (letters[s], s)) if letters else (10.0, False, "")

    def stands_out(self, line: Line) -> bool:
        """Return whether every word of the line is larger or bolder than the running text."""
        worded = [word for word in line.words if any(c.isalpha() for c in word.text)]
        larger = line.size >= self.size + 0.8
        bolder = not self.bold and bool(worded) and all(word.bold for word in worded)
        return (larger or bolder) and line.size >= self.size - 0.6

    def differs(self, line: Line) -> bool:
        """Return whether the line is in another font than the running text (often italic), at least as large."""
        fonts = {word.font for word in line.words if any(c.isalpha() for c in word.text)}
        return line.size >= self.size - 0.3 and bool(fonts) and self.font not in fonts


def body_size(lines: list[Line]) -> float:
    """Return the type size of the running text."""
    return BodyType(lines).size


def heading_candidates(pages: list[list[Region]]) -> list[Candidate]:
    """Return the lines of a document that may be headings, in reading order."""
    found = []
    for regions in pages:
        lines = [line for region in regions for line in region.lines]
        for region in regions:
            if region.kind not in _MAY_HOLD_HEADINGS:
                continue
            for line in region.lines:
                above, below = _spacing(line, lines)
                style = (line.size, line.bold, line.font)
                found.append(Candidate(line, tidy(line.text).strip(), above, below, style, region.kind))
    return found


def _spacing(line: Line, lines: list[Line]) -> tuple[float, float]:
    """Return the distances to the lines above and below in its column, in line sizes; large where there is none."""
    above = below = 9.0 * max(line.size, 1)
    for other in lines:
        if other.x0 < line.x1 and other.x1 > line.x0:
            distance = other.y - line.y
            if distance > 0.3 * line.size:
                above = min(above, distance)
            elif distance < -0.3 * line.size:
                below = min(below, -distance)
    return above / max(line.size, 1), below / max(line.size, 1)


@lru_cache(20_000)  # a long outline compares the same lines repeatedly
def title_key(text: str) -> str:
    """Return the key for comparing titles: letters and digits only."""
    # Outlines often lack accents or have them separated from their letters.
    return letters_and_digits(tidy(text))
