"""Tables, figures, notes and sections of a page, by geometry and by docling's layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import convert
from citeloom.conversion.docling import pdf_pages
from citeloom.conversion.page_numbers_from_record import with_record_pages
from citeloom.conversion.tokens import TokenCounter
from citeloom.core.types import Block, BlockKind, Converted, Page, TextSource
from tests.unit.conversion.sample_papers import FILLER, HEIGHT, TOKENIZER, Paper

COUNT = TokenCounter(TOKENIZER)
CELLS = [("Year", "Grain", "Salt"), ("1340", "12", "31"), ("1341", "15", "29"), ("1342", "11", "30")]


def of_kind(doc: Converted, kind: BlockKind) -> list[str]:
    return [block.text for block in doc.blocks if block.kind is kind]


def with_table(path: Path) -> Path:
    paper = Paper(path)
    paper.heading("1 Prices")
    paper.lines(FILLER * 2)
    paper.y -= 16
    paper.line("Table 1. Prices of grain and salt by year, in pence.", size=9, font="Times-Bold", skip=16)
    paper.canvas.line(72, paper.y + 12, 420, paper.y + 12)
    for row, cells in enumerate(CELLS):
        for column, cell in enumerate(cells):
            paper.at(76 + 130 * column, paper.y - 14 * row, cell, size=9)
    paper.y -= 14 * len(CELLS)
    paper.canvas.line(72, paper.y + 8, 420, paper.y + 8)
    paper.y -= 16
    paper.lines(FILLER * 3)
    return paper.save()


def test_a_table_is_markdown_under_its_caption_and_its_passage_is_cut_between_rows_only(tmp_path: Path) -> None:
    doc = convert(with_table(tmp_path / "table.pdf"))
    (table,) = of_kind(doc, BlockKind.TABLE)
    rows = [f"| {' | '.join(cells)} |" for cells in CELLS]
    assert table == "\n".join(
        ["Table 1. Prices of grain and salt by year, in pence.", "", rows[0], "| --- | --- | --- |", *rows[1:]]
    )
    assert doc.word_coverage == 1.0
    passages = chunk(doc, COUNT, 48)
    assert all(sum(row in passage.text for passage in passages) == 1 for row in rows)


def test_notes_at_the_foot_stay_beside_the_paragraph_that_goes_on_over_the_page(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "notes.pdf")
    paper.heading("1 Letters")
    while paper.y > 150:
        paper.lines(FILLER)
    paper.line("and nobody who wrote these letters ever said a word of what the captain of the")
    paper.canvas.line(72, 118, 200, 118)
    paper.at(72, 104, "1 The letter of 1341 is lost; only a copy of it was bound.", size=7.5)
    paper.at(72, 94, "2 Salt was measured in barrels of two sizes.", size=7.5)
    paper.new_page()
    paper.line("ship had promised to them before he left the harbour. More of it was never found.")
    paper.lines(FILLER)
    doc = convert(paper.save())
    assert of_kind(doc, BlockKind.FOOTNOTE) == [
        "1 The letter of 1341 is lost; only a copy of it was bound.",
        "2 Salt was measured in barrels of two sizes.",
    ]
    passages = chunk(doc, COUNT, 256)
    (across,) = [p for p in passages if "captain of the ship had promised" in p.text]
    assert (across.page_start, across.page_end) == (1, 2)
    (notes,) = [p for p in passages if p.extra.get("beside") == "footnote"]
    assert (notes.page_start, notes.page_end) == (1, 1) and "barrels" in notes.text


def test_a_figures_words_and_caption_stay_beside_the_text(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "figure.pdf")
    paper.lines(FILLER * 3)
    top = paper.y - 20
    paper.canvas.rect(120, top - 180, 320, 180)
    for at in range(6):
        paper.canvas.rect(150 + 45 * at, top - 160, 25, 30 + 20 * at, fill=1)
        paper.at(152 + 45 * at, top - 172, str(1340 + at), size=7)
    paper.at(128, top - 20, "pence", size=7)
    paper.y = top - 196
    paper.line("Figure 1. Prices of grain in six years.", size=8.5, x=120, skip=24)
    paper.lines(FILLER * 3)
    doc = convert(paper.save())
    assert of_kind(doc, BlockKind.CAPTION) == ["Figure 1. Prices of grain in six years."]
    body = " ".join(of_kind(doc, BlockKind.TEXT))
    assert "pence" not in body and "1340" not in body
    assert "1340" in doc.pages[0].text and doc.word_coverage == 1.0  # kept, though not in the text


def test_text_in_a_frame_is_text(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "frame.pdf")
    paper.lines(FILLER * 2)
    paper.canvas.rect(66, paper.y - 110, 380, 104, stroke=1)
    paper.y -= 24
    paper.lines([f"Framed: {line}" for line in FILLER * 2], size=9.5)
    paper.y -= 30
    paper.lines(FILLER * 2)
    doc = convert(paper.save())
    assert " ".join(of_kind(doc, BlockKind.TEXT)).count("Framed:") == 8


@pytest.mark.parametrize("fault", ["raises", "loses"])
def test_where_docling_fails_or_loses_text_geometry_takes_over_and_the_reason_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def lay_out(*_: object) -> list[object]:
        if fault == "raises":
            raise RuntimeError("no layout today")
        return [[]]

    monkeypatch.setattr(pdf_pages, "lay_out", lay_out)
    monkeypatch.setattr("citeloom.conversion.pdf.assembly._MISREAD_COVERAGE", 0.0)
    monkeypatch.setattr("citeloom.conversion.pdf.slow_pages._MAX_SCATTERED", 0)
    doc = convert(with_table(tmp_path / "table.pdf"))
    assert doc.engine == "plain" and doc.word_coverage == 1.0
    assert doc.fallback_reason is not None
    assert ("no layout today" if fault == "raises" else "only 0%") in doc.fallback_reason


def test_front_matter_abstract_references_and_appendix_are_known_by_any_heading(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "parts.pdf")
    paper.line("Salz und Korn in den Briefen der Kaufleute", font="Times-Bold", size=18, skip=30)
    paper.line("A. Brandt, Universität Lübeck", skip=24)
    for heading in ("Zusammenfassung", "1 Einleitung", "2 Ergebnisse", "Literaturverzeichnis"):
        paper.heading(heading)
        paper.lines(FILLER[:3])
    paper.new_page()
    paper.heading("Anhang A: Fragebogen")
    paper.lines(FILLER)
    roles = {p.section_path: p.extra.get("section_role") for p in chunk(convert(paper.save()), COUNT, 256)}
    assert roles == {
        (): "front matter",
        ("Zusammenfassung",): "abstract",
        ("1 Einleitung",): None,
        ("2 Ergebnisse",): None,
        ("Literaturverzeichnis",): "references",
        ("Anhang A: Fragebogen",): "appendix",
    }


def test_a_sideways_page_is_read_upright(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "sideways.pdf")
    paper.canvas.translate(595, 0)
    paper.canvas.rotate(90)
    for at, line in enumerate(FILLER * 2):
        paper.at(80, HEIGHT - 350 - 13 * at, line, size=10)
    doc = convert(paper.save())
    assert " ".join(FILLER) in doc.pages[0].text


def pages_of(*printed: tuple[str | None, str | None]) -> Converted:
    made = [Page(at, "", None, number, source) for at, (number, source) in enumerate(printed, 1)]
    return Converted("pdf", "test", (Block(BlockKind.TEXT, "Salt.", page=1),), tuple(made))


def test_the_record_numbers_the_pages_of_a_document_that_prints_none() -> None:
    bare = pages_of((None, None), (None, None), (None, None))
    assert [p.label for p in with_record_pages(bare, "1253–55").pages] == ["1253", "1254", "1255"]
    assert {p.printed_from for p in with_record_pages(bare, "1253–55").pages} == {"record"}
    for other in ("12-19", "e1004", "", None, "iv-vi"):
        assert with_record_pages(bare, other) == bare


def test_a_cover_before_the_first_page_of_the_record_gets_no_number() -> None:
    covered = pages_of(("252", "neighbours"), ("253", "margin"), ("254", "margin"))
    assert [p.printed for p in with_record_pages(covered, "253-254").pages] == [None, "253", "254"]
    assert [p.printed for p in with_record_pages(covered, "252-254").pages] == ["252", "253", "254"]


def test_a_passage_says_that_some_of_it_was_recognised() -> None:
    blocks = (
        Block(BlockKind.TEXT, "Salt was dear.", ("1",), 1),
        Block(BlockKind.TEXT, "Grain was not.", ("1",), 2, text_source=TextSource.OCR, ocr_confidence=0.8),
        Block(BlockKind.TEXT, "Wool was cheap.", ("2",), 2),
    )
    first, second = chunk(Converted("pdf", "test", blocks, (Page(1, ""), Page(2, ""))), COUNT, 256)
    assert (first.text_source, first.ocr_confidence) == (TextSource.OCR, 0.8)
    assert (second.text_source, second.ocr_confidence) == (TextSource.NATIVE, None)
