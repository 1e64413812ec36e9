"""The kinds of papers that are set in type: an article, a journal's two columns, plain headings."""

from __future__ import annotations

from dataclasses import replace

from reportlab.lib.pagesizes import A4, letter

from tests.papers.lines import Type, faces, width_of
from tests.papers.printing import Entry, Manuscript
from tests.papers.prose import Author
from tests.papers.setting import Ink, Look, Rule, Sheet
from tests.papers.truth import Kind, TruePage, Truth
from tests.papers.writing import Writing, sections, times

FIRST_PAGE = 253


def centred(look: Look, y: float, text: str, font: str, size: float) -> Ink:
    return Ink((look.page[0] - width_of(text, font, size)) / 2, y, text, font, size)


def flush_right(look: Look, y: float, text: str, font: str, size: float) -> Ink:
    return Ink(look.page[0] - look.margins[1] - width_of(text, font, size), y, text, font, size)


def single(seed: int, pages: int) -> Manuscript:
    """One column, numbered headings, an outline, page numbers from 253 under labels that say 1, 2, 3."""
    face, body = times(11, 13.4)
    look = Look(face, A4, (80, 80, 84, 84), body)
    writing = Writing(look, Author("en", seed))
    author, setter, styles = writing.author, writing.setter, writing.styles
    title = author.title()
    setter.block(Kind.TITLE, [title], styles.title)
    setter.block(Kind.BYLINE, [" and ".join(author.names(2))], styles.byline)
    setter.block(Kind.BYLINE, [author.affiliation()], styles.place)
    writing.heading("Abstract", 1)
    setter.block(Kind.TEXT, author.paragraph(3, 4), styles.summary)
    sections(writing, pages, numbered=True, depth=3, floats=False)
    sheets = setter.finish()
    truth = Truth("single", "en", title, True, setter.blocks)
    journal = f"Journal of Old Ledgers {10 + seed % 30} (2019)"
    for at, sheet in enumerate(sheets):
        number = str(FIRST_PAGE + at)
        running = [number]
        sheet.inks.append(centred(look, 44, number, face.regular, 10))
        if at:
            running.append(journal)
            sheet.inks.append(centred(look, look.page[1] - 52, journal, face.italic, 9.5))
        truth.pages.append(TruePage(at + 1, number, True, str(at + 1), tuple(running)))
    outline = [Entry(b.text, b.level, b.pages[0]) for b in truth.of_kind(Kind.HEADING)]
    return Manuscript(look, sheets, truth, outline, [(0, "ARABIC", 1)])


def two_columns(seed: int, pages: int) -> Manuscript:
    """A journal's two columns: numbered headings, figures, tables, notes; no outline, no labels.

    An odd seed numbers the pages above and draws column by column; an even one numbers them below, sets its headings
    in Helvetica and draws row by row, as some programs do.
    """
    odd = bool(seed % 2)
    face, body = times(9.6, 11.4)
    if not odd:
        face = replace(face, bold=faces()["helvetica"].bold)
    look = Look(face, letter if odd else A4, (54, 54, 72, 66), body, columns=2, gap=20 if odd else 16)
    writing = Writing(look, Author("en", seed))
    author, setter, styles = writing.author, writing.setter, writing.styles
    title = author.title()
    names = author.names(3)
    setter.block(Kind.TITLE, [title], styles.title)
    setter.block(Kind.BYLINE, [f"{', '.join(names[:2])} and {names[2]}"], styles.byline)
    setter.block(Kind.BYLINE, [author.affiliation()], styles.place)
    writing.heading("Abstract", 1)
    setter.block(Kind.TEXT, author.paragraph(4, 5), styles.summary)
    setter.begin_columns()
    sections(writing, pages, numbered=True, depth=2, floats=True)
    sheets = setter.finish()
    truth = Truth("two_columns", "en", title, False, setter.blocks)
    heads = (" ".join(title.split()[:5]).rstrip(":,"), f"{names[0].split()[-1]} et al.")
    for at, sheet in enumerate(sheets):
        truth.pages.append(_journal_page(look, sheet, at, heads[at % 2], numbers_above=odd))
        if not odd:
            sheet.inks.sort(key=lambda ink: (-round(ink.y), ink.x))
    return Manuscript(look, sheets, truth)


def _journal_page(look: Look, sheet: Sheet, at: int, head: str, *, numbers_above: bool) -> TruePage:
    """The margins of a journal's page: an imprint on the first, running heads on the others."""
    face, (left, right, _, _), top = look.face, look.margins, look.page[1] - 46
    number = str(FIRST_PAGE + at)
    running: list[str] = []
    imprint = ["© 2019 The Authors. Published by Harbour Press."] if at == 0 else []
    if at == 0:
        imprint.append("Annals of Trade and Credit 41 (2): 253–260")
        sheet.inks.append(Ink(left, 36, imprint[0], face.regular, 7.5))
        sheet.inks.append(Ink(left, top, imprint[1], face.italic, 8.5))
    else:
        sheet.rules.append(Rule(left, top - 5, look.page[0] - right, top - 5, 0.4))
    if not numbers_above:
        running.append(number)
        sheet.inks.append(flush_right(look, 36, number, face.regular, 9))
        if at:
            running.append(head)
            sheet.inks.append(Ink(left, top, head, face.italic, 9))
    elif at % 2:
        running.append(f"{number} {head}")
        sheet.inks += [Ink(left, top, number, face.regular, 9), Ink(left + 40, top, head, face.italic, 9)]
    elif at:
        running.append(f"{head} {number}")
        sheet.inks += [Ink(left, top, head, face.italic, 9), flush_right(look, top, number, face.regular, 9)]
    return TruePage(at + 1, number, bool(running), None, tuple(running), tuple(imprint))


def plain_headings(seed: int, pages: int) -> Manuscript:
    """German, one column in an embedded sans-serif, headings told by their type alone."""
    face = faces()["vera"]
    look = Look(face, A4, (85, 85, 80, 80), Type(face.regular, 9.2, 13, first=14))
    writing = Writing(look, Author("de", seed))
    author, setter, styles = writing.author, writing.setter, writing.styles
    title = author.title()
    setter.block(Kind.TITLE, [title], styles.title)
    setter.block(Kind.BYLINE, [" und ".join(author.names(2))], styles.byline)
    setter.block(Kind.BYLINE, [author.affiliation()], styles.place)
    writing.heading("Zusammenfassung", 1)
    setter.block(Kind.TEXT, author.paragraph(3, 4), styles.summary)
    sections(writing, pages, numbered=False, depth=2, floats=False)
    sheets = setter.finish()
    truth = Truth("plain_headings", "de", title, False, setter.blocks)
    for at, sheet in enumerate(sheets):
        number, line = str(17 + at), "Zeitschrift für alte Rechnungen"
        sheet.inks.append(Ink(look.margins[0], 42, line, face.regular, 7.5))
        sheet.inks.append(flush_right(look, 42, number, face.regular, 7.5))
        truth.pages.append(TruePage(at + 1, number, True, None, (f"{line} {number}",)))
    return Manuscript(look, sheets, truth)
