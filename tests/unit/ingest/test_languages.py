"""The languages that pictures are read in: the record's own, else the import's, else the settings'."""

from __future__ import annotations

from citeloom.ingest.languages import ocr_languages


def test_the_record_comes_first_then_the_import_then_the_settings() -> None:
    assert ocr_languages("French; en-GB", ["it"], ("en", "de")) == ["fr", "en"]
    assert ocr_languages(None, ["it", "la"], ("en", "de")) == ["it", "la"]
    assert ocr_languages("unheard of", [], ("en", "de")) == ["en", "de"]
