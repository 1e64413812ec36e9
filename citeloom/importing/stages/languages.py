"""The language of a document's text, and the languages of its OCR."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from citeloom.conversion.ocr.languages import normalise
from citeloom.index.models.stemming import detect

_PASSAGES_READ = 40  # of a text whose record does not name its language


def ocr_languages(record: str | None, asked: Sequence[str], settings: Sequence[str]) -> list[str]:
    """The record's own languages, else those the import was asked to use, else those of the settings."""
    return normalise(record or "") or list(asked) or list(settings)


def text_language(record: str | None, passages: Iterable[str]) -> str:
    """The language of a text, such as "de": the one that its record names, else what the text itself tells; or ""."""
    named = [tag.partition("-")[0] for tag in normalise(record or "")]
    if len(named) == 1:
        return named[0]
    return detect("\n".join(islice(passages, _PASSAGES_READ))) or next(iter(named), "")
