from pathlib import Path

import pytest

from citeloom.bibliography.matching import Matcher
from citeloom.core.types import Record

QUOTATION = Record(
    "hartmann2019",
    title="Quotation errors in scholarly writing",
    doi="10.5555/qe.2019.1",
    files=("papers/q.pdf",),
)
FOOTNOTE = Record("grafton1997", title="The footnote: a curious history", files=("C:\\lib\\Grafton 1997.pdf",))
POWER = Record("delgado2016", title="Low power and inflated effects", doi="10.5555/power")
SHORT = Record("eco1980", title="Il nome")
LIBRARY = (QUOTATION, FOOTNOTE, POWER, SHORT)
ELSEWHERE = Path("/elsewhere/x.pdf")


@pytest.fixture
def matcher(tmp_path):
    return Matcher(LIBRARY, tmp_path)


def found(match):
    return (match.record.citekey, match.by) if match else None


def test_the_file_a_record_names_is_that_record_whatever_it_cites(matcher, tmp_path):
    path = tmp_path / "papers" / ".." / "papers" / "q.pdf"

    assert found(matcher.match(path, ["10.5555/power"], POWER.title, "10.5555/power")) == (
        "hartmann2019",
        "file",
    )


def test_of_two_files_of_one_name_each_is_the_record_that_names_its_path(tmp_path):
    records = [Record("a", files=("a/same.pdf",)), Record("b", files=(str(tmp_path / "b" / "same.pdf"),))]
    matcher = Matcher(records, tmp_path)

    assert found(matcher.match(tmp_path / "a" / "same.pdf", [], "", "")) == ("a", "file")
    assert found(matcher.match(tmp_path / "b" / "same.pdf", [], "", "")) == ("b", "file")


def test_a_file_that_moved_is_known_by_its_name(matcher):
    assert found(matcher.match(Path("/moved/Grafton 1997.pdf"), [], "", "")) == ("grafton1997", "name")


def test_the_other_files_of_a_record_are_those_on_this_disk(tmp_path):
    (tmp_path / "there.pdf").touch()
    record = Record("k", files=("there.pdf", "gone.pdf", str(tmp_path / "own.pdf"), "nul\0.pdf"))
    (tmp_path / "own.pdf").touch()
    assert Matcher([record], tmp_path).other_files(record, tmp_path / "own.pdf") == [tmp_path / "there.pdf"]


def test_a_path_that_cannot_exist_here_does_no_harm(tmp_path):
    odd = Record("odd", files=("~nobody-of-that-name/x.pdf", "nul\0.pdf", ""))

    assert found(Matcher([odd, QUOTATION], tmp_path).match(Path("/moved/q.pdf"), [], "", "")) == (
        "hartmann2019",
        "name",
    )


@pytest.mark.parametrize("name", ["same.pdf", "fulltext.pdf"])
def test_a_name_that_two_records_share_or_any_file_may_bear_says_nothing(tmp_path, name):
    records = [Record("a", files=("x/same.pdf", "x/fulltext.pdf")), Record("b", files=("y/same.pdf",))]

    assert Matcher(records, tmp_path).match(Path("/z") / name, [], "", "") is None


def test_the_doi_on_the_first_page_counts_and_one_cited_later_does_not(matcher):
    dois = ["10.5555/power", "https://doi.org/10.5555/QE.2019.1"]

    assert found(matcher.match(ELSEWHERE, dois, "", "doi:10.5555/QE.2019.1.")) == ("hartmann2019", "doi")
    assert matcher.match(ELSEWHERE, dois, "", "no identifier here") is None


def test_a_doi_is_found_across_a_line_break_but_not_inside_a_longer_one(matcher):
    dois = ["10.5555/qe.2019.1", "10.5555/power"]

    assert found(matcher.match(ELSEWHERE, dois, "", "https://doi.org/10.5555/\nqe.2019.1")) == (
        "hartmann2019",
        "doi",
    )
    assert matcher.match(ELSEWHERE, dois, "", "10.5555/power-2 10.5555/powers") is None


def test_of_two_dois_on_the_first_page_the_one_with_its_title_wins_else_the_first(matcher):
    dois = ["10.5555/power", "10.5555/qe.2019.1"]
    both = "10.5555/power (reprinted) 10.5555/qe.2019.1"

    assert found(matcher.match(ELSEWHERE, dois, "", both)) == ("delgado2016", "doi")
    assert found(matcher.match(ELSEWHERE, dois, "", f"{QUOTATION.title}\n{both}")) == ("hartmann2019", "doi")


def test_a_work_without_a_doi_is_not_taken_for_the_one_its_first_page_cites(matcher):
    body = "The use of notes has been studied at length. " * 60
    page = f"The Footnote:\nA Curious History\n{body}\n1 Delgado, {POWER.title}, https://doi.org/10.5555/power"

    assert found(matcher.match(ELSEWHERE, ["10.5555/power"], "", page)) == ("grafton1997", "title")


@pytest.mark.parametrize(
    ("title", "first_text"),
    [
        ("QUOTATION ERRORS IN SCHOLARLY WRITING.", ""),
        ("untitled", "Journal of Evidence 4\nQuotation Errors in Schol-\narly Writing¹\nLea Hartmann"),
        ("", "Quotation errors in scholarly writing2\nL. Hartmann"),
    ],
)
def test_a_title_is_found_through_case_hyphenation_and_footnote_marks(matcher, title, first_text):
    assert found(matcher.match(ELSEWHERE, [], title, first_text)) == ("hartmann2019", "title")


@pytest.mark.parametrize(
    "first_text",
    [
        "Quotation errors in scholarly writings of the age",
        "Misquotation errors in scholarly writing",
        "word " * 400 + "Quotation errors in scholarly writing",
        "Il nome della rosa",
    ],
)
def test_parts_of_words_late_mentions_and_short_titles_do_not_count(matcher, first_text):
    assert matcher.match(ELSEWHERE, [], "", first_text) is None


def test_a_short_title_is_matched_when_it_is_all_the_document_is_called(matcher):
    assert found(matcher.match(ELSEWHERE, [], "Il Nome", "")) == ("eco1980", "title")


def test_a_title_that_continues_another_wins_and_two_apart_are_no_match(matcher, tmp_path):
    longer = Record("reply2020", title="Comment on Quotation errors in scholarly writing")
    with_reply = Matcher([*LIBRARY, longer], tmp_path)

    assert found(with_reply.match(ELSEWHERE, [], "", longer.title)) == ("reply2020", "title")
    assert matcher.match(ELSEWHERE, [], "", f"{QUOTATION.title}\n{POWER.title}") is None


def test_two_records_of_one_title_or_one_doi_are_no_match(tmp_path):
    twins = [Record(key, title="Low power and inflated effects", doi="10.5555/power") for key in "ab"]
    matcher = Matcher(twins, tmp_path)

    assert matcher.match(ELSEWHERE, ["10.5555/power"], twins[0].title, f"{twins[0].title} 10.5555/power") is None
