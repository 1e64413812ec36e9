"""What conversion promises, on papers whose every word and page is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from citeloom.conversion.convert import ConversionOptions, convert
from citeloom.core.types import BlockKind, Converted
from tests.papers import make
from tests.papers.measures import Judgement

Judged = Callable[..., Judgement]

BORN_DIGITAL = [
    ("single", 4, 1),
    ("two_columns", 4, 1),
    ("two_columns", 6, 2),
    ("plain_headings", 3, 1),
    ("book", 12, 1),
]
WITH_OUTLINE_OR_NUMBERS = [paper for paper in BORN_DIGITAL if paper[0] != "plain_headings"]
UNREADABLE = [("scan", 2, 1), ("garbled", 2, 1), ("junk_layer", 2, 1)]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """A paper of a kind, made, converted and put beside its truth: once for all tests."""
    folder = tmp_path_factory.mktemp("papers")

    @cache
    def judge(kind: str, pages: int, seed: int, quick: bool) -> Judgement:
        made = make(kind, folder, seed=seed, pages=pages)
        return Judgement(convert(made.path, ConversionOptions(quick=quick)), made.truth)

    return lambda kind, pages, seed, quick=False: judge(kind, pages, seed, quick)


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "whole"])
@pytest.mark.parametrize("paper", BORN_DIGITAL, ids=str)
def test_every_word_of_a_born_digital_paper_is_kept_on_its_page(
    judged: Judged, paper: tuple[str, int, int], quick: bool
) -> None:
    judgement = judged(*paper, quick)
    assert float(judgement.word_coverage()) >= 0.98, judgement.word_coverage()
    assert float(judgement.page_attribution()) == 1.0, judgement.page_attribution()
    assert float(judgement.reading_order()) >= 0.99, judgement.reading_order()
    assert judgement.running_lines_left() == []
    assert float(judgement.labels()) == 1.0, judgement.labels()
    assert float(judgement.text_sources()) == 1.0, judgement.text_sources()


@pytest.mark.parametrize("paper", WITH_OUTLINE_OR_NUMBERS, ids=str)
def test_headings_with_an_outline_or_numbers_are_found_and_make_the_sections(
    judged: Judged, paper: tuple[str, int, int]
) -> None:
    judgement = judged(*paper)
    assert float(judgement.heading_recall()) >= 0.9, judgement.heading_recall()
    assert float(judgement.heading_precision()) >= 0.9, judgement.heading_precision()
    assert float(judgement.section_paths()) >= 0.9, judgement.section_paths()


def test_tables_keep_their_rows_and_notes_and_captions_stand_apart(judged: Judged) -> None:
    judgement = judged("two_columns", 4, 1)
    assert judgement.table_rows().of >= 5
    assert float(judgement.table_rows()) >= 0.9, judgement.table_rows()
    assert judgement.asides_apart().of >= 5
    assert float(judgement.asides_apart()) >= 0.9, judgement.asides_apart()
    assert float(judgement.broken_words()) >= 0.95, judgement.broken_words()


@pytest.mark.parametrize("paper", UNREADABLE, ids=str)
def test_pages_without_text_that_can_be_used_are_recognised(judged: Judged, paper: tuple[str, int, int]) -> None:
    judgement = judged(*paper)
    assert judgement.doc.text_source == "ocr"
    assert float(judgement.ocr_word_recall()) >= 0.95, judgement.ocr_word_recall()
    assert float(judgement.page_attribution()) >= 0.99, judgement.page_attribution()
    assert float(judgement.text_sources()) == 1.0, judgement.text_sources()


def test_the_printed_numbers_of_a_scan_leave_its_text_and_a_head_on_one_page_alone_stays(judged: Judged) -> None:
    judgement = judged("scan", 2, 1)
    assert [(page.printed, page.margin) for page in judgement.doc.pages] == [("253", ("253",)), ("254", ("254",))]
    assert judgement.running_lines_left() == ["page 2: Journal of Old Ledgers 11 (2019)"]


def test_a_mixed_paper_keeps_its_native_text_and_says_which_passages_were_recognised(judged: Judged) -> None:
    judgement = judged("mixed", 4, 1)
    assert judgement.doc.text_source == "mixed"
    assert float(judgement.text_sources()) == 1.0, judgement.text_sources()
    assert float(judgement.word_coverage({1, 3})) >= 0.98, judgement.word_coverage({1, 3})
    assert float(judgement.word_coverage({2, 4})) >= 0.95, judgement.word_coverage({2, 4})
    assert float(judgement.page_attribution()) >= 0.99, judgement.page_attribution()


def test_good_text_behind_the_picture_of_a_page_is_not_recognised_again(judged: Judged) -> None:
    judgement = judged("searchable_scan", 2, 1)
    assert judgement.doc.ocr_languages == ()
    assert float(judgement.text_sources()) == 1.0, judgement.text_sources()
    assert float(judgement.word_coverage()) >= 0.98, judgement.word_coverage()


@pytest.mark.parametrize("paper", [*UNREADABLE, ("mixed", 4, 1)], ids=str)
def test_the_quick_text_leaves_out_what_needs_ocr_and_says_so(judged: Judged, paper: tuple[str, int, int]) -> None:
    judgement = judged(*paper, quick=True)
    unreadable = judgement.truth.scanned_pages
    assert judgement.doc.waiting_for_ocr == len(unreadable)
    assert not any(page.text for page in judgement.doc.pages if page.number in unreadable)


def a_page_late(doc: Converted) -> Converted:
    return replace(doc, blocks=tuple(replace(block, page=(block.page or 0) + 1) for block in doc.blocks))


def paragraphs_where_they_begin(doc: Converted) -> Converted:
    blocks = list(doc.blocks)
    for at, block in enumerate(blocks):
        if block.continues:
            blocks[at] = replace(block, page=blocks[at - 1].page)
    return replace(doc, blocks=tuple(blocks))


def turned_around(doc: Converted) -> Converted:
    return replace(doc, blocks=doc.blocks[::-1])


def without_every_tenth_block(doc: Converted) -> Converted:
    return replace(doc, blocks=tuple(block for at, block in enumerate(doc.blocks) if at % 10))


def text_as_headings(doc: Converted) -> Converted:
    return replace(doc, blocks=tuple(replace(block, kind=BlockKind.HEADING) for block in doc.blocks))


def headings_as_text(doc: Converted) -> Converted:
    return replace(doc, blocks=tuple(replace(block, kind=BlockKind.TEXT, section_path=()) for block in doc.blocks))


@pytest.mark.parametrize(
    ("spoil", "measure", "most"),
    [
        (a_page_late, Judgement.page_attribution, 0.1),
        (paragraphs_where_they_begin, Judgement.page_attribution, 0.95),
        (without_every_tenth_block, Judgement.word_coverage, 0.97),
        (turned_around, Judgement.reading_order, 0.3),
        (headings_as_text, Judgement.heading_recall, 0.0),
        (headings_as_text, Judgement.section_paths, 0.0),
        (headings_as_text, Judgement.table_rows, 0.0),
        (headings_as_text, Judgement.asides_apart, 0.0),
        (text_as_headings, Judgement.heading_precision, 0.5),
    ],
)
def test_the_measures_see_what_is_wrong(
    judged: Judged, spoil: Callable[[Converted], Converted], measure: Callable[[Judgement], object], most: float
) -> None:
    good = judged("two_columns", 4, 1, quick=True)
    assert float(measure(Judgement(spoil(good.doc), good.truth))) <= most  # type: ignore[arg-type]


def test_the_same_seed_makes_the_same_paper(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    for kind in ("two_columns", "garbled", "junk_layer"):
        first, second = (make(kind, folder, pages=2) for folder in (tmp_path, tmp_path / "again"))
        assert first.path.read_bytes() == second.path.read_bytes()
        assert first.truth == second.truth
