"""Citations and bibliographies made from the library's own records, in the style that a journal asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from citeloom.citing.format import Cite, Formatted, Markup, format_citations
from citeloom.citing.styles import Style, find_style, style_from_file
from citeloom.engine.works import Work, Works
from citeloom.errors import CiteLoomError, Code
from citeloom.manuscripts.model import Citation
from citeloom.manuscripts.reading import read_text
from citeloom.store import Project

DEFAULT_STYLE = "apa"
_WORD_BEFORE = re.compile(r"([^\W\d_]+|[§¶]{1,2})(?:\.[\s~]*|[\s~]+|(?<=[§¶])(?=\d))(\S.*)", re.DOTALL)
_LABELS = {
    word: label
    for label, words in {
        "page": "p pp page pages s seite seiten pág págs",
        "chapter": "ch chap chaps chapter chapters kap kapitel",
        "section": "sec secs sect section sections § §§ abschn abschnitt",
        "paragraph": "para paras paragraph paragraphs ¶ ¶¶ abs absatz",
        "figure": "fig figs figure figures abb abbildung",
        "volume": "vol vols volume volumes bd band",
        "issue": "no nos nr issue number heft",
        "book": "bk bks book books buch",
        "part": "pt pts part parts teil",
        "column": "col cols column columns sp spalte",
        "folio": "fol fols folio folios bl",
        "line": "l ll line lines z zeile",
        "note": "n nn note notes fn anm",
        "verse": "v vv verse verses",
        "opus": "op opus",
    }.items()
    for word in words.split()
}
_MOST_CITES, _LONGEST_CITE = 1000, 2000


class Citations:
    """Sets citations."""

    def __init__(self, works: Works) -> None:
        self._works = works

    def cite(
        self,
        projects: Sequence[Project],
        cites: Sequence[str],
        *,
        style: str | None = None,
        files: bool = True,
        locale: str | None = None,
        markup: Markup = "markdown",
    ) -> dict[str, Any]:
        """In-text citations, one for each of `cites`, and the bibliography of all works they name.

        A style is named by id or title or, with `files`, by the path of a .csl file.
        """
        wanted = _style(style or DEFAULT_STYLE, files=files)
        groups = [_read(text) for text in _within_limits(cites)]
        works = self._works.find_all(projects, [citation.key for group in groups for citation in group])
        made: Formatted = format_citations(
            [work.csl for work in {w.citekey: w for w in works.values()}.values()],
            [[_as_cite(citation, works[citation.key]) for citation in group] for group in groups],
            wanted,
            locale=locale,
            markup=markup,
        )
        return {
            "style": {"id": wanted.id, "title": wanted.title},
            "locale": made.locale,
            "citations": list(made.citations),
            "bibliography": list(made.bibliography),
            "keys": [{"key": work.citekey, "renamed_from": work.renamed_from} for work in works.values()],
            "warnings": [*_renamed(works.values()), *made.warnings],
        }


def _labelled(locator: str) -> tuple[str, str]:
    """What a locator counts, in CSL's words, and the number: the style writes "p." or "chap." itself."""
    found = _WORD_BEFORE.match(locator.strip())
    label = _LABELS.get(found[1].casefold()) if found else None
    return (label, found[2]) if found and label else ("page", locator.strip())


def _renamed(works: Iterable[Work]) -> list[str]:
    return [f"The citekey {work.renamed_from} is {work.citekey} now." for work in works if work.renamed_from]


def _style(name: str, *, files: bool) -> Style:
    return style_from_file(Path(name)) if files and name.lower().endswith(".csl") else find_style(name)


def _within_limits(cites: Sequence[str]) -> Sequence[str]:
    if not cites:
        raise CiteLoomError(Code.INVALID_INPUT, "No citekey is given.", "Name at least one.")
    if len(cites) > _MOST_CITES or any(len(text) > _LONGEST_CITE for text in cites):
        raise CiteLoomError(
            Code.INVALID_INPUT,
            "That is too much at once.",
            f"At most {_MOST_CITES:,} citations of {_LONGEST_CITE:,} characters each are set in one call.",
        )
    return cites


def _read(text: str) -> list[Citation]:
    """A citekey, or what Pandoc takes for a citation."""
    text = text.strip()
    written = text if "@" in text else f"[@{{{text}}}]"
    citations = list(read_text(written, "markdown").citations)
    if not text or not citations:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"'{text[:80]}' is neither a citekey nor a citation.",
            "Write hartmann2019, or [see @hartmann2019, p. 33; @okafor2021].",
        )
    return citations


def _as_cite(citation: Citation, work: Work) -> Cite:
    label, locator = _labelled(citation.locator)
    return Cite(
        work.citekey,
        locator=locator,
        label=label,
        prefix=citation.prefix,
        suffix=citation.suffix,
        suppress_author=citation.suppress_author,
        in_text=citation.in_text,
    )
