"""In which languages the pictures of a document are read."""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.documents.ocr_languages import normalise


def ocr_languages(record: str | None, asked: Sequence[str], settings: Sequence[str]) -> list[str]:
    """The record's own languages, else those the import was asked to use, else those of the settings."""
    return normalise(record or "") or list(asked) or list(settings)
