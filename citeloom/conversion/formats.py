"""Which files CiteLoom reads, told by their suffix."""

from __future__ import annotations

from pathlib import Path

_TYPES = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".epub": "epub",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".py": "python",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".tif": "image",
    ".tiff": "image",
    ".webp": "image",
    ".bmp": "image",
}

SUPPORTED_SUFFIXES = frozenset(_TYPES)

# A text that CiteLoom wrote down itself: a note, annotations. No folder is searched for such files.
PREPARED = ".prepared"


def file_type(path: Path | str) -> str | None:
    """The kind of document a file is (pdf, docx, html, markdown, …), or None if CiteLoom cannot read it."""
    return _TYPES.get(Path(path).suffix.lower())
