"""A book: roman front matter with contents, chapters on right-hand pages, an outline that is a page off."""

from __future__ import annotations

from tests.papers.articles import centred, flush_right
from tests.papers.lines import width_of
from tests.papers.printing import Entry, Manuscript
from tests.papers.prose import Author
from tests.papers.setting import Ink, Look, Setter, Sheet
from tests.papers.truth import Kind, TrueBlock, TruePage, Truth
from tests.papers.writing import Styles, Writing, times

_ROMAN = ("i", "ii", "iii", "iv")
_PAGE = (432.0, 648.0)  # six by nine inches


def book(seed: int, pages: int) -> Manuscript:
    """Four pages of front matter, then chapters and a bibliography."""
    face, body = times(10, 12.4)
    look = Look(face, _PAGE, (56, 56, 66, 60), body)
    author = Author("en", seed)
    title, names = author.title(), author.names(2)
    writing = Writing(look, author)
    _chapters(writing, pages - len(_ROMAN))
    chapters = [block for block in writing.setter.blocks if block.level == 1]
    front = _front(look, author, title, " and ".join(names), chapters)
    for block in writing.setter.blocks:
        for word in block.words:
            word.pages = tuple(page + len(_ROMAN) for page in word.pages)
    truth = Truth("book", "en", title, True, front.blocks + writing.setter.blocks)
    body_sheets = writing.setter.finish()
    truth.pages = _front_pages(look, front.sheets) + _body_pages(look, body_sheets)
    outline = []
    for at, block in enumerate(truth.of_kind(Kind.HEADING)):
        # Every other target misses the heading's page, as those of careless exports do.
        off = (0, 1, 0, -1)[at % 4]
        outline.append(Entry(block.text, block.level, min(max(1, block.pages[0] + off), len(truth.pages))))
    labels = [(0, "ROMAN_LOWER", 1), (len(_ROMAN), "ARABIC", 1)]
    return Manuscript(look, front.sheets + body_sheets, truth, outline, labels)


def _chapters(writing: Writing, pages: int) -> None:
    author, setter = writing.author, writing.setter
    long = max(2, min(16, pages // 4))
    number = 0
    while setter.used < pages - 1.5 - 0.5 * long or number == 0:
        number += 1
        if number > 1:
            setter.new_chapter()
        setter.sheets[-1].opens = True
        writing.heading(f"{number} {author.heading()}", 1)
        # The last page is for the bibliography, and the page before it may stay blank.
        end = min(setter.page - 1 + long, pages - 2)
        section = 0
        while setter.used < end - 0.4:
            writing.paragraph(note=section > 0, least=4)
            if setter.used >= end - 0.4:
                break
            section += 1
            writing.heading(f"{number}.{section} {author.heading(long=section == 4)}", 2)
            for _ in range(author.chance.randint(3, 7)):
                writing.paragraph(least=3, most=9)
                if setter.used >= end - 0.4:
                    break
            if section % 3 == 2 and setter.used < end - 2:
                writing.table()
            elif section % 3 == 0 and setter.used < end - 2:
                writing.figure()
    while setter.page < pages - 1:
        writing.paragraph(least=4)
    setter.flush()
    setter.new_page()
    setter.sheets[-1].opens = True
    writing.references(pages, "Bibliography")
    setter.finish()


def _front(look: Look, author: Author, title: str, names: str, chapters: list[TrueBlock]) -> Setter:
    setter, styles = Setter(look), Styles(look)
    setter.block(Kind.TITLE, [title], styles.title)
    setter.block(Kind.BYLINE, [names], styles.byline)
    setter.block(Kind.BYLINE, [f"{author.chance.choice(('Lübeck', 'Bergen', 'Visby'))}: Harbour Press"], styles.place)
    setter.new_page()
    rights = "© 2019 Harbour Press. No part of this book may be copied without the consent of the publisher."
    setter.block(Kind.BYLINE, [rights], look.small)
    setter.new_page()
    setter.block(Kind.HEADING, ["Contents"], styles.headings[0], level=1)
    for block in chapters:
        _contents_entry(setter, look, block)
    setter.new_page()
    setter.block(Kind.HEADING, ["Preface"], styles.headings[0], level=1)
    while setter.used < len(_ROMAN) - 0.35:
        setter.block(Kind.TEXT, author.paragraph(4, 5))
    setter.finish()
    return setter


def _contents_entry(setter: Setter, look: Look, chapter: TrueBlock) -> None:
    """A line of the contents: the chapter, dots, its printed page (the body begins with page 1)."""
    font, size = look.body.font, look.body.size
    number = str(chapter.pages[0])
    wide = look.width - width_of(number, font, size) - width_of(chapter.text, font, size) - 8
    dots = "." * max(3, int(wide / width_of(".", font, size)))
    setter.block(Kind.CONTENTS, [f"{chapter.text} {dots} {number}"], Styles(look).contents)


def _front_pages(look: Look, sheets: list[Sheet]) -> list[TruePage]:
    pages = []
    for at, sheet in enumerate(sheets):
        printed = at >= 2  # neither the title page nor the imprint bears its number
        if printed:
            sheet.inks.append(centred(look, 36, _ROMAN[at], look.body.font, 9))
        pages.append(TruePage(at + 1, _ROMAN[at], printed, _ROMAN[at], (_ROMAN[at],) if printed else ()))
    return pages


def _body_pages(look: Look, sheets: list[Sheet]) -> list[TruePage]:
    pages = []
    font, italic, left, top = look.body.font, look.face.italic, look.margins[0], look.page[1] - 44
    for at, sheet in enumerate(sheets, 1):
        number, running = str(at), ""
        if sheet.opens:
            running = number
            sheet.inks.append(centred(look, 36, number, font, 9))
        elif not sheet.blank:
            head = " ".join(sheet.section[0 if at % 2 == 0 else -1].split()[:6])
            running = f"{number} {head}" if at % 2 == 0 else f"{head} {number}"
            if at % 2 == 0:
                sheet.inks += [Ink(left, top, number, font, 9), flush_right(look, top, head, italic, 9)]
            else:
                sheet.inks += [Ink(left, top, head, italic, 9), flush_right(look, top, number, font, 9)]
        pages.append(TruePage(at + len(_ROMAN), number, bool(running), number, (running,) if running else ()))
    return pages
