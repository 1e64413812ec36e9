"""Writing a paper: headings, paragraphs with notes, floats and references, until its pages are full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.papers.floats import figure, table
from tests.papers.lines import Face, Type, faces
from tests.papers.prose import Author
from tests.papers.setting import Look, Setter
from tests.papers.truth import Kind

_KNOWN = {
    "en": ("Introduction", "Methods", "Results", "Discussion"),
    "de": ("Einleitung", "Methoden", "Ergebnisse", "Diskussion"),
}
_CLOSING = {"en": ("Conclusion", "References"), "de": ("Fazit", "Literatur")}


class Styles:
    """The types of one paper, made from its body type."""

    def __init__(self, look: Look) -> None:
        face, body = look.face, look.body
        size, lead = body.size, body.leading
        flat = replace(body, first=0.0)
        left = replace(flat, align="left", hyphens=False)
        self.title = replace(
            left, font=face.bold, size=1.75 * size, leading=2.1 * size, align="centre", after=0.9 * lead
        )
        self.byline = replace(left, align="centre", after=0.3 * lead)
        self.place = replace(self.byline, font=face.italic, size=0.9 * size, after=1.2 * lead)
        self.first = flat
        self.summary = replace(flat, size=0.9 * size, leading=0.9 * lead)
        self.headings = (
            replace(left, font=face.bold, size=1.25 * size, leading=1.5 * size, before=1.1 * lead, after=0.45 * lead),
            replace(left, font=face.bold, size=1.06 * size, before=0.8 * lead, after=0.3 * lead),
            replace(left, font=face.italic, before=0.6 * lead, after=0.2 * lead),
        )
        self.formula = replace(left, align="centre", before=0.5 * lead, after=0.5 * lead)
        self.contents = replace(left, after=0.25 * lead)
        self.item = replace(flat, first=0.8 * size, rest=2.4 * size)
        small = look.small
        self.reference = replace(small, rest=1.4 * size, after=0.2 * lead)


class Writing:
    """An article as it grows: headings, paragraphs with notes, floats, references."""

    def __init__(self, look: Look, author: Author) -> None:
        self.author, self.setter, self.styles = author, Setter(look), Styles(look)
        self._notes = self._tables = self._figures = self._formulas = 0
        self._after_heading = True

    def heading(self, text: str, level: int) -> None:
        """Set a heading that does not stand alone at the end of a column."""
        type_ = self.styles.headings[level - 1]
        keep = type_.after + 2.2 * self.setter.look.body.leading
        self.setter.block(Kind.HEADING, [text], type_, level=level, keep=keep)
        self._after_heading = True

    def paragraph(self, *, note: bool = False, least: int = 3, most: int = 7) -> None:
        """Set a paragraph, with a footnote to one of its sentences if wished."""
        sentences = self.author.paragraph(least, most)
        notes = {}
        if note:
            self._notes += 1
            mark = str(self._notes)
            at = self.author.chance.randrange(len(sentences))
            sentences[at] += f"^{mark}"
            notes[mark] = self.author.note()
        type_ = self.styles.first if self._after_heading else self.setter.look.body
        self.setter.block(Kind.TEXT, sentences, type_, notes=notes)
        self._after_heading = False

    def formula(self) -> None:
        """Set a formula on a line of its own."""
        self._formulas += 1
        left, right = self.author.chance.sample("PQRSTVWXY", 2)
        self.setter.block(
            Kind.TEXT, [f"{left} = a + b{right} + c({right} − d) + e ({self._formulas})"], self.styles.formula
        )
        self._after_heading = True

    def items(self) -> None:
        """Set a list of three items."""
        for number in range(1, 4):
            self.setter.block(Kind.TEXT, [f"({number}) {self.author.sentence()}"], self.styles.item)
        self._after_heading = False

    def table(self, *, here: bool = False, wide: bool = False) -> None:
        """Queue a table, or set it where the text stands."""
        self._tables += 1
        made = table(self.setter, self.author, self._tables, rows=self.author.chance.randint(4, 7), wide=wide)
        if here:
            self.setter.here(made)
        else:
            self.setter.queue(made)

    def figure(self, *, wide: bool = False) -> None:
        """Queue a figure."""
        self._figures += 1
        self.setter.queue(figure(self.setter, self.author, self._figures, wide=wide))

    def references(self, until: float, name: str) -> None:
        """Fill the rest with references, up to a share of pages."""
        self.heading(name, 1)
        while True:
            self.setter.block(Kind.REFERENCE, [self.author.reference()], self.styles.reference)
            if self.setter.used > until - 0.02 - 3 * self.setter.look.small.leading / self.setter.look.page[1]:
                return


def times(size: float, leading: float) -> tuple[Face, Type]:
    face = faces()["times"]
    return face, Type(face.regular, size, leading, first=1.3 * size)


def sections(writing: Writing, pages: float, *, numbered: bool, depth: int, floats: bool) -> None:
    """Sections with subsections until the pages are nearly full, then a conclusion and the references."""
    author, setter = writing.author, writing.setter
    known: Iterator[str] = iter(_KNOWN[author.language])
    closing, references = _CLOSING[author.language]
    enough = pages - min(0.6, 0.3 * pages)
    number = 0
    while setter.used < enough:
        number += 1
        title = next(known, None) or author.heading()
        writing.heading(_title(numbered, (number,), title), 1)
        writing.paragraph(note=floats)
        below = 0
        while setter.used < enough and below < 3:
            below += 1
            writing.heading(_title(numbered, (number, below), author.heading(long=below == 3)), 2)
            _subsection(writing, (number, below), enough, numbered=numbered, depth=depth, floats=floats)
            if floats and setter.used < pages - 1.6:
                if below == 1:
                    writing.figure(wide=number % 3 == 0)
                elif below == 2:
                    writing.table()
            elif not floats and below == 2 and setter.used < pages - 1:
                writing.table(here=True)
    writing.heading(_title(numbered, (number + 1,), closing), 1)
    writing.paragraph(least=2, most=3)
    writing.references(pages, references)


def _subsection(
    writing: Writing, numbers: tuple[int, int], enough: float, *, numbered: bool, depth: int, floats: bool
) -> None:
    """Paragraphs, a formula or a list among them, or two sections of the third level."""
    for at in range(writing.author.chance.randint(2, 4)):
        if at and writing.setter.used >= enough:
            return
        if depth > 2 and numbers[1] == 2 and at < 2:
            writing.heading(_title(numbered, (*numbers, at + 1), writing.author.heading()), 3)
        writing.paragraph(note=floats and at == 1)
        if at == 0 and numbers[1] == 3:
            if floats:
                writing.formula()
            else:
                writing.items()


def _title(numbered: bool, numbers: tuple[int, ...], title: str) -> str:
    return f"{'.'.join(str(n) for n in numbers)} {title}" if numbered else title
