"""Reads manuscripts: detects format and encoding, and calls the reader of the format.

Called by `evidence.check`, `evidence.export` and `evidence.cite`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from pathlib import Path, PurePath

from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.manuscripts import asciidoc, org
from citeloom.evidence.manuscripts.latex import reader as latex
from citeloom.evidence.manuscripts.markdown import reader as markdown
from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.prose import Prose
from citeloom.evidence.manuscripts.types import Manuscript
from citeloom.evidence.manuscripts.typst import reader as typst

MAX_TEXT_BYTES = 20 * 1024 * 1024
MAX_DOCX_BYTES = 200 * 1024 * 1024  # mostly images

_READERS: dict[str, Callable[[str], Prose]] = {
    "markdown": markdown.read,
    "latex": latex.read,
    "typst": typst.read,
    "org": org.read,
    "asciidoc": asciidoc.read,
}
_FORMATS = {
    "md": "markdown", "markdown": "markdown", "qmd": "markdown", "rmd": "markdown", "txt": "markdown",
    "tex": "latex", "ltx": "latex", "typ": "typst", "org": "org",
    "adoc": "asciidoc", "asciidoc": "asciidoc", "asc": "asciidoc", "docx": "docx",
}  # fmt: skip
_MARKUP = {
    "latex": re.compile(r"\\[A-Za-z]{0,20}cite[A-Za-z]{0,20}\*?[ \t]?[\[{(]|\\(?:documentclass|begin|section)\b"),
    "org": re.compile(r"\[cite(?:/[^:\]\s]{0,30})?:|\bcite[a-z]{0,10}:&|^#\+\w+:", re.MULTILINE | re.IGNORECASE),
    "typst": re.compile(r"#(?:cite|quote|bibliography|footnote|set|show|import|let)\b"),
    "asciidoc": re.compile(r"\bcite(?:np)?:\[|^={1,6} \S|^\[(?:quote|source)\b", re.MULTILINE),
    "markdown": re.compile(r"\[[^\[\]\n]{0,200}@\w|^#{1,6} \S|^```|^> ", re.MULTILINE),
}
_CITES_IN_TEXT = re.compile(r"(?<!\S)@\w")
_READ = "CiteLoom reads Markdown, Quarto and R Markdown, LaTeX, Typst, Org, AsciiDoc and Word (DOCX)."


def file_bytes(path: Path) -> bytes:
    """Return the content of a manuscript file, or raise an error for the user."""
    try:
        size = path.stat().st_size
        if size > MAX_DOCX_BYTES:
            raise _too_large(path.name, size, MAX_DOCX_BYTES)
        return path.read_bytes()
    except FileNotFoundError:
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"There is no file {path}.", "Check its name.") from None
    except PermissionError:
        raise CiteLoomError(
            Code.PERMISSION_DENIED, f"No permission to read {path}.", "Allow reading the file."
        ) from None
    except OSError as error:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"{path} cannot be read: {error.strerror}.", "Choose a manuscript file."
        ) from None


def read_manuscript(name: str, data: bytes) -> Manuscript:
    """Read a manuscript file; the format is detected from its name, else from its content."""
    format = _FORMATS.get(PurePath(name).suffix[1:].lower())
    largest = MAX_DOCX_BYTES if format == "docx" else MAX_TEXT_BYTES
    if len(data) > largest:
        raise _too_large(name, len(data), largest)
    if format == "docx":
        from citeloom.evidence.manuscripts.docx.reader import read_docx  # loads lxml, which no other format needs

        text, prose = read_docx(data)
        return Manuscript("docx", text, tuple(pair(prose)), fixable=False, warnings=tuple(prose.warnings))
    text, encoding, warnings = _decode(name, data)
    format = format or _format_of(text)
    if format is None:
        raise _unsupported(name, "Its format was not recognized, and it has no citations.")
    return _read(format, text, encoding, warnings)


def read_text(text: str, format: str | None = None) -> Manuscript:
    """Read the text of a manuscript; without a format, it is detected from the markup."""
    format = format or _format_of(text) or "markdown"
    if format not in _READERS:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"Text in the format “{format}” cannot be checked.",
            f"Choose one of {', '.join(_READERS)}; a Word document is checked as a file.",
            format=format,
        )
    return _read(format, text)


def _read(format: str, text: str, encoding: str = "utf-8", warnings: tuple[str, ...] = ()) -> Manuscript:
    prose = _READERS[format](text)
    return Manuscript(format, text, tuple(pair(prose)), encoding, warnings=(*warnings, *prose.warnings))


def _format_of(text: str) -> str | None:
    """Return the format of most of the markup in a text; None if there is none."""
    counts = {format: len(pattern.findall(text)) for format, pattern in _MARKUP.items()}
    likeliest = max(counts, key=lambda format: counts[format])
    if counts[likeliest]:
        return likeliest
    return "markdown" if _CITES_IN_TEXT.search(text) else None


def _decode(name: str, data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Return the text, the encoding that restores the bytes, and warnings. A byte order mark is preserved."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"), (b"", "utf-8")):
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if "\0" not in text:
                return text, encoding, ()
    if b"\0" in data:
        raise _unsupported(name, "It is not a text file.")
    encoding = "cp1252"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        encoding = "latin-1"
        text = data.decode(encoding)
    warning = f"{name} is not in UTF-8; it was read as {'Windows-1252' if encoding == 'cp1252' else 'Latin-1'}. "
    return text, encoding, (warning + "If letters look wrong, save it in UTF-8 and check it again.",)


def _too_large(name: str, size: int, largest: int) -> CiteLoomError:
    message = f"{name} has {size / 1024**2:.0f} MB; the limit for a manuscript is {largest // 1024**2} MB."
    return CiteLoomError(Code.INVALID_INPUT, message, "Check its chapters one by one.", file=name)


def _unsupported(name: str, why: str) -> CiteLoomError:
    return CiteLoomError(Code.UNSUPPORTED_FORMAT, f"{name} cannot be read as a manuscript. {why}", _READ, file=name)
