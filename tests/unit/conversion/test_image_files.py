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
