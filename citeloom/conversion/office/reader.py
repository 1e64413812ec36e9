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
from citeloom.conversion.office import epub, office_xml, plain_html, web_page
from citeloom.conversion.office.zip_package import NAMES, Package, damaged
from citeloom.conversion.text_tools import find_dois, tidy, word_coverage, words_of
from citeloom.core.errors import CiteLoomError, Code
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
    seen: list[str] = field(default_factory=list)  # visible texts of the file
    left_out: list[str] = field(default_factory=list)  # of these, texts that are not content
    warnings: list[str] = field(default_factory=list)


def read(path: Path, kind: str, converter: str) -> Converted:
    """Convert a DOCX, PPTX, HTML or EPUB file."""
    try:
        with quietly():
            source = _source(path, kind)
            doc = _docling(source.stream, path, kind)
            blocks, printed = _blocks(doc, kind, source.titles)
            source.left_out += unread_texts(doc) if kind == "pptx" else []
    except RecursionError:
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The file {path.name} is nested too deeply to be read.",
            f"Open the {NAMES[kind]} and save it anew, or attach a PDF of it.",
            path=str(path),
        ) from None
    if not any(words_of(block.text) for block in blocks):
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The file {path.name} holds no text.",
            "If its text is in pictures, print it to PDF: the pages of a PDF are read by OCR.",
            path=str(path),
        )
    coverage = _coverage(source, blocks)
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
        page, warnings = web_page.read_page(path.read_bytes(), path, xhtml=path.suffix.lower() == ".xhtml")
        return _web_source(page, page.titles, warnings)
    with Package(path, kind) as package:
        if kind == "epub":
            book = epub.read_book(package)
            return _web_source(book.page, [book.title], book.warnings)
        main = office_xml.main_part(package, kind)
        stream, seen = office_xml.for_docling(package, main, kind)
        return _Source(stream, [office_xml.title(package)], seen=seen)


def _web_source(page: web_page.WebPage, titles: list[str], warnings: list[str]) -> _Source:
    html = plain_html.to_html(page.body.kids).encode()
    return _Source(io.BytesIO(html), titles, page.dois, ["".join(page.seen)], ["".join(page.left_out)], warnings)


def _docling(stream: io.BytesIO, path: Path, kind: str) -> DoclingDocument:
    """Return docling's document from its backend; the pipelines add nothing for these formats."""
    form, backend = _BACKENDS[kind]
    options = HTMLBackendOptions(add_title=False, infer_furniture=False) if form is InputFormat.HTML else None
    try:
        document = InputDocument(stream, form, backend, options, f"document.{form.value}")
        reader = getattr(document, "_backend", None)  # None if the file could not be opened
        if not isinstance(reader, DeclarativeDocumentBackend) or not reader.is_valid():
            raise damaged(path, "its parts do not make a whole")
        # Images are not used, so LibreOffice need not be started to render them.
        for name in ("docx_to_pdf_converter_init", "pptx_to_pdf_converter_init"):
            if hasattr(reader, name):
                setattr(reader, name, True)
        return reader.convert()
    except (CiteLoomError, RecursionError, MemoryError):
        raise
    except Exception as error:
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The file {path.name} could not be read: docling stumbled over it ({type(error).__name__}).",
            f"Open the {NAMES[kind]} and save it anew, or attach a PDF of it.",
            path=str(path),
        ) from error


def _blocks(doc: DoclingDocument, kind: str, titles: list[str]) -> tuple[list[Block], str]:
    blocks, printed = read_blocks(doc, kind, titles)
    if kind in ("docx", "pptx"):
        return blocks, printed
    whole = plain_html.restored
    return [
        replace(block, text=whole(block.text), section_path=tuple(map(whole, block.section_path))) for block in blocks
    ], whole(printed)


def _coverage(source: _Source, blocks: list[Block]) -> float:
    """Return the share of the visible words that the blocks contain."""
    seen = " ".join(" ".join(source.seen).split())  # line breaks mean nothing in these formats
    on_show = (block.text for block in blocks if block.section_path[-1:] != (SPEAKER_NOTES,))
    return word_coverage([seen], on_show, source.left_out)


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
