"""Form fields and text boxes: what a page shows outside its content is its text as well."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from citeloom.conversion.convert import ConversionOptions, convert
from citeloom.conversion.page_image.render import page_picture
from citeloom.core.errors import CiteLoomError
from tests.unit.conversion.raw_pdf import one_page, shown, stream
from tests.unit.conversion.sample_papers import FILLER

QUICK = ConversionOptions(quick=True)
PAGE = (
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R {more}"
    " /Resources << /Font << /F1 5 0 R >> >> /Annots [{annotations}] >>"
)
FORM = "/AcroForm << /Fields [{fields}] /DA (/F1 11 Tf 0 g) /DR << /Font << /F1 5 0 R >> >> >>"


def appearance(text: str, size: float = 11) -> bytes:
    content = f"/Tx BMC q BT 0 g /F1 {size} Tf 2 4 Td ({text}) Tj ET Q EMC".encode()
    return stream(content, "/Type /XObject /Subtype /Form /BBox [0 0 300 20] /Resources << /Font << /F1 5 0 R >> >>")


def form(path: Path, annotations: list[str], more: dict[int, bytes | str], *, lines: list[str] = FILLER) -> Path:
    """A page of text with annotations: objects 10, 11, …"""
    numbers = [10 + at for at in range(len(annotations))]
    references = " ".join(f"{number} 0 R" for number in numbers)
    objects: dict[int, bytes | str] = dict(zip(numbers, annotations, strict=True))
    objects |= {3: PAGE.format(annotations=references, more=""), **more}
    return one_page(path, shown(lines), more=objects, root=FORM.format(fields=references))


def field(kind: str, value: str, y: int, more: str = "", height: int = 18) -> str:
    box = f"[72 {y} 372 {y + height}]"
    return f"<< /Type /Annot /Subtype /Widget /FT /{kind} /T (f{y}) /V {value} /Rect {box} /F 4 {more} >>"


def test_the_values_of_a_filled_form_are_its_text(tmp_path: Path) -> None:
    annotations = [
        field("Tx", "(Adelheid of Ghent)", 500, "/AP << /N 20 0 R >>"),
        field("Tx", "(Forty sacks of rye without any appearance)", 470),
        field("Tx", "(QX7731)", 440, f"/Ff {1 << 24} /MaxLen 6 /AP << /N 21 0 R >>"),
        field("Ch", "(b)", 410, f"/Ff {1 << 17} /Opt [[(a) (by sea)] [(b) (by land)]]"),
        field("Ch", "(s)", 350, "/Opt [[(r) (rye)] [(s) (saffron)]]", height=40),
        field("Btn", "/Yes", 330, "/AS /Yes /AP << /N << /Yes 22 0 R /Off 23 0 R >> >>"),
    ]
    more = {20: appearance("Adelheid of Ghent"), 21: appearance("Q X 7 7 3 1"), 22: appearance("4"), 23: appearance("")}
    path = form(tmp_path / "filled.pdf", annotations, more)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    for options in (QUICK, ConversionOptions()):
        doc = convert(path, options)
        text = " ".join(doc.pages[0].text.split())
        for value in (
            "Adelheid of Ghent",
            "Forty sacks of rye without any appearance",
            "QX7731",
            "by land",
            "saffron",
            "☒",
        ):
            assert text.count(value) == 1, value
        assert "by sea" not in text and doc.word_coverage == 1.0
        assert any("Adelheid of Ghent" in block.text for block in doc.blocks)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_text_boxes_are_read_and_comments_and_hidden_fields_are_not(tmp_path: Path) -> None:
    box = "/Type /Annot /Rect [72 {y} 372 {top}]"
    annotations = [
        f"<< {box.format(y=500, top=520)} /Subtype /FreeText /Contents (x) /DA (/F1 11 Tf) /AP << /N 20 0 R >> >>",
        f"<< {box.format(y=470, top=490)} /Subtype /FreeText /Contents (A box that viewers paint) /DA (/F1 11 Tf) >>",
        f"<< {box.format(y=440, top=460)} /Subtype /Text /Contents (A private remark) /AP << /N 21 0 R >> >>",
        f"<< {box.format(y=410, top=430)} /Subtype /Highlight /Contents (Marked) /AP << /N 25 0 R >> >>",
        f"<< {box.format(y=380, top=400)} /Subtype /FreeText /Contents (Hidden) /F 2 /AP << /N 22 0 R >> >>",
        field("Tx", "(Not to be viewed)", 350, "/AP << /N 23 0 R >>").replace("/F 4", "/F 32"),
        field("Tx", "(secret)", 320, f"/Ff {1 << 13} /AP << /N 24 0 R >>"),
    ]
    more = {
        20: appearance("Approved by the guild"), 21: appearance("A private remark"), 22: appearance("Hidden"),
        23: appearance("Not to be viewed"), 24: appearance("secret"), 25: appearance("Marked"),
    }  # fmt: skip
    doc = convert(form(tmp_path / "boxes.pdf", annotations, more), QUICK)
    text = doc.pages[0].text
    assert "Approved by the guild" in text and "A box that viewers paint" in text
    for other in ("private", "Marked", "Hidden", "viewed", "secret"):
        assert other not in text
    assert doc.word_coverage == 1.0


def test_a_page_with_nothing_but_a_text_box_has_text_and_its_picture_shows_and_marks_it(tmp_path: Path) -> None:
    words = "Nothing else stands on this page"
    annotation = "<< /Type /Annot /Subtype /FreeText /Rect [72 500 372 520] /DA (/F1 11 Tf) /AP << /N 20 0 R >> >>"
    path = form(tmp_path / "box.pdf", [annotation], {20: appearance(words)}, lines=[])
    assert convert(path).pages[0].text == words
    look = {"path": str(path), "kind": "pdf", "content_hash": "", "page": 1, "width": 600, "first": 1, "last": 1}
    answer = page_picture({**look, "passage": words, "ocr_languages": ["en"], "ocr_engine": "tesseract"})
    assert answer["found"] and len(answer["marks"]) == 1


@pytest.mark.parametrize("quarter_turns", [0, 1, 2, 3])
def test_a_field_on_a_turned_page_stands_in_the_direction_of_reading(tmp_path: Path, quarter_turns: int) -> None:
    annotations = [field("Tx", "(one two three four five six seven)", 400, height=60)]
    page = PAGE.format(annotations="10 0 R", more=f"/Rotate {90 * quarter_turns}")
    path = form(tmp_path / "turned.pdf", annotations, {3: page}, lines=[])
    assert " ".join(convert(path, QUICK).pages[0].text.split()) == "one two three four five six seven"


def test_an_empty_form_says_that_it_is_blank(tmp_path: Path) -> None:
    path = form(tmp_path / "empty.pdf", [field("Tx", "()", 400)], {}, lines=[])
    with pytest.raises(CiteLoomError, match="is blank"):
        convert(path)
