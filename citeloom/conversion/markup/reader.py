"""Reader of plain text, Markdown and Python files: blocks with their line numbers."""

from __future__ import annotations

import codecs
from pathlib import Path

from citeloom.conversion.file_errors import file_error, wrong_suffix
from citeloom.conversion.markup import markdown, python_code
from citeloom.conversion.text_tools import find_dois, is_binary
from citeloom.core.types import Block, BlockKind, Converted

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(path: Path, kind: str, converter: str) -> Converted:
    """Convert a text, Markdown or Python file; Python that does not parse is read as plain text."""
    text, warnings = _read_text(path)
    title = ""
    if kind == "markdown":
        title, blocks = markdown.parse(text)
    elif kind == "python":
        title = path.name
        try:
            blocks = python_code.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None)
            where = f" (line {line})" if line else ""
            warnings.append(f"The code does not parse{where}; read as plain text.")
            blocks = _paragraphs(text)
    else:
        blocks = _paragraphs(text)
    return Converted(
        file_type=kind,
        converter=converter,
        blocks=tuple(blocks),
        title=title,
        dois=find_dois([text]),
        word_coverage=1.0,
        warnings=tuple(warnings),
    )


def _read_text(path: Path) -> tuple[str, list[str]]:
    """Return the content of a text file with \\n line ends, and warnings."""
    data = path.read_bytes()
    encoding = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), "")
    if not encoding and is_binary(data):
        raise wrong_suffix(path, "not text")
    warnings: list[str] = []
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError:
        if encoding:
            raise wrong_suffix(path, "not text") from None
        text, encoding = _decode_single_bytes(data)
        warnings.append(f"The file is not UTF-8; read as {encoding}, so unusual letters may be wrong.")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\x00", "")
    if not text.strip():
        raise file_error(path, f"The file {path.name} is empty.", "Leave it out.")
    return text, warnings


def _decode_single_bytes(data: bytes) -> tuple[str, str]:
    """Return the text and its encoding; latin-1 decodes every byte."""
    try:
        return data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _paragraphs(text: str) -> list[Block]:
    """Return the paragraphs between blank lines."""
    found: list[Block] = []
    current: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.strip():
            current.append(line.rstrip())
        elif current:
            found.append(Block(BlockKind.TEXT, "\n".join(current), lines=(number - len(current), number - 1)))
            current = []
    return found
