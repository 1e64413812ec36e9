"""Files that no well-meant program writes: each is read for what it holds, or fails with its reason."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont

from citeloom.conversion.convert import ConversionOptions, convert
from citeloom.conversion.pdf.pdfium.recursive_forms import without_cycles
from citeloom.core.errors import CiteLoomError, Code
from tests.unit.conversion.raw_pdf import PAGE, PAGES, one_page, shown, stream, write
from tests.unit.conversion.sample_papers import FILLER, Paper

QUICK = ConversionOptions(quick=True)


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
    assert "The text layer of PDF page 1 is garbled: read by OCR instead, as en, de." in whole.warnings
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


FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
LINE = "Salt and grain were sold in the harbour at the price of the year before."
OTHER_LINE = "Nobody knew at that time what the ships from the north would bring."


def pages(path: Path, tree: str, more: dict[int, bytes | str] | None = None) -> Path:
    """Objects 3 and 6 are pages with a line each; the tree says which of them are there."""
    second: dict[int, bytes | str] = {6: PAGE.replace("4 0 R", "7 0 R"), 7: stream(shown([OTHER_LINE]))}
    return write(path, {PAGES: tree, 3: PAGE, 4: stream(shown([LINE])), 5: FONT, **second, **(more or {})})


def test_the_pages_that_a_file_claims_are_counted(tmp_path: Path) -> None:
    none = pages(tmp_path / "none.pdf", "<< /Type /Pages /Kids [] /Count 1000000 >>")
    assert "says that it has 1,000,000 pages, but none of them can be opened" in str(refused(none))
    two = pages(tmp_path / "two.pdf", "<< /Type /Pages /Kids [3 0 R 6 0 R] /Count 1000000 >>")
    doc = convert(two, QUICK)
    assert [page.text for page in doc.pages] == [LINE, OTHER_LINE]
    assert "The file says that it has 1,000,000 pages, but only 2 can be opened." in doc.warnings


def test_a_page_that_is_missing_costs_that_page_and_one_too_deep_in_the_tree_says_so(tmp_path: Path) -> None:
    gap = pages(tmp_path / "gap.pdf", "<< /Type /Pages /Kids [3 0 R 99 0 R 6 0 R] /Count 3 >>")
    doc = convert(gap, QUICK)
    assert [page.text for page in doc.pages] == [LINE, "", OTHER_LINE] and "Could not read PDF page 2." in doc.warnings
    looped = pages(tmp_path / "loop.pdf", "<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>")
    assert convert(looped, QUICK).pages[0].text == LINE
    deep: dict[int, bytes | str] = {n: f"<< /Type /Pages /Kids [{n + 1} 0 R] /Count 1 >>" for n in range(10, 5010)}
    buried = pages(tmp_path / "deep.pdf", "<< /Type /Pages /Kids [10 0 R] /Count 1 >>", {**deep, 5010: PAGE})
    assert "says that it has 1 page, but none of them can be opened" in str(refused(buried))


def form(content: bytes, xobjects: str, *, deflate: bool = False) -> bytes:
    entries = f"/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> {xobjects} >>"
    return stream(content, entries, deflate=deflate)


def painting(path: Path, forms: dict[int, bytes | str]) -> Path:
    """A page that paints object 6 between two lines of its own."""
    content = shown([LINE]) + b" /X Do BT /F1 11 Tf 72 300 Td (After it comes this.) Tj ET"
    page = PAGE.replace("/Font", "/XObject << /X 6 0 R >> /Font")
    return one_page(path, content, more={3: page, **forms})


INSIDE = b"BT /F1 11 Tf 72 500 Td (Inside it stands this.) Tj ET "


@pytest.mark.parametrize("deflate", [False, True])
@pytest.mark.parametrize("times", [1, 3])
def test_a_form_that_paints_itself_is_read_once_and_the_page_around_it_whole(
    tmp_path: Path, times: int, deflate: bool
) -> None:
    itself = form(INSIDE + b"/Y Do " * times, "/XObject << /Y 6 0 R >>", deflate=deflate)
    by_another: dict[int, bytes | str] = {
        6: form(b"/Y Do ", "/XObject 8 0 R", deflate=deflate),
        7: form(INSIDE + b"/Z Do " * times, "/XObject << /Z 6 0 R >>", deflate=deflate),
        8: "<< /Y 7 0 R >>",
    }
    for name, forms in {"itself.pdf": {6: itself}, "another.pdf": by_another}.items():
        text = convert(painting(tmp_path / name, forms), QUICK).pages[0].text
        assert text.split("\n\n") == [LINE, "Inside it stands this.", "After it comes this."]


def test_forms_that_share_their_names_and_form_no_loop_are_left_alone(tmp_path: Path) -> None:
    shared = "<< /Font << /F1 5 0 R >> /XObject << /X 6 0 R /Y 7 0 R >> >>"
    entries = "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources 8 0 R"
    forms: dict[int, bytes | str] = {6: stream(b"/Y Do", entries), 7: stream(INSIDE, entries), 8: shared}
    path = painting(tmp_path / "shared.pdf", forms)
    assert without_cycles(path) is None
    assert "Inside it stands this." in convert(path, QUICK).pages[0].text


def test_an_outline_without_end_costs_its_own_entries(tmp_path: Path) -> None:
    entry = "<< /Title (Salt and grain) /Parent 7 0 R /Next {} 0 R /First {} 0 R /Dest [3 0 R /Fit] >>"
    more: dict[int, bytes | str] = {
        7: "<< /Type /Outlines /First 8 0 R >>",
        8: entry.format(9, 8),
        9: entry.format(8, 9),
    }
    path = one_page(tmp_path / "outline.pdf", shown([LINE]), more=more, root="/Outlines 7 0 R")
    assert convert(path, QUICK).pages[0].text == LINE


def test_what_was_found_on_pages_without_text_is_told_apart(tmp_path: Path) -> None:
    blank = one_page(tmp_path / "blank.pdf", b"")
    assert "is blank: there is neither text nor a picture on its page" in str(refused(blank))
    drawn = one_page(tmp_path / "drawn.pdf", b"72 72 300 300 re f")
    assert "OCR found none on its page" in str(refused(drawn))


def test_a_page_thousands_of_times_wider_than_high_is_laid_out_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeloom.conversion.pdf.slow_pages._MAX_SCATTERED", 0)
    strip = PAGE.replace("0 0 595 842", "0 757 28000 771")  # text that lies outside of its page is not read
    doc = convert(one_page(tmp_path / "strip.pdf", shown([LINE]), more={3: strip}))
    assert (doc.pages[0].text, doc.engine, doc.fallback_reason) == (LINE, "docling", None)
