"""Supported file formats by suffix."""

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

# Texts that CiteLoom writes itself: notes, annotations. Folders are not searched for them.
PREPARED = ".prepared"


def file_type(path: Path | str) -> str | None:
    """Return the document type of a file (pdf, docx, html, markdown, …); None if not supported."""
    return _TYPES.get(Path(path).suffix.lower())
