"""Lines of type: where words are broken, how wide they are, and how a paragraph falls into lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

_VOWELS = "aeiouyäöüé"
_TOGETHER = {
    "bl", "br", "ch", "ck", "cl", "cr", "dr", "fl", "fr", "gh", "gl", "gr", "kn", "ph", "pl", "pr", "qu", "sc", "sh",
    "sp", "st", "th", "tr", "tz", "wh", "wr",
}  # fmt: skip
MARK_SIZE = 0.65  # of a footnote's mark, as a share of the text's size
_CORE = re.compile(r"[^\W\d_]{7,}")


@dataclass(frozen=True, slots=True)
class Face:
    """A family of fonts."""

    regular: str
    bold: str
    italic: str
    ligatures: bool = False
    embedded: bool = False  # a TrueType font, whose spaces cannot be stretched by the PDF


@dataclass(frozen=True, slots=True)
class Type:
    """How a paragraph is set."""

    font: str
    size: float
    leading: float
    align: str = "justify"  # or left, centre
    first: float = 0.0  # indent of the first line
    rest: float = 0.0  # indent of the lines after it
    before: float = 0.0
    after: float = 0.0
    hyphens: bool = True


@dataclass(slots=True)
class Piece:
    """A word, or one half of it, in a line."""

    word: int
    text: str
    whole: bool = True


@dataclass(slots=True)
class Line:
    """Pieces side by side."""

    pieces: list[Piece] = field(default_factory=list)
    indent: float = 0.0
    natural: float = 0.0  # width without stretching
    last: bool = False


def faces() -> dict[str, Face]:
    """The fonts of made papers: reportlab's own Times and Helvetica, and Vera as an embedded TrueType."""
    for face in ("Times-Roman", "Times-Bold", "Times-Italic"):
        # MacRoman has the ligatures fi and fl, which the usual encoding lacks.
        pdfmetrics.registerFont(pdfmetrics.Font(f"{face}-Lig", face, "MacRomanEncoding"))
    for name in ("Vera", "VeraBd", "VeraIt"):
        pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    return {
        "times": Face("Times-Roman-Lig", "Times-Bold-Lig", "Times-Italic-Lig", ligatures=True),
        "helvetica": Face("Helvetica", "Helvetica-Bold", "Helvetica-Oblique"),
        "vera": Face("Vera", "VeraBd", "VeraIt", embedded=True),
    }


def shaped(text: str, font: str) -> str:
    """The text as the font prints it."""
    return text.replace("fi", "ﬁ").replace("fl", "ﬂ") if font.endswith("-Lig") else text


@lru_cache(maxsize=100_000)
def width_of(text: str, font: str, size: float) -> float:
    """How wide a text is; what follows a `^` is a mark, set small."""
    text, _, mark = text.partition("^")
    wide = pdfmetrics.stringWidth(shaped(text, font), font, size)
    return float(wide + (pdfmetrics.stringWidth(mark, font, MARK_SIZE * size) if mark else 0.0))


@lru_cache(maxsize=20_000)
def break_points(word: str) -> tuple[int, ...]:
    """Where a word may be broken: after its own hyphens, otherwise between syllables."""
    own = [at + 1 for at in range(1, len(word) - 2) if word[at] == "-" and word[at - 1].isalpha()]
    if own or "-" in word:
        return tuple(own)
    core = _CORE.search(word)
    if not core or re.search(r"\d", word):
        return ()
    text, offset = core[0].casefold(), core.start()
    found = []
    for at in range(3, len(text) - 2):
        two_before, before, here, after = text[at - 2], text[at - 1], text[at], text[at + 1]
        if here in _VOWELS or after not in _VOWELS:
            continue
        between_consonants = before not in _VOWELS and two_before in _VOWELS and before + here not in _TOGETHER
        after_vowel = before in _VOWELS and here != "x"
        if between_consonants or after_vowel:
            found.append(offset + at)
    return tuple(found)


def break_lines(words: list[str], width: float, type_: Type) -> list[Line]:
    """A paragraph as lines, broken greedily as simple typesetters do."""
    space = width_of(" ", type_.font, type_.size)
    lines = [Line(indent=type_.first)]
    hyphens = 0  # lines in a row that end in one
    for at, word in enumerate(words):
        rest, whole = word, True
        while rest:
            line = lines[-1]
            gap = space if line.pieces else 0.0
            room = width - line.indent - line.natural - gap
            wide = width_of(rest, type_.font, type_.size)
            if wide <= room or not line.pieces:
                line.pieces.append(Piece(at, rest, whole))
                line.natural += gap + wide
                break
            head = _head(rest, room, type_) if type_.hyphens and hyphens < 2 else ""
            loose = (room + gap) / max(1, len(line.pieces) - 1) > 0.35 * space
            hyphens = hyphens + 1 if head and loose else 0
            if head and loose:
                printed = head if head.endswith("-") else head + "-"
                line.pieces.append(Piece(at, printed, False))
                line.natural += gap + width_of(printed, type_.font, type_.size)
                rest, whole = rest[len(head) :], False
            lines.append(Line(indent=type_.rest))
    lines[-1].last = True
    return lines


def _head(word: str, room: float, type_: Type) -> str:
    """The longest part of a word that fits in front of a hyphen."""
    for at in reversed(break_points(word)):
        head = word[:at]
        if width_of(head if head.endswith("-") else head + "-", type_.font, type_.size) <= room:
            return head
    return ""
