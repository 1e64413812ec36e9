"""In which languages the pictures of a document are read."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Reference managers keep whatever was typed: codes as in BCP 47 or ISO 639, or names.
_NAMES = {
    "english": "en", "anglais": "en", "englisch": "en", "german": "de", "deutsch": "de", "french": "fr",
    "français": "fr", "französisch": "fr", "spanish": "es", "español": "es", "spanisch": "es", "italian": "it",
    "italiano": "it", "italienisch": "it", "portuguese": "pt", "português": "pt", "dutch": "nl", "nederlands": "nl",
    "niederländisch": "nl", "danish": "da", "dansk": "da", "swedish": "sv", "svenska": "sv", "norwegian": "no",
    "norsk": "no", "finnish": "fi", "suomi": "fi", "polish": "pl", "polski": "pl", "czech": "cs", "čeština": "cs",
    "hungarian": "hu", "magyar": "hu", "romanian": "ro", "greek": "el", "russian": "ru", "русский": "ru",
    "ukrainian": "uk", "turkish": "tr", "türkçe": "tr", "latin": "la", "chinese": "zh", "japanese": "ja",
    "korean": "ko", "arabic": "ar", "hebrew": "he", "persian": "fa", "hindi": "hi",
}  # fmt: skip
_BETWEEN = re.compile(r"[;,/|&+]|\band\b|\bund\b")


def language_codes(written: str) -> tuple[str, ...]:
    """The languages of a record as codes: "en-GB; German" is en and de; what is no language is left out."""
    codes = []
    for part in _BETWEEN.split(written.casefold()):
        name = part.strip()
        code = _NAMES.get(name) or re.split(r"[-_ (]", name)[0]
        code = _NAMES.get(code, code)
        if re.fullmatch(r"[a-z]{2,3}", code):
            codes.append(code)
    return tuple(dict.fromkeys(codes))


def ocr_languages(record: str | None, asked: Sequence[str], settings: Sequence[str]) -> tuple[str, ...]:
    """The record's own languages, else those the import was asked to use, else those of the settings."""
    for written in (record or "", ";".join(asked)):
        if codes := language_codes(written):
            return codes
    return tuple(settings)
