"""Numbers as Roman numerals (pages, headings) or as letters (a second work of the same author and year)."""

from __future__ import annotations

from itertools import pairwise

_NUMERALS = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_DIGITS = {numeral: value for value, numeral in _NUMERALS if len(numeral) == 1}


def to_roman(number: int) -> str:
    """Return the number as a lower-case Roman numeral."""
    letters = []
    for value, numeral in _NUMERALS:
        letters.append(numeral * (number // value))
        number %= value
    return "".join(letters)


def roman_value(text: str) -> int | None:
    """Return the value of a Roman numeral in its usual form, in either case; None for any other text."""
    numeral = text.lower()
    values = [_DIGITS.get(digit, 0) for digit in numeral]
    total = sum(-value if value < following else value for value, following in pairwise([*values, 0]))
    return total if total > 0 and to_roman(total) == numeral else None


def to_letters(number: int) -> str:
    """Return 1, 2, … 26, 27 as a, b, … z, aa."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters
