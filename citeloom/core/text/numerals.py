"""Numbers as Roman numerals (pages, headings), as letters (a second work of the same author and year), and in lists."""

from __future__ import annotations

from collections.abc import Iterable
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


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers in ascending order, such as "1–3, 5"."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in found)
