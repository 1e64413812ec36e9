from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.conversion.pdf.raw_page import RawPage, Word
from citeloom.conversion.pdf.text_layer import TextLayer, is_garbled, judge
from tests.unit.conversion.sample_papers import FILLER

PROSE = " ".join(FILLER * 3)
GERMAN = "Die Handschrift wurde im Archiv der Stadt gefunden und erst nach vielen Jahren wieder gelesen. " * 4
FINNISH = "Kirjeet kertovat viljasta, suolasta ja säästä, eikä niissä ole mitään muuta kuin hintoja ja päiviä. " * 4
GREEK = "Οι επιστολές μιλούν για το σιτάρι, το αλάτι και τον καιρό της χρονιάς εκείνης. " * 4
NUMBERS = "\n".join(f"{year} 12.4 (3.1) 0.046 −{year / 7:.3f} 31 n.s." for year in range(1990, 2020))
RUSSIAN = "Письма рассказывают о зерне, соли и погоде, и в них нет ничего, кроме цен и дней. " * 4
ARABIC = "تتحدث الرسائل عن القمح والملح والطقس، وليس فيها شيء سوى الأسعار والأيام. " * 4
HINDI = "पत्रों में अनाज, नमक और मौसम की बात है, और कीमतों के सिवा कुछ नहीं। " * 4
KOREAN = "편지는 곡물과 소금, 그리고 그해의 날씨를 이야기하며 가격과 날짜 말고는 아무것도 없다. " * 4
CHINESE = "這些信件談論糧食、鹽和當年的天氣，除了價格和日期之外什麼也沒有。这些信件谈论粮食和盐的价格。" * 4
JAPANESE = "手紙には穀物と塩、その年の天気のことが書かれていて、PDFや価格と日付のほかには何もない。" * 4
MATHS = "Let 𝑓: ℝ → ℝ be such that ∂𝑓/∂𝑥 = λμ∇𝑢(α𝑥 + βy); then Γ(ν) ≥ ℓ for all εδ > 0 and ℵ0 Ωm of πr². " * 4
SCRIPTS = "English Русский العربية עברית ελληνικά हिन्दी 中文 日本語 한국어 ไทย ქართული հայերեն አማርኛ Français " * 3
PHONETIC = "ðə lɛtəz spiːk əv ɡɹeɪn ənd sɔːlt, ðeɹ ɪz nʌθɪŋ ɪn ðɛm bʌt pɹaɪsɪz ənd deɪz ʃaʊn ʒ ŋ " * 3
UNMAPPED_SIGNS = f"{PROSE} " + "Then \x06 \x03 k \x04 and the sum of \x07\x08 is 1 \x05 \x0e at \x03. " * 12
LINES_TO_WRITE_ON = "".join(f"{n}. What was the part of it that you did not need? {'_' * 120}\n" for n in range(9))
REFERENCES = "\n".join(
    f"Müller, K., & Nguyen, T. ({y}). Zinc, Kraków 12(3), 1–19. doi:10.1/{y}" for y in range(1990, 2010)
)


def shifted(text: str, by: int) -> str:
    return "".join(chr(ord(c) + by) if not c.isspace() else c for c in text)


def page(text: str, **more: object) -> RawPage:
    words = [Word(word, 0, 10, 0, 10, "", False) for word in text.split()]
    return RawPage(1, 595, 842, None, words, raw_text=text, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        *(PROSE, GERMAN, FINNISH, GREEK, RUSSIAN, ARABIC, HINDI, KOREAN, CHINESE, JAPANESE),
        *(MATHS, SCRIPTS, PHONETIC, NUMBERS, REFERENCES, "字の文章です。" * 20),
        *(UNMAPPED_SIGNS, LINES_TO_WRITE_ON),
    ],
)
def test_real_text_is_taken_at_its_word(text: str) -> None:
    assert judge(page(text)) is TextLayer.GOOD


@pytest.mark.parametrize(
    "text",
    [
        shifted(PROSE, -29),  # glyph numbers taken for characters
        shifted(PROSE, 1),
        PROSE.translate(str.maketrans(string.ascii_lowercase, "qwertzuiopasdfghjklyxcvbnm")),
        PROSE.replace("e", "\ufffd"),
        PROSE.replace("e", "\ue065").replace("t", "\ue074"),
        "".join(f"(cid:{n % 90})" for n in range(120)),
        RUSSIAN.encode().decode(
            "utf-16-be", "ignore"
        ),  # each Cyrillic letter's two bytes taken for one Hangul syllable
        shifted(RUSSIAN, 0xAC00),
        shifted(PROSE, 0x4E00),
        shifted(GREEK, 0x3400),
        "".join(chr(0x250 + 37 * ord(c)) if c.isalpha() else c for c in PROSE),  # over all scripts
        "a \x14 i \x13 ¶ o \x10 T y X \x0b u " * 30,  # codes of glyphs with a space after each
        "Ïðèâåò ìèð, ýòî òåêñò êîòîðûé íèêòî íå ïðî÷ò¸ò " * 4,
    ],
)
def test_letters_that_are_not_the_printed_ones_are_noticed(text: str) -> None:
    assert judge(page(text)) is TextLayer.GARBLED


def test_a_picture_of_a_page_has_no_text_layer_whatever_stamp_it_bears() -> None:
    assert judge(page("", drawn=True, picture_share=0.99)) is TextLayer.ABSENT
    assert judge(page("Downloaded from the library 12", picture_share=0.97)) is TextLayer.ABSENT
    assert judge(page("")) is TextLayer.GOOD  # blank: nothing to read
    assert judge(page("Plate 3. The harbour.", picture_share=0.2)) is TextLayer.GOOD


def test_the_text_behind_a_scan_counts_where_it_can_be_read() -> None:
    crumbs = " ".join(f"t h~~ a{n}rc h ,,.. lVe" for n in range(20))
    assert judge(page(PROSE, has_ocr_text=True, picture_share=1.0)) is TextLayer.GOOD
    assert judge(page(f"{PROSE} {'. ' * 150}", has_ocr_text=True, picture_share=1.0)) is TextLayer.GOOD
    assert judge(page(crumbs, has_ocr_text=True, picture_share=1.0)) is TextLayer.GARBLED


@given(st.text(max_size=400))
def test_any_text_can_be_judged(text: str) -> None:
    is_garbled(text)
