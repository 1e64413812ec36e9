"""Formats citations, bibliographies and records of works from the library's own records.

Called by the service for `evidence.cite` and `evidence.records`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.api.evidence import CitationStyle, CiteResult, RecordsResult, ResolvedKey
from citeloom.api.evidence import Cite as CiteRequest
from citeloom.bibliography.export import write_library
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.manuscripts.reader import read_text
from citeloom.evidence.manuscripts.types import Citation, Span
from citeloom.evidence.works import Work, Works, shared_keys

if TYPE_CHECKING:
    from citeloom.csl.format import Cite

DEFAULT_STYLE = "apa"
_LABELLED_LOCATOR = re.compile(r"([^\W\d_]+|[§¶]{1,2})(?:\.[\s~]*|[\s~]+|(?<=[§¶])(?=\d))(\S.*)", re.DOTALL)
_LATEX_DASH = re.compile(r"-{2,3}")
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
_MAX_CITES, _MAX_CITE = 1000, 2000  # citations in one request, and characters of each


def format_cites(works: Works, projects: Sequence[Project], request: CiteRequest) -> CiteResult:
    """Format an in-text citation for each one requested, and the bibliography of all works that they name."""
    # citeproc is slow to load, and few requests need it
    from citeloom.csl.format import format_citations
    from citeloom.csl.styles import find_style, style_from_file

    name = request.style or DEFAULT_STYLE
    from_file = request.style_files and name.lower().endswith(".csl")
    wanted = style_from_file(Path(name)) if from_file else find_style(name, files=request.style_files)
    groups = _groups(request.cites)
    found = works.find_all(projects, _keys(groups))
    formatted = format_citations(
        [work.csl for work in {w.citekey: w for w in found.values()}.values()],
        [[_as_cite(citation, found[citation.key]) for citation in group] for group in groups],
        wanted,
        locale=request.locale,
        markup=request.markup,
    )
    return CiteResult(
        style=CitationStyle(formatted.style.id, formatted.style.title),
        locale=formatted.locale,
        citations=tuple(formatted.citations),
        bibliography=tuple(formatted.bibliography),
        keys=_resolved_keys(found.values()),
        warnings=(*_key_warnings(found.values()), *formatted.warnings),
    )


def cited_records(works: Works, project: Project, cites: Sequence[str], form: str) -> RecordsResult:
    """Return the records of the works that `cites` name, each once, as BibTeX or CSL-JSON."""
    found = works.find_all([project], _keys(_groups(cites))).values()
    written = write_library({work.citekey: work.csl for work in found}.items(), form)
    warnings = (*_key_warnings(found), *written.warnings)
    return RecordsResult(text=written.text, keys=_resolved_keys(found), warnings=warnings)


def _parse_label(locator: str) -> tuple[str, str]:
    """Split a locator into its CSL label and value: the style writes "p." or "chap." itself."""
    locator = _LATEX_DASH.sub("–", locator.strip())
    found = _LABELLED_LOCATOR.match(locator)
    label = _LABELS.get(found[1].casefold()) if found else None
    return (label, found[2]) if found and label else ("page", locator)


def _resolved_keys(works: Iterable[Work]) -> tuple[ResolvedKey, ...]:
    return tuple(ResolvedKey(work.citekey, work.renamed_from) for work in works)


def _key_warnings(works: Collection[Work]) -> list[str]:
    renamed = [f"The citekey {work.renamed_from} is {work.citekey} now." for work in works if work.renamed_from]
    return renamed + shared_keys({work.citekey: work for work in works}.values())


def _groups(cites: Sequence[str]) -> list[list[Citation]]:
    if not cites or not all(map(str.strip, cites)):
        raise CiteLoomError(
            Code.INVALID_INPUT,
            "No citekey is given.",
            "Write hartmann2019, or [see @hartmann2019, p. 33; @okafor2021].",
        )
    if len(cites) <= _MAX_CITES and all(len(text) <= _MAX_CITE for text in cites):
        groups = [_parse(text.strip()) for text in cites]
        if sum(map(len, groups)) <= _MAX_CITES:
            return groups
    raise CiteLoomError(
        Code.INVALID_INPUT,
        "These are too many citations, or too long ones, for one request.",
        f"At most {_MAX_CITES:,} citations of {_MAX_CITE:,} characters each are formatted at once.",
    )


def _parse(text: str) -> list[Citation]:
    """Parse a Pandoc citation; any other text is taken as a citekey."""
    parsed = read_text(text, "markdown").citations if "@" in text else ()
    return list(parsed) or [Citation(text, Span(0, len(text)), 0)]


def _keys(groups: Sequence[Sequence[Citation]]) -> list[str]:
    return [citation.key for group in groups for citation in group]


def _as_cite(citation: Citation, work: Work) -> Cite:
    from citeloom.csl.format import Cite

    label, locator = _parse_label(citation.locator)
    return Cite(
        work.citekey,
        locator=locator,
        label=label,
        prefix=citation.prefix,
        suffix=citation.suffix,
        suppress_author=citation.suppress_author,
        in_text=citation.in_text,
    )
