"""Converts a file of any supported format into pages and blocks. Called in worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from citeloom.conversion.file_errors import file_error, translate_file_errors
from citeloom.conversion.formats import PREPARED, SUPPORTED_SUFFIXES, file_type
from citeloom.conversion.private_copy import open_document
from citeloom.core.errors import Code
from citeloom.core.types import Converted

# Part of the conversion cache's key: raise it whenever a reader's output changes.
CONVERTER_VERSION = "reader-3"
# Version of the text layer of a PDF whose slow pages are not read yet.
QUICK_VERSION = "reader-3-text"


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """Options of a conversion."""

    quick: bool = False  # for a PDF, its text layer by geometry; pages that need more are left for later
    ocr_languages: tuple[str, ...] = ("en", "de")
    ocr_engine: str = "tesseract"  # or rapidocr, if installed


_DEFAULT_OPTIONS = ConversionOptions()

PageProgress = Callable[[str, int, int], None]  # stage, pages done, pages in total


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Progress callback that does nothing."""


def convert(
    path: Path, options: ConversionOptions = _DEFAULT_OPTIONS, on_progress: PageProgress = ignore_progress
) -> Converted:
    """Convert a document. Raises CiteLoomError."""
    kind = "prepared" if path.suffix == PREPARED else file_type(path)
    if kind is None:
        readable = f"Supported formats are {', '.join(sorted(SUPPORTED_SUFFIXES))}."
        raise file_error(path, f"CiteLoom cannot read {path.name}.", readable, Code.UNSUPPORTED_FORMAT)
    with translate_file_errors(path):
        with open_document(path) as file:
            if not os.fstat(file.fileno()).st_size:
                raise file_error(path, f"The file {path.name} is empty.", "Download or export it again.")
        return _read(path, kind, options, on_progress)


def _read(path: Path, kind: str, options: ConversionOptions, on_progress: PageProgress) -> Converted:
    if kind in ("pdf", "image"):
        from citeloom.conversion.pdf import reader as pdf

        if options.quick:
            return pdf.read_text_layer(path, kind, CONVERTER_VERSION, QUICK_VERSION)
        return pdf.read(path, kind, CONVERTER_VERSION, options.ocr_languages, options.ocr_engine, on_progress)
    if kind in ("docx", "pptx", "html", "epub"):
        from citeloom.conversion.office import reader as office

        return office.read(path, kind, CONVERTER_VERSION)
    if kind == "prepared":
        from citeloom.conversion import prepared_text

        return prepared_text.read(path, CONVERTER_VERSION)
    from citeloom.conversion.markup import reader as markup

    return markup.read(path, kind, CONVERTER_VERSION)
