"""Scans the structure of a LaTeX text: closing positions of groups, and parts that are not prose. Used by `reader`."""

from __future__ import annotations

import re

NEW_LINE = r"(?>\r\n|\r|\n)"
BLANK_LINE = rf"{NEW_LINE}[ \t]*+{NEW_LINE}\s*+"

_UNPRINTED = {
    "verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "comment", "filecontents", "filecontents*", "alltt",
    "tikzpicture", "pgfpicture", "picture", "thebibliography", "algorithmic", "forest",
}  # fmt: skip
_FORMULAS = {
    "math", "displaymath", "equation", "align", "alignat", "flalign", "gather", "multline", "eqnarray", "IEEEeqnarray",
    "dmath", "subequations",
}  # fmt: skip
_SKIPPED = _UNPRINTED | _FORMULAS | {f"{name}*" for name in _FORMULAS}

_TOKEN = re.compile(rf"\\(?:[A-Za-z@]+|.)|[{{}}\[\]%$]|{BLANK_LINE}", re.DOTALL)
ENVIRONMENT = re.compile(r"\s*+\{([A-Za-z]{1,40}\*?)\}")
_END_OF_IF = re.compile(r"\\fi(?![A-Za-z@])")
# A formula ends in its paragraph and contains no other, so an unbalanced one hides nothing.
_IN_PARAGRAPH = rf"{NEW_LINE}(?![ \t]*+{NEW_LINE})"
_COMMENT = re.compile(rf"%[^\r\n]*+(?:{_IN_PARAGRAPH}[ \t]*+)?")
_FORMULA = {
    "$": re.compile(rf"\$(?:[^\\$\r\n]++|\\.|{_IN_PARAGRAPH})*+\$", re.DOTALL),
    "$$": re.compile(rf"\$\$(?:[^\\$\r\n]++|\\.|\$(?!\$)|{_IN_PARAGRAPH})*+\$\$", re.DOTALL),
    "\\(": re.compile(rf"\\\((?:[^\\\r\n]++|\\[^()]|{_IN_PARAGRAPH})*+\\\)"),
    "\\[": re.compile(rf"\\\[(?:[^\\\r\n]++|\\[^\[\]]|{_IN_PARAGRAPH})*+\\\]"),
}
_CODE = re.compile(
    r"\\(?:verb\*?|lstinline(?:\[[^\]\r\n]{0,200}\])?|mintinline(?:\[[^\]\r\n]{0,200}\])?\{[^{}\r\n]{0,50}\})"
    r"(?:\{[^{}\r\n]{0,1000}\}|([^A-Za-z\s*{])[^\r\n]{0,1000}?\1)"
)
_GAP = re.compile(rf"(?:[ \t]++|{_IN_PARAGRAPH}|%[^\r\n]*+(?:{_IN_PARAGRAPH})?)*+")


class Structure:
    """The structure of a LaTeX text, found in one pass."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.closing: dict[int, int] = {}  # opening brace or bracket → closing one
        self.skipped: dict[int, int] = {}  # start of a comment, verbatim text or formula → position after it
        self.blank_lines: list[int] = []
        self.start = 0  # of the document's body
        self.end = len(text)
        self._open: list[int] = []
        self._braces = 0
        self._never_ended: set[str] = set()
        self._pass_through()

    def group(self, at: int, end: int) -> tuple[int, int] | None:
        """Return the inside of the next {argument}."""
        return self._argument("{", at, end)

    def option(self, at: int, end: int) -> tuple[int, int] | None:
        """Return the inside of the next [optional argument]."""
        return self._argument("[", at, end)

    def options(self, at: int, end: int, limit: int = 2) -> tuple[list[tuple[int, int]], int]:
        """Return the next [optional arguments] and the position after them."""
        found: list[tuple[int, int]] = []
        while len(found) < limit and (inside := self.option(at, end)):
            found.append(inside)
            at = inside[1] + 1
        return found, at

    def after_gap(self, at: int, end: int) -> int:
        """Return the position after white space and comments, within the paragraph."""
        gap = _GAP.match(self.text, at, end)
        return gap.end() if gap else at

    def _argument(self, opening: str, at: int, end: int) -> tuple[int, int] | None:
        at = self.after_gap(at, end)
        closing = self.closing.get(at)
        if closing is None or closing >= end or self.text[at] != opening:
            return None
        return at + 1, closing

    def _pass_through(self) -> None:
        at = 0
        while token := _TOKEN.search(self.text, at):
            at = self._after(token[0], token.start(), token.end())

    def _after(self, token: str, at: int, after: int) -> int:
        """Record a token and return where the next may begin."""
        if token in ("{", "["):
            self._open.append(at)
            self._braces += token == "{"
        elif token in ("}", "]"):
            self._close(token, at)
        elif token in _FORMULA or token == "%":
            return self._formula_or_comment(token, at, after)
        elif token == "\\begin":
            return self._environment(at, after)
        elif token == "\\end":
            if (name := ENVIRONMENT.match(self.text, after)) and name[1] == "document" and self.start:
                self.end = at
                return len(self.text)
        elif token == "\\iffalse":
            return self._skip_to(_END_OF_IF, token, at, after)
        elif token in ("\\verb", "\\lstinline", "\\mintinline"):
            if code := _CODE.match(self.text, at):
                self.skipped[at] = code.end()
                return code.end()
        elif token[0] in "\r\n":
            self.blank_lines.append(at)
            while self._open and self.text[self._open[-1]] == "[":
                self._open.pop()
        return after

    def _close(self, token: str, at: int) -> None:
        if token == "]":
            if self._open and self.text[self._open[-1]] == "[":
                self.closing[self._open.pop()] = at
        elif self._braces:
            while self.text[self._open[-1]] == "[":
                self._open.pop()
            self.closing[self._open.pop()] = at
            self._braces -= 1

    def _formula_or_comment(self, token: str, at: int, after: int) -> int:
        if token == "$" and self.text.startswith("$$", at):
            token = "$$"
        found = (_COMMENT if token == "%" else _FORMULA[token]).match(self.text, at)
        if not found:
            return max(after, at + len(token))
        self.skipped[at] = found.end()
        return found.end()

    def _environment(self, at: int, after: int) -> int:
        name = ENVIRONMENT.match(self.text, after)
        if not name:
            return after
        if name[1] == "document" and not self.start:
            self.start = name.end()
        elif name[1] in _SKIPPED:
            ending = re.compile(rf"\\end\s*\{{{re.escape(name[1])}\}}")
            return self._skip_to(ending, name[1], at, name.end())
        return name.end()

    def _skip_to(self, ending: re.Pattern[str], name: str, at: int, after: int) -> int:
        found = None if name in self._never_ended else ending.search(self.text, after)
        if not found:
            self._never_ended.add(name)
            return after
        self.skipped[at] = found.end()
        return found.end()
