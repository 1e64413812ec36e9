"""Pictures that are no pages say what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from citeloom.conversion.convert import ConversionOptions, convert
from citeloom.conversion.image_files import ImageFile
from citeloom.core.errors import CiteLoomError


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((60_000, 2), "is 60,000 × 2 pixels: no line of text"),
        ((2, 60_000), "is 2 × 60,000 pixels: no line of text"),
        ((40_000, 30), "is 40,000 × 30 pixels: no line of text"),  # two pixels high, once it is reduced for OCR
        ((16_000, 10_000), "is 16,000 × 10,000 pixels; up to 150 million"),
        ((20_000, 10_000), "has 200,000,000 pixels; up to 150 million"),
    ],
)
def test_a_picture_that_cannot_be_a_page_says_its_size(tmp_path: Path, size: tuple[int, int], words: str) -> None:
    path = tmp_path / "picture.png"
    Image.new("1", size, 1).save(path)
    for options in (ConversionOptions(quick=True), ConversionOptions()):
        with pytest.raises(CiteLoomError, match=words) as caught:
            convert(path, options)
        assert caught.value.next_step


def test_a_strip_among_the_pages_of_a_scan_is_no_page_to_read(tmp_path: Path) -> None:
    path = tmp_path / "scan.tif"
    Image.new("L", (5000, 1), 255).save(path, save_all=True, append_images=[Image.new("L", (1600, 400), 255)])
    with ImageFile(path) as scan:
        assert [page.drawn for page in scan.read().pages] == [False, True]


@pytest.mark.parametrize("mode", ["I;16", "RGBA", "LA"])
def test_many_greys_and_a_transparent_background_reach_ocr_as_they_look(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "scan.png"
    paper, ink = {"I;16": (60_000, 2_000), "RGBA": ((0, 0, 0, 0), (0, 0, 0, 255)), "LA": ((0, 0), (0, 255))}[mode]
    page = Image.new(mode, (200, 100), paper)
    page.paste(ink, (50, 40, 150, 60))
    page.save(path, dpi=(200, 200))
    with ImageFile(path) as scan:
        rendered = scan.render(1, 1.0, 0)
    assert (rendered.getpixel((10, 10)), rendered.getpixel((100, 50))) == (255, 0)
    assert round(rendered.info["dpi"][0]) == 200
