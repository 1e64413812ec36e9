"""PDF files: text by page in reading order, with sections, page labels and printed page numbers."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from citeloom.documents.pdf_headings import body_size, find_headings
from citeloom.documents.pdf_layout import Line, Region, document_gutters, regions
from citeloom.documents.pdf_margins import read_margins
from citeloom.documents.pdf_paragraphs import Paragraph, meeting_ends, page_paragraphs
from citeloom.documents.pdfium import RawPage, Word, read_pdf
from citeloom.documents.section_names import run_in_abstract
from citeloom.documents.text_tools import Vocabulary, find_dois, tidy, word_coverage
from citeloom.errors import CiteLoomError, Code
from citeloom.model import Block, BlockKind, Converted, Page

_POOR_COVERAGE = 0.95
_LOST_PAGE = 0.8  # a page that keeps less of its words was misread
_WORTH_A_BLOCK = 20  # words; less text printed sideways is a stamp or a label, kept in the page's text alone
_NO_TITLE = re.compile(
    r"^(untitled|title|document\d*|unknown|slide \d+|microsoft (word|powerpoint)\b.*"
    r"|.*\.(docx?|tex|pdf|dvi|indd|qxd|rtf|odt))$",
    re.I,
)


def read(path: Path, converter: str) -> Converted:
    """Convert a PDF that carries text."""
    raw = read_pdf(path)
    if not any(page.words or page.turned for page in raw.pages):
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The PDF {path.name} holds no text: it is a scan and needs OCR, which CiteLoom does not do yet.",
            "Run OCR on it with another program and attach the result.",
            path=str(path),
            pages=len(raw.pages),
        )
    margins = read_margins(raw.pages)
    gutters = document_gutters(raw.pages)
    laid_out = [regions(page, gutters) for page in raw.pages]
    lines = [line for page in laid_out for region in page for line in region.lines]
    words = Vocabulary(tidy(line.text) for line in lines)
    size = body_size(lines)
    title = _sensible(raw.title) or _largest_text(laid_out[0] if laid_out else [], size)
    headings = {id(line): heading for heading in find_headings(laid_out, raw.outline, title) for line in heading.lines}
    by_page = [page_paragraphs(page, headings, words, size) for page in laid_out]
    in_file_order = _mend_lost_pages(raw.pages, by_page, margins.running, words)
    _join_pages(by_page, words, size)
    stamps = _stamps(raw.pages)
    for page, paragraphs in zip(raw.pages, by_page, strict=True):
        if page.turned not in stamps:
            _add_turned_text(page, paragraphs)
    pages = tuple(
        Page(page.number, "\n\n".join(p.text for p in paragraphs), page.label, printed)
        for page, paragraphs, printed in zip(raw.pages, by_page, margins.printed, strict=True)
    )
    left_out = [" ".join(word.text for word in running) for running in margins.running]
    left_out += [page.turned for page in raw.pages if page.turned in stamps]
    coverage = word_coverage((page.raw_text for page in raw.pages), (page.text for page in pages), left_out)
    return Converted(
        file_type="pdf",
        converter=converter,
        blocks=tuple(_blocks([p for paragraphs in by_page for p in paragraphs])),
        pages=pages,
        title=title,
        dois=find_dois([*(page.text for page in pages), *left_out]),
        word_coverage=coverage,
        warnings=tuple(_warnings(raw.pages, raw.unreadable, in_file_order, coverage)),
    )


def _mend_lost_pages(
    pages: list[RawPage], by_page: list[list[Paragraph]], running: list[list[Word]], words: Vocabulary
) -> list[int]:
    """Take pdfium's own text for pages whose layout was misread (writing from right to left, say)."""
    mended = []
    for at, page in enumerate(pages):
        gone = " ".join(word.text for word in running[at])
        kept = [*(paragraph.text for paragraph in by_page[at]), page.turned]
        if word_coverage([page.raw_text], kept, [gone]) >= _LOST_PAGE:
            continue
        text = ""
        for line in page.raw_text.replace("\ufffe", "-").splitlines():
            text = words.join(text, tidy(line).strip())
        by_page[at] = [Paragraph(BlockKind.TEXT, text, page.number, 0.0)] if text else []
        page.turned = ""
        mended.append(page.number)
    return mended


def _warnings(pages: list[RawPage], unreadable: list[int], in_file_order: list[int], coverage: float) -> list[str]:
    found = []
    if in_file_order:
        found.append(f"The layout of {_page_list(in_file_order)} was not understood; text in the file's order.")
    if unreadable:
        found.append(f"Could not read {_page_list(unreadable)}.")
    empty = [page.number for page in pages if not page.raw_text.strip() and page.number not in unreadable]
    if empty:
        found.append(f"No text on {_page_list(empty)}: blank, or scanned without OCR.")
    if coverage < _POOR_COVERAGE:
        found.append(f"Only {coverage:.0%} of the file's words were recovered.")
    return found


def _page_list(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"PDF page{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _join_pages(by_page: list[list[Paragraph]], words: Vocabulary, body: float) -> None:
    """Mark the paragraphs that run over a page break and mend a word broken by it."""
    last: list[Paragraph] = []
    for paragraphs in by_page:
        if last and paragraphs:
            before, after = meeting_ends(last, paragraphs, body)
            if before is not None and after is not None:
                # The halves become neighbours: notes and captions between them step aside on their own page.
                last.append(last.pop(before))
                paragraphs.insert(0, paragraphs.pop(after))
                first, second = last[-1], paragraphs[0]
                second.continues = True
                _mend_broken_word(first, second, words)
        if paragraphs:
            last = paragraphs


def _mend_broken_word(first: Paragraph, second: Paragraph, words: Vocabulary) -> None:
    """A word broken by the end of the page stands whole on the page where it begins."""
    head, _, rest = second.text.partition(" ")
    if first.text[-1] in "-\u00ad\u2010" and rest:
        joined = words.join(first.text, head)
        if " " not in joined[len(first.text) - 1 :]:
            first.text, second.text = joined, rest


def _stamps(pages: list[RawPage]) -> set[str]:
    """Sideways text that stands on page after page: a running line by another direction."""
    count = Counter(page.turned for page in pages if page.turned)
    return {text for text, pages_with in count.items() if pages_with >= 3}


def _add_turned_text(page: RawPage, paragraphs: list[Paragraph]) -> None:
    """Text printed sideways (a stamp, a label) is kept at the end of its page's text."""
    text = tidy(page.turned).strip()
    if text:
        paragraphs.append(Paragraph(BlockKind.TEXT, text, page.number, 0.0, aside=True))


def _blocks(paragraphs: list[Paragraph]) -> list[Block]:
    blocks: list[Block] = []
    aside = False  # the block before is outside the flow, nothing continues it
    path: list[tuple[int, str]] = []  # level and text of the headings above
    for paragraph in paragraphs:
        if paragraph.aside and len(paragraph.text.split()) < _WORTH_A_BLOCK:
            continue
        if paragraph.level is not None:
            path = [(level, text) for level, text in path if level < paragraph.level]
            path.append((paragraph.level, paragraph.text))
            section = tuple(text for _, text in path)
            extra = {"header_level": len(section)}
            blocks.append(Block(BlockKind.HEADING, paragraph.text, section, paragraph.page, extra=extra))
            continue
        text = paragraph.text
        run_in = run_in_abstract(text) if paragraph.page <= 2 and not path else None
        if run_in:
            name = run_in.rstrip(" —–:.-")
            path = [(0, name)]
            blocks.append(Block(BlockKind.HEADING, name, (name,), paragraph.page, extra={"header_level": 1}))
            text = text[len(run_in) :]
        section = tuple(heading for _, heading in path)
        goes_on = paragraph.continues and not aside
        blocks.append(Block(paragraph.kind, text, section, paragraph.page, continues=goes_on))
        aside = paragraph.aside
    return blocks


def _sensible(title: str) -> str:
    title = " ".join(tidy(title).split())
    letters = sum(c.isalpha() for c in title)
    if len(title) < 5 or letters < 0.5 * len(title) or " " not in title or _NO_TITLE.match(title):
        return ""
    return title


def _largest_text(page: list[Region], body: float) -> str:
    """The text in the largest type on the first page: what a reader takes for the title."""
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
    return " ".join(tidy(line.text).strip() for line in found)[:300]
