"""Reader of Typst manuscripts: their prose and their citations. Called by `manuscripts.reader`.

Code is not run: its content blocks are prose, the rest is skipped.
"""

from __future__ import annotations

import re
from functools import partial

from citeloom.evidence.manuscripts.locators import parse_locator
from citeloom.evidence.manuscripts.nested_reader import Job, NestedReader, Range
from citeloom.evidence.manuscripts.prose import Prose
from citeloom.evidence.manuscripts.types import Citation, Span
from citeloom.evidence.manuscripts.typst.structure import ADDRESS, LABEL, parse_structure

_NEW_LINE = r"(?>\r\n|\r|\n)"
_SPECIAL = re.compile(
    rf"{ADDRESS}|\\(?:u\{{([0-9a-fA-F]{{1,6}})\}}|.)|[`$#@<*_~]|//|/\*|---?|-\?|\.\.\."
    rf"|{_NEW_LINE}[ \t]*+({_NEW_LINE}\s*+)?",
    re.DOTALL,
)
_MARKER = re.compile(r"(=+|[-+/]|[0-9]{1,9}\.)[ \t]+")
_LABEL_SIGN = re.compile(rf"<{LABEL.pattern}>")
_SIGNS = {"~": " ", "---": "—", "--": "–", "-?": "", "...": "…"}
# User-defined functions are often called citet, textcite, …
_IN_CODE = re.compile(r"(?<![\w.-])([\w-]{0,30}cite[\w-]{0,30}|quote|footnote)(?=[(\[])|\"|`+|//|/\*|[$\[]")
_CALL = re.compile(r"(?:[^\W\d][\w-]*+\.)*+([^\W\d][\w-]*+)")
_INCLUDE = re.compile(r"#include\s*+\"([^\"\\\n]++)\"")
_CITED_LABEL = re.compile(rf"\s*+(?:<({LABEL.pattern})>|label\(\s*+\"([^\"\\]++)\"\s*+\))")
_FORM = re.compile(r"\bform\s*:\s*(?:\"(\w+)\"|(none))")
_SUPPLEMENT = re.compile(r"\bsupplement\s*:\s*(?=\[)")
_ATTRIBUTION = re.compile(r"\battribution\s*:\s*")
_IS_BLOCK = re.compile(r"\bblock\s*:\s*true\b")
_NAMED = re.compile(r"[\w-]\s*:\s*\Z")
_ENDS_A_NAME = re.compile(r"[A-Za-z0-9]")  # before an @: of an address; other scripts write no blanks
_GAP = re.compile(rf"[ \t]*+(?:{_NEW_LINE}[ \t]*+)?")
_IN_SENTENCE = re.compile(r"\$(?!\s)")
_MAX_ARGUMENTS = 2000
_MAX_SUPPLEMENT = 500
# Usual prefixes of labels, for references to the other files of a document.
_CROSS_REFERENCE = re.compile(
    r"(?:fig|figure|tab|tbl|table|eq|eqt|equation|sec|ch|chap|app|lst|code|alg|thm|lem|def|cor|prop|ex):"
    r"|(?:fig|tab|tbl|eq|sec|lst)-"
)
# Functions whose content is separate from the sentence around it.
_SEPARATE = frozenset({
    "table", "grid", "figure", "list", "enum", "terms", "heading", "align", "block", "stack", "columns", "pagebreak",
    "let", "set", "show", "import", "include", "if", "for", "while", "outline", "bibliography", "title",
})  # fmt: skip


def read(text: str) -> Prose:
    """Return the prose and the citations of a Typst manuscript."""
    reader = _Reader(text)
    return reader.read(reader.line_start(0, len(text)), len(text))


class _Reader(NestedReader):
    special = _SPECIAL

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._structure = parse_structure(text)
        self._heading = False

    def read_special(self, found: re.Match[str], end: int) -> int:
        """Read code, a reference, a formula, an escaped character or the end of a line."""
        sign, start, after = found[0], found.start(), found.end()
        if start in self._structure.skipped:
            return self._formula(start, self._structure.skipped[start])
        if sign[0] == "\\":
            self._escaped(found)
        elif sign[0] in "\r\n":
            return self._new_line(found, end)
        elif sign == "@":
            return self._reference(start, end)
        elif sign == "#" and start in self._structure.code_ends:
            return self._code_in_prose(start, end)
        elif sign == "<" and (label := _LABEL_SIGN.match(self.text, start, end)):
            return label.end()
        elif sign in _SIGNS:
            self.show(_SIGNS[sign], start)
        elif sign not in "*_" or self._inside_word(start):
            self.prose.add(sign, start)
        return after

    def _formula(self, start: int, end: int) -> int:
        """Add a formula, which may be part of a quotation; no other skipped part is shown."""
        if sign := _IN_SENTENCE.match(self.text, start, end):
            self.prose.add(self.text[sign.end() : end - 1], sign.end())
        return end

    def _escaped(self, special: re.Match[str]) -> None:
        letter = special[0][1:]
        if special[1]:
            code = int(special[1], 16)
            letter = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        self.show(" " if letter.isspace() else letter, special.start())

    def _inside_word(self, at: int) -> bool:
        return 0 < at < len(self.text) - 1 and self.text[at - 1].isalnum() and self.text[at + 1].isalnum()

    # -- paragraphs -------------------------------------------------------------------------------------------

    def _new_line(self, special: re.Match[str], end: int) -> int:
        if special[2] or self._heading:
            self.end_paragraph()
        else:
            self.show(" ", special.start())
        return self.line_start(special.end(), end)

    def line_start(self, at: int, end: int) -> int:
        """Return the position after the marker of a heading or list item, which begins a paragraph."""
        marker = _MARKER.match(self.text, at, end)
        if not marker:
            return at
        self.end_paragraph()
        self._heading = marker[1][0] == "="
        return marker.end()

    def end_paragraph(self) -> None:
        """End the paragraph, which may be a heading."""
        self._heading = False
        super().end_paragraph()

    # -- citations --------------------------------------------------------------------------------------------

    def _reference(self, start: int, end: int) -> int:
        """Read @key and @key[p. 33], and further ones with only space between them."""
        citations: list[Citation] = []
        at = after = start
        while found := self._one_reference(at, end):
            citation, after = found
            citations.append(citation)
            gap = _GAP.match(self.text, after, end)
            at = gap.end() if gap else after
        if not citations:
            self.prose.add("@", start)
            return start + 1
        self.cite(tuple(citations), start)
        return after

    def _one_reference(self, at: int, end: int) -> tuple[Citation, int] | None:
        if self.text[at : at + 1] != "@" or (at and _ENDS_A_NAME.match(self.text, at - 1)):
            return None
        label = LABEL.match(self.text, at + 1, end)
        if not label or label[0] in self._structure.labels or _CROSS_REFERENCE.match(label[0]):
            return None
        supplement, after = self._content(label.end(), end)
        return self._citation(Span(*label.span()), supplement), after

    def _content(self, at: int, end: int) -> tuple[Range | None, int]:
        """Return the inside of the [content] at this position, and the position after it."""
        closing = self._structure.closing.get(at, end) if self.text[at : at + 1] == "[" else end
        return ((at + 1, closing), closing + 1) if closing < end else (None, at)

    def _citation(self, key: Span, supplement: Range | None, form: str = "") -> Citation:
        start, end = supplement or (0, 0)
        locator = parse_locator(self.text[start : min(end, start + _MAX_SUPPLEMENT)].replace("~", " "), start)
        return Citation(
            self.text[key.start : key.end],
            key,
            self.groups,
            locator=locator.locator,
            pages=locator.pages,
            pages_span=locator.span,
            suffix=locator.suffix,
            suppress_author=form == "year",
            in_text=form in ("prose", "author"),
        )

    # -- code -------------------------------------------------------------------------------------------------

    def _code_in_prose(self, start: int, end: int) -> int:
        """Read code that begins with a #: its contents first, then the rest of the prose."""
        after = min(self._structure.code_ends[start], end)
        call = _CALL.match(self.text, start + 1, after)
        jobs: list[Job] = [partial(self._code, start + 1, after, False)]
        if included := _INCLUDE.match(self.text, start, after):
            self.prose.included.append(included[1])
        if call and call[1] in _SEPARATE:
            jobs = [self.end_paragraph, partial(self._code, start + 1, after, True), self.end_paragraph]
        return self.schedule(jobs, (after, end), end)

    def _code(self, at: int, end: int, separate: bool) -> None:
        """Scan code for contents and for calls that cite or quote."""
        text, structure = self.text, self._structure
        while at < end and (found := _IN_CODE.search(text, at, end)):
            start, at = found.start(), found.end()
            if start in structure.skipped:
                at = structure.skipped[start]
            elif found[1]:
                jobs, at = self._call(found[1], start, at, end)
                self.schedule(jobs, partial(self._code, at, end, separate), end)
                return
            elif found[0] == "[":
                inside, after = self._content(start, end)
                if inside:
                    named = _NAMED.search(text, max(0, start - 40), start)
                    jobs = self._named(inside) if named else [inside]
                    self.schedule(
                        [*jobs, self.end_paragraph] if separate else jobs,
                        partial(self._code, after, end, separate),
                        end,
                    )
                    return

    def _named(self, inside: Range) -> list[Job]:
        """Return the jobs for a named argument such as caption: […], which is not part of the sentence."""
        return [self.prose.open_note, inside, partial(self.prose.close_note, separate=True)]

    def _call(self, name: str, start: int, at: int, end: int) -> tuple[list[Job], int]:
        """Return the jobs for a call that cites, of quote or of footnote, and the position after it."""
        arguments = (at, at)
        if self.text[at] == "(":
            closing = self._structure.closing.get(at, end)
            if closing >= end:
                return [], at
            arguments, at = (at + 1, closing), closing + 1
        if "cite" in name:
            return [partial(self._cited, arguments, start)], at
        body, after = self._content(at, end)
        inside = body or partial(self._code, *arguments, False)
        if name == "footnote":
            return [self.prose.open_note, inside, self.prose.close_note], after
        source = self._attribution(arguments, body is not None)
        if _IS_BLOCK.search(self.text, arguments[0], min(arguments[1], arguments[0] + _MAX_ARGUMENTS)):
            return [self.begin_block_quote, inside, *source, self.end_block_quote], after
        opening = partial(self.show, "“", start)
        return [opening, inside, partial(self.show, "”", after - 1), *source], after

    def _cited(self, arguments: Range, at: int) -> None:
        """Read #cite(<key>, supplement: [p. 33], form: "prose")."""
        start, end = arguments[0], min(arguments[1], arguments[0] + _MAX_ARGUMENTS)
        label = _CITED_LABEL.match(self.text, start, end)
        if not label:
            return
        form = _FORM.search(self.text, label.end(), end)
        supplement = _SUPPLEMENT.search(self.text, label.end(), end)
        inside = self._content(supplement.end(), arguments[1])[0] if supplement else None
        key = Span(*label.span(1 if label[1] else 2))
        citation = self._citation(key, inside, form[1] or "" if form else "")
        self.cite((citation,), at, hidden=bool(form and form[2]))

    def _attribution(self, arguments: Range, contents: bool) -> list[Job]:
        """Return the jobs for attribution: <key>, or content that cites, if not read with the other arguments."""
        start, end = arguments[0], min(arguments[1], arguments[0] + _MAX_ARGUMENTS)
        found = _ATTRIBUTION.search(self.text, start, end)
        if not found:
            return []
        if label := _CITED_LABEL.match(self.text, found.end(), end):
            key = Span(*label.span(1 if label[1] else 2))
            return [lambda: self.cite((self._citation(key, None),), key.start)]
        inside, _ = self._content(found.end(), arguments[1])
        if not contents:
            return []
        return [inside] if inside else [partial(self._code, found.end(), arguments[1], False)]
