"""Parses the dates of CSL-JSON records: date-parts, ranges, seasons, raw and literal texts."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import Any

from citeloom.csl.text.markup import read_line

_ISO = re.compile(r"(-?\d{1,4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?:[T ].*)?")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_SEASONS = {"spring": 1, "summer": 2, "autumn": 3, "fall": 3, "winter": 4}
_MONTH_NAME_DATE = re.compile(r"(?:(\d{1,2})\.?\s+)?([a-z]{3})[a-z]*\.?(?:\s+(\d{1,2}),)?\s+(\d{4})", re.IGNORECASE)
_CIRCA = re.compile(r"^(?:circa|ca?\.|about|~)\s*", re.IGNORECASE)
_SEASON_YEAR = re.compile(r"(spring|summer|autumn|fall|winter),?\s+(\d{4})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date that may be partial; unknown parts are 0."""

    year: int
    month: int = 0
    day: int = 0
    season: int = 0


@dataclass(frozen=True, slots=True)
class DateValue:
    """A date, a range of dates, or a text where the record has no date."""

    begin: PartialDate | None = None
    end: PartialDate | None = None
    open_end: bool = False
    circa: bool = False
    literal: str = ""

    def sort_key(self, parts: Container[str] = ("year", "month", "day")) -> str:
        """Return a text that sorts chronologically by the given parts."""
        if self.begin is None:
            return self.literal
        return "-".join(_sort_digits(day, parts) for day in (self.begin, self.end) if day)


def _sort_digits(day: PartialDate, parts: Container[str]) -> str:
    month = day.month if "month" in parts else 0
    return f"{day.year + 10000:05}{month:02}{day.day if 'day' in parts else 0:02}"


def read_date(value: Any) -> DateValue | None:
    """Parse a CSL-JSON date: an object, a number or a text; None if there is no date."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        value = {"raw": str(value)}
    if not isinstance(value, Mapping):
        return None
    circa = bool(value.get("circa")) and str(value.get("circa")).lower() not in ("0", "false")
    parts = value.get("date-parts")
    days = [_date_from_parts(part) for part in parts[:2]] if isinstance(parts, list | tuple) else []
    season = _integer(value.get("season")) or _SEASONS.get(str(value.get("season", "")).lower(), 0)
    if days and days[0] is not None:
        begin = replace(days[0], season=season) if season in range(1, 5) and not days[0].month else days[0]
        open_end = len(days) == 2 and days[1] is None
        return DateValue(begin, days[1] if len(days) == 2 else None, open_end, circa)
    for name in ("raw", "literal", "edtf"):
        words = read_line(str(value.get(name) or ""))
        if words:
            read = _parse_raw(words) if name != "literal" else None
            return replace(read, circa=circa or read.circa) if read else DateValue(literal=words, circa=circa)
    return None


def _parse_raw(words: str) -> DateValue | None:
    exact = _CIRCA.sub("", words).rstrip("?~")
    circa = exact != words
    bare = exact.strip("[]() ")
    pieces = re.split(r"\s*/\s*|\s+[-–]\s+|–", bare) if not re.fullmatch(r"\d{4}/\d{1,2}(/\d{1,2})?", bare) else [bare]
    if len(pieces) == 1 and re.fullmatch(r"\d{4}-\d{4}", bare):
        pieces = bare.split("-")
    days = [_parse_date_text(piece) for piece in pieces]
    if len(days) > 2 or days[0] is None or (len(days) == 2 and days[1] is None):
        return None
    return DateValue(days[0], days[1] if len(days) == 2 else None, circa=circa)


def _parse_date_text(words: str) -> PartialDate | None:
    iso = _ISO.fullmatch(words)
    if iso:
        return _date_from_parts([part or 0 for part in iso.groups()])
    by_name = _MONTH_NAME_DATE.fullmatch(words)
    if by_name and by_name.group(2).lower() in _MONTHS:
        return _date_from_parts(
            [by_name.group(4), _MONTHS.index(by_name.group(2).lower()) + 1, by_name.group(1) or by_name.group(3) or 0]
        )
    season = _SEASON_YEAR.fullmatch(words)
    return PartialDate(int(season.group(2)), season=_SEASONS[season.group(1).lower()]) if season else None


def _integer(value: Any) -> int:
    try:
        return int(str(value))
    except ValueError:
        return 0


def _date_from_parts(parts: Any) -> PartialDate | None:
    if not isinstance(parts, list | tuple):
        return None
    year, month, day = ([_integer(part) for part in parts[:3]] + [0, 0, 0])[:3]
    if not year or abs(year) > 9999:
        return None
    season = month - 12 if month in range(13, 17) else month - 20 if month in range(21, 25) else 0
    month = month if month in range(1, 13) else 0
    return PartialDate(year, month, day if month and day in range(1, 32) else 0, season)
