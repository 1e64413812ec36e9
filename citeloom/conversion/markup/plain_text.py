"""Reader of plain text files: paragraphs with their line numbers."""

from __future__ import annotations

import codecs
from pathlib import Path

from citeloom.conversion.text_tools import find_dois
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Block, BlockKind, Converted

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(path: Path) -> tuple[str, list[str]]:
    """Return the content of a text file with \\n line ends, and warnings."""
    data = path.read_bytes()
    warnings: list[str] = []
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                raise _not_text(path) from None
            break
    else:
        if _is_binary(data):
            raise _not_text(path)
        text, warnings = _decoded(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\x00", "")
    if not text.strip():
        raise CiteLoomError(
            Code.CONVERSION_FAILED,
            f"The file {path.name} is empty.",
            "Nothing to index here.",
            path=str(path),
        )
    return text, warnings


def _decoded(data: bytes) -> tuple[str, list[str]]:
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        pass
    for encoding in ("cp1252", "latin-1"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text, [f"The file is not UTF-8; read as {encoding}, so unusual letters may be wrong."]
    raise AssertionError("latin-1 decodes every byte")


def _is_binary(data: bytes) -> bool:
    sample = data[:65_536]
    control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b\b" for byte in sample)
    return b"\x00" in data or control > 0.1 * len(sample)


def _not_text(path: Path) -> CiteLoomError:
    return CiteLoomError(
        Code.UNSUPPORTED_FORMAT,
        f"The file {path.name} is not text, whatever its name says.",
        "Give it the suffix of what it really is, or leave it out.",
        path=str(path),
    )


def paragraphs(text: str, first_line: int = 1) -> list[tuple[str, tuple[int, int]]]:
    """Return the paragraphs between blank lines, with first and last line."""
    found: list[tuple[str, tuple[int, int]]] = []
    current: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], first_line):
        if line.strip():
            current.append(line.rstrip())
        elif current:
            found.append(("\n".join(current), (number - len(current), number - 1)))
            current = []
    return found


def blocks(text: str) -> tuple[Block, ...]:
    """Return the paragraphs of a text as blocks."""
    return tuple(Block(BlockKind.TEXT, body, lines=lines) for body, lines in paragraphs(text))


def read(path: Path, converter: str) -> Converted:
    """Convert a plain text file."""
    text, warnings = read_text(path)
    found = blocks(text)
    return Converted(
        file_type="text",
        converter=converter,
        blocks=found,
        dois=find_dois([text]),
        word_coverage=1.0,
        warnings=tuple(warnings),
    )
