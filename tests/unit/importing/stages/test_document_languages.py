"""The language of a text, and those that its pictures are read in."""

from __future__ import annotations

import pytest

from citeloom.importing.stages.read import ocr_languages, text_language


def test_the_import_comes_first_then_the_record_then_the_settings() -> None:
    assert ocr_languages("French; en-GB", ["it", "la"], ("en", "de")) == ["it", "la"]
    assert ocr_languages("French; en-GB", [], ("en", "de")) == ["fr", "en"]
    assert ocr_languages("unheard of", [], ("en", "de")) == ["en", "de"]


GERMAN = "Die Provenienz ist für die Archive das wichtigste Prinzip, weil sie den Zusammenhang der Akten bewahrt."


@pytest.mark.parametrize(
    ("record", "language"),
    [
        ("ger", "de"),
        ("de-DE", "de"),
        ("French", "fr"),
        ("zh-Hant", "zh"),
        ("nb", "no"),
        ("Klingon", "de"),
        (None, "de"),
    ],
)
def test_a_text_is_in_the_language_that_its_record_names_and_else_in_its_own(record: str | None, language: str) -> None:
    assert text_language(record, [GERMAN]) == language


def test_of_several_languages_that_a_record_names_the_text_tells_which() -> None:
    assert text_language("English; German", [GERMAN]) == "de"
    assert text_language("English; German", ["1914, 1918"]) == "en"
    assert text_language("", ["1914, 1918"]) == ""
