"""Running heads and feet: told by repetition alone, in no passage, and still on their page."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.api.evidence import Verdict
from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import ConversionOptions, convert
from citeloom.conversion.markup.markdown_writer import to_markdown
from citeloom.conversion.tokens import estimate_tokens
from citeloom.core.types import Converted
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.verdict import verify
from citeloom.evidence.quotes.work_text import WorkText
from tests.unit.conversion.sample_papers import FILLER, HEIGHT, Paper

HEAD = HEIGHT - 40
BOTH = pytest.mark.parametrize("options", [ConversionOptions(quick=True), ConversionOptions()], ids=["quick", "whole"])


def paper(path: Path, heads: list[str], feet: list[str] | None = None) -> Path:
    """Pages of prose, each with its own head and foot."""
    made = Paper(path)
    for at, head in enumerate(heads):
        made.at(72, HEAD, head)
        made.lines([f"{line} ({at + 1})" for line in FILLER * 4])
        if feet:
            made.at(290, 30, feet[at])
        made.new_page()
    return made.save()


def passages(doc: Converted) -> str:
    return "\n".join(passage.text for passage in chunk(doc, estimate_tokens, 256))


@BOTH
def test_the_first_line_of_a_page_that_stands_on_no_other_is_its_text(
    tmp_path: Path, options: ConversionOptions
) -> None:
    alone = paper(tmp_path / "alone.pdf", ["Salt was forbidden to strangers in the year of the flood."])
    doc = convert(alone, options)
    assert "Salt was forbidden to strangers" in passages(doc)
    assert doc.pages[0].margin == () and doc.word_coverage == 1.0
    lines = [f"The {name} ship brought no grain at all to the harbour." for name in ("first", "second", "third")]
    several = convert(paper(tmp_path / "several.pdf", lines), options)
    assert all(line in passages(several) for line in lines)


@BOTH
def test_heads_that_repeat_are_in_no_passage_but_can_be_quoted_from_their_page(
    tmp_path: Path, options: ConversionOptions
) -> None:
    left, right = "Brandt and Okoro", "Journal of Old Letters 12 (2019)"
    heads = [f"{252 + at}    {left}" if at % 2 else f"{right}    {252 + at}" for at in range(1, 7)]
    doc = convert(paper(tmp_path / "journal.pdf", heads), options)
    assert [page.printed for page in doc.pages] == [str(252 + at) for at in range(1, 7)]
    assert left not in passages(doc) and right not in passages(doc)
    assert doc.pages[1].margin == (f"{right} 254",) and doc.word_coverage == 1.0
    assert f"<!-- page 254 (PDF 2) -->\n\n<!-- margin: {right} 254 -->" in to_markdown(doc, 2, 2)
    found = verify(right, WorkText(doc), Lexicon(()), page="254")
    assert found.verdict is Verdict.EXACT and found.page_labels == ("254",)


def test_heads_of_chapters_and_mirrored_numbers_leave_the_text(tmp_path: Path) -> None:
    chapters = ["The Grain Trade"] * 5 + ["Salt and its Prices"] * 5
    heads = [f"{at}   {name}" if at % 2 else f"{name}   {at}" for at, name in enumerate(chapters, 40)]
    doc = convert(paper(tmp_path / "book.pdf", heads), ConversionOptions(quick=True))
    assert "Grain Trade" not in passages(doc) and "Salt and its" not in passages(doc)
    assert [page.printed for page in doc.pages] == [str(at) for at in range(40, 50)]
    assert all(name in page.margin[0] for name, page in zip(chapters, doc.pages, strict=True))


def test_numbered_tables_at_the_top_of_page_after_page_are_no_running_heads(tmp_path: Path) -> None:
    heads = [f"Table {at}. Prices by year and place" for at in (1, 2, 3, 4)]
    doc = convert(paper(tmp_path / "tables.pdf", heads), ConversionOptions(quick=True))
    assert all(head in passages(doc) for head in heads)


def test_words_made_of_the_letters_of_roman_numbers_are_no_page_numbers(tmp_path: Path) -> None:
    doc = convert(
        paper(tmp_path / "words.pdf", ["civil", "vii", "viii"], ["ii", "iii", "iv"]), ConversionOptions(quick=True)
    )
    assert "civil" in passages(doc)
    assert "viii" not in passages(doc)
