"""Reader of Org manuscripts with the citations of Org itself and of org-ref. Called by `reader`."""

from __future__ import annotations

import re

from citeloom.evidence.manuscripts.citation_groups import Key, Piece
from citeloom.evidence.manuscripts.line_blocks import Block, Collector, Lines, PatternReader
from citeloom.evidence.manuscripts.prose import Prose
from citeloom.evidence.manuscripts.types import Citation

_BLOCK = re.compile(r"[ \t]*#\+(?P<which>begin|end)_(?P<name>\w+)", re.IGNORECASE)
_NO_PROSE = {"src", "example", "export", "comment"}
_QUOTES = {"quote", "verse"}
_CAPTION = re.compile(r"[ \t]*#\+caption:[ \t]*", re.IGNORECASE)
_DROPPED_LINE = re.compile(r"[ \t]*#(?:[+ \t]|\Z)|[ \t]*:(?:[ \t]|\Z)|[ \t]*\|[-+|]*\s*\Z|[ \t]*-{5,}\s*\Z")
_INCLUDE = re.compile(
    r"^[ \t]*#\+include:[ \t]*\"?([^\"\s:]+)\"?(?![^\n]*\b(?:src|example|export)\b)", re.MULTILINE | re.IGNORECASE
)
_DRAWER = re.compile(r"[ \t]*:(?!END:)[\w-]+:\s*\Z", re.IGNORECASE)
_LATEX = re.compile(r"[ \t]*\\begin\{(?P<name>[A-Za-z]+\*?)\}")
_HEADING = re.compile(r"\*+[ \t]+(?:(?:TODO|DONE)[ \t]+)?")
_TAGS = re.compile(r"[ \t]:[\w@#%:]+:\s*\Z")
_ITEM = re.compile(r"[ \t]*(?:[-+]|\d{1,9}[.)])[ \t]+(?:\[[ X-]\][ \t]+)?")
_ROW = re.compile(r"[ \t]*\|")
_NOTE = re.compile(r"\[fn:(?P<name>[\w-]+)\][ \t]*")

_COMMAND = r"(?:cite[A-Za-z]{0,20}|[A-Za-z]{1,12}cite[A-Za-z]{0,12})"
_REF_KEY = r"&?[\w\-.:/+]*\w"
_NESTED = r"(?:[^\[\]]++|\[[^\[\]]*+\])*+"
_MARKUP = re.compile(
    rf"""\[cite(?:/(?P<style>[\w/-]{{0,40}}))?:(?P<cited>{_NESTED})\]
    | \[\[(?P<link_command>{_COMMAND}):(?P<target>[^\[\]]{{1,2000}}+)\](?:\[(?P<notes>[^\[\]]{{0,500}}+)\])?\]
    | (?<!\w)(?P<command>{_COMMAND}):(?P<keys>{_REF_KEY}(?:[,;]{_REF_KEY})*)
    | \[\[(?P<url>[^\[\]]{{1,2000}}+)\](?:\[(?P<label>[^\[\]]{{0,2000}}+)\])?\]
    | \[fn:(?P<note>[\w-]*)(?::(?P<inside>{_NESTED}))?\]
    | (?<![\w=~])(?P<sign>[=~])(?=\S)(?P<verbatim>[^\n=~]{{1,500}}+)(?P=sign)(?!\w)
    | \$(?=[^\s$])(?P<formula>[^$]++)(?<=\S)\$(?!\w)
    | @@[^@]{{1,500}}+@@ | <<<?[^<>\n]{{1,200}}+>>>? | \\\\\s*$
    | (?<!\w)[*/_+](?=[^\s*/_+]) | (?<=[^\s*/_+])[*/_+](?!\w)
    """,
    re.VERBOSE | re.MULTILINE,
)
_AT_KEY = re.compile(r"@(?P<key>[\w\-.:?!`'/*@+|(){}<>&^$#%~]+)")
_AND_KEY = re.compile(r"&(?P<key>[\w\-.:/+]*\w)")
_PLAIN_KEY = re.compile(r"&?(?P<key>[\w\-.:/+]*\w)")


def read(text: str) -> Prose:
    """Return the prose and the citations of an Org manuscript."""
    prose = _Reader(_blocks(text)).read()
    prose.included += [found[1] for found in _INCLUDE.finditer(text)]
    return prose


def _blocks(text: str) -> list[Block]:
    lines = Lines(text)
    found = Collector()
    quotes = blank = 0
    for start, line in lines:
        blank = 0 if line.strip() else blank + 1
        if blank:
            found.end()
            found.note = None if blank > 1 else found.note
        elif block := _BLOCK.match(line):
            found.end()
            name, begins = block["name"].lower(), block["which"].lower() == "begin"
            if begins and name in _NO_PROSE:
                lines.skip_to(f"#+end_{name}")
            quotes = max(0, quotes + (1 if begins else -1) * (name in _QUOTES))
        elif _DRAWER.match(line):
            lines.skip_to(":end:")
        elif (formula := _LATEX.match(line)) and lines.skip_to(f"\\end{{{formula['name']}}}"):
            continue
        elif caption := _CAPTION.match(line):
            found.add_single(start, line, caption.end())
        elif not _DROPPED_LINE.match(line):
            _add(found, start, line, quotes > 0)
    found.end()
    return found.blocks


def _add(found: Collector, start: int, line: str, quote: bool) -> None:
    if heading := _HEADING.match(line):
        found.end()
        found.note = None
        tags = _TAGS.search(line[-200:])
        kept = len(line) - len(tags[0]) if tags else len(line)
        found.add_single(start, line[:kept].ljust(len(line)), heading.end())
    elif row := _ROW.match(line):
        found.add_single(start, line.replace("|", " "), row.end(), quote=quote)
    elif note := _NOTE.match(line):
        found.end()
        found.note = note["name"]
        found.add(start, line, note.end())
    elif item := _ITEM.match(line):
        found.begin(start, line, item.end(), quote=quote)
    else:
        found.add(start, line, quote=quote)


class _Reader(PatternReader):
    markup = _MARKUP

    def other(self, found: re.Match[str], start: int, *, in_note: bool) -> None:
        """Read the footnote of a reference, or add the text of a link, of verbatim text or of a formula."""
        if found["note"]:
            self.note(found["note"], in_note=in_note)
        self.keep(found, start, "label", "verbatim", "formula")

    def citations(self, piece: Piece, found: re.Match[str]) -> list[Citation]:
        """Return the citations of Org's own markup or of an org-ref link."""
        if found["cited"] is not None:
            style = found["style"] or ""
            keys = _keys(_AT_KEY, piece.text, *found.span("cited"), suppress=style.startswith("na"))
            in_text = style.startswith(("t", "a"))
            return piece.citations(keys, *found.span("cited"), next(self.groups), in_text=in_text) if keys else []
        command = found["command"] or found["link_command"]
        if not command:
            return []
        part = "keys" if found["command"] else "target"
        pattern = _AND_KEY if part == "target" and "&" in found["target"] else _PLAIN_KEY
        keys = _keys(pattern, piece.text, *found.span(part), suppress="year" in command)
        in_text = "citet" in command or "text" in command or "author" in command
        cited = piece.citations(keys, *found.span(part), next(self.groups), in_text=in_text)
        if found["notes"] and len(cited) == 1:  # [[cite:key][see::p. 33]]
            after = piece.text.find("::", *found.span("notes"))
            begin = after + 2 if after >= 0 else found.start("notes")
            return [piece.citation(keys[0], keys[0].begin, begin, found.end("notes"), cited[0].group, in_text=in_text)]
        return cited


def _keys(pattern: re.Pattern[str], text: str, start: int, end: int, *, suppress: bool) -> list[Key]:
    return [
        Key(found["key"], found.start("key"), found.start(), found.end(), suppress)
        for found in pattern.finditer(text, start, end)
    ]
