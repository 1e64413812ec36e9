"""RapidOCR reading a page of the sample library. Opt in by installing citeloom[rapidocr]."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

from citeloom.conversion.ocr.recogniser import Recogniser, engines
from citeloom.conversion.pdf.pdfium.document import PdfFile
from tests.support import SAMPLE

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(find_spec("rapidocr") is None, reason="needs citeloom[rapidocr]"),
]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_rapidocr_reads_a_page_however_it_lies(turns: int) -> None:
    paper = next((SAMPLE / "papers").glob("Wei*.pdf"))
    with PdfFile(paper) as file:
        native = file.read().pages[1]
        picture = file.render(2, 200 / 72, 0)
    recogniser = Recogniser(["de"], "rapidocr")
    words = recogniser.words(picture.rotate(-90 * turns, expand=True))
    assert words.quarter_turns == turns
    expected = set(re.findall(r"\w{3,}", native.raw_text))
    found = set(re.findall(r"\w{3,}", " ".join(word.text for word in words)))
    assert len(expected & found) / len(expected) >= 0.95
    sizes = sorted(word.size for word in words)
    assert sizes[len(sizes) * 9 // 10] / sizes[len(sizes) // 10] < 1.15  # body text, most of the page
    assert (recogniser.languages, recogniser.warnings) == (("de",), [])


def test_a_language_beyond_its_model_is_a_warning() -> None:
    recogniser = Recogniser(["ru", "klingonish"], "rapidocr")
    assert recogniser.languages == ("en",)
    assert "language ru" in recogniser.warnings[0] and "klingonish" in recogniser.warnings[1]
    assert re.match(r"3\.", engines()["rapidocr"])
