"""Pages as pictures: what is marked is what is printed there, however the page lies in its file."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from citeloom.conversion.page_image.render import page_picture, recognised_marks
from citeloom.core.errors import CiteLoomError, Code
from tests.unit.conversion.raw_pdf import one_page, shown
from tests.unit.conversion.sample_papers import FILLER

PASSAGE = "Only these words are printed in red, on two lines, and only they may be marked by anybody."
LINES = ["Only these words are printed in red, on two", "lines, and only they may be marked by anybody."]
EDGE = 3  # pixels by which ink may reach over its font's box


def paper(path: Path, *, sideways: bool = False, turn: int = 0, cropped: bool = False) -> Path:
    """A page of black text with a passage in red in the midst of it."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1, cropBox=(60, 30, 560, 760) if cropped else None)
    canvas.setPageRotation(turn)
    if sideways:
        canvas.translate(A4[0], 0)
        canvas.rotate(90)
    y = 480
    for colour, lines in (("black", FILLER), ("red", LINES), ("black", FILLER[:3])):
        canvas.setFillColor(colour)
        for line in lines:
            canvas.setFont("Helvetica", 11)
            canvas.drawString(100, y, line)
            y -= 15
    canvas.save()
    return path


def request(path: Path, **more: Any) -> dict[str, Any]:
    basic = {"path": str(path), "kind": "pdf", "content_hash": "", "page": 1, "width": 900, "first": 1, "last": 1}
    return basic | {"passage": PASSAGE, "ocr_languages": ["en"], "ocr_engine": "tesseract"} | more


def picture_of(answer: dict[str, Any]) -> Image.Image:
    picture = Image.open(io.BytesIO(base64.b64decode(answer["png"])))
    assert picture.size == (answer["width"], answer["height"])
    return picture.convert("RGB")


def assert_only_red_is_marked(picture: Image.Image, marks: list[list[float]]) -> None:
    """Every red dot lies in a mark, no black one does."""
    strong, weak = (lambda value: 255 * (value > 150)), (lambda value: 255 * (value < 60))
    r, g, b = picture.split()
    red = ImageChops.darker(r.point(strong), g.point(weak))
    black = ImageChops.darker(r.point(weak), ImageChops.darker(g.point(weak), b.point(weak)))
    assert min(red.histogram()[255], black.histogram()[255]) > 200
    outside = ImageChops.invert(painted(picture.size, marks, EDGE))
    assert ImageChops.darker(red, outside).getbbox() is None
    assert ImageChops.darker(black, painted(picture.size, marks, -EDGE)).getbbox() is None


def painted(size: tuple[int, int], marks: list[list[float]], reach: int) -> Image.Image:
    """The marks in white on black, each `reach` pixels larger on every side."""
    mask = Image.new("L", size)
    for left, top, right, bottom in marks:
        x0, y0, x1, y1 = left * size[0], top * size[1], right * size[0], bottom * size[1]
        ImageDraw.Draw(mask).rectangle((x0 - reach, y0 - reach, x1 + reach, y1 + reach), fill=255)
    return mask


@pytest.mark.parametrize("sideways", [False, True], ids=["upright", "sideways"])
@pytest.mark.parametrize("cropped", [False, True], ids=["whole", "cropped"])
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_marks_fit_the_picture(turn: int, cropped: bool, sideways: bool, tmp_path: Path) -> None:
    path = paper(tmp_path / "paper.pdf", sideways=sideways, turn=turn, cropped=cropped)
    if cropped:
        nothing, unit = b"/Trans <<\n\n>>", b"/UserUnit 2  "  # as long, so that every object stays where it is
        assert nothing in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(nothing, unit))
    answer = page_picture(request(path))
    assert (answer["found"], answer["page"], answer["pages"], answer["width"]) == (True, 1, 1, 900)
    assert len(answer["marks"]) == 2
    assert_only_red_is_marked(picture_of(answer), answer["marks"])


def test_places_that_are_known_are_marked_as_they_are(tmp_path: Path) -> None:
    places = [[100, 417, 330, 430], [100, 402, 345, 415]]
    answer = page_picture(request(paper(tmp_path / "paper.pdf"), passage="A comment of mine.", places=places))
    assert answer["found"] and len(answer["marks"]) == 2
    assert_only_red_is_marked(picture_of(answer), answer["marks"])


@pytest.mark.parametrize("turn", [0, 90])
def test_a_page_that_is_a_picture_is_marked_once_it_is_recognised(turn: int, tmp_path: Path) -> None:
    plain = picture_of(page_picture(request(paper(tmp_path / "paper.pdf"), width=1650)))
    plain.rotate(turn, expand=True).save(tmp_path / "scan.png", dpi=(200, 200))
    asked = request(tmp_path / "scan.png", kind="image", width=800)
    seen = page_picture(asked)
    assert (seen["found"], seen["marks"], seen["pages"], seen["label"]) == (False, [], 1, None)
    answer = recognised_marks(asked)
    assert answer["found"] and len(answer["marks"]) == 2
    assert_only_red_is_marked(picture_of(seen), answer["marks"])


def test_pages_of_a_picture_file_are_shown_in_their_colours(tmp_path: Path) -> None:
    pages = [Image.new("RGB", (400, 500), colour) for colour in ("white", "red")]
    pages[0].save(tmp_path / "pages.tiff", save_all=True, append_images=pages[1:])
    answer = page_picture(request(tmp_path / "pages.tiff", kind="image", page=2, width=300))
    assert (answer["pages"], answer["width"], answer["height"]) == (2, 300, 375)
    assert picture_of(answer).getpixel((10, 10)) == (255, 0, 0)


@pytest.mark.parametrize(
    ("mode", "colour", "seen"),
    [("RGBA", (0, 0, 0, 0), (255, 255, 255)), ("L", 90, (90, 90, 90)), ("CMYK", (0, 255, 255, 0), (255, 0, 0))],
    ids=["transparent", "grey", "of print"],
)
def test_pictures_of_any_kind_are_shown(mode: str, colour: Any, seen: tuple[int, int, int], tmp_path: Path) -> None:
    path = tmp_path / "picture.tiff"
    Image.new(mode, (40, 50), colour).save(path)
    assert picture_of(page_picture(request(path, kind="image"))).getpixel((5, 5)) == seen


def test_a_picture_that_a_camera_took_upright_stands_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (400, 200), "white").save(tmp_path / "photo.jpg", exif=exif)
    answer = page_picture(request(tmp_path / "photo.jpg", kind="image", width=200))
    assert (answer["width"], answer["height"]) == (200, 400)


def test_a_page_that_is_far_too_tall_comes_out_narrower(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "scroll.pdf"), pagesize=(20, 14_000), invariant=1)
    canvas.drawString(2, 100, "x")
    canvas.save()
    answer = page_picture(request(tmp_path / "scroll.pdf", width=4000))
    assert answer["height"] <= 16_000 and answer["width"] < 4000
    assert not answer["found"]


def test_a_picture_that_would_be_too_many_bytes_is_made_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citeloom.conversion.page_image.render._MAX_BYTES", 20_000)
    answer = page_picture(request(paper(tmp_path / "paper.pdf")))
    assert len(base64.b64decode(answer["png"])) <= 20_000
    assert 100 < answer["width"] < 900 and answer["found"]


@pytest.mark.parametrize("page", [0, 2, -1, 10**9])
def test_a_page_that_is_not_there_is_said_to_be_missing(page: int, tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError) as failure:
        page_picture(request(paper(tmp_path / "paper.pdf"), page=page, last=page))
    assert failure.value.code is Code.INVALID_INPUT
    assert "1 to 1" in str(failure.value)


def test_a_page_beside_the_passage_is_shown_without_marks(tmp_path: Path) -> None:
    answer = page_picture(request(paper(tmp_path / "paper.pdf"), first=2, last=3))
    assert (answer["found"], answer["marks"]) == (False, [])


def test_letters_beyond_the_first_plane_and_signs_of_formulas_are_found(tmp_path: Path) -> None:
    to_unicode = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n"
        b"2 beginbfchar <78> <D835DC65> <79> <D835DC66> endbfchar endcmap end"
    )
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"
    stream = f"<< /Length {len(to_unicode)} >>\nstream\n".encode() + to_unicode + b"\nendstream"
    path = one_page(tmp_path / "formula.pdf", shown(["x y y x y", "x x x y"]), font, {6: stream})
    answer = page_picture(request(path, passage="𝑥 = 𝑦 + 𝑦𝑥 − 𝑦 𝑥𝑥 𝑥 𝑦"))
    assert answer["found"] and len(answer["marks"]) == 2
