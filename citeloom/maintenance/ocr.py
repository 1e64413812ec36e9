"""What text in pictures can be read with on this machine: engines and languages."""

from __future__ import annotations

from importlib import util
from typing import Any

from citeloom.conversion.ocr.languages import known_languages
from citeloom.core.settings import Settings


def ocr(settings: Settings) -> dict[str, Any]:
    """The OCR engines, and the languages that the one in the settings can read here."""
    from citeloom.conversion.ocr import (
        rapidocr_engine,
        tesseract_engine,
    )  # they bring Pillow, which the engine needs for nothing else

    found = tesseract_engine.find()
    data = set(found.data()) - tesseract_engine.NOT_LANGUAGES if found else set()
    rapid = util.find_spec("rapidocr") is not None
    why = None
    if not data:
        why = "Tesseract is installed without language data." if found else "Tesseract is not installed."
    by_rapid = settings.ocr.engine == "rapidocr"
    readable = rapidocr_engine.LANGUAGES if by_rapid else frozenset()
    languages = []
    for language in known_languages():
        here = (rapid and language.code in readable) if by_rapid else not data.isdisjoint(language.data)
        data -= language.data
        languages.append({"code": language.code, "name": language.name, "here": here})
    others = [] if by_rapid else sorted(data)  # data by a name of its own, such as jpn_vert
    return {
        "engines": [
            {"name": "tesseract", "here": why is None, "why": why},
            {"name": "rapidocr", "here": rapid, "why": None if rapid else "RapidOCR is not installed."},
        ],
        "languages": [*languages, *({"code": name, "name": name, "here": True} for name in others)],
    }
