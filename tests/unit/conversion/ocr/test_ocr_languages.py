from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.conversion.ocr.languages import language_tags, parse_languages, tesseract_name


@pytest.mark.parametrize(
    ("written", "tags", "data"),
    [
        ("en", ["en"], ["eng"]),
        ("en-US", ["en"], ["eng"]),
        ("EN_gb.UTF-8", ["en"], ["eng"]),
        ("English (US)", ["en"], ["eng"]),
        ("Deutsch", ["de"], ["deu"]),
        ("ger/eng", ["de", "en"], ["deu", "eng"]),
        ("de; en", ["de", "en"], ["deu", "eng"]),
        ("Englisch, Deutsch und Latein", ["en", "de", "la"], ["eng", "deu", "lat"]),
        ("français et anglais", ["fr", "en"], ["fra", "eng"]),
        ("text in German", ["de"], ["deu"]),
        ("fr-FR", ["fr"], ["fra"]),
        ("zh", ["zh-Hans"], ["chi_sim"]),
        ("zh-Hans", ["zh-Hans"], ["chi_sim"]),
        ("zh-TW", ["zh-Hant"], ["chi_tra"]),
        ("Chinese (traditional)", ["zh-Hant"], ["chi_tra"]),
        ("日本語", ["ja"], ["jpn"]),
        ("sr-Latn-RS", ["sr-Latn"], ["srp_latn"]),
        ("chi_sim", ["zh-Hans"], ["chi_sim"]),
        ("Ancient Greek", ["grc"], ["grc"]),
        ("nb-NO", ["no"], ["nor"]),
        ("Espan\u0303ol", ["es"], ["spa"]),
    ],
)
def test_languages_are_understood_as_people_write_them(written: str, tags: list[str], data: list[str]) -> None:
    assert language_tags(written) == tags
    assert [tesseract_name(tag) for tag in tags] == data


def test_what_names_no_language_is_told_apart() -> None:
    understood = parse_languages("English; klingonish; und; zxx")
    assert (understood.tags, understood.unknown) == (["en"], ["klingonish"])


@given(st.text())
def test_any_text_can_be_given_as_a_language(written: str) -> None:
    for tag in language_tags(written):
        assert language_tags(tag) == [tag]
        assert language_tags(tesseract_name(tag)) == [tag]
