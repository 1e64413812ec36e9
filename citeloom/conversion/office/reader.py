"""Reader of Word, PowerPoint, HTML and EPUB files with docling."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from docling.backend.abstract_backend import DeclarativeDocumentBackend
from docling.backend.html_backend import HTMLDocumentBackend
from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend
from docling.datamodel.backend_options import HTMLBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling_core.types.doc.document import DoclingDocument

from citeloom.conversion.docling import quietly
from citeloom.conversion.docling.blocks import SPEAKER_NOTES, read_blocks, unread_texts
from citeloom.conversion.file_errors import file_error
from citeloom.conversion.office import epub, office_xml, plain_html, web_page
from citeloom.conversion.office.zip_package import NAMES, Package, damaged
from citeloom.conversion.text_tools import count_raw_words, count_words, find_dois, tidy, word_coverage, words_of
from citeloom.core.errors import CiteLoomError
from citeloom.core.types import Block, Converted, Page

_POOR_COVERAGE = 0.95
_OPENING = 20  # first blocks, in which the printed title is expected
_BACKENDS: dict[str, tuple[InputFormat, type[DeclarativeDocumentBackend]]] = {
    "docx": (InputFormat.DOCX, MsWordDocumentBackend),
    "pptx": (InputFormat.PPTX, MsPowerpointDocumentBackend),
    "html": (InputFormat.HTML, HTMLDocumentBackend),
    "epub": (InputFormat.HTML, HTMLDocumentBackend),
}


@dataclass(slots=True)
class _Source:
    """A file prepared for docling, with its metadata and texts."""

    stream: io.BytesIO
    titles: list[str] = field(default_factory=list)  # from the metadata, the best first
    dois: list[str] = field(default_factory=list)
    visible: list[str] = field(default_factory=list)  # visible texts of the file
    omitted: list[str] = field(default_factory=list)  # of these, texts that are not content
    warnings: list[str] = field(default_factory=list)


def read(path: Path, kind: str, converter: str) -> Converted:
    """Convert a DOCX, PPTX, HTML or EPUB file."""
    try:
        with quietly():
            source = _source(path, kind)
            doc = _docling(source.stream, path, kind)
            blocks, printed = _blocks(doc, kind, source.titles)
            source.omitted += unread_texts(doc) if kind == "pptx" else []
    except RecursionError:
        raise _unreadable(path, kind, "it is nested too deeply") from None
    if not any(words_of(block.text) for block in blocks):
        next_step = "If its text is in pictures, print it to PDF: the pages of a PDF are read by OCR."
        raise file_error(path, f"The file {path.name} contains no text.", next_step)
    visible = " ".join(" ".join(source.visible).split())  # line breaks mean nothing in these formats
    shown = (block.text for block in blocks if block.section_path[-1:] != (SPEAKER_NOTES,))
    expected = count_raw_words(visible)
    expected.subtract(count_words(source.omitted))
    coverage = word_coverage(expected, count_words(shown))
    if coverage < _POOR_COVERAGE:
        source.warnings.append(f"Only {coverage:.0%} of the file's words were recovered.")
    return Converted(
        file_type=kind,
        converter=converter,
        blocks=tuple(blocks),
        pages=_slides(doc, blocks) if kind == "pptx" else (),
        title=_title(source.titles, printed, blocks, kind),
        dois=find_dois([*source.dois, *(block.text for block in blocks)]),
        word_coverage=coverage,
        warnings=tuple(source.warnings),
        engine="docling",
    )


def _source(path: Path, kind: str) -> _Source:
    if kind == "html":
        return _web_source(web_page.read_page(path.read_bytes(), path, xhtml=path.suffix.lower() == ".xhtml"))
    with Package(path, kind) as package:
        if kind == "epub":
            return _web_source(epub.read_book(package))
        main = office_xml.main_part(package, kind)
        stream, visible = office_xml.for_docling(package, main, kind)
        return _Source(stream, [office_xml.title(package)], visible=visible)


def _web_source(page: web_page.WebPage) -> _Source:
    html = io.BytesIO(plain_html.to_html(page.body.children).encode())
    return _Source(html, page.titles, page.dois, ["".join(page.visible)], ["".join(page.omitted)], page.warnings)


def _docling(stream: io.BytesIO, path: Path, kind: str) -> DoclingDocument:
    """Return docling's document from its backend; the pipelines add nothing for these formats."""
    form, backend = _BACKENDS[kind]
    options = HTMLBackendOptions(add_title=False, infer_furniture=False) if form is InputFormat.HTML else None
    try:
        document = InputDocument(stream, form, backend, options, f"document.{form.value}")
        reader = getattr(document, "_backend", None)  # None if the file could not be opened
        if not isinstance(reader, DeclarativeDocumentBackend) or not reader.is_valid():
            raise damaged(path, "its parts do not fit together")
        # Images are not used, so LibreOffice need not be started to render them.
        for name in ("docx_to_pdf_converter_init", "pptx_to_pdf_converter_init"):
            if hasattr(reader, name):
                setattr(reader, name, True)
        return reader.convert()
    except (CiteLoomError, RecursionError, MemoryError):
        raise
    except Exception as error:
        raise _unreadable(path, kind, f"docling failed ({type(error).__name__})") from error


def _unreadable(path: Path, kind: str, why: str) -> CiteLoomError:
    next_step = f"Open the {NAMES[kind]} and save it again, or attach a PDF of it."
    return file_error(path, f"The file {path.name} could not be read: {why}.", next_step)


def _blocks(doc: DoclingDocument, kind: str, titles: list[str]) -> tuple[list[Block], str]:
    blocks, printed = read_blocks(doc, kind, titles)
    if kind in ("docx", "pptx"):
        return blocks, printed
    restore = plain_html.restore_characters
    restored = [replace(b, text=restore(b.text), section_path=tuple(map(restore, b.section_path))) for b in blocks]
    return restored, restore(printed)


def _title(titles: Iterable[str], printed: str, blocks: list[Block], kind: str) -> str:
    """Return the metadata title if it is printed too, since templates and sites often set a wrong one."""
    named = [tidied for title in titles if (tidied := " ".join(tidy(title).split()))]
    if kind == "epub" and named:
        return named[0]
    opening = f" {' '.join(words_of(' '.join(block.text for block in blocks[:_OPENING])))} "
    for title in named:
        words = words_of(title)
        if len(words) > 1 and f" {' '.join(words)} " in opening:  # a single word would match by chance
            return title
    return printed or next(iter(named), "")


def _slides(doc: DoclingDocument, blocks: list[Block]) -> tuple[Page, ...]:
    texts: dict[int, list[str]] = {number: [] for number in doc.pages}
    for block in blocks:
        if block.page is not None:
            texts.setdefault(block.page, []).append(block.text)
    return tuple(Page(number, "\n\n".join(parts)) for number, parts in sorted(texts.items()))
