"""A work's CSL-JSON as a BibTeX entry that BibTeX and biblatex both take, in UTF-8.

Where classic BibTeX has no word for something (a web page, a day, an event), biblatex's stands there: BibTeX passes
over fields it does not know and sets unknown entry types like @misc.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from citeloom.bibliography.bibtex_syntax import MONTHS
from citeloom.bibliography.csl import record_from_csl, tags_of, text_of
from citeloom.errors import CiteLoomError, Code

Csl = Mapping[str, Any]

_KINDS = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "periodical": "periodical", "review": "review", "review-book": "review", "book": "book", "classic": "book",
    "pamphlet": "booklet", "chapter": "incollection", "entry-encyclopedia": "inreference",
    "entry-dictionary": "inreference", "entry": "inreference", "paper-conference": "inproceedings",
    "report": "techreport", "thesis": "thesis", "webpage": "online", "post": "online", "post-weblog": "online",
    "patent": "patent", "dataset": "dataset", "software": "software", "standard": "standard",
    "manuscript": "unpublished", "personal_communication": "letter", "legislation": "legislation",
    "bill": "legislation", "regulation": "legislation", "legal_case": "jurisdiction", "motion_picture": "video",
    "song": "audio", "graphic": "image",
}  # fmt: skip
_SUBTYPES = {"article-magazine": "magazine", "article-newspaper": "newspaper"}
_IN_JOURNALS = ("article", "periodical", "review")
_CONTAINERS = {**dict.fromkeys(_IN_JOURNALS, "journal"), "online": "organization", "misc": "howpublished"}
_PUBLISHERS = {
    **dict.fromkeys(("phdthesis", "mastersthesis", "thesis"), "school"),
    "techreport": "institution",
}
_FIELDS = {
    "publisher-place": "address",
    "collection-title": "series",
    "volume": "volume",
    "number-of-volumes": "volumes",
    "edition": "edition",
    "chapter-number": "chapter",
    "event-title": "eventtitle",
    "event-place": "venue",
    "genre": "type",
    "version": "version",
    "number-of-pages": "pagetotal",
    "status": "pubstate",
    "title-short": "shorttitle",
    "language": "langid",
    "abstract": "abstract",
    "annote": "annote",
}
# Those who made a work that has no author to CSL.
_MAKERS = ("author", "director", "composer", "host")

_KEY = re.compile(r"[^\s,{}()=\"#%\\~']+")
_KEY_LINES = re.compile(r"^(?:citation key|doi)\s*:.*$", re.IGNORECASE | re.MULTILINE)
_DATE = re.compile(r"(-?\d{4})(?:-(\d\d))?(?:-(\d\d))?")

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "`": r"\textasciigrave{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "@": "{@}", **{mark: f"\\{mark}" for mark in "$%&#_"},
}  # fmt: skip
_LIGATURES = re.compile(r"-(?=-)|'(?=')|,(?=,)")
_TAG = re.compile(r"(</?(?:i|b|sc|sub|sup|nc|span)\b[^>]*>)", re.IGNORECASE)
_COMMANDS = {"i": r"\textit", "b": r"\textbf", "sc": r"\textsc", "sub": r"\textsubscript", "sup": r"\textsuperscript"}
_RANGE, _HYPHENS = re.compile(r"\s*[\u2012-\u2015\u2212]+\s*"), re.compile(r"\s*[\u2010\u2011-]+\s*")


def to_bibtex(csl: Csl, citekey: str) -> str:
    """The work as one BibTeX entry under this citekey."""
    if not _KEY.fullmatch(citekey):
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The citekey '{citekey[:80]}' cannot stand in a BibTeX file.",
            "Give the work a citekey without spaces, commas, braces and quotation marks in your reference manager.",
        )
    kind = _kind(csl)
    lines = "".join(f"  {name} = {value},\n" for name, value in _fields(csl, kind) if value not in ("", "{}"))
    return f"@{kind}{{{citekey},\n{lines}}}\n"


def _kind(csl: Csl) -> str:
    kind = _KINDS.get(text_of(csl.get("type")), "misc")
    genre = text_of(csl.get("genre")).lower()
    if kind != "thesis" or not genre:
        return kind
    # Both print the genre in place of their own name, so that a bachelor's thesis becomes no doctoral one.
    return "mastersthesis" if "master" in genre else "phdthesis"


def _fields(csl: Csl, kind: str) -> Iterator[tuple[str, str]]:
    def text(variable: str) -> str:
        return _marked_up(text_of(csl.get(variable)))

    record = record_from_csl(csl, files=())
    yield "title", f"{{{_title(csl)}}}"
    yield "entrysubtype", f"{{{_SUBTYPES.get(record.item_type, '')}}}"
    makers = next((csl[role] for role in _MAKERS if csl.get(role)), None)
    yield "author", f"{{{_people(makers)}}}"
    for role, field in (("editor", "editor"), ("translator", "translator"), ("container-author", "bookauthor")):
        yield field, f"{{{_people(csl.get(role))}}}"
    yield from _date(csl.get("issued"))
    yield _CONTAINERS.get(kind, "booktitle"), f"{{{text('container-title')}}}"
    yield _PUBLISHERS.get(kind, "publisher"), f"{{{text('publisher')}}}"
    numbers = ("issue", "number") if kind in _IN_JOURNALS else ("number", "collection-number", "issue")
    yield "number", f"{{{next((found for name in numbers if (found := text(name))), '')}}}"
    yield "pages", f"{{{_pages(text_of(csl.get('page')))}}}"
    for variable, field in _FIELDS.items():
        yield field, f"{{{text(variable)}}}"
    yield "keywords", f"{{{', '.join(_latex(tag) for tag in tags_of(csl.get('keyword')))}}}"
    note = csl.get("note")
    yield "note", f"{{{_marked_up(text_of(_KEY_LINES.sub('', note) if isinstance(note, str) else note))}}}"
    yield "doi", f"{{{_address((record.doi or text_of(csl.get('DOI'))).replace('%', '%25'))}}}"
    for variable, field in (("URL", "url"), ("ISBN", "isbn"), ("ISSN", "issn")):
        yield field, f"{{{_address(text_of(csl.get(variable)))}}}"
    if accessed := _days(csl.get("accessed")):
        yield "urldate", f"{{{_iso(accessed[0])}}}"


# -- texts ---------------------------------------------------------------------------------------------------


def _latex(text: str) -> str:
    """Text as LaTeX prints it: nothing in it is a command, and its braces are balanced."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cs"))
    text = "".join(_SPECIAL.get(letter, letter) for letter in text)
    return _LIGATURES.sub(r"\g<0>{}", text)


def _marked_up(text: str, protected: _Capitals | None = None) -> str:
    """Text with CSL's markup as LaTeX commands; a tag that nobody closes ends with the text."""
    out: list[str] = []
    depth = 0
    for at, piece in enumerate(_TAG.split(text)):
        if at % 2 == 0:
            # What stands in braces keeps its capitals in any case.
            out.append(protected.kept(piece) if protected and not depth else _latex(piece))
        elif not piece.startswith("</"):
            name = re.split(r"[\s/>]", piece[1:].lower(), maxsplit=1)[0]
            out.append((r"\textsc" if "small-caps" in piece.lower() else _COMMANDS.get(name, "")) + "{")
            depth += 1
        elif depth:
            out.append("}")
            depth -= 1
    return "".join(out) + "}" * depth


def _title(csl: Csl) -> str:
    title, language = text_of(csl.get("title")), text_of(csl.get("language")).lower()
    if language and not language.startswith("en"):
        # Styles that change the case of titles know English only.
        return f"{{{_marked_up(title)}}}" if title else ""
    return _marked_up(title, _Capitals(_TAG.sub("", title)))


class _Capitals:
    """Which words of a title keep their capitals when a style writes titles in lower case."""

    def __init__(self, title: str) -> None:
        later = [word for word in re.findall(r"[^\W\d_]{4,}", title)[1:] if not word.isupper()]
        # In a title with few capitals each one is a name; in one with many they say nothing.
        self._each_counts = sum(word[0].isupper() for word in later) * 2 < len(later)
        self._begun = False

    def kept(self, text: str) -> str:
        """The text as LaTeX, with braces around the words whose capitals must stay."""
        return re.sub(r"\S+", self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        parts = re.fullmatch(r"([\W_]*)(.*?)([\W_]*)", match[0], re.DOTALL)
        assert parts is not None  # every part may be empty
        before, word, after = parts.groups()
        keeps = bool(word) and self._keeps(word)
        self._begun = self._begun or bool(word)
        return f"{_latex(before)}{{{_latex(word)}}}{_latex(after)}" if keeps else _latex(match[0])

    def _keeps(self, word: str) -> bool:
        if any(letter.isupper() for part in re.split(r"[-‐–—/]", word) for letter in part[1:]):
            return True
        if len(word) == 1:
            return word.isupper() and word != "A"
        return self._each_counts and self._begun and word[0].isupper()


def _pages(text: str) -> str:
    # Where ranges have a dash of their own, a hyphen belongs to a page's name: "A-1–A-9".
    dashes = _RANGE if _RANGE.search(text) else _HYPHENS
    return "--".join(_latex(part) for part in dashes.split(text))


def _address(text: str) -> str:
    """A DOI, URL or number, which LaTeX takes as it stands: what would end the value is written in percent."""
    text = "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cs"))
    return re.sub(r"[{}\\ ]", lambda match: f"%{ord(match[0]):02X}", text)


# -- people --------------------------------------------------------------------------------------------------


def _people(names: object) -> str:
    return " and ".join(filter(None, map(_name, names if isinstance(names, list) else ())))


def _name(person: object) -> str:
    if not isinstance(person, Mapping):
        return _grouped(text_of(person))
    if literal := text_of(person.get("literal")):
        return _grouped(literal)
    parts = ("non-dropping-particle", "family", "given", "dropping-particle", "suffix")
    particle, family, given, dropped, suffix = (text_of(person.get(part)) for part in parts)
    if particle.endswith(("'", "’", "-", "‐")):  # d'Alembert, al-Ghazali
        particle, family = "", particle + family
    given = f"{given} {dropped}".strip()
    if not family or not given:
        return _grouped(", ".join(filter(None, (f"{particle} {family}".strip(), given, suffix))))
    # BibTeX takes all before a small word for a particle: "Ortega y Gasset" must stay one name.
    last = _grouped(family) if any(map(_is_small, family.split())) else _plain_or_grouped(family)
    last = f"{_plain_or_grouped(particle)} {last}" if particle else last
    return ", ".join(filter(None, (last, _plain_or_grouped(suffix), _plain_or_grouped(given))))


def _is_small(word: str) -> bool:
    first = next((letter for letter in word if letter.isalpha()), "")
    return first.islower()


def _plain_or_grouped(text: str) -> str:
    """Part of a name, in braces where BibTeX would read a comma, an "and" or anything else into it."""
    plain = all(letter.isalpha() or unicodedata.combining(letter) or letter in " .'’-‐" for letter in text)
    return _latex(text) if plain and "and" not in text.lower().split() else _grouped(text)


def _grouped(text: str) -> str:
    return f"{{{_latex(text)}}}" if text else ""


# -- dates ---------------------------------------------------------------------------------------------------


def _date(issued: object) -> Iterator[tuple[str, str]]:
    """Year and month for BibTeX; for biblatex the whole date, where it says more."""
    days = _days(issued)
    if not days:
        yield "year", f"{{{_latex(_date_text(issued))}}}"
        return
    year, *rest = days[0]
    yield "year", f"{{{year}}}" if year > 0 else f"{{{-year} BCE}}"
    if rest:
        yield "month", MONTHS[rest[0] - 1][:3].lower()
    elif isinstance(issued, Mapping):
        yield "month", f"{{{_latex(text_of(issued.get('season')))}}}"
    circa = isinstance(issued, Mapping) and bool(issued.get("circa"))
    if len(days) > 1 or len(rest) > 1 or circa or not 1000 <= year <= 9999:
        yield "date", f"{{{'/'.join(map(_iso, days))}{'~' if circa else ''}}}"


def _iso(day: tuple[int, ...]) -> str:
    year, *rest = day
    return "-".join((f"{'-' if year < 0 else ''}{abs(year):04}", *(f"{part:02}" for part in rest)))


def _days(date: object) -> list[tuple[int, ...]]:
    """The day of a CSL date, or the first and last of a range, each as far as it is known."""
    spans = date.get("date-parts") if isinstance(date, Mapping) else None
    if isinstance(spans, list) and spans:
        found = [_day([text_of(part) for part in span]) for span in spans[:2] if isinstance(span, list)]
        return [day for day in found if day] if found and found[0] else []
    texts = _DATE.fullmatch(_date_text(date))
    return [_day([part or "" for part in texts.groups()])] if texts else []


def _day(parts: list[str]) -> tuple[int, ...]:
    numbers = [int(part) if re.fullmatch(r"-?[0-9]{1,4}", part) else None for part in (*parts, "", "", "")[:3]]
    year, month, day = numbers
    if year is None:
        return ()
    if month is None or not 1 <= month <= 12:
        return (year,)
    return (year, month) if day is None or not 1 <= day <= 31 else (year, month, day)


def _date_text(date: object) -> str:
    """What a date says in words; of several texts one with a year in it."""
    if not isinstance(date, Mapping):
        return text_of(date)
    parts = date.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    texts = [text for text in map(text_of, (parts, *map(date.get, ("raw", "literal", "year")))) if text]
    return next((text for text in texts if re.search(r"(?<!\d)\d{4}(?!\d)", text)), texts[0] if texts else "")
