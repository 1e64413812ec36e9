"""The names that LaTeX has for languages, and the tags that everybody else has."""

from __future__ import annotations

TAGS = {
    "english": "en", "american": "en-US", "usenglish": "en-US", "british": "en-GB", "ukenglish": "en-GB",
    "german": "de", "ngerman": "de", "austrian": "de-AT", "naustrian": "de-AT", "french": "fr",
    "spanish": "es", "italian": "it", "portuguese": "pt", "brazilian": "pt-BR", "dutch": "nl",
    "danish": "da", "swedish": "sv", "norwegian": "nb", "norsk": "nb", "finnish": "fi", "polish": "pl",
    "czech": "cs", "hungarian": "hu", "russian": "ru", "ukrainian": "uk", "greek": "el", "turkish": "tr",
    "latin": "la", "catalan": "ca", "chinese": "zh", "japanese": "ja", "korean": "ko", "arabic": "ar",
    "hebrew": "he",
}  # fmt: skip

_OLDER = ("usenglish", "ukenglish", "german", "austrian", "norwegian")
_NAMES = {tag: name for name, tag in TAGS.items() if name not in _OLDER}


def tag_of(language: str) -> str:
    """The tag for a name of LaTeX's; anything else stays as it is."""
    return TAGS.get(language.lower(), language)


def name_of(tag: str) -> str:
    """LaTeX's name for exactly this tag; a tag that has none stays as it is, so that nothing is lost."""
    return _NAMES.get(tag, tag)
