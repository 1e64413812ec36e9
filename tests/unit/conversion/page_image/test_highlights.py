"""Where a passage stands on a page: on papers whose passages we know, and on pages made of letters and boxes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import ConversionOptions, convert
from citeloom.conversion.page_image.highlights import Box, PageText, find_marks
from citeloom.conversion.page_image.pages import PdfPages
from citeloom.conversion.text_tools import words_of
from citeloom.conversion.tokens import estimate_tokens
from citeloom.core.types import Passage
from tests.papers import make

PAPERS = [("single", 3), ("two_columns", 4), ("plain_headings", 3), ("book", 10), ("searchable_scan", 2)]


def read(kind: str, pages: int, folder: Path) -> tuple[list[Passage], dict[int, PageText]]:
    """The passages of a paper and the characters of its pages."""
    made = make(kind, folder, pages=pages)
    passages = chunk(convert(made.path, ConversionOptions(quick=True)), estimate_tokens, 200)
    with PdfPages(made.path) as file:
        return passages, {number: file.characters(number) for number in range(1, len(file) + 1)}


def marked(page: PageText, marks: list[Box]) -> str:
    """The characters in the middle of which a mark lies."""

    def is_marked(box: Box) -> bool:
        x, y = (box[0] + box[2]) / 2 / page.width, (box[1] + box[3]) / 2 / page.height
        return any(left < x < right and top < y < bottom for left, top, right, bottom in marks)

    letters = zip(page.text, page.boxes, strict=True)
    return "".join(letter if letter == " " or is_marked(box) else " " for letter, box in letters)


def bag(text: str) -> Counter[str]:
    return Counter(words_of(re.sub(r"(?<=\w)[-\u00ad\u2010]\s+", "", text)))


@pytest.mark.parametrize(("kind", "pages"), PAPERS, ids=[kind for kind, _ in PAPERS])
def test_the_marked_words_are_those_of_the_passage(kind: str, pages: int, tmp_path: Path) -> None:
    passages, texts = read(kind, pages, tmp_path)
    assert len(passages) > 15
    for passage in passages:
        first, last = passage.page_start or 0, passage.page_end or 0
        around = {number: texts[number] for number in range(first, last + 1)}
        found = [find_marks(passage.text, around, number, first, last) for number in around]
        assert all(found), passage.text
        wanted = bag(passage.text)
        got = bag(" ".join(marked(around[first + at], marks) for at, marks in enumerate(found)))
        # A word that the print breaks in two may be counted as its halves.
        right = (wanted & got).total() + sum(len(word) > 3 and word in "".join(got) for word in wanted - got)
        assert right >= 0.95 * wanted.total(), (passage.text, wanted - got)
        assert (got - wanted).total() <= 0.05 * got.total() + 2, (passage.text, got - wanted)


@pytest.mark.parametrize("kind", ["single", "two_columns", "plain_headings"])
def test_nothing_is_marked_on_a_page_where_the_passage_does_not_stand(kind: str, tmp_path: Path) -> None:
    passages, texts = read(kind, 4, tmp_path)
    tried = 0
    for passage in passages:
        for number, page in texts.items():
            # These papers say much the same on every page, in other words; a broken word may reach the next one.
            if not (passage.page_start or 0) - 1 <= number <= (passage.page_end or 0) + 1:
                assert find_marks(passage.text, {number: page}, number, number, number) == []
                tried += 1
    assert tried > 15


# --- pages made of letters and boxes ----------------------------------------------------


def printed(lines: Sequence[tuple[float, float, str]], width: float = 600, height: float = 800) -> PageText:
    """A page of lines in the order of the file: x, y of their upper left corner, and text; letters are 6 by 10."""
    text, boxes = "", list[Box]()
    for left, top, line in lines:
        for at, letter in enumerate(f"{line} "):
            text += letter
            boxes.append((left + 6 * at, top, left + 6 * at + 6, top + 10) if letter != " " else (0, 0, 0, 0))
    return PageText(text, boxes, width, height)


def on(page: PageText, passage: str) -> list[Box]:
    return find_marks(passage, {1: page}, 1, 1, 1)


def boxes(marks: list[Box], page: PageText) -> list[tuple[int, ...]]:
    """The marks in the page's own measure."""
    return [
        (round(a * page.width), round(b * page.height), round(c * page.width), round(d * page.height))
        for a, b, c, d in marks
    ]


LIGATURES = [("ffi", "ﬃ"), ("fi", "ﬁ"), ("fl", "ﬂ")]
words = st.lists(
    st.from_regex(r"[a-zäöü]{0,3}(ffi|fi|fl|ss|o)[a-zäöü]{2,6}", fullmatch=True), min_size=8, max_size=60, unique=True
)


@given(words, st.data())
def test_a_run_of_words_is_marked_whole_and_nothing_else_whatever_the_print_did_to_it(
    words: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(words) - 4))
    end = data.draw(st.integers(start + 4, len(words)))
    lines: list[tuple[float, float, str]] = []
    expected: set[tuple[int, int]] = set()  # line, column of letters
    line, top = "", 20.0
    for at, word in enumerate(words):
        shown = word
        for plain, ligature in LIGATURES:
            if data.draw(st.booleans()):
                shown = shown.replace(plain, ligature)
        breaks = len(shown) > 3 and data.draw(st.booleans())
        hyphen = data.draw(st.sampled_from("-\u2010\u00ad"))
        for part in [shown[:2] + hyphen, shown[2:]] if breaks else [shown]:
            if (breaks and part == shown[2:]) or len(line) > 60:
                lines.append((10, top, line))
                line, top = "", top + 14
            line = f"{line} {part}" if line else part
            if start <= at < end:
                last = len(line)
                expected |= {(len(lines), column) for column in range(last - len(part), last)}
    lines.append((10, top, line))
    page = printed(lines, 1000, top + 100)
    passage = " ".join(words[start:end])
    marks = on(page, passage)
    assert marks
    seen = {
        (at, column)
        for at, (left, y, text) in enumerate(lines)
        for column, letter in enumerate(text)
        if letter != " "
        and any(
            x0 * 1000 < left + 6 * column + 3 < x1 * 1000 and y0 * page.height < y + 5 < y1 * page.height
            for x0, y0, x1, y1 in marks
        )
    }
    assert seen == expected


COLUMNS = [
    (40, 20, "The merchants of the north wrote that"),
    (320, 20, "In the south nobody wrote of grain, for"),
    (40, 34, "grain was dear and the rivers frozen,"),
    (320, 34, "the harbours were closed and the ships"),
    (40, 48, "so that no ship left before the spring."),
    (320, 48, "lay where the last autumn had left them."),
]


def test_a_column_is_followed_although_the_file_goes_across() -> None:
    page = printed(COLUMNS)
    passage = " ".join(line for left, _, line in COLUMNS if left == 40)
    assert boxes(on(page, passage), page) == [(40, y, 40 + 6 * n, y + 10) for y, n in ((20, 37), (34, 37), (48, 39))]


def test_a_passage_that_runs_over_a_page_break_is_marked_on_each_of_its_pages() -> None:
    first = printed([(40, 20, "Another matter stood here before."), (40, 700, "The merchants of the north con-")])
    second = printed([(200, 10, "Annals of Trade"), (40, 40, "sidered grain too dear. They left."), (40, 54, "Else.")])
    passage, pages = "The merchants of the north considered grain too dear. They left.", {3: first, 4: second}
    assert boxes(find_marks(passage, pages, 3, 3, 4), first) == [(40, 700, 40 + 6 * 31, 710)]
    assert boxes(find_marks(passage, pages, 4, 3, 4), second) == [(40, 40, 40 + 6 * 34, 50)]


def test_of_a_passage_over_two_pages_a_part_is_found_where_the_other_page_is_not_known() -> None:
    page = printed(
        [(200, 10, "Annals of Trade"), (40, 40, "and left the harbour before winter came."), (40, 54, "Else.")]
    )
    before = "Nobody knows what stands on the page before, where the greater part of all this was printed, "
    passage = f"{before}and left the harbour before winter came."
    assert boxes(find_marks(passage, {4: page}, 4, 3, 4), page) == [(40, 40, 40 + 6 * 40, 50)]
    assert find_marks(passage, {4: page}, 4, 4, 4) == []  # all of it should stand here


def test_of_two_places_with_the_same_beginning_the_one_that_goes_on_is_marked() -> None:
    page = printed([(10, 20, "The toll of Bergen rose too."), (10, 60, "The toll of Bergen rose in autumn again.")])
    assert boxes(on(page, "The toll of Bergen rose in autumn again."), page) == [(10, 60, 10 + 6 * 40, 70)]


def test_half_of_a_sentence_under_many_other_words_is_not_found() -> None:
    page = printed([(10, 20, "The toll of Bergen rose and fell with the price of grain in the harbour.")])
    assert on(page, "The toll of Lisbon was raised when nobody had the price of silver at hand.") == []


def test_the_mark_of_a_note_and_words_of_the_page_in_between_do_not_end_a_line() -> None:
    page = printed([(10, 20, "The toll 12 of Bergen rose.")])
    assert boxes(on(page, "The toll of Bergen rose."), page) == [(10, 20, 10 + 6 * 27, 30)]


def test_writing_without_spaces_is_marked() -> None:
    page = printed([(10, 20, "商人们写信谈论粮食和天气"), (10, 40, "河流结冰船只不能离开港口")])
    assert boxes(on(page, "谈论粮食和天气 河流结冰"), page) == [(40, 20, 82, 30), (10, 40, 34, 50)]


def test_text_outside_of_what_is_shown_is_not_marked() -> None:
    page = printed([(-300, 20, "Nobody sees these words here."), (10, 40, "These are seen.")])
    assert on(page, "Nobody sees these words here.") == []


@pytest.mark.parametrize("passage", ["", " \n ", "—", "…!"])
def test_a_passage_without_words_is_not_found(passage: str) -> None:
    assert on(printed(COLUMNS), passage) == []


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_looked_for_on_any_page(passage: str, text: str) -> None:
    marks = on(PageText(text, [(0.0, 0.0, 1.0, 1.0)] * len(text), 10.0, 10.0), passage)
    assert all(0 <= left < right <= 1 and 0 <= top < bottom <= 1 for left, top, right, bottom in marks)
