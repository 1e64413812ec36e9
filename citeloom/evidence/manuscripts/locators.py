"""Parses locators, the text after a citekey such as "pp. 33–35". Used by the readers of all formats."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citeloom.core.text.numerals import roman_value, to_roman
from citeloom.evidence.manuscripts.types import Span

_SPACE = r"(?:\s|~|\\[,; ])"  # including LaTeX's spaces
_PAGE_WORDS = (
    "p pp pg pgs page pages pno ppno seite seiten pág págs pag pags pagg página páginas pagina pagine "
    "стр страница страницы с sid sida sidor side sider str strana strony"
)
_OTHER_WORDS = (
    "chapter chapters chap chaps ch kapitel kap capítulo capitolo chapitre cap capp section sections sec secs sect "
    "abschnitt abschn absatz abs paragraph paragraphs para paras par § §§ ¶ ¶¶ figure figures fig figs abbildung abb "
    "table tables tab tabelle volume volumes vol vols band bd bde tome t number numbers no nos nr nummer issue heft "
    "book books bk bks buch column columns col cols spalte sp folio folios fol fols blatt bl line lines l ll zeile z "
    "note notes n nn anm anmerkung footnote fn fußnote endnote opus op part parts pt pts teil tl verse verses v vv "
    "act akt scene szene equation eq eqs gleichung theorem thm lemma definition def example ex proposition prop "
    "corollary appendix app anhang rn rz randnummer art article artikel slide slides folie min minute location loc "
    "s.v sub.verbo глава гл том т"
)


def _any_of(words: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words.split(), key=len, reverse=True))


_LABEL = re.compile(
    # S12 is a page of a supplement, S. 12 the German page 12.
    rf"\\?(?:(?P<other>{_any_of(_OTHER_WORDS)})|(?P<page>{_any_of(_PAGE_WORDS)}|s(?=[.\s~])))(?![^\W\d_])\.?{_SPACE}*",
    re.IGNORECASE,
)
_DASH = rf"{_SPACE}*(?:-{{1,3}}|[‐‑‒–—−]|\b(?:to|bis)\b){_SPACE}*(?:(?:p|S|s)\.{_SPACE}*)?"
_ROMAN = r"[ivxlcdm]{1,12}|[IVXLCDM]{1,12}"
_NUMBER = rf"[A-Za-z]{{0,2}}[.\-]?[0-9]{{1,9}}(?:[a-eg-z](?![A-Za-z]))?|(?:{_ROMAN})(?![^\W_])"
_VALUE = re.compile(
    rf"(?P<first>{_NUMBER})(?:(?P<dash>{_DASH})(?P<last>{_NUMBER}))?"
    rf"(?P<following>{_SPACE}*(?:(?:\\psqq|ff|sqq|et{_SPACE}+seqq|et{_SPACE}+suiv)|(?P<one>\\psq|f|sq|et{_SPACE}+seq))"
    rf"(?![^\W_])\.?)?"
    # Volume:page, verse, time of day, A51/B75: more than a page number.
    r"(?P<more>(?:[:/.][0-9A-Za-z]+)+)?(?![^\W_])"
)
_SEPARATOR = re.compile(rf"{_SPACE}*(?:[,;&]|\b(?:and|und|et|y|e|i)\b){_SPACE}*(?:(?:and|und|et|&){_SPACE}+)?")
_LEAD = re.compile(rf"(?:{_SPACE}|,)*")
_ALONE = re.compile(rf"{_SPACE}*(?:[,;]|\.?\Z)")
_MAX_LENGTH = 1000  # characters
# "33 f." adds one page; "33 ff." an unknown number, so a quotation some pages on is not on a wrong page.
_ONE_MORE, _SOME_MORE = 1, 10


@dataclass(frozen=True, slots=True)
class Locator:
    """The parsed text after a citekey: the place in the work, and the suffix."""

    locator: str  # "p. 33", "chap. 2", "vol. 2, p. 33"; empty if no place is named
    pages: tuple[str, str] | None  # first and last page it names, in full (253–4 is 253 and 254); None: it names none
    span: Span | None  # of the page or range in the manuscript; None also for a list of pages
    suffix: str  # the rest, with its separator: ", and passim"


def parse_locator(following: str, offset: int = 0) -> Locator:
    """Parse the locator at the start of the text after a key, which is at `offset` of the manuscript.

    A number without a label is a page.
    """
    text = following[:_MAX_LENGTH]
    if not text.strip():
        return Locator("", None, None, "")
    lead = _LEAD.match(text)
    start = end = position = lead.end() if lead else 0
    kind: str | None = None  # "page" or "other"; None: no label yet, so a number is a page
    ranges: list[tuple[str, str]] = []
    places: list[Span] = []
    while True:
        labelled = _LABEL.match(text, position)
        value = _VALUE.match(text, labelled.end()) if labelled else None
        if labelled and value:
            if kind is None and labelled["page"]:  # 1990, p. 4: the number before the label is a year or a volume
                ranges, places = [], []
            kind = "page" if labelled["page"] else "other"
        else:
            value = _VALUE.match(text, position)
            if value is None or not _stands_alone(text, value):
                break
        end = value.end()
        if kind != "other":
            pages = _pages(value)
            if pages is None:
                kind = "other"
            else:
                ranges.append(pages)
                places.append(Span(offset + value.start(), offset + value.end()))
        between = _SEPARATOR.match(text, end)
        if between is None:
            break
        position = between.end()
    return Locator(
        text[start:end].strip(),
        (ranges[0][0], ranges[-1][1]) if ranges else None,
        places[0] if len(places) == 1 else None,
        (following[end:] if end > start else following).rstrip(),
    )


def _stands_alone(text: str, value: re.Match[str]) -> bool:
    """Whether a value without a label is a page number: "33", but "xii" only if it is not a word of a sentence."""
    if any(char.isdigit() for char in value["first"]):
        return True
    likely = not value["more"] and (len(value["first"]) > 1 or value["first"] in "ivx")
    return likely and _ALONE.match(text, value.end()) is not None


def _pages(value: re.Match[str]) -> tuple[str, str] | None:
    first, last = value["first"], value["last"]
    if value["more"] or not (_is_page(first) and (last is None or _is_page(last))):
        return None
    if value["following"]:
        return first, _further(last or first, _ONE_MORE if value["one"] else _SOME_MORE)
    if last is None:
        return first, first
    full = _in_full(first, last)
    # 39-1 is not a range: some works number their pages by chapter.
    return (first, full) if full else (value[0], value[0])


def _is_page(number: str) -> bool:
    return any(char.isdigit() for char in number) or roman_value(number) is not None


def _in_full(first: str, last: str) -> str | None:
    """Return the last page of a range with the digits omitted in 253–4; None if it is before the first."""
    if not (first.isdigit() and last.isdigit()):
        return last
    full = first[: len(first) - len(last)] + last if len(last) < len(first) else last
    return full if int(full) >= int(first) else None


def _further(page: str, pages: int) -> str:
    if page.isdigit():
        return str(int(page) + pages)
    if (value := roman_value(page)) is not None:
        return to_roman(value + pages).upper() if page.isupper() else to_roman(value + pages)
    return page
