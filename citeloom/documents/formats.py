"""Which files CiteLoom reads, told by their suffix."""

from __future__ import annotations

from pathlib import Path

_TYPES = {
    ".pdf": "pdf",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".py": "python",
}

SUPPORTED_SUFFIXES = frozenset(_TYPES)


def file_type(path: Path | str) -> str | None:
    """The kind of document a file is (pdf, markdown, text, python), or None if CiteLoom cannot read it."""
    return _TYPES.get(Path(path).suffix.lower())
