"""Reader of Markdown, Quarto and R Markdown manuscripts with Pandoc citations. Called by `manuscripts.reader`."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections import defaultdict

from citeloom.evidence.manuscripts.citation_groups import Key, Piece
from citeloom.evidence.manuscripts.line_blocks import BlockReader
from citeloom.evidence.manuscripts.markdown.blocks import GAP, blocks
from citeloom.evidence.manuscripts.prose import Prose
from citeloom.evidence.manuscripts.types import Citation

_KEY = r"\w(?:\w|[:.\#$%&\-+?<>~/](?=\w)|[:/](?=/))*"
BARE_KEY = re.compile(_KEY)
_SCAN = re.compile(
    rf"""\\. | `[^`\n]*` | (?P<bracket>[\[\]])
    | (?P<minus>(?<!\w)-)?(?<!\w)@(?:\{{(?P<braced>[^{{}}\n]{{1,300}})\}}|(?P<key>{_KEY}))
    """,
    re.DOTALL | re.VERBOSE,
)
# Figures, sections, theorems …: Quarto writes @fig-x, pandoc-crossref @fig:x.
_CROSS_REFERENCE = re.compile(
    r"(?:fig|tbl|lst|eq|sec|thm|lem|cor|prp|cnj|def|exm|exr|sol|rem|alg|tip|nte|wrn|imp|cau)[-:]", re.IGNORECASE
)
_EXAMPLE = re.compile(r"^[ \t]*\(@([\w-]+)\)[ \t]", re.MULTILINE)
_PLAIN = re.compile(r"(?:[^\\`$@\[\]^*_~<&{\0-]|-(?!@))+")
_ESCAPE = re.compile(r"\\@ref\([^()\n]{0,300}\)|\\(?P<char>[^\w\s]|[ \n])|\\(?:[A-Za-z]+\*?)?")
_FORMULA = re.compile(r"\$(?=[^\s$])(?P<inside>(?:[^$\\]|\\.)+)(?<=\S)\$(?!\d)", re.DOTALL)
_COMPUTED = re.compile(r"(?:r|python|julia|\{\w+\})[ \t]")
_TARGET = re.compile(
    r"\([ \t\n]{0,20}(?:<[^<>\n]{0,2000}>|[^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500}){0,20})"
    r"(?:[ \t\n]{1,20}(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?[ \t\n]{0,20}\)"
)
_ATTRIBUTES = re.compile(r"\{(?:[#.=]|[\w-]{1,50}=)[^{}\n]{0,500}\}")
_SHORTCODE = re.compile(r"\{\{[<%][^{}]{0,1000}[>%]\}\}")
_INCLUDE = re.compile(r"\{\{<[ \t]{1,20}include[ \t]{1,20}([^\s{}<>]{1,500})[ \t]{0,20}>\}\}")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:|[^\s<>@]{1,100}@)[^\s<>]{0,2000}>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});", re.IGNORECASE)
_LOCATOR_GAP = re.compile(r"[ \t]{0,20}\r?\n?[ \t]{0,20}(?=\[)")
_WRITTEN_OUT = re.compile(r",[ \t\n]{1,20}(?:pp?|S)\.[ \t]{0,5}[0-9]{1,6}(?:[-–]{1,2}[0-9]{1,6})?(?!\w)")
_QUOTATION_MARKS = frozenset('“”„«»‹›"')


def read(text: str) -> Prose:
    """Return the prose and the citations of a Markdown manuscript."""
    reader = _Reader(text)
    prose = reader.read()
    if reader.latex:
        prose.unread.append(
            f"Citations in LaTeX's way (\\cite) are not read in Markdown: {reader.latex:,} were left out."
        )
    return prose


class _Reader(BlockReader):
    def __init__(self, text: str) -> None:
        super().__init__(blocks(text))
        self.latex = 0  # number of LaTeX citations, which are not read
        self._examples = {found[1] for found in _EXAMPLE.finditer(text)}  # (@good) also names a numbered example

    def inline(self, text: str, start: int, *, in_note: bool) -> None:
        _Inline(self, text, start, in_note=in_note).read()

    def is_citation(self, key: str) -> bool:
        """Whether a key can be a citekey: it is not a figure, section or example of the manuscript."""
        return not _CROSS_REFERENCE.match(key) and key not in self._examples


class _Inline:
    """Reads one block from its first character to its last."""

    def __init__(self, reader: _Reader, text: str, start: int, *, in_note: bool) -> None:
        self._reader = reader
        self._prose = reader.prose
        self._text = text
        self._start = start
        self._piece = Piece(text, start)
        self._in_note = in_note
        self._partners: dict[int, int] = {}  # opening bracket → closing one
        self._inside: dict[int, list[Key]] = defaultdict(list)  # the keys directly inside each bracket
        self._keys: dict[int, Key] = {}
        self._resume: dict[int, int] = {}  # closing bracket → where to continue, after the target of a link
        self._backticks: dict[int, list[int]] | None = None
        self._scan()

    def _scan(self) -> None:
        stack: list[int] = []
        for found in _SCAN.finditer(self._text):
            if found["bracket"] == "[":
                stack.append(found.start())
            elif found["bracket"]:
                if stack:
                    self._partners[stack.pop()] = found.start()
            elif name := found["key"] or found["braced"]:
                if not self._reader.is_citation(name) or self._in_address(found.start()):
                    continue
                at = found.start("key" if found["key"] else "braced")
                key = Key(name, at, found.start(), found.end(), suppress_author=bool(found["minus"]))
                self._keys[key.begin] = key
                if stack:
                    self._inside[stack[-1]].append(key)

    def _in_address(self, position: int) -> bool:
        word = self._text[max(0, position - 300) : position].rsplit(None, 1)
        return bool(word) and not self._text[position - 1].isspace() and "://" in word[-1]

    def read(self) -> None:
        position = 0
        while position < len(self._text):
            plain = _PLAIN.match(self._text, position)
            if plain:
                position = self._keep(position, plain.end())
            else:
                position = self._special(position)

    def _keep(self, start: int, end: int) -> int:
        self._prose.add(self._text[start:end], self._start + start)
        return end

    def _special(self, position: int) -> int:
        char = self._text[position]
        match char:
            case "[":
                return self._bracket(position)
            case "]" if position in self._resume:
                return self._resume[position]
            case "@" | "-" if position in self._keys:
                return self._in_text(position)
            case "^" if self._text.startswith("[", position + 1) and position + 1 in self._partners:
                return self._inline_note(position + 1)
            case "\\":
                return self._escape(position)
            case "`":
                return self._code(position)
            case "$" if formula := _FORMULA.match(self._text, position):
                self._keep(*formula.span("inside"))
                return formula.end()
            case "<" if link := _AUTOLINK.match(self._text, position):
                self._keep(position + 1, link.end() - 1)
                return link.end()
            case "<" if tag := _TAG.match(self._text, position):
                return tag.end()
            case "&" if entity := _ENTITY.match(self._text, position):
                self._prose.add(html.unescape(entity[0]), self._start + position, verbatim=False)
                return entity.end()
            case "{" if included := _INCLUDE.match(self._text, position):
                self._prose.included.append(included[1])
                return included.end()
            case "{" if dropped := _ATTRIBUTES.match(self._text, position) or _SHORTCODE.match(self._text, position):
                return dropped.end()
            case "*" | "_" | "~" | "^" if self._is_emphasis(position):
                return position + 1
            case _ if char == GAP:
                return position + 1
        return self._keep(position, position + 1)

    def _is_emphasis(self, position: int) -> bool:
        before = self._text[position - 1 : position] or " "
        after = self._text[position + 1 : position + 2] or " "
        if self._text[position] == "_":
            return not (before.isalnum() and after.isalnum())
        return not (before.isspace() and after.isspace())

    def _escape(self, position: int) -> int:
        found = _ESCAPE.match(self._text, position)
        if found is None:  # a backslash before a non-Latin letter, or at the end
            return self._keep(position, position + 1)
        if found["char"]:
            self._keep(*found.span("char"))
        elif "cite" in found[0] and self._text.startswith(("{", "["), found.end()):
            self._reader.latex += 1
        return found.end()

    def _code(self, position: int) -> int:
        end = position
        while self._text.startswith("`", end):
            end += 1
        if self._backticks is None:
            self._backticks = defaultdict(list)
            for run in re.finditer("`+", self._text):
                self._backticks[len(run[0])].append(run.start())
        runs = self._backticks[end - position]
        closing = bisect_left(runs, end)
        if closing == len(runs):
            return self._keep(position, end)
        after = runs[closing] + end - position
        raw = _ATTRIBUTES.match(self._text, after)
        if not (raw and raw[0].startswith("{=")) and not _COMPUTED.match(self._text, end):
            self._keep(end, runs[closing])
        return raw.end() if raw else after

    def _bracket(self, position: int) -> int:
        end = self._partners.get(position)
        if end is None:
            return self._keep(position, position + 1)
        if self._text.startswith("^", position + 1) and end - position < 250:
            self._reader.note(self._text[position + 2 : end], in_note=self._in_note)
            return end + 1
        target = _TARGET.match(self._text, end + 1) or _ATTRIBUTES.match(self._text, end + 1)
        if target:
            self._resume[end] = target.end()
            return position + 1
        if keys := self._inside.get(position):
            self._cite(self._piece.citations(keys, position + 1, end, next(self._reader.groups)), position, end)
            return end + 1
        if (end + 1) in self._partners and end + 1 not in self._inside and self._text[end + 2] != "^":
            self._resume[end] = self._partners[end + 1] + 1
            return position + 1
        return self._keep(position, position + 1)

    def _inline_note(self, bracket: int) -> int:
        end = self._partners[bracket]
        if self._in_note:  # notes cannot be nested
            return bracket
        self._reader.inline_note(self._text[bracket + 1 : end], self._start + bracket + 1, in_note=False)
        return end + 1

    def _in_text(self, position: int) -> int:
        key = self._keys[position]
        gap = _LOCATOR_GAP.match(self._text, key.end)
        bracket = gap.end() if gap else -1
        end = self._partners.get(bracket, -1)
        within = self._inside.get(bracket, [])
        first_end = self._text.find(";", bracket, within[0].begin) if within else end
        is_locator = end > 0 and first_end > 0 and not self._text.startswith("^", bracket + 1)
        group = next(self._reader.groups)
        if not is_locator or _TARGET.match(self._text, end + 1) or _ATTRIBUTES.match(self._text, end + 1):
            # Pandoc has no locators outside brackets, but @key, p. 33 is common in notes.
            written = _WRITTEN_OUT.match(self._text, key.end)
            after = written.end() if written else key.end
            self._cite([self._piece.citation(key, key.begin, key.end, after, group, in_text=True)], position, after)
            return after
        cited = [self._piece.citation(key, key.begin, bracket + 1, first_end, group, in_text=True)]
        cited += self._piece.citations(within, first_end + 1, end, group)
        self._cite(cited, position, end)
        return end + 1

    def _cite(self, cited: list[Citation], at: int, end: int) -> None:
        self._prose.cite(tuple(cited), self._start + at)
        for citation in cited:
            # Quotation marks beside a key are preserved.
            if not _QUOTATION_MARKS.isdisjoint(citation.suffix):
                key_end = citation.span.end - self._start
                place = self._text.find(citation.suffix, key_end, end)
                self._prose.add(citation.suffix, self._start + max(place, key_end), verbatim=place >= 0)
