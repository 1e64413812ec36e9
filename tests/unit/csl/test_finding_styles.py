"""Finding a style by id, title or file."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.csl.styles import STYLE_FILE_LIMIT, find_style, style_from_file

HEAD = '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" class="in-text"><info><title>Mine</title>{}</info>'


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("apa", "apa"),
        ("APA.csl", "apa"),
        ("http://www.zotero.org/styles/apa", "apa"),
        ("American Psychological Association 7th edition", "apa"),
        ("Chicago author-date", "chicago-author-date"),
        ("chicago manual of style (author-date)", "chicago-author-date"),
        ("Chicago Manual of Style 17th edition (author-date)", "chicago-author-date-17th-edition"),
        ("MLA", "modern-language-association"),
        ("Nature", "nature"),
        ("vancouver", "nlm-citation-sequence"),
        ("apa-5th-edition", "apa"),
        ("APA 7", "apa"),
        ("APA7", "apa"),
        ("APA 7th edition", "apa"),
        ("APA 6", "apa-6th-edition"),
        ("American Psychological Association, 6th edition", "apa-6th-edition"),
        ("Chicago author-date 17", "chicago-author-date-17th-edition"),
        ("Chicago 17th ed.", "chicago-author-date-17th-edition"),
        ("MLA 9", "modern-language-association"),
        ("IEEE", "ieee"),
        ("Vancouver style", "nlm-citation-sequence"),
        ("Harvard", "harvard-cite-them-right"),
        ("Harvard referencing", "harvard-cite-them-right"),
        ("AMA 10", "american-medical-association-10th-edition"),
        ("ISO 690", "iso690-author-date-en"),
    ],
)
def test_a_style_is_found_by_the_name_people_use(name: str, found: str) -> None:
    assert find_style(name).id == found


def test_a_journals_style_is_written_as_its_parent() -> None:
    style = find_style("Nature Communications")
    assert (style.id, style.title) == ("nature-communications", "Nature Communications")
    assert (style.path.name, style.locale) == ("nature.csl", "en-GB")


def test_a_miss_names_near_styles() -> None:
    with pytest.raises(CiteLoomError) as caught:
        find_style("Turabian")
    assert caught.value.code == Code.STYLE_NOT_FOUND
    assert {"id": "turabian-author-date", "title": "Turabian 9th edition (author-date)"} in caught.value.details["near"]
    assert "turabian-author-date (Turabian 9th edition (author-date))" in str(caught.value)


@pytest.mark.parametrize("name", ["", "  ", "../../etc/passwd", "zzqqxx", "x" * 10_000, "\0"])
def test_a_name_that_is_no_style_says_what_to_give(name: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        find_style(name)
    assert caught.value.code == Code.STYLE_NOT_FOUND and len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("jornal of cell biology", "the-journal-of-cell-biology"),
        ("chicgo", "chicago-author-date"),
        ("havard", "harvard-cite-them-right"),
        ("vancuver 2", "nlm-citation-sequence"),
        ("APA 8", "apa"),
    ],
)
def test_a_misspelt_name_or_an_edition_that_is_none_is_near(name: str, near: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        find_style(name)
    assert caught.value.details["near"][0]["id"] == near


@pytest.mark.parametrize("files", [True, False])
def test_a_style_file_is_offered_to_those_who_may_name_one(files: bool) -> None:
    with pytest.raises(CiteLoomError) as caught:
        find_style("zzqqxx", files=files)
    assert (".csl" in str(caught.value)) == files


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        ("no xml at all", Code.INVALID_INPUT, "not well-formed"),
        ("<html/>", Code.INVALID_INPUT, "does not start with a CSL <style>"),
        (HEAD.format("") + "</style>", Code.INVALID_INPUT, "no layout for citations"),
        (
            HEAD.format('<link rel="independent-parent" href="http://www.zotero.org/styles/gone-style"/>') + "</style>",
            Code.STYLE_NOT_FOUND,
            "“gone-style”",
        ),
        (" " * (STYLE_FILE_LIMIT + 1), Code.INVALID_INPUT, "too large"),
    ],
    ids=["text", "html", "empty", "orphan", "large"],
)
def test_a_file_that_is_no_style_is_refused_with_the_reason(
    tmp_path: Path, content: str, code: Code, said: str
) -> None:
    path = tmp_path / "mine.csl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(CiteLoomError, match=said) as caught:
        style_from_file(path)
    assert caught.value.code == code and caught.value.next_step


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError) as caught:
        style_from_file(tmp_path / "gone.csl")
    assert caught.value.code == Code.FILE_NOT_FOUND
    with pytest.raises(CiteLoomError) as caught:
        style_from_file(tmp_path)
    assert caught.value.code == Code.PERMISSION_DENIED


def test_a_file_of_a_journal_leads_to_the_parent(tmp_path: Path) -> None:
    path = tmp_path / "mine.csl"
    path.write_text(
        HEAD.format('<link rel="independent-parent" href="http://www.zotero.org/styles/nature"/>') + "</style>"
    )
    style = style_from_file(path)
    assert (style.id, style.title, style.path.name) == ("mine", "Mine", "nature.csl")


def test_entities_are_not_resolved(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hush")
    path = tmp_path / "mine.csl"
    path.write_text(
        f'<!DOCTYPE style [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        + HEAD.format("").replace("Mine", "&x;")
        + '<citation><layout><text variable="title"/></layout></citation></style>'
    )
    assert "hush" not in style_from_file(path).title


def test_a_style_that_changes_on_disk_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.csl"
    whole = HEAD.format("") + '<citation><layout><text variable="title"/></layout></citation></style>'
    path.write_text(whole)
    assert style_from_file(path).title == "Mine"
    path.write_text(whole.replace("Mine", "Mine, mended"))
    assert style_from_file(path).title == "Mine, mended"
