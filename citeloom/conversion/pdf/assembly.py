"""Assembles a document from the regions of its pages: headings, paragraphs, blocks, page texts. Called by reader.py."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from citeloom.conversion.pdf.heading_candidates import BodyType
from citeloom.conversion.pdf.headings import find_headings
from citeloom.conversion.pdf.margins import Margins
from citeloom.conversion.pdf.paragraphs import Paragraph, find_continuation, page_paragraphs
from citeloom.conversion.pdf.raw_page import RawPage, RawPdf, Word
from citeloom.conversion.pdf.reading_order import Line, Region
from citeloom.conversion.pdf.slow_pages import is_uncertain
from citeloom.conversion.text_tools import (
    Vocabulary,
    count_raw_words,
    count_words,
    find_dois,
    mean_confidence,
    tidy,
    word_coverage,
)
from citeloom.core.text.section_names import is_reference_list, run_in_abstract
from citeloom.core.types import Block, BlockKind, Converted, Page, TextSource

_MISREAD_COVERAGE = 0.8  # coverage below which the layout of a page was misread
_MIN_BLOCK_WORDS = 20  # words; shorter sideways text is a stamp or label and goes to the margin
_PLACEHOLDER_TITLE = re.compile(
    r"^(untitled|title|document\d*|unknown|slide \d+|microsoft (word|powerpoint)\b.*"
    r"|.*\.(docx?|tex|pdf|dvi|indd|qxd|rtf|odt))$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Assembly:
    """A document, and what is known about how well it was read."""

    document: Converted
    uncertain: list[int]  # pages whose layout is uncertain
    in_file_order: list[int]  # pages whose layout was misread


def assemble(
    raw: RawPdf, margins: Margins, layout: list[list[Region]], kind: str, converter: str, engine: str = "plain"
) -> Assembly:
    """Assemble the document from the regions of every page."""
    lines = [line for page in layout for region in page for line in region.lines]
    vocabulary = Vocabulary(line.text for line in lines)
    size = BodyType(lines).size
    title = _usable_title(raw.title) or _largest_text(layout[0] if layout else [], size)
    headings = {id(line): heading for heading in find_headings(layout, raw.outline, title) for line in heading.lines}
    by_page = [
        page_paragraphs(page_regions, headings, vocabulary, size, page.height)
        for page, page_regions in zip(raw.pages, layout, strict=True)
    ]
    uncertain = [page.number for page, paragraphs in zip(raw.pages, by_page, strict=True) if is_uncertain(paragraphs)]
    words = _count_words(raw.pages, by_page, margins.lines, vocabulary)
    _join_pages(by_page, vocabulary, size, words)
    in_margins = _margins(raw.pages, by_page, margins.lines, words.in_file_order)
    pages = tuple(
        Page(
            page.number,
            "\n\n".join(p.text for p in paragraphs),
            page.label,
            margins.numbers.printed[at],
            margins.numbers.printed_from[at],
            *_source(page.words),
            margin=in_margins[at],
        )
        for at, (page, paragraphs) in enumerate(zip(raw.pages, by_page, strict=True))
    )
    coverage = word_coverage(words.expected, words.actual)
    document = Converted(
        file_type=kind,
        converter=converter,
        blocks=tuple(_blocks([p for paragraphs in by_page for p in paragraphs])),
        pages=pages,
        title=title,
        dois=find_dois([*(page.text for page in pages), *(line for page in pages for line in page.margin)]),
        word_coverage=coverage,
        engine=engine,
    )
    return Assembly(
        document, [number for number in uncertain if number not in words.in_file_order], words.in_file_order
    )


def _source(words: list[Word]) -> tuple[TextSource, float | None]:
    """Return whether most of the words come from OCR, and their mean confidence."""
    recognised = [word for word in words if word.recognised]
    if len(recognised) * 2 <= len(words):
        return TextSource.NATIVE, None
    return TextSource.OCR, mean_confidence((word.confidence, word.text) for word in recognised)


@dataclass(slots=True)
class _WordCounts:
    """Words of a document as the file has them, and as they were read."""

    expected: Counter[str] = field(default_factory=Counter)
    actual: Counter[str] = field(default_factory=Counter)
    in_file_order: list[int] = field(default_factory=list)  # pages whose layout was misread


def _count_words(
    pages: list[RawPage], by_page: list[list[Paragraph]], margins: list[list[str]], vocabulary: Vocabulary
) -> _WordCounts:
    """Count the words, and use pdfium's own text for pages whose layout was misread, such as right-to-left scripts."""
    words = _WordCounts()
    for at, page in enumerate(pages):
        expected = count_raw_words(page.raw_text)
        actual = count_words((*(paragraph.text for paragraph in by_page[at]), page.rotated_text, *margins[at]))
        if word_coverage(expected, actual) < _MISREAD_COVERAGE:
            text = ""
            for line in page.raw_text.replace("\ufffe", "-").splitlines():
                text = vocabulary.join(text, tidy(line).strip())
            by_page[at] = [Paragraph(BlockKind.TEXT, text, page.number, 0.0)] if text else []
            words.in_file_order.append(page.number)
            actual = count_words([text])
        words.expected.update(expected)
        words.actual.update(actual)
    return words


def _join_pages(by_page: list[list[Paragraph]], vocabulary: Vocabulary, body: float, words: _WordCounts) -> None:
    """Mark paragraphs that continue across a page break, and join a word hyphenated there."""
    last: list[Paragraph] = []
    for paragraphs in by_page:
        if last and paragraphs:
            before, after = find_continuation(last, paragraphs, body)
            if before is not None and after is not None:
                # The halves become neighbours: notes and captions between them are moved within their page.
                last.append(last.pop(before))
                paragraphs.insert(0, paragraphs.pop(after))
                first, second = last[-1], paragraphs[0]
                second.continues = True
                _join_hyphenated_word(first, second, vocabulary, words)
        if paragraphs:
            last = paragraphs


def _join_hyphenated_word(first: Paragraph, second: Paragraph, vocabulary: Vocabulary, words: _WordCounts) -> None:
    """Move the rest of a word that is hyphenated at the page end to the page where it begins."""
    head, _, rest = second.text.partition(" ")
    if first.text[-1] in "-\u00ad\u2010" and rest:
        joined = vocabulary.join(first.text, head)
        if " " not in joined[len(first.text) - 1 :]:
            words.actual.subtract(count_words((first.text, second.text)))
            first.text, second.text = joined, rest
            words.actual.update(count_words((first.text, second.text)))


def _margins(
    pages: list[RawPage], by_page: list[list[Paragraph]], lines: list[list[str]], in_file_order: list[int]
) -> list[tuple[str, ...]]:
    """Return the margins of every page with its sideways text; a long one is added to the page's paragraphs instead."""
    count = Counter(page.rotated_text for page in pages if page.rotated_text and page.number not in in_file_order)
    stamps = {text for text, pages_with in count.items() if pages_with >= 3}  # running headers in another direction
    margins: list[tuple[str, ...]] = []
    for page, paragraphs, own in zip(pages, by_page, lines, strict=True):
        text = tidy(page.rotated_text).strip()
        if page.number in in_file_order:  # its text has all of them
            margins.append(())
        elif page.rotated_text in stamps or len(text.split()) < _MIN_BLOCK_WORDS:
            margins.append((*own, text) if text else tuple(own))
        else:
            paragraphs.append(Paragraph(BlockKind.TEXT, text, page.number, 0.0, aside=True))
            margins.append(tuple(own))
    return margins


def _blocks(paragraphs: list[Paragraph]) -> Iterator[Block]:
    aside = False  # the block before is outside the text flow
    path: list[tuple[int, str]] = []  # level and text of the headings above
    for paragraph in paragraphs:
        source, confidence = _source([word for line in paragraph.lines for word in line.words])
        block = partial(Block, page=paragraph.page, text_source=source, ocr_confidence=confidence)
        text, kind = paragraph.text, paragraph.kind
        run_in = None
        if paragraph.level is not None:
            path = [(level, heading) for level, heading in path if level < paragraph.level]
            path.append((paragraph.level, text))
        elif paragraph.page <= 2 and not path and (run_in := run_in_abstract(text)):
            path = [(0, run_in.rstrip(" —–:.-"))]
            text = text[len(run_in) :]
        section = tuple(heading for _, heading in path)
        if paragraph.level is not None or run_in:
            yield block(BlockKind.HEADING, section[-1], section, extra={"header_level": len(section)})
        if paragraph.level is not None:
            continue
        if kind is BlockKind.FOOTNOTE and is_reference_list(section):
            kind = BlockKind.TEXT  # numbered entries in small type
        yield block(kind, text, section, continues=paragraph.continues and not aside)
        aside = paragraph.aside


def _usable_title(title: str) -> str:
    title = " ".join(tidy(title).split())
    letters = sum(c.isalpha() for c in title)
    if len(title) < 5 or letters < 0.5 * len(title) or " " not in title or _PLACEHOLDER_TITLE.match(title):
        return ""
    return title


def _largest_text(page: list[Region], body: float) -> str:
    """Return the text in the largest type of the first page as the title."""
    lines = [line for region in page for line in region.lines if sum(c.isalpha() for c in line.text) >= 4]
    if not lines:
        return ""
    largest = max(line.size for line in lines)
    if largest < body + 1:
        return ""
    found: list[Line] = []
    for line in lines:
        if line.size >= largest - 0.5:
            found.append(line)
        elif found:
            break
    return " ".join(line.text.strip() for line in found)[:300]
