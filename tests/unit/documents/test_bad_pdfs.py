"""Files that no well-meant program writes: each is read for what it holds, or fails with its reason."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from raw_pdf import PAGE, PAGES, one_page, shown, stream, write
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from sample_papers import FILLER, Paper

from citeloom.documents.convert import Wish, convert
from citeloom.errors import CiteLoomError, Code

QUICK = Wish(quick=True)


def refused(path: Path) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        convert(path)
    assert caught.value.code is Code.CONVERSION_FAILED and caught.value.next_step
    return caught.value


def test_a_pdf_without_pages_or_cut_off_says_so(tmp_path: Path) -> None:
    none = write(tmp_path / "none.pdf", {PAGES: "<< /Type /Pages /Kids [] /Count 0 >>"})
    assert "no pages" in str(refused(none)) or "damaged" in str(refused(none))
    paper = Paper(tmp_path / "whole.pdf")
    paper.lines(FILLER)
    data = paper.save().read_bytes()
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(data[: len(data) // 3])
    assert "damaged" in str(refused(cut))


def test_scripts_and_embedded_files_are_neither_run_nor_read(tmp_path: Path) -> None:
    action = (
        "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /Names << /EmbeddedFiles << /Names [(x) 7 0 R] >> >>"
    )
    path = one_page(
        tmp_path / "active.pdf",
        shown(FILLER),
        more={6: stream(b"hidden words", "/Type /EmbeddedFile"), 7: "<< /Type /Filespec /F (x) /EF << /F 6 0 R >> >>"},
        root=action,
    )
    doc = convert(path)
    assert " ".join(FILLER) in doc.pages[0].text
    assert "hidden" not in doc.pages[0].text and "alert" not in doc.pages[0].text


def unicode_map(entries: bytes) -> bytes:
    opening = b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n"
    return stream(opening + entries + b" endcmap end")


MAPPED = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"


def test_a_font_that_maps_to_no_letters_is_read_from_the_picture(tmp_path: Path) -> None:
    private = unicode_map(b"1 beginbfrange <21> <7E> <E021> endbfrange")
    path = one_page(tmp_path / "private.pdf", shown(FILLER), MAPPED, {6: private})
    quick, whole = convert(path, QUICK), convert(path)
    assert quick.waiting_for_ocr == 1 and not quick.blocks
    assert whole.text_source == "ocr" and "letters from merchants who wrote about grain" in whole.pages[0].text


def test_writing_from_right_to_left_keeps_its_words(tmp_path: Path) -> None:
    mapping = unicode_map(b"4 beginbfchar <41> <05E9> <42> <05DC> <43> <05D5> <44> <05DD> endbfchar")
    # Drawn from left to right as it is seen: the word shalom stands in reverse.
    path = one_page(tmp_path / "hebrew.pdf", shown(["DCBA DCBA DCBA"] * 6), MAPPED, {6: mapping})
    doc = convert(path)
    assert doc.word_coverage is not None and doc.word_coverage > 0.95
    assert any(word in doc.pages[0].text for word in ("שלום", "םולש"))


def test_chinese_and_japanese_are_read_and_cut_into_passages(tmp_path: Path) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    paper = Paper(tmp_path / "japanese.pdf")
    for _ in range(12):
        paper.line(
            "塩と穀物の価格は手紙に書かれている。商人は天気についても書いた。", font="HeiseiMin-W3", size=11, skip=15
        )
    doc = convert(paper.save())
    assert "商人は天気についても書いた。" in doc.pages[0].text
    assert doc.word_coverage == 1.0


def test_a_page_of_a_hundred_million_pixels_is_read(tmp_path: Path) -> None:
    picture = Image.new("1", (10_000, 10_000), 1)
    ImageDraw.Draw(picture).text((1000, 1000), "Salt and grain", fill=0, font_size=600)
    paper = Paper(tmp_path / "poster.pdf")
    paper.canvas.setPageSize((10_000, 10_000))
    paper.canvas.drawImage(ImageReader(picture), 0, 0, 10_000, 10_000)
    doc = convert(paper.save())
    assert "Salt and grain" in doc.pages[0].text and doc.text_source == "ocr"


def test_two_thousand_pages_are_read_at_once(tmp_path: Path) -> None:
    kids = range(10, 2010)
    objects: dict[int, bytes | str] = {
        PAGES: f"<< /Type /Pages /Kids [{' '.join(f'{n} 0 R' for n in kids)}] /Count 2000 >>",
        4: stream(shown(FILLER)),
        5: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        **dict.fromkeys(kids, PAGE),
    }
    doc = convert(write(tmp_path / "long.pdf", objects), QUICK)
    assert len(doc.pages) == 2000


@pytest.mark.parametrize("kind", ["content", "objects"])
def test_a_stream_that_unpacks_without_end_costs_little(tmp_path: Path, kind: str) -> None:
    bomb = zlib.compress(b" " * 200_000_000, 9)
    if kind == "content":
        body = b"<< /Filter /FlateDecode /Length %d >>\nstream\n" % len(bomb) + bomb + b"\nendstream"
        path = one_page(tmp_path / "bomb.pdf", b"", more={4: body})
    else:
        entries = b"<< /Type /ObjStm /N 1000000 /First 9000000 /Filter /FlateDecode /Length %d >>\nstream\n" % len(bomb)
        path = one_page(tmp_path / "bomb.pdf", shown(FILLER), more={6: entries + bomb + b"\nendstream"})
    try:
        doc = convert(path, QUICK)
    except CiteLoomError as error:
        assert error.next_step
    else:
        assert len(doc.pages) == 1
