"""The languages that pictures are read in: the record's own, else the import's, else the settings'."""

from __future__ import annotations

import pytest

from citeloom.ingest.languages import language_codes, ocr_languages


@pytest.mark.parametrize(
    ("written", "codes"),
    [
        ("en", ("en",)),
        ("en-GB", ("en",)),
        ("de_AT", ("de",)),
        ("deu", ("deu",)),
        ("English", ("en",)),
        ("Deutsch (Schweiz)", ("de",)),
        ("French; English", ("fr", "en")),
        ("de/en, en-US", ("de", "en")),
        ("zh-Hant-TW", ("zh",)),
        ("", ()),
        ("Klingonisch", ()),
    ],
)
def test_what_people_write_into_a_record_becomes_codes(written: str, codes: tuple[str, ...]) -> None:
    assert language_codes(written) == codes


def test_the_record_comes_first_then_the_import_then_the_settings() -> None:
    assert ocr_languages("fr", ["it"], ("en", "de")) == ("fr",)
    assert ocr_languages(None, ["it", "la"], ("en", "de")) == ("it", "la")
    assert ocr_languages("unknown tongue", [], ("en", "de")) == ("en", "de")
