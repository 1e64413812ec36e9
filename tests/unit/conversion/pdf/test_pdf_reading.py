from __future__ import annotations

import re
from pathlib import Path

import pytest

from citeloom.conversion.convert import CONVERTER_VERSION, convert
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import BlockKind, Converted
from tests.unit.conversion.sample_papers import FILLER, HEIGHT, Paper, encrypted

LEFT = [
    "Prices of grain were written down by",
    "hand for four centuries, and the infor-",
    "mation in the ledgers is",
    "market-driven in a way that nobody",
    "who reads them expects. A ledger has",
    "two sides, one for what came in",
    "and one for what went out, and the",
    "market-driven merchant kept both of",
    "them in the same book until the",
]
RIGHT = [
    "year was over. The second column",
    "goes on here and must not be mixed",
    "with the first. It speaks of market-",
    "driven prices and of nothing else,",
    "so that a reader can tell which of",
    "the columns a sentence comes from",
    "without looking at the page again.",
    "Every line is filled as prose fills",
    "a column in a printed journal.",
]


def texts(doc: Converted, kind: BlockKind = BlockKind.TEXT) -> list[str]:
    return [block.text for block in doc.blocks if block.kind is kind]


def everything_stands_on_its_page(doc: Converted) -> bool:
    pages = {page.number: page.text for page in doc.pages}
    return all(block.text in pages[block.page or 0] for block in doc.blocks)


def test_columns_are_read_one_after_the_other_even_when_the_file_draws_them_row_by_row(
    tmp_path: Path,
) -> None:
    paper = Paper(tmp_path / "columns.pdf")
    for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        paper.at(72, HEIGHT - 80 - 12 * row, left, size=10)
        paper.at(320, HEIGHT - 80 - 12 * row, right, size=10)
    doc = convert(paper.save())
    text = doc.pages[0].text
    assert "until the year was over. The second column goes on here" in text
    assert "the information in the ledgers" in text
    assert "speaks of market-driven prices" in text  # its own hyphen, seen elsewhere in the document
    assert (doc.word_coverage or 0) >= 0.98  # pdfium itself glues halves of words across the columns here
    assert everything_stands_on_its_page(doc)


def test_the_outline_gives_nested_sections_and_the_references_it_leaves_out(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "outlined.pdf")
    paper.lines(FILLER)
    paper.heading("1 Grain", level=0)
    paper.lines(FILLER)
    paper.new_page()
    paper.heading("1.1 Prices of grain", size=11, level=1)
    paper.lines(FILLER)
    paper.heading("2 Salt", level=0)
    paper.lines(FILLER)
    paper.heading("References")
    paper.line("Brandt, A. (1998). Salt. Journal of Salt, 3, 12-19. https://doi.org/10.5555/SALT.1998.3).")
    doc = convert(paper.save())
    sections = [(block.section_path, block.page) for block in doc.blocks if block.kind is BlockKind.TEXT]
    assert sections == [
        ((), 1),
        (("1 Grain",), 1),
        (("1 Grain", "1.1 Prices of grain"), 2),
        (("2 Salt",), 2),
        (("References",), 2),
    ]
    assert doc.dois == ("10.5555/salt.1998.3",)


def test_without_an_outline_type_numbers_and_names_make_the_headings(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "plain.pdf")
    paper.line("Salt and Grain in the Letters of Merchants", font="Times-Bold", size=18, skip=30)
    paper.line("A. Brandt and B. Okoro", skip=24)
    for heading in ("Abstract", "1 Introduction", "2 Methods", "2.1 Sample of letters", "3 Results"):
        paper.heading(heading)
        paper.lines(FILLER)
    paper.line("Table 1. Prices by year", font="Times-Bold")
    doc = convert(paper.save())
    assert doc.title == "Salt and Grain in the Letters of Merchants"
    assert [block.section_path for block in doc.blocks if block.kind is BlockKind.HEADING] == [
        ("Abstract",),
        ("1 Introduction",),
        ("2 Methods",),
        ("2 Methods", "2.1 Sample of letters"),
        ("3 Results",),
    ]


def test_printed_numbers_labels_and_pdf_pages_are_kept_apart(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "offprint.pdf")
    for page in range(1, 5):
        paper.canvas.addPageLabel(page - 1, "ROMAN_LOWER", page)
        paper.lines(FILLER)
        if page > 1:  # the first page of an offprint often bears no number
            paper.at(72, HEIGHT - 40, f"{252 + page}      Journal of Old Letters 12 (2019)")
        paper.at(290, 30, "Downloaded by a library")
        paper.new_page()
    doc = convert(paper.save())
    assert [(page.number, page.pdf_label, page.printed) for page in doc.pages] == [
        (1, "i", "253"), (2, "ii", "254"), (3, "iii", "255"), (4, "iv", "256"),
    ]  # fmt: skip
    assert doc.pages[2].label == "255"
    assert not re.search("Journal|Downloaded|255", doc.pages[2].text)
    assert doc.word_coverage == 1.0


def test_a_paragraph_goes_on_over_the_page_and_its_broken_word_is_whole(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "break.pdf")
    paper.lines([*FILLER[:3], "noted every price together with the place and the day on which it was trans-"])
    paper.new_page()
    paper.lines(["ferred to the ledger. Nothing more is known about the hand that wrote it there,", *FILLER[:2]])
    doc = convert(paper.save())
    first, second = doc.blocks
    assert first.text.endswith("on which it was transferred") and first.page == 1
    assert second.text.startswith("to the ledger.") and second.page == 2 and second.continues
    assert everything_stands_on_its_page(doc)


def test_ligatures_and_text_printed_sideways_do_not_disturb_the_text(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "stamp.pdf")
    paper.lines(FILLER)
    paper.canvas.saveState()
    paper.canvas.rotate(90)
    paper.at(300, -30, "arXiv:0101.00001v1")
    paper.canvas.restoreState()
    doc = convert(paper.save())
    assert texts(doc) == [" ".join(FILLER)]
    assert doc.pages[0].margin == ("arXiv:0101.00001v1",)


def test_reading_twice_gives_the_same_document(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "twice.pdf")
    paper.heading("1 Introduction")
    paper.lines(FILLER)
    path = paper.save()
    assert convert(path) == convert(path)
    assert Converted.from_json(convert(path).to_json()) == convert(path)
    assert convert(path).converter == CONVERTER_VERSION


def blot(path: Path) -> Path:
    paper = Paper(path)
    paper.canvas.rect(72, 72, 300, 300, fill=1)
    return paper.save()


def damaged(path: Path) -> Path:
    path.write_bytes(b"%PDF-1.7\n this is no PDF at all")
    return path


def empty(path: Path) -> Path:
    path.touch()
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [(encrypted, "needs a password"), (damaged, "damaged"), (empty, "is empty"), (blot, "OCR found none")],
)
def test_a_pdf_that_cannot_be_read_says_why_and_what_to_do(tmp_path: Path, make: object, words: str) -> None:
    path = make(tmp_path / "bad.pdf")  # type: ignore[operator]
    with pytest.raises(CiteLoomError, match=words) as caught:
        convert(path)
    assert caught.value.code is Code.CONVERSION_FAILED
    assert caught.value.next_step


def test_pages_missing_from_a_copy_do_not_shift_the_printed_numbers(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "copy.pdf")
    for number in (78, 83, 84, 85):
        paper.lines(FILLER)
        paper.at(290, 30, str(number))
        paper.new_page()
    assert [page.printed for page in convert(paper.save()).pages] == ["78", "83", "84", "85"]


def test_the_number_of_a_section_at_the_top_of_a_page_is_not_taken_for_the_pages(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "sections.pdf")
    for heading in ("1 Introduction", "2 Methods", "3 Results", "4 Discussion"):
        paper.y += 40
        paper.heading(heading)
        paper.lines([f"{heading[2:]}: {line}" for line in FILLER * 3])
        paper.new_page()
    doc = convert(paper.save())
    assert [block.text for block in doc.blocks if block.kind is BlockKind.HEADING] == [
        "1 Introduction",
        "2 Methods",
        "3 Results",
        "4 Discussion",
    ]
