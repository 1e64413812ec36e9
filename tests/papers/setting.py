"""Setting type: blocks flow through columns and pages, and every word's page is written down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tests.papers.lines import MARK_SIZE, Face, Line, Type, break_lines, width_of
from tests.papers.truth import Kind, TrueBlock, TrueWord


@dataclass(slots=True)
class Ink:
    """Text drawn at a place."""

    x: float
    y: float
    text: str
    font: str
    size: float
    spacing: float = 0.0  # added to every space
    upward: bool = False  # turned by a quarter, as beside a figure


@dataclass(slots=True)
class Rule:
    """A straight line, or a filled bar where it is wide."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float = 0.5
    grey: float = 0.0


@dataclass(slots=True)
class Sheet:
    """A page: what is drawn on it, and the headings that hold at its top."""

    inks: list[Ink] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    section: tuple[str, ...] = ()
    opens: bool = False  # a chapter or the paper itself begins here
    blank: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """How a paper looks."""

    face: Face
    page: tuple[float, float]
    margins: tuple[float, float, float, float]  # left, right, top, bottom
    body: Type
    columns: int = 1
    gap: float = 18.0

    @property
    def width(self) -> float:
        """The width of the text, all columns together."""
        return self.page[0] - self.margins[0] - self.margins[1]

    @property
    def column(self) -> float:
        """The width of a column."""
        return (self.width - (self.columns - 1) * self.gap) / self.columns

    @property
    def small(self) -> Type:
        """The type of notes, captions and cells."""
        body = self.body
        return replace(body, size=0.84 * body.size, leading=0.84 * body.leading, first=0.0, after=0.0, before=0.0)


@dataclass(slots=True)
class Column:
    """Where text is set now: it grows downward from y, notes grow upward from the floor."""

    x: float
    width: float
    top: float
    y: float
    floor: float
    notes: list[tuple[TrueBlock, list[Line]]] = field(default_factory=list)


@dataclass(slots=True)
class Float:
    """A table or figure that waits for the top of a column, or of a page if it is wide."""

    wide: bool
    height: float
    draw: Callable[[Setter, float, float], None]  # given the left edge and the top


class Setter:
    """Sets blocks one after the other and knows on which page each word came to stand."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.sheets: list[Sheet] = [Sheet()]
        self.blocks: list[TrueBlock] = []
        self.section: tuple[str, ...] = ()
        self._floats: list[Float] = []
        self._waiting: list[Column] = []  # columns of this page still to be filled
        left, _, top, bottom = look.margins
        height = look.page[1] - top
        self._column = Column(left, look.width, height, height, bottom)

    @property
    def page(self) -> int:
        """The page that is being set, from 1."""
        return len(self.sheets)

    @property
    def used(self) -> float:
        """How much is set, in pages."""
        height = self.look.page[1] - self.look.margins[2] - self.look.margins[3]
        rest = self._column.y - self._column.floor + sum(c.y - c.floor for c in self._waiting)
        wide = self.look.columns if self._column.width < self.look.width else 1
        return self.page - rest / (height * wide)

    @property
    def room(self) -> float:
        """Height left in this column."""
        return self._column.y - self._column.floor

    def begin_columns(self) -> None:
        """End the head that stands across the page and go on in columns below it."""
        self._columns_from(self._column.y - self.look.body.leading)

    def new_chapter(self) -> None:
        """Go on at the top of the next right-hand page, past a blank one if need be."""
        self.flush()
        self._close()
        if self.page % 2:
            self.sheets.append(Sheet(section=self.section, blank=True))
        self._open_page()
        self.sheets[-1].opens = True

    def new_page(self) -> None:
        """Go on at the top of a new page."""
        self._close()
        self._open_page()

    def flush(self) -> None:
        """Place the tables and figures that still wait."""
        while self._floats:
            self._next_column()

    def block(
        self,
        kind: Kind,
        sentences: Sequence[str],
        type_: Type | None = None,
        *,
        level: int = 0,
        keep: float = 0.0,
        notes: dict[str, str] | None = None,
    ) -> TrueBlock:
        """Set a block; `keep` is the height that must follow it in the same column, notes go by their mark."""
        type_ = type_ or self.look.body
        words = [word for sentence in sentences for word in sentence.split()]
        starts, at = [], 0
        for sentence in sentences:
            starts.append(at)
            at += len(sentence.split())
        true = TrueBlock(kind, [TrueWord(w.replace("^", "")) for w in words], self.section, level, tuple(starts))
        if level:
            self.section = (*self.section[: level - 1], true.text)
            true.section = self.section
        self.blocks.append(true)
        lines = break_lines(words, self._column.width, type_)
        column = self._column
        if column.y < column.top:
            column.y -= type_.before
        if keep and column.y - len(lines) * type_.leading - keep < column.floor:
            self._next_column()
        for line in lines:
            self._place(line, type_, true, notes or {})
        self._column.y -= type_.after
        return true

    def queue(self, made: Float) -> None:
        """Queue a table or figure for the next place it fits."""
        self._floats.append(made)

    def here(self, made: Float) -> None:
        """Put a table or figure where the text stands, or on the next page."""
        self._column.y -= 0.6 * self.look.body.leading
        if self.room < made.height:
            self._next_column()
        made.draw(self, self._column.x, self._column.y)
        self._column.y -= made.height

    def finish(self) -> list[Sheet]:
        """Place what still waits and give the sheets."""
        self.flush()
        self._close()
        return self.sheets

    def lines(self, true: TrueBlock, lines: list[Line], type_: Type, x: float, y: float, width: float) -> float:
        """Draw lines of a block from y downward on this page; gives where they end."""
        for line in lines:
            y -= type_.leading
            self._draw(line, type_, x, y, width)
            self._stands(true, line)
        return y

    # --- columns and pages ------------------------------------------------------------------

    def _columns_from(self, top: float) -> None:
        look = self.look
        step = look.column + look.gap
        columns = [
            Column(look.margins[0] + step * at, look.column, top, top, look.margins[3]) for at in range(look.columns)
        ]
        self._column, self._waiting = columns[0], columns[1:]

    def _open_page(self) -> None:
        self.sheets.append(Sheet(section=self.section))
        top = self.look.page[1] - self.look.margins[2]
        wide = next((f for f in self._floats if f.wide), None)
        if wide:
            self._floats.remove(wide)
            wide.draw(self, self.look.margins[0], top)
            top -= wide.height
        self._columns_from(top)
        self._open_column()

    def _open_column(self) -> None:
        narrow = next((f for f in self._floats if not f.wide), None)
        if narrow and narrow.height < 0.7 * self.room:
            self._floats.remove(narrow)
            narrow.draw(self, self._column.x, self._column.y)
            self._column.y -= narrow.height
            self._column.top = self._column.y

    def _next_column(self) -> None:
        self._close()
        if self._waiting:
            self._column = self._waiting.pop(0)
            self._open_column()
        else:
            self._open_page()

    def _close(self) -> None:
        """Draw the notes at the foot of the column."""
        column, small = self._column, self.look.small
        if not column.notes:
            return
        y = column.floor - 4
        self.sheets[-1].rules.append(Rule(column.x, y, column.x + 0.3 * column.width, y))
        for true, lines in column.notes:
            y = self.lines(true, lines, small, column.x, y, column.width)
        column.notes = []

    # --- lines ------------------------------------------------------------------------------

    def _place(self, line: Line, type_: Type, true: TrueBlock, notes: dict[str, str]) -> None:
        mark = next((p.text.partition("^")[2] for p in line.pieces if "^" in p.text), "")
        note_lines: list[Line] = []
        if mark:
            note = f"{mark} {notes[mark]}".split()
            note_lines = break_lines(note, self._column.width, self.look.small)
        tall = len(note_lines) * self.look.small.leading + (10 if note_lines else 0)
        if self._column.y - type_.leading - tall < self._column.floor:
            self._next_column()
        column = self._column
        if note_lines:
            foot = TrueBlock(Kind.FOOTNOTE, [TrueWord(word) for word in note], true.section)
            self.blocks.append(foot)
            column.floor += tall - (6 if column.notes else 0)
            column.notes.append((foot, note_lines))
        column.y -= type_.leading
        self._draw(line, type_, column.x, column.y, column.width)
        self._stands(true, line)

    def _stands(self, true: TrueBlock, line: Line) -> None:
        for piece in line.pieces:
            word = true.words[piece.word]
            if self.page not in word.pages:
                word.pages += (self.page,)
            word.broken = word.broken or not piece.whole

    def _draw(self, line: Line, type_: Type, x: float, y: float, width: float) -> None:
        spare = width - line.indent - line.natural
        gaps = len(line.pieces) - 1
        # A line far too short is no line to stretch: the word after it would not break.
        stretched = type_.align == "justify" and not line.last and gaps and spare < 0.3 * width
        added = spare / gaps if stretched else 0.0
        at = x + line.indent + (spare / 2 if type_.align == "centre" else 0.0)
        y += 0.22 * type_.leading
        space = width_of(" ", type_.font, type_.size) + added
        run, run_at = [], at
        inks = self.sheets[-1].inks
        for piece in line.pieces:
            text, _, mark = piece.text.partition("^")
            run.append(text)
            at += width_of(piece.text, type_.font, type_.size) + space
            if mark:
                inks.append(Ink(run_at, y, " ".join(run), type_.font, type_.size, added))
                small = MARK_SIZE * type_.size
                mark_at = at - space - width_of(mark, type_.font, small)
                inks.append(Ink(mark_at, y + 0.33 * type_.size, mark, type_.font, small))
                run, run_at = [], at
        if run:
            inks.append(Ink(run_at, y, " ".join(run), type_.font, type_.size, added))
