"""Lists the OCR engines and languages of this machine. Called by the settings page and the first-run assistant."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import util

from citeloom.api.models import ListOcr, OcrEngine, OcrLanguage, OcrSupport
from citeloom.api.verbs import handles
from citeloom.conversion.ocr.languages import known_languages
from citeloom.core.settings import Ocr


@dataclass
class OcrService:
    """Lists OCR engines and languages."""

    _settings: Ocr

    @handles(ListOcr)
    def list_ocr(self, request: ListOcr) -> OcrSupport:
        """Return the OCR engines, and the languages that the configured one can read on this machine."""
        # Imported here because they load Pillow, which the engine needs for nothing else.
        from citeloom.conversion.ocr import rapidocr_engine, tesseract_engine

        found = tesseract_engine.find()
        data = set(found.data()) - tesseract_engine.NOT_LANGUAGES if found else set()
        rapid = util.find_spec("rapidocr") is not None
        problem = None
        if not data:
            problem = "Tesseract is installed without language data." if found else "Tesseract is not installed."
        by_rapid = self._settings.engine == "rapidocr"
        readable = rapidocr_engine.LANGUAGES if by_rapid else frozenset()
        languages = []
        for language in known_languages():
            installed = (rapid and language.code in readable) if by_rapid else not data.isdisjoint(language.data)
            data -= language.data
            languages.append(OcrLanguage(language.code, language.name, installed))
        others = [] if by_rapid else sorted(data)  # data that is not named after a language, such as jpn_vert
        return OcrSupport(
            [
                OcrEngine("tesseract", problem is None, problem),
                OcrEngine("rapidocr", rapid, None if rapid else "RapidOCR is not installed."),
            ],
            [*languages, *(OcrLanguage(name, name, True) for name in others)],
        )
