"""Text of others made safe to show: whatever goes in, nothing comes out that steers, hides, turns around or forges."""

from __future__ import annotations

import json
import logging
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some

from citeloom.core.logging import SafeFormatter
from citeloom.core.text.sanitize import clean, clean_values, escaped, escaped_json, one_line, shortened

HOSTILE = "\x1b]0;owned\x07\x9b31m\u202eabc\u2066\x00\x7f\u2028\r\n2026-11-18 INFO forged\ud800\ufff9\U000e0041\x85\x0c"
TEXTS = some.text() | some.text(alphabet=HOSTILE + "ab \t\n\u200d\u200e\U0001f469")


def unsafe(text: str) -> set[str]:
    """What must never be shown, told from the Unicode database and not from the code's own list."""
    kept = set("\t\n\u00ad\u061c\u180e\ufeff") | set(map(chr, (*range(0x200B, 0x2010), *range(0x2060, 0x2066))))
    return {
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        or "\ufff9" <= character <= "\ufffb"
        or "\U000e0000" <= character <= "\U000e007f"
    } - kept


@given(TEXTS)
def test_whatever_goes_in_nothing_unsafe_comes_out(text: str) -> None:
    assert not unsafe(clean(text))
    assert not unsafe(one_line(text)) and not set(one_line(text)) & set("\t\n")
    assert not unsafe(escaped(text)) and not set(escaped(text)) & set("\t\n")
    assert clean(clean(text)) == clean(text)


VALUES = some.recursive(
    TEXTS | some.integers() | some.none(), lambda inner: some.lists(inner) | some.dictionaries(TEXTS, inner)
)


@given(VALUES)
def test_every_text_and_every_name_in_a_value_is_cleaned(value: object) -> None:
    assert not unsafe(json.dumps(clean_values(value), ensure_ascii=False, indent=1))


@given(VALUES)
def test_json_that_is_printed_is_safe_and_says_the_same(value: object) -> None:
    printed = escaped_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert not unsafe(printed)
    assert json.loads(printed) == json.loads(json.dumps(value))


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم",  # Persian, with a zero-width non-joiner
        "क्‍ष",  # Hindi, with a zero-width joiner
        "👩‍🔬 and 🏳️‍🌈",
        "\u200eabc\u200f שלום",  # the marks of direction
        "葛\U000e0100城",  # a form of a letter in a Japanese name
        "one\n\ttwo — “three” naïve",
    ],
)
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert clean(text) == text


def test_line_ends_of_every_kind_are_line_ends() -> None:
    assert clean("a\r\nb\rc\x85d\u2028e\u2029f\x0cg\x0bh") == "a\nb\nc\nd\ne\nf\ng\nh"
    assert one_line("a\r\nb\tc\u2028d") == "a b c d"


@given(some.text(max_size=3000), some.integers(40, 2000))
def test_a_shortened_text_keeps_its_beginning_its_end_and_its_bound(text: str, most: int) -> None:
    made = shortened(text, most)
    assert len(made.encode("utf-8", "replace")) <= most
    if made != text:
        beginning, _, end = made.rpartition(" […] ")
        assert text.startswith(beginning) and text.endswith(end) and beginning and end


def formatted(message: str, *values: object, error: Exception | None = None) -> list[str]:
    record = logging.LogRecord("citeloom.x", logging.INFO, "x.py", 1, message, values, None)
    if error:
        record.exc_info = (type(error), error, error.__traceback__)
    lines = SafeFormatter("%(asctime)s %(levelname)s %(name)s %(message)s").format(record).split("\n")
    assert not any(map(unsafe, lines))
    return lines


@given(TEXTS)
def test_a_log_record_is_one_line_whatever_it_tells_of(text: str) -> None:
    assert len(formatted("%s asked", text)) == 1


@given(TEXTS)
def test_no_line_of_a_traceback_can_pass_for_a_record(text: str) -> None:
    first, *rest = formatted("it failed", error=ValueError(text))
    assert first.endswith("INFO citeloom.x it failed")
    assert rest and all(line.startswith("    ") for line in rest)


def test_a_log_says_what_it_was_told_in_a_spelling_that_is_safe() -> None:
    assert (
        "who\\x1b]0;owned\\x07\\r\\n2026-11-18 INFO forged \\u202ex"
        in formatted("%s", "who\x1b]0;owned\x07\r\n2026-11-18 INFO forged \u202ex")[0]
    )


def test_ten_megabytes_of_an_argument_are_not_written_to_a_log() -> None:
    lines = formatted("%s was asked", "x" * 10_000_000, error=ValueError("y" * 10_000_000))
    assert sum(map(len, lines)) < 30_000
    assert lines[0].endswith("was asked")
