"""Determines the language of a document's text, and the languages for its OCR. Used by the read and commit stages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from citeloom.conversion.ocr.languages import normalise
from citeloom.index.models.stemming import detect

_PASSAGES_READ = 40  # to detect the language, if the record does not name it


def ocr_languages(record: str | None, requested: Sequence[str], settings: Sequence[str]) -> list[str]:
    """Return the OCR languages: those of the record, else of the request, else of the settings."""
    return normalise(record or "") or list(requested) or list(settings)


def text_language(record: str | None, passages: Iterable[str]) -> str:
    """Return the language of a text, such as "de": that of its record, else the detected one, or ""."""
    named = [tag.partition("-")[0] for tag in normalise(record or "")]
    if len(named) == 1:
        return named[0]
    return detect("\n".join(islice(passages, _PASSAGES_READ))) or next(iter(named), "")
