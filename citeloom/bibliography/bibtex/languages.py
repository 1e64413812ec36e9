"""Mapping between the language names of babel and biblatex and language tags (BCP 47)."""

from __future__ import annotations

_TAGS = {
    "english": "en", "american": "en-US", "usenglish": "en-US", "british": "en-GB", "ukenglish": "en-GB",
    "german": "de", "ngerman": "de", "austrian": "de-AT", "naustrian": "de-AT", "french": "fr",
    "spanish": "es", "italian": "it", "portuguese": "pt", "brazilian": "pt-BR", "dutch": "nl",
    "danish": "da", "swedish": "sv", "norwegian": "nb", "norsk": "nb", "finnish": "fi", "polish": "pl",
    "czech": "cs", "hungarian": "hu", "russian": "ru", "ukrainian": "uk", "greek": "el", "turkish": "tr",
    "latin": "la", "catalan": "ca", "chinese": "zh", "japanese": "ja", "korean": "ko", "arabic": "ar",
    "hebrew": "he",
}  # fmt: skip

_SYNONYMS = ("usenglish", "ukenglish", "german", "austrian", "norwegian")
_LANGUAGE_NAMES = {tag: name for name, tag in _TAGS.items() if name not in _SYNONYMS}


def tag_of(language: str) -> str:
    """Return the tag for a babel language name; any other value is returned unchanged."""
    return _TAGS.get(language.lower(), language)


def name_of(tag: str) -> str:
    """Return the babel name for exactly this tag; a tag without one is returned unchanged."""
    return _LANGUAGE_NAMES.get(tag, tag)
