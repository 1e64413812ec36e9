"""Parses the citation commands of natbib, biblatex, apacite and similar packages. Called by `reader`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from citeloom.evidence.manuscripts.latex.structure import Structure
from citeloom.evidence.manuscripts.locators import parse_locator
from citeloom.evidence.manuscripts.nested_reader import Range
from citeloom.evidence.manuscripts.types import Citation, Span

# They format citations or contain prose; any other command with “cite” in its name cites, also user-defined ones.
_NOT_CITING = frozenset({
    "citestyle", "setcitestyle", "citesetup", "citereset", "newcites", "citetext", "citation", "AtNextCite",
    "citenumfont", "AtEveryCite", "AtEveryCitekey", "AtNextCitekey", "DeclareCiteCommand", "DeclareMultiCiteCommand",
    "DeclareAutoCiteCommand", "citeleft", "citeright", "citeform", "citepunct", "citemid", "citedash",
})  # fmt: skip
_CITING = re.compile(r"[Cc]ite|CITE")
_WITH_FIELD = frozenset({"citefield", "citename", "citelist", "defcitealias"})  # another {argument} follows the key
_IN_TEXT = re.compile(r"[Tt]extcite|[Cc]itet(?!itle|ext)|[Cc]iteauthor|[Cc]iteA(?![a-z])|[Cc]iteN(?!P)")
_NO_AUTHOR = re.compile(r"[Cc]ite(?:year|date|title)|[Pp]arencite\*")
_KEYS = re.compile(r"(?:[^{}\\%]++|%[^\r\n]*+)*+")
_KEY = re.compile(r"%[^\r\n]*|[^,%]+")
_PARENTHESES = re.compile(r"\(([^(){}\r\n]{0,500})\)")
_ANGLES = re.compile(r"<([^<>\r\n]{0,500})>")
_LONGEST_NOTE = 500

# Markup is replaced by text of the same length, so that positions in a note do not change.
_NOTE_MARKUP = re.compile(r"\\(?:[A-Za-z]+|.)|[{}~]", re.DOTALL)
_NOTE_COMMANDS = {
    **{name: name for name in ("\\pno", "\\ppno", "\\psq", "\\psqq")},  # parsed by `locators`
    **{"\\S": "§", "\\&": "&", "\\%": "%", "\\textendash": "–", "\\bibrangedash": "–"},
}


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed citation command and the position after it."""

    citations: tuple[Citation, ...]
    after: int
    notes: tuple[Range, ...]  # its optional arguments, which may contain citations


def is_citing(name: str) -> bool:
    """Whether a command with this name cites."""
    return bool(_CITING.search(name)) and name not in _NOT_CITING


def read_citation(structure: Structure, name: str, at: int, end: int, group: int) -> Command | None:
    """Parse the citation command whose name, with its star, ends at this position; None if it cites nothing."""
    if name.endswith("cites"):
        found = _multicite_command(structure, name, at, end)
    else:
        found = _single_command(structure, name, at, end)
    if found is None or not found.citations:
        return None
    in_text, no_author = bool(_IN_TEXT.search(name)), bool(_NO_AUTHOR.search(name))
    after = found.after
    if name in _WITH_FIELD:
        field = structure.group(structure.options(after, end)[1], end)
        after = field[1] + 1 if field else after
    cited = tuple(replace(c, group=group, in_text=in_text, suppress_author=no_author) for c in found.citations)
    return Command(cited, after, found.notes)


def _single_command(structure: Structure, name: str, at: int, end: int) -> Command | None:
    """[before][after]{keys}; with a volume, [before]{volume}[after]{key}."""
    before: Range | None = None
    if angles := _ANGLES.match(structure.text, at, end):
        before, at = angles.span(1), angles.end()
    notes, at = structure.options(at, end)
    volume = structure.group(at, end) if "volcite" in name.lower() else None
    if volume:
        before = notes[0] if notes else None
        notes, at = structure.options(volume[1] + 1, end, limit=1)
    keys = structure.group(at, end)
    if keys is None:
        return None
    if len(notes) == 2:
        before = notes[0]
    citations = tuple(_citations(structure.text, keys, before, notes[-1] if notes else None, volume))
    return Command(citations, keys[1] + 1, (*([before] if before else []), *notes[-1:]))


def _multicite_command(structure: Structure, name: str, at: int, end: int) -> Command | None:
    """(before)(after)[before][after]{key}[before][after]{key}…"""
    around: list[Range] = []
    start = structure.after_gap(at, end)
    while len(around) < 2 and (inside := _PARENTHESES.match(structure.text, start, end)):
        around.append(inside.span(1))
        at, start = inside.end(), structure.after_gap(inside.end(), end)
    citations: list[Citation] = []
    notes: list[Range] = []
    while (one := _single_command(structure, name, at, end)) and one.citations:
        citations += one.citations
        notes += one.notes
        at = one.after
    if citations and len(around) == 2:
        first = citations[0]
        citations[0] = replace(first, prefix=_joined(_plain(structure.text, around[0]), first.prefix))
    if citations and around:
        last = citations[-1]
        citations[-1] = replace(last, suffix=_joined(last.suffix, _plain(structure.text, around[-1])))
    return Command(tuple(citations), at, tuple(notes))


def _citations(
    text: str, keys: Range, before: Range | None, after: Range | None, volume: Range | None
) -> Iterator[Citation]:
    """Return a citation for each key: the prenote belongs to the first, the postnote to the last."""
    listed = _KEYS.match(text, *keys)
    if not listed or listed.end() != keys[1]:
        return
    spans = [span for found in _KEY.finditer(text, *keys) if (span := _stripped(text, found))]
    for number, span in enumerate(spans):
        citation = Citation(text[span.start : span.end], span, 0)
        if before and number == 0:
            citation = replace(citation, prefix=_plain(text, before))
        if after and number == len(spans) - 1:
            citation = _located(citation, text, after)
        if volume:
            citation = replace(citation, locator=f"vol. {_plain(text, volume)}, {citation.locator}".rstrip(", "))
        yield citation


def _stripped(text: str, found: re.Match[str]) -> Span | None:
    key = found[0].strip()
    if not key or key.startswith("%") or key == "*":
        return None
    start = found.start() + found[0].index(key)
    return Span(start, start + len(key))


def _located(citation: Citation, text: str, note: Range) -> Citation:
    locator = parse_locator(_same_length(text, note), note[0])
    return replace(
        citation,
        locator=_tidy(locator.locator),
        pages=locator.pages,
        pages_span=locator.span,
        suffix=_tidy(locator.suffix),
    )


def _same_length(text: str, note: Range) -> str:
    written = text[note[0] : min(note[1], note[0] + _LONGEST_NOTE)]
    return _NOTE_MARKUP.sub(lambda found: _NOTE_COMMANDS.get(found[0], "").ljust(len(found[0])), written)


def _plain(text: str, note: Range) -> str:
    return _tidy(_same_length(text, note))


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)
