"""Reader of PDF and image files: text by page in reading order, with sections, page labels and printed numbers."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from citeloom.conversion.file_errors import file_error
from citeloom.conversion.image_files import ImageFile
from citeloom.conversion.pdf.heading_candidates import BodyType
from citeloom.conversion.pdf.headings import find_headings
from citeloom.conversion.pdf.margins import Margins, read_margins
from citeloom.conversion.pdf.ocr_pages import needs_ocr, recognise
from citeloom.conversion.pdf.paragraphs import Paragraph, find_continuation, page_paragraphs
from citeloom.conversion.pdf.pdfium.document import PdfFile
from citeloom.conversion.pdf.raw_page import RawPage, RawPdf, Word
from citeloom.conversion.pdf.reading_order import Line, Region, document_gutters, regions
from citeloom.conversion.pdf.text_layer import TextLayer
from citeloom.conversion.text_tools import Vocabulary, find_dois, mean_confidence, tidy, word_coverage
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.section_names import is_reference_list, run_in_abstract
from citeloom.core.types import Block, BlockKind, Converted, Page, TextSource

log = logging.getLogger(__name__)

_POOR_COVERAGE = 0.95
_MISREAD_COVERAGE = 0.8  # coverage below which the layout of a page was misread
_MIN_BLOCK_WORDS = 20  # words; shorter sideways text is a stamp or label and goes to the margin
_PLACEHOLDER_TITLE = re.compile(
    r"^(untitled|title|document\d*|unknown|slide \d+|microsoft (word|powerpoint)\b.*"
    r"|.*\.(docx?|tex|pdf|dvi|indd|qxd|rtf|odt))$",
    re.I,
)


def read_quick(path: Path, kind: str, converter: str) -> Converted:
    """Convert the text layer of a PDF; pages that need OCR are left out and counted."""
    with _open(path, kind) as file:
        raw = file.read()
    _check_pages(raw, path)
    waiting = needs_ocr(raw.pages)
    for page in raw.pages:
        if page.number in waiting:
            page.words, page.rotated_text, page.raw_text = [], "", ""
    margins = read_margins(raw.pages)
    doc = _assemble(raw, margins, _plain_layout(raw.pages), kind, converter)
    return replace(doc, waiting_for_ocr=len(waiting), warnings=(*_invisible_words_warning(raw.pages), *doc.warnings))


def read(
    path: Path,
    kind: str,
    converter: str,
    ocr_languages: tuple[str, ...],
    ocr_engine: str,
    on_progress: Callable[[str, int, int], None],
) -> Converted:
    """Convert a document completely: OCR where needed, layout by docling, or by geometry where docling loses text."""
    with _open(path, kind) as file:
        raw = file.read()
        _check_pages(raw, path)
        waiting = needs_ocr(raw.pages)
        warnings = _invisible_words_warning(raw.pages)
        if waiting:
            warnings += recognise(file, raw.pages, waiting, ocr_languages, ocr_engine, partial(on_progress, "ocr"))
        if not any(page.words or page.rotated_text for page in raw.pages):
            raise _no_text(path, raw, len(waiting), warnings)
        garbled = [number for number, layer in waiting.items() if layer is TextLayer.GARBLED]
        if garbled:
            languages = ", ".join(ocr_languages)
            warnings.append(f"The text layer of {_page_list(garbled)} is garbled: read by OCR instead, as {languages}.")
        margins = read_margins(raw.pages)
        reason = None
        try:
            from citeloom.conversion.docling.pdf_pages import lay_out

            layout = lay_out(raw.pages, raw.outline, file, partial(on_progress, "layout"))
            doc = _assemble(raw, margins, layout, kind, converter, engine="docling")
            if (doc.word_coverage or 0) < _POOR_COVERAGE:
                reason = f"docling kept only {doc.word_coverage:.0%} of the words"
        except Exception as error:
            log.warning("docling failed on %s", path.name, exc_info=True)
            reason = f"docling failed: {type(error).__name__}: {error}"
    if reason:
        plain = _assemble(raw, margins, _plain_layout(raw.pages), kind, converter)
        doc = replace(plain, fallback_reason=reason)
    return replace(doc, ocr_languages=ocr_languages if waiting else (), warnings=(*warnings, *doc.warnings))


def _open(path: Path, kind: str) -> PdfFile | ImageFile:
    return ImageFile(path) if kind == "image" else PdfFile(path)


def _check_pages(raw: RawPdf, path: Path) -> None:
    if len(raw.unreadable) < len(raw.pages):
        return
    what = "has no pages"
    if declared := raw.declared_pages or len(raw.pages):
        what = f"says that it has {declared:,} page{'s' * (declared > 1)}, but none of them can be opened"
    next_step = "Open it in a PDF viewer; if it is empty there too, download it again."
    raise file_error(path, f"{path.name} {what}.", next_step)


def _no_text(path: Path, raw: RawPdf, recognised: int, warnings: list[str]) -> CiteLoomError:
    """Return the error for a document without any text."""
    pages = len(raw.pages)
    if recognised:
        where = f"{recognised:,} of its {pages:,} pages" if pages > 1 else "its page"
        what = f"There is no text in {path.name}, and OCR found none on {where}."
        next_step = "Open the file: its pages may be pictures without words."
    else:
        where = f"any of its {pages:,} pages" if pages > 1 else "its page"
        what = f"{path.name} is blank: there is neither text nor a picture on {where}."
        next_step = "Open the file in a PDF viewer; if it has text there, print it to a new PDF."
    if raw.unreadable:
        warnings = [*warnings, f"Could not read {_page_list(raw.unreadable)}."]
    return CiteLoomError(Code.CONVERSION_FAILED, " ".join([what, *warnings]), next_step, path=str(path), pages=pages)


def _plain_layout(pages: list[RawPage]) -> list[list[Region]]:
    """Return the regions of all pages by geometry alone."""
    gutters = document_gutters(pages)
    return [regions(page, gutters) for page in pages]


def _assemble(
    raw: RawPdf, margins: Margins, layout: list[list[Region]], kind: str, converter: str, engine: str = "plain"
) -> Converted:
    lines = [line for page in layout for region in page for line in region.lines]
    vocabulary = Vocabulary(tidy(line.text) for line in lines)
    size = BodyType(lines).size
    title = _usable_title(raw.title) or _largest_text(layout[0] if layout else [], size)
    headings = {id(line): heading for heading in find_headings(layout, raw.outline, title) for line in heading.lines}
    by_page = [
        page_paragraphs(page_regions, headings, vocabulary, size, page.height)
        for page, page_regions in zip(raw.pages, layout, strict=True)
    ]
    in_file_order = _replace_misread_pages(raw.pages, by_page, margins.lines, vocabulary)
    _join_pages(by_page, vocabulary, size)
    stamps = _stamps(raw.pages)
    in_margins = [
        (*lines, *_add_rotated_text(page, paragraphs, stamps))
        for lines, page, paragraphs in zip(margins.lines, raw.pages, by_page, strict=True)
    ]
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
    everything = [text for page in pages for text in (page.text, *page.margin)]
    coverage = word_coverage((page.raw_text for page in raw.pages), everything)
    return Converted(
        file_type=kind,
        converter=converter,
        blocks=tuple(_blocks([p for paragraphs in by_page for p in paragraphs])),
        pages=pages,
        title=title,
        dois=find_dois([*(page.text for page in pages), *(line for page in pages for line in page.margin)]),
        word_coverage=coverage,
        warnings=tuple(_warnings(raw, in_file_order, coverage)),
        engine=engine,
    )


def _source(words: list[Word]) -> tuple[TextSource, float | None]:
    """Return whether most of the words come from OCR, and their mean confidence."""
    recognised = [word for word in words if word.recognised]
    if len(recognised) * 2 <= len(words):
        return TextSource.NATIVE, None
    return TextSource.OCR, mean_confidence((word.confidence, word.text) for word in recognised)


def _replace_misread_pages(
    pages: list[RawPage], by_page: list[list[Paragraph]], margins: list[list[str]], vocabulary: Vocabulary
) -> list[int]:
    """Use pdfium's own text for pages whose layout was misread, such as right-to-left scripts."""
    replaced = []
    for at, page in enumerate(pages):
        converted = [*(paragraph.text for paragraph in by_page[at]), page.rotated_text, *margins[at]]
        if word_coverage([page.raw_text], converted) >= _MISREAD_COVERAGE:
            continue
        text = ""
        for line in page.raw_text.replace("\ufffe", "-").splitlines():
            text = vocabulary.join(text, tidy(line).strip())
        by_page[at] = [Paragraph(BlockKind.TEXT, text, page.number, 0.0)] if text else []
        page.rotated_text, margins[at] = "", []
        replaced.append(page.number)
    return replaced


def _invisible_words_warning(pages: list[RawPage]) -> list[str]:
    """Return the warning about invisible words, which are left out because they are no evidence."""
    counts = {page.number: page.invisible_words for page in pages if page.invisible_words}
    if not counts:
        return []
    words = sum(counts.values())
    what = f"{words:,} words that cannot be seen on the page were" if words > 1 else "1 word that cannot be seen was"
    return [f"{_page_list(list(counts))}: {what} left out."]


def _warnings(raw: RawPdf, in_file_order: list[int], coverage: float) -> list[str]:
    found = []
    if raw.declared_pages:
        found.append(
            f"The file says that it has {raw.declared_pages:,} pages, but only {len(raw.pages):,} can be opened."
        )
    if in_file_order:
        found.append(f"The layout of {_page_list(in_file_order)} was not recognised; text in file order.")
    if raw.unreadable:
        found.append(f"Could not read {_page_list(raw.unreadable)}.")
    if coverage < _POOR_COVERAGE:
        found.append(f"Only {coverage:.0%} of the file's words were recovered.")
    return found


def _page_list(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"PDF page{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _join_pages(by_page: list[list[Paragraph]], vocabulary: Vocabulary, body: float) -> None:
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
                _join_hyphenated_word(first, second, vocabulary)
        if paragraphs:
            last = paragraphs


def _join_hyphenated_word(first: Paragraph, second: Paragraph, vocabulary: Vocabulary) -> None:
    """Move the rest of a word that is hyphenated at the page end to the page where it begins."""
    head, _, rest = second.text.partition(" ")
    if first.text[-1] in "-\u00ad\u2010" and rest:
        joined = vocabulary.join(first.text, head)
        if " " not in joined[len(first.text) - 1 :]:
            first.text, second.text = joined, rest


def _stamps(pages: list[RawPage]) -> set[str]:
    """Return sideways text that repeats on several pages: a running header in another direction."""
    count = Counter(page.rotated_text for page in pages if page.rotated_text)
    return {text for text, pages_with in count.items() if pages_with >= 3}


def _add_rotated_text(page: RawPage, paragraphs: list[Paragraph], stamps: set[str]) -> list[str]:
    """Add long sideways text to the end of the page; return a stamp or label for the margin."""
    text = tidy(page.rotated_text).strip()
    if page.rotated_text in stamps or len(text.split()) < _MIN_BLOCK_WORDS:
        return [text] if text else []
    paragraphs.append(Paragraph(BlockKind.TEXT, text, page.number, 0.0, aside=True))
    return []


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
    return " ".join(tidy(line.text).strip() for line in found)[:300]
