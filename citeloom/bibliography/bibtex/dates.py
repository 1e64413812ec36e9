"""Formats CSL dates for BibTeX (year and month) and biblatex (ISO 8601-2). Used by the BibTeX writer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from citeloom.bibliography.bibtex.parser import MONTHS
from citeloom.bibliography.bibtex.unicode_to_latex import LatexEncoder
from citeloom.bibliography.csl_json import text_of

FIRST_SEASON = 21  # the number that ISO 8601-2 has for spring in place of a month

ISO_DATE = re.compile(r"(-?\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_SEASONS = ("Spring", "Summer", "Autumn", "Winter")


def bibtex_date(issued: object, latex: LatexEncoder) -> Iterator[tuple[str, str]]:
    """Yield year and month for BibTeX, and the whole date for biblatex where it is more exact."""
    days = _days(issued)
    if not days:
        yield "year", latex.text(_date_text(issued))
        return
    year, *rest = days[0]
    yield "year", f"{year}" if year > 0 else f"{-year} BCE"
    if rest:
        yield "month", MONTHS[rest[0] - 1][:3].lower()
    else:
        yield "month", latex.text(_season(issued))
    if len(days) > 1 or len(rest) > 1 or _is_circa(issued) or not 1000 <= year <= 9999:
        yield "date", _span(days, issued)


def biblatex_date(issued: object, latex: LatexEncoder) -> Iterator[tuple[str, str]]:
    """Yield the date for biblatex; a text that is no date, such as "in press", becomes the year."""
    days, season = _days(issued), _season(issued)
    if not days:
        yield "year", latex.text(_date_text(issued))
    elif season in _SEASONS and len(days) == len(days[0]) == 1:
        yield "date", _span([(*days[0], FIRST_SEASON + _SEASONS.index(season))], issued)
    else:
        yield "date", _span(days, issued)
        yield "issue", latex.text(season)  # the field for a term such as "Michaelmas"


def iso_date(date: object) -> str:
    """Format the date of an event or a visit in ISO 8601; empty if it is unknown."""
    return "/".join(map(_iso, _days(date)))


def _iso(day: tuple[int, ...]) -> str:
    """Format a date that may be partial: 2019, 2019-03 or 2019-03-05."""
    year, *rest = day
    # CSL counts 1 BCE as -1, ISO 8601 as 0.
    year = year + 1 if year < 0 else year
    return "-".join((f"{'-' if year < 0 else ''}{abs(year):04}", *(f"{part:02}" for part in rest)))


def _span(days: list[tuple[int, ...]], issued: object) -> str:
    return f"{'/'.join(map(_iso, days))}{'~' if _is_circa(issued) else ''}"


def _is_circa(issued: object) -> bool:
    return isinstance(issued, Mapping) and bool(issued.get("circa"))


def _season(issued: object) -> str:
    season = text_of(issued.get("season")) if isinstance(issued, Mapping) else ""
    if season in ("1", "2", "3", "4"):
        return _SEASONS[int(season) - 1]
    return season.capitalize().replace("Fall", "Autumn") if season.isalpha() else season


def _days(date: object) -> list[tuple[int, ...]]:
    """Return the date, or first and last of a range, as tuples of year, month and day that may be partial."""
    spans = date.get("date-parts") if isinstance(date, Mapping) else None
    if isinstance(spans, list) and spans:
        found = [_day([text_of(part) for part in span]) for span in spans[:2] if isinstance(span, list)]
        return [day for day in found if day] if found and found[0] else []
    texts = ISO_DATE.fullmatch(_date_text(date))
    day = _day([part or "" for part in texts.groups()]) if texts else ()
    return [day] if day else []


def _day(parts: list[str]) -> tuple[int, ...]:
    numbers = [int(part) if re.fullmatch(r"-?[0-9]{1,4}", part) else None for part in (*parts, "", "", "")[:3]]
    year, month, day = numbers
    if not year:  # there is no year 0
        return ()
    if month is None or not 1 <= month <= 12:
        return (year,)
    return (year, month) if day is None or not 1 <= day <= 31 else (year, month, day)


def _date_text(date: object) -> str:
    """Return the text of a date; of several texts, one with a year in it."""
    if not isinstance(date, Mapping):
        return text_of(date)
    parts = date.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    texts = [text for text in map(text_of, (parts, *map(date.get, ("raw", "literal", "year")))) if text]
    return next((text for text in texts if re.search(r"(?<!\d)\d{4}(?!\d)", text)), texts[0] if texts else "")
