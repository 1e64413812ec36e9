"""Which pages are read once, by geometry, and which need more than that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.conversion.convert import CONVERTER_VERSION, QUICK_VERSION, ConversionOptions, convert
from citeloom.conversion.pdf.pdfium.document import PdfFile
from citeloom.core.errors import CiteLoomError
from citeloom.core.types import BlockKind, Converted
from tests.unit.conversion.sample_papers import FILLER, HEIGHT, TOKENIZER, WIDTH, Paper, draw_diagram

ROOT = Path(__file__).parents[4]
QUICK = ConversionOptions(quick=True)
HEAVY = ("docling", "docling_core", "numpy", "onnxruntime", "pandas", "torch")


def scan(paper: Paper, folder: Path) -> None:
    """Draw the picture of a page."""
    printed = Paper(folder / "printed.pdf")
    printed.lines(FILLER * 3, size=11, skip=15)
    with PdfFile(printed.save()) as file:
        file.render(1, 200 / 72, 0).save(folder / "page.png")
    paper.canvas.drawImage(str(folder / "page.png"), 0, 0, WIDTH, HEIGHT)


def three_pages(folder: Path) -> Path:
    """A page with a sound text layer, a scan, and a page with a diagram."""
    paper = Paper(folder / "mixed.pdf")
    paper.heading("1 Letters")
    paper.lines(FILLER * 3)
    paper.new_page()
    scan(paper, folder)
    paper.new_page()
    paper.lines(FILLER)
    draw_diagram(paper)
    paper.lines(FILLER)
    return paper.save()


def on_page(doc: Converted, number: int) -> list[tuple[BlockKind, str]]:
    return [(block.kind, block.text) for block in doc.blocks if block.page == number]


def test_a_pdf_with_a_sound_text_layer_is_read_once(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "sound.pdf")
    paper.heading("1 Letters")
    paper.lines(FILLER * 3)
    doc = convert(paper.save(), QUICK)
    assert (doc.converter, doc.slow_pages, doc.engine) == (CONVERTER_VERSION, {}, "plain")
    assert doc == convert(tmp_path / "sound.pdf")


def test_the_first_reading_names_the_pages_that_need_more_and_why(tmp_path: Path) -> None:
    doc = convert(three_pages(tmp_path), QUICK)
    assert (doc.converter, doc.waiting_for_ocr) == (QUICK_VERSION, 1)
    assert doc.slow_pages == {"no text": [2], "uncertain layout": [3]}


def test_formulas_need_no_layout_however_many_pieces_they_are_in(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "formulas.pdf")
    for number in range(32):
        if number % 2 == 0:
            paper.line(FILLER[number // 2 % 4], skip=14)
        x = 80 + 97 * number % 230
        paper.at(x, paper.y, "E |x| ≤")
        paper.at(x + 110, paper.y, f"(7.{number})")
        paper.y -= 14
    assert convert(paper.save(), QUICK).slow_pages == {}


def test_the_slow_conversion_leaves_sound_pages_as_they_were_read(tmp_path: Path) -> None:
    path = three_pages(tmp_path)
    quick, slow = convert(path, QUICK), convert(path)
    assert (slow.converter, slow.engine, slow.waiting_for_ocr) == (CONVERTER_VERSION, "docling", 0)
    assert slow.slow_pages == quick.slow_pages
    assert on_page(slow, 1) == on_page(quick, 1) and slow.pages[0] == quick.pages[0]
    assert on_page(quick, 2) == [] and "The archive holds letters" in slow.pages[1].text
    assert [kind for kind, text in on_page(slow, 3) if "step 00" in text] == [BlockKind.FIGURE]
    body = " ".join(text for kind, text in on_page(slow, 3) if kind is BlockKind.TEXT)
    assert "step" not in body and "The archive holds" in body


def test_a_blank_pdf_fails_when_it_is_first_read(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "blank.pdf")
    paper.new_page()
    with pytest.raises(CiteLoomError, match="is blank"):
        convert(paper.save(), QUICK)


def test_with_doclings_own_models_every_page_is_laid_out_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeloom.conversion.pdf.slow_pages.docling_models_folder", lambda: tmp_path)
    doc = convert(three_pages(tmp_path), QUICK)
    assert doc.converter == QUICK_VERSION
    assert doc.slow_pages == {"no text": [2], "docling's own models": [1, 2, 3]}


def test_the_first_reading_starts_without_heavy_libraries(tmp_path: Path) -> None:
    path = three_pages(tmp_path)
    script = (
        "import sys\n"
        "from citeloom.conversion.worker import Worker\n"
        f"answer = Worker().answer({{'path': {str(path)!r}, 'quick': True, 'max_tokens': 64,"
        f" 'tokenizer': {str(TOKENIZER)!r}}})\n"
        "assert answer['ok'] and not answer['final'], answer\n"
        "assert answer['converted']['slow_pages'] == {'no text': [2], 'uncertain layout': [3]}\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=ROOT, check=True, timeout=120)
    assert run.stdout.decode().strip() == "[]"
