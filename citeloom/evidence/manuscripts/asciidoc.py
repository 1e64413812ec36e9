"""Reader of AsciiDoc manuscripts with the citations of asciidoctor-bibtex and asciidoctor-bibliography.

A cross reference such as <<key>> is not a citation: it refers to an anchor of the manuscript itself, possibly
in a manually written list of references. Called by `reader`.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace

from citeloom.evidence.manuscripts.citation_groups import Key, Piece
from citeloom.evidence.manuscripts.line_blocks import Block, Collector, Lines, PatternReader
from citeloom.evidence.manuscripts.prose import Prose
from citeloom.evidence.manuscripts.types import Citation

_NO_PROSE = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})\w*\s*\Z")
_QUOTE_EDGE = re.compile(r"_{4,}\s*\Z|\"\"\s*\Z")
_EDGE = re.compile(r"(?:={4,}|\*{4,}|--|[|,:!]={3,}|\+|'{3,}|<{3,})\s*\Z")
_COMMENT = re.compile(r"//(?!/)|:!?[\w-]+!?:(?:\s|\Z)|\w+::\S{0,2000}\[.*\]\s*\Z")
_INCLUDE = re.compile(r"include::([^\s\[\]]{1,500})\[")
_QUOTE_LINE = re.compile(r"\[(?:quote|verse)\b(?P<source>[^\n]*)\]\s*\Z", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"\[(?!\[\[)[^\n]*\]\s*\Z")
_HEADING = re.compile(r"={1,6}[ \t]+|\.(?=[^\s.])")
_ITEM = re.compile(r"[ \t]*(?:[*\-.]{1,6}|\d{1,9}\.)[ \t]+(?:\[[ *x]\][ \t]+)?")
_ROW = re.compile(r"[ \t]*(?:[\d.+*<^>]{0,8}[a-z]?)?\|")
_MARKDOWN_QUOTE = re.compile(r"> ?")

_NESTED = r"(?:[^\[\]\\]++|\\.|\[[^\[\]]*+\])*+"
_MARKUP = re.compile(
    rf"""(?<![\w\\])(?P<command>(?:full)?cite(?:np|p|t|alp|alt|author|year)?)\*?
        :(?P<pretext>[^\s\[\]]{{0,60}})\[(?P<cited>[^\[\]]*+)\]
        (?P<more>(?:\+\[[^\[\]]*+\])*)
    | (?<!\w)footnote(?:ref)?:[\w-]{{0,50}}\[(?P<inside>{_NESTED})\]
    | (?<!\w)(?:stem|latexmath|asciimath|pass|image|indexterm2?|icon|kbd|anchor):[^\s\[\]]{{0,500}}\[{_NESTED}\]
    | (?<!\w)(?:xref:|link:|mailto:|https?://)[^\s\[\]]{{1,2000}}\[(?P<label>[^\[\]]*+)\]
    | \[\[\[?[^\[\]\n]{{1,200}}+\]?\]\] | <<[^<>,\n]{{1,200}}+(?:,(?P<reference>[^<>\n]{{0,500}}+))?>>
    | (?<!\w)["']`(?=\S) | (?<=\S)`["'](?!\w)
    | `(?P<code>[^`\n]{{1,500}}+)` | \+{{1,3}}(?P<pass>[^+\n]{{1,500}}+)\+{{1,3}}
    | (?P<entity>&(?:\#[0-9]{{1,7}}|[A-Za-z][A-Za-z0-9]{{1,30}});)
    | \\(?=[*_`<\[{{"'#\w]) | [ ]\+$ | \{{(?:nbsp|zwsp|sp|empty)\}} | \[\.[\w.-]{{1,50}}\](?=\#)
    | (?<!\w)[*_\#]{{1,2}}(?=[^\s*_\#]) | (?<=[^\s*_\#])[*_\#]{{1,2}}(?!\w)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_CITED = re.compile(
    r"""(?P<option>\w+)[ ]?=[ ]?"?(?P<value>[^",\]]*)"?
    | (?P<key>\w[^\s,()\[\]"]*)(?:[ ]?\((?P<locator>[^()]*)\))?""",
    re.VERBOSE,
)
_CURVED = {'"`': "“", "'`": "‘", '`"': "”", "`'": "’"}


def read(text: str) -> Prose:
    """Return the prose and the citations of an AsciiDoc manuscript."""
    blocks = _Blocks(text)
    prose = _Reader(blocks.read()).read()
    prose.included += blocks.included
    return prose


class _Blocks:
    def __init__(self, text: str) -> None:
        self._lines = Lines(text)
        self._found = Collector()
        self._quote_end: int | None = None  # the line that closes the open quotation block
        self._quote_next = False  # whether [quote] precedes: the next block is a quotation
        self._source: Block | None = None  # of that quotation
        self.included: list[str] = []

    def read(self) -> list[Block]:
        for start, line in self._lines:
            skipped = _NO_PROSE.match(line) and self._lines.skip_to(line.strip())
            if quote := _QUOTE_LINE.match(line):
                self._end_block()
                self._quote_next = True
                # The comma after "quote" becomes a dash, which `pairing` recognises before a source.
                source = " " * quote.start("source") + quote["source"].replace(",", "—", 1)
                self._source = Block(start, source, quote=True) if "cite" in source else None
            elif skipped or not line.strip() or _EDGE.match(line) or _ATTRIBUTES.match(line):
                self._end_block()
            elif _QUOTE_EDGE.match(line):
                self._quote_edge(line)
            elif included := _INCLUDE.match(line):
                self.included.append(included[1])
            elif not _COMMENT.match(line):
                self._line(start, line)
        self._end_block(at_last=True)
        return self._found.blocks

    def _quote_edge(self, line: str) -> None:
        closes = self._quote_end == self._lines.number
        self._end_block(at_last=closes)
        if closes:
            self._quote_end = None
        elif self._quote_end is None:
            self._quote_end = self._lines.next(line.strip())

    def _line(self, start: int, line: str) -> None:
        quote = self._quote_end is not None or self._quote_next
        if heading := _HEADING.match(line):
            self._found.add_single(start, line, heading.end())
        elif row := _ROW.match(line):
            self._found.begin(start, line.replace("|", " "), row.end(), quote=quote)
        elif item := _ITEM.match(line):
            self._found.begin(start, line, item.end(), quote=quote)
        elif marked := _MARKDOWN_QUOTE.match(line):
            self._found.add(start, line, marked.end(), quote=True)
        else:
            self._found.add(start, line, quote=quote)

    def _end_block(self, *, at_last: bool = False) -> None:
        begun = not self._found.is_empty
        self._found.end()
        if (begun and self._quote_end is None) or at_last:
            self._quote_next = False
            if self._source:
                self._found.blocks.append(self._source)
                self._source = None


class _Reader(PatternReader):
    markup = _MARKUP

    def other(self, found: re.Match[str], start: int, *, in_note: bool) -> None:
        """Add quotation marks and entities as they are shown, and the text of labels and code."""
        if shown := _CURVED.get(found[0]) or (html.unescape(found[0]) if found["entity"] else None):
            self.prose.add(shown, start + found.start(), verbatim=False)
        else:
            self.keep(found, start, "label", "reference", "code", "pass")

    def citations(self, piece: Piece, found: re.Match[str]) -> list[Citation]:
        if not found["command"]:
            return []
        group = next(self.groups)
        in_text = found["command"] in {"citenp", "citet", "citeauthor"}
        cited: list[Citation] = []
        key: Key | None = None
        for item in _CITED.finditer(piece.text, found.start("cited"), found.end("more")):
            if item["key"]:
                key = Key(
                    item["key"], item.start("key"), item.start("key"), item.end("key"), "year" in found["command"]
                )
                place = item.span("locator") if item["locator"] else (key.end, key.end)
                cited.append(piece.citation(key, key.begin, *place, group, in_text=in_text))
            elif key and item["option"] in {"page", "pages", "locator"}:
                cited[-1] = piece.citation(key, key.begin, *item.span("value"), group, in_text=in_text)
        if cited and found["pretext"]:
            cited[0] = replace(cited[0], prefix=found["pretext"])
        return cited
