"""Citation styles: how many cases of the CSL test suite CiteLoom formats as expected, and citeproc-py alone.

CITELOOM_CSL_SUITE names the folder `processor-tests/humans` of github.com/citation-style-language/test-suite.
The outputs are compared as HTML. The expected ones are those of citeproc-js; three differences are not counted, since
they are not the text of a citation: which entity stands for `<`, links around addresses, and the `div`s of
second-field-align. Where nothing can be printed, citeproc-js prints an error message; an empty citation is accepted.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import citeproc
from citeproc import formatter
from citeproc.source import Locator
from citeproc.source.json import CiteProcJSON

from citeloom.csl.format import Cite, format_citations
from citeloom.csl.styles import style_from_file
from tests.bench.figures import say, table

_SECTION = re.compile(r">>=+ ([A-Z0-9-]+) =+>>\n(.*?)\n?<<=+ \1 =+<<", re.DOTALL)
_KNOWN = {"MODE", "RESULT", "CSL", "INPUT", "CITATION-ITEMS", "CITATIONS", "DESCRIPTION", "VERSION"}
_MODES = ("citation", "bibliography")
_NOTHING = "[CSL STYLE ERROR: reference with no printed form.]"
# "..[0] " before a citation that stayed as it was, ">>[1] " before one that the last edit changed.
_EDITED = re.compile(r"^(?:>>|\.\.)\[\d+\] ?", re.MULTILINE)
_ENTITIES = {"&#38;": "&amp;", "&#60;": "&lt;", "&#62;": "&gt;"}


class _SkippedError(Exception):
    """The case needs a feature that neither processor has; the message names it."""


@dataclass(frozen=True, slots=True)
class _Case:
    mode: str
    style: Path
    items: Sequence[Mapping[str, Any]]
    groups: Sequence[Sequence[Cite]]
    expected: Sequence[str]  # the lines of the citations, or the entries of the bibliography


def measure(root: Path, suite: Path) -> str:
    """Run the cases in `suite` and return a table of those that pass and are skipped; `root` receives their styles."""
    root.mkdir(parents=True, exist_ok=True)
    processors: dict[str, Callable[[_Case], Sequence[str]]] = {"CiteLoom": _ours, "citeproc-py alone": _bare}
    passed: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    differing = []
    cases = sorted(suite.glob("*.txt"))
    if not cases:
        raise SystemExit(f"bench: csl_suite: {suite} holds no cases (*.txt).")
    for path in cases:
        try:
            case = _read(path, root)
        except _SkippedError as reason:
            skipped[str(reason)] += 1
            continue
        for name, run in processors.items():
            if _outcome(run, case) == case.expected:
                passed[name] += 1
            elif run is _ours:
                differing.append(path.stem)
    say(f"csl_suite: CiteLoom differs in {', '.join(differing)}")
    applying = len(cases) - skipped.total()
    rows = [(f"pass, {name}", f"{passed[name]} of {applying}") for name in processors]
    rows += [(f"skipped: {reason}", str(count)) for reason, count in sorted(skipped.items())] or [("skipped", "0")]
    return table(f"CSL test suite, {len(cases)} cases", ("", "cases"), rows)


def _read(path: Path, root: Path) -> _Case:
    sections = dict(_SECTION.findall(path.read_text(encoding="utf-8")))
    mode = sections["MODE"].strip()
    if mode not in _MODES:
        raise _SkippedError(f"mode {mode}")
    if foreign := sorted(set(sections) - _KNOWN):
        raise _SkippedError(f"section {foreign[0]}")
    items = [
        {"id": str(number), "type": "document", **item} for number, item in enumerate(json.loads(sections["INPUT"]))
    ]
    style = root / f"{path.stem}.csl"
    style.write_text(sections["CSL"].strip(), encoding="utf-8")
    expected = _entries(sections["RESULT"]) if mode == "bibliography" else _citations(sections["RESULT"])
    return _Case(mode, style, items, _groups(sections, items), expected)


def _groups(sections: Mapping[str, str], items: Sequence[Mapping[str, Any]]) -> list[list[Cite]]:
    if "CITATION-ITEMS" in sections:
        return [[_cite(cite) for cite in group] for group in json.loads(sections["CITATION-ITEMS"])]
    if "CITATIONS" not in sections:
        return [[Cite(str(item["id"])) for item in items]]
    # A document that is edited step by step; the expected result is the text after the last step.
    edits = json.loads(sections["CITATIONS"])
    cited = {edit[0]["citationID"]: [_cite(cite) for cite in edit[0]["citationItems"]] for edit in edits}
    last, before, after = edits[-1]
    return [cited[name] for name in (*(one for one, _ in before), last["citationID"], *(one for one, _ in after))]


def _cite(cite: Mapping[str, Any]) -> Cite:
    # A `position` in the cite is not passed on: both processors work it out from the order of the citations.
    if cite.get("author-only"):
        raise _SkippedError("author-only cite")
    return Cite(
        str(cite["id"]),
        str(cite.get("locator", "")),
        str(cite.get("label", "page")),
        cite.get("prefix", ""),
        cite.get("suffix", ""),
        bool(cite.get("suppress-author")),
    )


def _outcome(run: Callable[[_Case], Sequence[str]], case: _Case) -> Sequence[str] | None:
    try:
        with warnings.catch_warnings(action="ignore"):
            texts = run(case)
    except Exception:  # any failure counts as a case that does not pass
        return None
    return _citations("\n".join(texts)) if case.mode == "citation" else [_shown(text) for text in texts]


def _ours(case: _Case) -> Sequence[str]:
    made = format_citations(case.items, case.groups, style_from_file(case.style), markup="html")
    if any("was used instead" in warning for warning in made.warnings):
        raise ValueError(made.warnings)
    return made.citations if case.mode == "citation" else made.bibliography


def _bare(case: _Case) -> Sequence[str]:
    style = citeproc.CitationStylesStyle(str(case.style), validate=False)
    bibliography = citeproc.CitationStylesBibliography(style, CiteProcJSON(case.items), formatter.html)
    citations = [citeproc.Citation([_bare_cite(cite) for cite in group]) for group in case.groups]
    for citation in citations:
        bibliography.register(citation)
    if style.has_bibliography():
        bibliography.sort()
    if case.mode == "bibliography":
        return [str(entry) for entry in bibliography.bibliography()]
    return [str(bibliography.cite(citation, lambda _: None)) for citation in citations]


def _bare_cite(cite: Cite) -> citeproc.CitationItem:
    values = {"prefix": cite.prefix, "suffix": cite.suffix}
    given: dict[str, Any] = {name: value for name, value in values.items() if value}
    if cite.locator:
        given["locator"] = Locator(cite.label, cite.locator)
    return citeproc.CitationItem(cite.key, **given)


def _citations(text: str) -> list[str]:
    """The lines of all citations; a style may break lines inside one, so they are not compared one by one."""
    return _shown(_EDITED.sub("", text).replace(_NOTHING, "")).splitlines()


def _entries(text: str) -> list[str]:
    return [_shown(entry) for entry in re.split(r'<div class="csl-entry">', text)[1:]]


def _shown(html: str) -> str:
    """HTML without the differences that are not counted."""
    for entity, name in _ENTITIES.items():
        html = html.replace(entity, name)
    html = re.sub(r"</?a\b[^>]*>", "", html)
    return re.sub(r"(?:\s*</?div\b[^>]*>)+\s*", " ", html).strip()
