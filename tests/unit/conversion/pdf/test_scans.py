"""Pictures of pages: read by OCR, page by page, beside native text."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import ConversionOptions, convert
from citeloom.conversion.ocr.recogniser import PageWords, Recogniser
from citeloom.conversion.pdf.pdfium.document import PdfFile
from citeloom.conversion.tokens import estimate_tokens
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import TextSource
from tests.unit.conversion.sample_papers import FILLER, HEIGHT, WIDTH, Paper

SENTENCE = "The archive holds letters from merchants who wrote about grain"


def photographed(tmp_path: Path, lines: list[str] = FILLER * 3) -> Image.Image:
    """A page as a scanner sees it at 200 dpi."""
    paper = Paper(tmp_path / "original.pdf")
    paper.lines(lines, size=11, skip=15)
    with PdfFile(paper.save()) as file:
        return file.render(1, 200 / 72, 0)


def test_a_picture_of_a_page_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    photographed(tmp_path).save(path, dpi=(200, 200))
    assert convert(path, ConversionOptions(quick=True)).waiting_for_ocr == 1
    doc = convert(path)
    assert (doc.file_type, doc.text_source, doc.ocr_languages) == ("image", "ocr", ("en", "de"))
    assert SENTENCE in doc.pages[0].text
    (first, *_) = chunk(doc, estimate_tokens, 256)
    assert first.text_source is TextSource.OCR and (first.ocr_confidence or 0) > 0.8
    assert (first.page_start, first.page_end) == (1, 1)


def test_every_page_of_a_scanned_tiff_is_read(tmp_path: Path) -> None:
    one, two = photographed(tmp_path), photographed(tmp_path, ["Salt was dear in the year of the flood."] * 6)
    one.save(tmp_path / "pages.tiff", save_all=True, append_images=[two])
    doc = convert(tmp_path / "pages.tiff")
    assert [SENTENCE in page.text for page in doc.pages] == [True, False]
    assert "year of the flood" in doc.pages[1].text


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_scanned_on_its_side_or_head_is_read_upright(tmp_path: Path, degrees: int) -> None:
    photographed(tmp_path).rotate(degrees, expand=True).save(tmp_path / "turned.png", dpi=(200, 200))
    doc = convert(tmp_path / "turned.png")
    assert " ".join(FILLER) in doc.pages[0].text


def test_a_stamp_on_a_scan_does_not_hide_the_page(tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    photographed(tmp_path).save(picture)
    paper = Paper(tmp_path / "stamped.pdf")
    paper.canvas.drawImage(str(picture), 0, 0, WIDTH, HEIGHT)
    paper.at(60, 20, "Downloaded from the university library on 3 May")
    paper.new_page()
    paper.lines(FILLER)
    doc = convert(paper.save())
    assert SENTENCE in doc.pages[0].text and "Downloaded from" in doc.pages[0].text
    assert [page.text_source for page in doc.pages] == [TextSource.OCR, TextSource.NATIVE]
    assert doc.text_source == "mixed"


def test_a_language_without_data_is_a_warning_that_says_what_to_install(tmp_path: Path) -> None:
    photographed(tmp_path).save(tmp_path / "page.png", dpi=(200, 200))
    doc = convert(tmp_path / "page.png", ConversionOptions(ocr_languages=("Icelandic", "en")))
    assert SENTENCE in doc.pages[0].text
    assert any("isl" in warning and "install" in warning for warning in doc.warnings)


def test_a_page_that_cannot_be_recognised_costs_that_page_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [photographed(tmp_path), photographed(tmp_path)]
    pages[0].save(tmp_path / "two.tiff", save_all=True, append_images=pages[1:])
    read = Recogniser.words
    taken: list[object] = []

    def words(self: Recogniser, image: Image.Image) -> PageWords:
        taken.append(image)
        if len(taken) == 1:
            raise CiteLoomError(Code.CONVERSION_FAILED, "Tesseract did not finish a page.")
        return read(self, image)

    monkeypatch.setattr(Recogniser, "words", words)
    doc = convert(tmp_path / "two.tiff")
    assert [SENTENCE in page.text for page in doc.pages] == [False, True]
    assert any("PDF page 1 could not be recognised" in warning for warning in doc.warnings)


def test_a_damaged_picture_says_so(tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    photographed(tmp_path).save(path)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(CiteLoomError, match="damaged") as caught:
        convert(path)
    assert caught.value.code is Code.CONVERSION_FAILED
