"""Numbers in records and locators: page ranges, ordinals, Roman numerals, and tests for numeric and plural values."""

from __future__ import annotations

import re

from citeloom.csl.terms import Terms

_ONE = r"[^\W\d_]*\d+[^\W\d_]*"
_NUMERIC = re.compile(rf"\s*{_ONE}(?:\s*[-–—,&]\s*{_ONE})*\s*")
_SEVERAL = re.compile(r"[\divxlcdm]\w*\s*(?:[-–—,&]|\band\b|\bet\b|\bund\b)\s*\w*[\divxlcdm]", re.IGNORECASE)
_RANGE = re.compile(r"([^\W\d_]*)(\d+)\s*[-–—]+\s*([^\W\d_]*)(\d+)(?!\w)")
_ROMAN_RANGE = re.compile(r"\b([ivxlcdm]{1,15})\s?[-–]\s?([ivxlcdm]{1,15})\b", re.IGNORECASE)
_MAX_LENGTH = 300  # characters; a longer text is not a list of pages


def is_numeric(text: str) -> bool:
    """Whether a value consists of numbers: "12", "2nd", "12–14, 17"."""
    return _NUMERIC.fullmatch(text[:200]) is not None


def is_plural(text: str) -> bool:
    """Whether a value names several pages or volumes."""
    return _SEVERAL.search(text[:200].replace("\\-", "")) is not None


def has_own_label(locator: str) -> bool:
    """Whether a locator includes its own label: "fol. 12", "vol. 1, p. 3"; not "xii", not "S12"."""
    word = re.match(r"[^\W\d_]{2,}", locator)
    return word is not None and re.fullmatch(r"[ivxlcdm]+", word.group(), re.IGNORECASE) is None


def ordinal(terms: Terms, number: int, noun: str = "") -> str:
    """Return the number as an ordinal (1st, 2nd, 3rd) in the locale, in the gender of the noun."""
    found = terms.find(noun) if noun else None
    gender = found.gender if found else ""
    for digits in (number % 100, number % 10):
        term = terms.find(f"ordinal-{digits:02}", gender=gender)
        matches = {"whole-number": digits == number, "last-two-digits": digits == number % 100}
        if term is not None and matches.get(term.match, True):
            return f"{number}{term.single}"
    everywhere = terms.find("ordinal", gender=gender)
    return f"{number}{everywhere.single if everywhere else ''}"


def long_ordinal(terms: Terms, number: int, noun: str = "") -> str:
    """Return the number as an ordinal word (first, second, third); from eleven on as 11th."""
    found = terms.find(f"long-ordinal-{number:02}") if 1 <= number <= 10 else None
    return found.single if found else ordinal(terms, number, noun)


def format_pages(text: str, range_format: str | None, delimiter: str) -> str:
    """Format the page ranges in a text by a style's page-range-format: 321–8, 321–28 or 321–328."""
    if "\\-" in text:
        return text.replace("\\-", "-")  # an escaped hyphen is not a range
    if len(text) > _MAX_LENGTH:
        return text
    text = _ROMAN_RANGE.sub(rf"\1{delimiter}\2", text)
    if range_format is None:
        return re.sub(r"(?<=\d)\s?[-–]\s?(?=\w{0,9}\d)", delimiter, text)
    return _RANGE.sub(lambda found: _one_range(found, range_format, delimiter), text)


def _one_range(found: re.Match[str], range_format: str, delimiter: str) -> str:
    prefix, first, second, last = found.groups()
    if second and second != prefix:
        return f"{prefix}{first}{delimiter}{second}{last}"
    if len(last) < len(first):
        last = first[: len(first) - len(last)] + last  # 321-8 means 321-328
    if len(last) > len(first) or int(last) < int(first):
        return f"{prefix}{first}{delimiter}{second}{last}"
    return f"{prefix}{first}{delimiter}{_short_last(first, last, range_format, prefix)}"


def _short_last(first: str, last: str, range_format: str, prefix: str) -> str:
    if range_format == "expanded":
        return prefix + last
    common = next((i for i, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(last) - 1)
    if range_format in ("chicago", "chicago-15", "chicago-16"):
        if len(first) < 3 or int(first) % 100 == 0:
            return last
        if range_format != "chicago-16" and len(first) == 4 and len(last) - common >= 3:
            return last
        if int(first) % 100 < 10:
            return last[common:]
        return last[min(common, len(last) - 2) :]
    return last[min(common, len(last) - 2) :] if range_format == "minimal-two" and len(last) > 1 else last[common:]
