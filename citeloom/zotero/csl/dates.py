"""Parsing of Zotero's free-form dates into CSL dates."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from typing import Any

from citeloom.core.text.normalize import fold

_MAX_LENGTH = 200  # characters of a date

_MONTHS = (
    ("january", "januar", "janvier", "enero", "gennaio", "janeiro", "januari"),
    ("february", "februar", "fevrier", "febrero", "febbraio", "fevereiro", "februari"),
    ("march", "marz", "maerz", "mars", "marzo", "marco", "maart", "mrt"),
    ("april", "avril", "abril", "aprile"),
    ("may", "mai", "mayo", "maggio", "maio", "mei"),
    ("june", "juni", "juin", "junio", "giugno", "junho"),
    ("july", "juli", "juillet", "julio", "luglio", "julho"),
    ("august", "aout", "agosto", "augustus"),
    ("september", "septembre", "septiembre", "settembre", "setembro"),
    ("october", "oktober", "octobre", "octubre", "ottobre", "outubro"),
    ("november", "novembre", "noviembre", "novembro"),
    ("december", "dezember", "decembre", "diciembre", "dicembre", "dezembro"),
)
_SEASONS = {
    *("spring", "summer", "autumn", "fall", "winter", "michaelmas", "hilary", "trinity", "lent", "easter"),
    *("frühling", "frühjahr", "sommer", "herbst", "printemps", "été", "automne", "hiver"),
    *("primavera", "verano", "otoño", "invierno", "estate", "autunno", "inverno"),
}

_QUOTED = re.compile(r'["“]\s*([^\s].*?)\s*["”]')
_MULTIPART = re.compile(r"(\d{4})-(\d\d)-(\d\d) (?!\d\d:)(.+)")
_CIRCA = re.compile(r"(?:~|(?:circa|about|around|um)\b|ca?(?:\.|(?=\s*\d)))\s*", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"(-?\d{3,4})(?:([-/.])(\d{1,2})(?:\2(\d{1,2})(?:[T ]\d\d:.*)?)?)?")
_CJK = re.compile(r"(\d{3,4})\s?年()(?:\s?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?日)?)?")
_YEAR_LAST = re.compile(r"(?:(\d{1,2})([-/.])\s?)?(\d{1,2})[-/.]\s?(\d{4})")
_ERA = re.compile(r"\b(B\.?\s?C\.?(?:\s?E\.?)?|C\.?\s?E\.?|A\.?\s?D\.?)(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_DAY = re.compile(r"(\d\d?)(?:st|nd|rd|th)?", re.IGNORECASE)
_BETWEEN = ("/", "–", "—", "--", " - ", " to ", " bis ", "-")


@dataclass(frozen=True, slots=True)
class _Day:
    """A year, month or day; unknown parts are None."""

    year: int | None = None  # negative: BC
    month: int | None = None
    day: int | None = None
    season: str = ""
    era: int = 0  # -1 or 1 if the text names it

    @property
    def parts(self) -> tuple[int, ...]:
        parts = (self.year, self.month, self.day)
        return tuple(part for at, part in enumerate(parts) if part is not None and None not in parts[:at])


def to_csl_date(text: str) -> dict[str, Any]:
    """Return a CSL date: date-parts with season and circa, else the text as a literal."""
    text = " ".join(text.split())
    if quoted := _QUOTED.fullmatch(text):  # quotation marks: printed as written
        return {"literal": quoted[1]}
    if len(text) > _MAX_LENGTH:
        return {"literal": text}
    sorted_by = _Day()
    if multipart := _MULTIPART.fullmatch(text):
        sorted_by = _valid_day(int(multipart[1]), int(multipart[2]), int(multipart[3]))
        text = multipart[4]
    circa = _CIRCA.match(text)
    dated = (text[circa.end() :] if circa else text).rstrip("~? ")
    days = _parse_days(dated)
    # Zotero's sortable date can be more precise: it parses months and the order of day and month by the user's locale.
    if len(days) < 2 and len(sorted_by.parts) > max((len(day.parts) for day in days), default=0):
        days = [sorted_by]
    if not days:
        return {"literal": text}
    found: dict[str, Any] = {"date-parts": [list(parts) for parts in dict.fromkeys(day.parts for day in days)]}
    if season := "/".join(dict.fromkeys(day.season for day in days if day.season and not day.month)):
        found["season"] = season
    if circa or text.endswith(("~", "?")):
        found["circa"] = True
    return found


def sortable_date(text: str) -> tuple[int, int, int]:
    """Return the first day of a date as Zotero sorts it; unknown parts and years BC are 0."""
    parts = to_csl_date(text).get("date-parts", [[]])[0]
    year, month, day = (*parts, 0, 0, 0)[:3]
    return (year, month, day) if year > 0 else (0, 0, 0)


def _parse_days(text: str) -> list[_Day]:
    """Return one day, or the first and the last of a range; empty if the text has no date."""
    if (day := _parse_digits(text)) is None:
        between = next((mark for mark in _BETWEEN if mark in text[1:]), None)
        if between and text[1:].count(between) == 1:
            at = text.index(between, 1)
            found = _parse_range(text[:at].strip(), text[at + len(between) :].strip())
            if found is not None:
                return found
        day = _parse_words(text)
    return [day] if day.parts else []


def _parse_range(first: str, last: str) -> list[_Day] | None:
    """Return the first and last day; None if these are not two dates, empty if the last is before the first."""
    begin, end = _parse_day(first), _parse_day(last)
    if begin.year and not begin.month and re.fullmatch(r"[0-9]{2}", last) and int(last) > begin.year % 100:
        end = _Day(begin.year // 100 * 100 + int(last))  # 2021-22
    if begin == _Day() or end.year is None:
        return None
    if begin.year is None:  # May–June 2020, 5–7 May 2020
        month = begin.month or (None if begin.season else end.month)
        begin = replace(_valid_day(abs(end.year), month or 0, begin.day or 0, begin.season), era=begin.era)
    if begin.year is not None and (begin.era or end.era) < 0:
        begin = replace(begin, year=-abs(begin.year))
    if (end.era or begin.era) < 0:
        end = replace(end, year=-abs(end.year))
    return [begin, end] if begin.parts <= end.parts else []


def _parse_day(text: str) -> _Day:
    return _parse_digits(text) or _parse_words(text)


def _parse_digits(text: str) -> _Day | None:
    """Parse a date of digits only; None for any other."""
    if match := _YEAR_FIRST.fullmatch(text) or _CJK.fullmatch(text):
        year, month, day = int(match[1]), int(match[3] or 0), int(match[4] or 0)
        return None if month > 12 and not day else _valid_day(year, month, day)  # 2021-22 is two years
    if match := _YEAR_LAST.fullmatch(text):
        first, mark, second, year = int(match[1] or 0), match[2], int(match[3]), int(match[4])
        if not first:
            return _valid_day(year, second, 0)
        if mark == "." or first > 12:
            return _valid_day(year, second, first)
        # 4/5/2019 is ambiguous: April or May.
        return _valid_day(year, first, second) if second > 12 or first == second else _Day(year)
    return None


def _parse_words(text: str) -> _Day:
    """Parse a date with words: "5 May 2019", "Spring 2020", "200 BCE"."""
    era = -1 if re.match(r"-\d", text) else 0
    if marked := _ERA.search(text):
        era = -1 if marked[1][0] in "bB" else 1
        text = f"{text[: marked.start()]} {text[marked.end() :]}"
    year = month = day = None
    season = ""
    for word in _WORD.findall(text):
        if re.fullmatch(r"[0-9]{3,4}", word):
            year = year or int(word)
        elif numbered := _DAY.fullmatch(word):
            day = day or int(numbered[1])
        elif found := _month(word):
            month = month or found
        elif word.casefold() in _SEASONS:
            season = season or word
    if era and year is None:
        year, day = day, None
    if year is None:
        return _Day(None, month, day, season, era)
    return replace(_valid_day(year * (era or 1), month or 0, day or 0, season), era=era)


def _month(word: str) -> int | None:
    plain = fold(word)
    if len(plain) < 3:
        return None
    return next((at for at, names in enumerate(_MONTHS, 1) if any(name.startswith(plain) for name in names)), None)


def _valid_day(year: int, month: int, day: int, season: str = "") -> _Day:
    """Return the date without an invalid month or day; there is no year 0."""
    if not year:
        return _Day()
    if not 1 <= month <= 12:
        return _Day(year, season=season)
    longest = monthrange(year, month)[1] if year > 0 else 31
    return _Day(year, month, day if 1 <= day <= longest else None, season)
