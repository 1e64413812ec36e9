"""Reader of PDF and image files: text by page in reading order, with sections, page labels and printed numbers.

A page with a sound text layer is read once, by geometry. Pages that need OCR or layout analysis follow in a slow
conversion, which reads the others as before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from citeloom.conversion.file_errors import file_error
from citeloom.conversion.image_files import ImageFile
from citeloom.conversion.pdf.assembly import Assembly, assemble
from citeloom.conversion.pdf.margins import read_margins
from citeloom.conversion.pdf.ocr_pages import needs_ocr, recognise
from citeloom.conversion.pdf.pdfium.document import PdfFile
from citeloom.conversion.pdf.raw_page import RawPage, RawPdf
from citeloom.conversion.pdf.reading_order import layout_by_geometry, rows
from citeloom.conversion.pdf.slow_pages import LARGER_MODELS, UNCERTAIN_LAYOUT, slow_pages
from citeloom.conversion.pdf.text_layer import TextLayer
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Converted

log = logging.getLogger(__name__)

_POOR_COVERAGE = 0.95


def read_text_layer(path: Path, kind: str, final: str, unfinished: str) -> Converted:
    """Convert the text layer of a PDF by geometry; pages without a usable one are left out and counted.

    The converter is `final` if no page needs more, else `unfinished`.
    """
    with _open(path, kind) as file:
        raw = file.read()
    _check_pages(raw, path)
    for_ocr = needs_ocr(raw.pages)
    for page in raw.pages:
        if page.number in for_ocr:
            page.words, page.rotated_text, page.raw_text = [], "", ""
    warnings = _invisible_words_warning(raw.pages)
    if not for_ocr:
        _check_text(raw, path, 0, warnings)
    page_rows = [rows(page.words) for page in raw.pages]
    margins = read_margins(raw.pages, page_rows)
    read = assemble(raw, margins, layout_by_geometry(raw.pages, page_rows), kind, final)
    slow = slow_pages(raw.pages, for_ocr, read.uncertain)
    return replace(
        read.document,
        converter=unfinished if slow else final,
        slow_pages=slow,
        waiting_for_ocr=len(for_ocr),
        warnings=(*warnings, *_warnings(raw, read)),
    )


def read(
    path: Path,
    kind: str,
    converter: str,
    ocr_languages: tuple[str, ...],
    ocr_engine: str,
    on_progress: Callable[[str, int, int], None],
) -> Converted:
    """Convert a document completely: OCR and docling's layout for the pages that need it, geometry for all others."""
    with _open(path, kind) as file:
        raw = file.read()
        _check_pages(raw, path)
        for_ocr = needs_ocr(raw.pages)
        warnings = _invisible_words_warning(raw.pages)
        if for_ocr:
            warnings += recognise(file, raw.pages, for_ocr, ocr_languages, ocr_engine, partial(on_progress, "ocr"))
        _check_text(raw, path, len(for_ocr), warnings)
        garbled = [number for number, layer in for_ocr.items() if layer is TextLayer.GARBLED]
        if garbled:
            languages = ", ".join(ocr_languages)
            warnings.append(f"The text layer of {_page_list(garbled)} is garbled: read by OCR instead, as {languages}.")
        page_rows = [rows(page.words) for page in raw.pages]
        margins = read_margins(raw.pages, page_rows)
        geometry = layout_by_geometry(raw.pages, page_rows)
        plain = read = assemble(raw, margins, geometry, kind, converter)
        slow = slow_pages(raw.pages, for_ocr, plain.uncertain)
        reason = None
        # A scan tells no font and weight of its words: docling's layout finds the headings that geometry cannot.
        if for_layout := {*for_ocr, *slow.get(UNCERTAIN_LAYOUT, ()), *slow.get(LARGER_MODELS, ())}:
            try:
                from citeloom.conversion.docling.pdf_pages import lay_out

                progress = partial(on_progress, "layout")
                layout = lay_out(raw.pages, geometry, for_layout, raw.outline, file, progress)
                read = assemble(raw, margins, layout, kind, converter, engine="docling")
                reason = _lost_words(read, plain)
            except Exception as error:
                log.warning("docling failed on %s", path.name, exc_info=True)
                reason = f"docling failed: {type(error).__name__}: {error}"
    if reason:
        read = plain
    return replace(
        read.document,
        fallback_reason=reason,
        slow_pages=slow,
        ocr_languages=ocr_languages if for_ocr else (),
        warnings=(*warnings, *_warnings(raw, read)),
    )


def _lost_words(read: Assembly, plain: Assembly) -> str | None:
    """Return the reason to prefer geometry if docling's layout lost words, else None."""
    kept, possible = read.document.word_coverage or 0.0, plain.document.word_coverage or 0.0
    return f"docling kept only {kept:.0%} of the words" if kept < min(_POOR_COVERAGE, possible) else None


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


def _check_text(raw: RawPdf, path: Path, recognised: int, warnings: list[str]) -> None:
    """Raise CiteLoomError if the document has no text."""
    if any(page.words or page.rotated_text for page in raw.pages):
        return
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
    raise CiteLoomError(Code.CONVERSION_FAILED, " ".join([what, *warnings]), next_step, path=str(path), pages=pages)


def _invisible_words_warning(pages: list[RawPage]) -> list[str]:
    """Return the warning about invisible words, which are left out because they are no evidence."""
    counts = {page.number: page.invisible_words for page in pages if page.invisible_words}
    if not counts:
        return []
    words = sum(counts.values())
    what = f"{words:,} words that cannot be seen on the page were" if words > 1 else "1 word that cannot be seen was"
    return [f"{_page_list(list(counts))}: {what} left out."]


def _warnings(raw: RawPdf, read: Assembly) -> list[str]:
    found, coverage = list[str](), read.document.word_coverage or 0.0
    if raw.declared_pages:
        found.append(
            f"The file says that it has {raw.declared_pages:,} pages, but only {len(raw.pages):,} can be opened."
        )
    if read.in_file_order:
        found.append(f"The layout of {_page_list(read.in_file_order)} was not recognised; text in file order.")
    if raw.unreadable:
        found.append(f"Could not read {_page_list(raw.unreadable)}.")
    if coverage < _POOR_COVERAGE:
        found.append(f"Only {coverage:.0%} of the file's words were recovered.")
    return found


def _page_list(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"PDF page{'s' if len(numbers) > 1 else ''} {shown}{more}"
