"""Converts a file of any supported format into pages and blocks. Called in worker processes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from citeloom.conversion.formats import PREPARED, SUPPORTED_SUFFIXES, file_type
from citeloom.conversion.private_copy import not_a_file, too_large
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Converted

# Part of the conversion cache's key: raise it whenever a reader's output changes.
CONVERTER_VERSION = "docling-2"
# Version of the quick text of a PDF, until the complete conversion replaces it.
QUICK_VERSION = "quick-2"

MAX_BYTES = 300 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """Options of a conversion."""

    quick: bool = False  # for a PDF, its text layer alone, without layout model and OCR
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
    path = Path(path)
    kind = "prepared" if path.suffix == PREPARED else file_type(path)
    if kind is None:
        raise CiteLoomError(
            Code.UNSUPPORTED_FORMAT,
            f"CiteLoom cannot read {path.name}.",
            f"It reads {', '.join(sorted(SUPPORTED_SUFFIXES))}.",
            path=str(path),
        )
    with translate_file_errors(path):
        _check(path)
        return _read(path, kind, options, on_progress)


@contextmanager
def translate_file_errors(path: Path) -> Iterator[None]:
    """Translate the OSError of a file that cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND,
            f"The file {path.name} is no longer there.",
            "Sync again, or put the file back.",
            path=str(path),
        ) from None
    except PermissionError:
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"CiteLoom may not read {path.name}.",
            "Give your user the right to read the file.",
            path=str(path),
        ) from None
    except OSError as error:
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"The file {path.name} could not be read: {error.strerror or error}.",
            "Check the disk or network drive it lies on, then try again.",
            path=str(path),
        ) from None


def _read(path: Path, kind: str, options: ConversionOptions, on_progress: PageProgress) -> Converted:
    if kind in ("pdf", "image"):
        from citeloom.conversion.pdf import reader as pdf

        if options.quick:
            return pdf.read_quick(path, kind, QUICK_VERSION)
        return pdf.read(path, kind, CONVERTER_VERSION, options.ocr_languages, options.ocr_engine, on_progress)
    if kind in ("docx", "pptx", "html", "epub"):
        from citeloom.conversion.office import reader as office

        return office.read(path, kind, CONVERTER_VERSION)
    if kind == "prepared":
        from citeloom.conversion import prepared_text

        return prepared_text.read(path, CONVERTER_VERSION)
    if kind == "markdown":
        from citeloom.conversion.markup import markdown_reader

        return markdown_reader.read(path, CONVERTER_VERSION)
    if kind == "python":
        from citeloom.conversion.markup import python_code

        return python_code.read(path, CONVERTER_VERSION)
    from citeloom.conversion.markup import plain_text

    return plain_text.read(path, CONVERTER_VERSION)


def _check(path: Path) -> None:
    """Reject special, too large and empty files; raises OSError for a file that cannot be opened."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise not_a_file(path)
    if status.st_size > MAX_BYTES:
        raise too_large(path, status.st_size, MAX_BYTES)
    # Opening reveals missing permissions, which a PDF library would report as damage.
    os.close(os.open(path, os.O_RDONLY))
    if status.st_size == 0:
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The file {path.name} is empty.",
            "Download or export it again.",
            path=str(path),
        )
