"""Scans the structure of a Typst text: code, closing brackets, and parts that are not prose. Used by `reader`."""

from __future__ import annotations

import re

_IDENTIFIER = r"[^\W\d][\w-]*+"
NAME = re.compile(_IDENTIFIER)
# A label ends before the full stop of its sentence.
LABEL = re.compile(r"[\w-]++(?:[.:]+[\w-]++)*+")
_MADE_LABEL = re.compile(r"label\(\s*+\"([^\"\\]++)\"\s*+\)")
_DEFINED_LABEL = re.compile(rf"<({LABEL.pattern})>")

ADDRESS = r"https?://[^\s\[\]()<>]++"
_IN_PROSE = re.compile(rf"{ADDRESS}|\\.|`+|//|/\*|[$#\[\]<]", re.DOTALL)
_IN_CODE = re.compile(r"\"|`+|//|/\*|[$(\[{)\]}]|[;\n]")
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_FORMULA = re.compile(r"\$(?:[^$\\]++|\\.)*+\$", re.DOTALL)
_END_OF_LINE = re.compile(r"[^\r\n]*+")
_COMMENT_SIGN = re.compile(r"/\*|\*/")
_ELSE = re.compile(r"\s*+else\b(?:[ \t]++if\b)?")
_VALUE = re.compile(rf"[ \t]++(?:{_IDENTIFIER})?")
_STATEMENTS = frozenset({"let", "set", "show", "import", "include", "return", "break", "continue"})
_WITH_BODY = frozenset({"if", "for", "while"})
_CLOSING = {"(": ")", "{": "}", "[": "]"}
# An unclosed bracket is read as plain text in another pass, so that a typo hides no prose.
_MAX_PASSES = 4


def parse_structure(text: str) -> Structure:
    """Return the structure of a Typst text."""
    plain: set[int] = set()
    for _ in range(_MAX_PASSES):
        found = Structure(text, plain)
        unclosed = found.unclosed()
        if unclosed is None:
            break
        plain.add(unclosed)
    return found


class Structure:
    """The structure of a Typst text, found in one pass; brackets at the `plain` positions are text."""

    def __init__(self, text: str, plain: set[int]) -> None:
        self.text = text
        self.closing: dict[int, int] = {}  # bracket of code, or [ in prose → closing one
        self.skipped: dict[int, int] = {}  # start of a comment, raw text, formula or string → position after it
        self.code_ends: dict[int, int] = {}  # # that begins code → position after the code
        self.labels: set[str] = set()  # defined in the document itself: references to them are not citations
        self._plain = plain
        # Stack of open brackets (by character) and code (by kind: a chain of calls, a statement, one with a body).
        self._open: list[tuple[str, int]] = []
        self._blocks = 0  # number of open [
        self._never_ended: set[str] = set()
        at = 0
        while at < len(text):
            at = self._step(at)
        # Code that ends with the text, with all its brackets closed.
        while self._open and len(self._open[-1][0]) > 1:
            self._end_code(len(text))

    def unclosed(self) -> int | None:
        """Return the first unclosed bracket of code."""
        around = "["
        for kind, at in self._open:
            if kind in "({" or (kind == "[" and around != "["):
                return at
            around = kind
        return None

    def _step(self, at: int) -> int:
        kind = self._open[-1][0] if self._open else "["
        if kind == "[":
            return self._prose(at)
        if kind == "chain":
            return self._chain(at)
        return self._code(kind, at)

    def _prose(self, at: int) -> int:
        found = _IN_PROSE.search(self.text, at)
        if not found:
            return len(self.text)
        sign, start, after = found[0], found.start(), found.end()
        if sign == "[":
            self._push(sign, start)
        elif sign == "]":
            if self._open:
                self.closing[self._open.pop()[1]] = start
                self._blocks -= 1
                return self._after_block(after)
        elif sign == "#":
            return self._begin_code(start, after)
        elif sign == "<":
            if label := _DEFINED_LABEL.match(self.text, start):
                self.labels.add(label[1])
                return label.end()
        elif sign[0] not in "h\\":
            return self._skip(sign, start, after)
        return after

    def _begin_code(self, start: int, after: int) -> int:
        if start in self._plain:
            return after
        if made := _MADE_LABEL.match(self.text, after):
            self.labels.add(made[1])
        if name := NAME.match(self.text, after):
            kind = "statement" if name[0] in _STATEMENTS else "body" if name[0] in _WITH_BODY else "chain"
            self._open.append((kind, start))
            if name[0] == "context" and (value := _VALUE.match(self.text, name.end())):
                return value.end()
            return name.end()
        if self.text[after : after + 1] in ("(", "{", "["):
            self._open.append(("chain", start))
        elif self.text[after : after + 1] == '"':
            self._open.append(("chain", start))
            return self._skip('"', after, after + 1)
        return after

    def _chain(self, at: int) -> int:
        """Continue name(…).name[…][…] as long as the parts are adjacent."""
        sign = self.text[at : at + 1]
        if sign in ("(", "{", "[") and sign and at not in self._plain:
            return self._push(sign, at)
        if sign == "." and (name := NAME.match(self.text, at + 1)):
            return name.end()
        return self._end_code(at)

    def _code(self, kind: str, at: int) -> int:
        found = _IN_CODE.search(self.text, at)
        if not found:
            return len(self.text)
        sign, start, after = found[0], found.start(), found.end()
        if sign in _CLOSING:
            if start not in self._plain:
                return self._push(sign, start)
        elif sign in ")]}":
            return self._close(sign, start, after)
        elif sign in (";", "\n"):
            if kind == "statement":
                return self._end_code(after if sign == ";" else start)
        else:
            return self._skip(sign, start, after)
        return after

    def _push(self, bracket: str, at: int) -> int:
        self._open.append((bracket, at))
        self._blocks += bracket == "["
        return at + 1

    def _close(self, sign: str, start: int, after: int) -> int:
        kind, opened = self._open[-1]
        if _CLOSING.get(kind) == sign:
            self._open.pop()
            self.closing[opened] = start
            return self._after_block(after) if sign == "}" else after
        if sign == "]" and self._blocks:
            # The surrounding text ends here, and the code with it.
            while self._open[-1][0] != "[":
                self._end_code(start)
            return start
        return after

    def _after_block(self, after: int) -> int:
        """End a statement after its body, unless an `else` follows."""
        if self._open and self._open[-1][0] == "body":
            other = _ELSE.match(self.text, after)
            return other.end() if other else self._end_code(after)
        return after

    def _end_code(self, at: int) -> int:
        kind, start = self._open.pop()
        if len(kind) > 1:
            self.code_ends[start] = at
        return at

    def _skip(self, sign: str, start: int, after: int) -> int:
        """Skip a comment, raw text, formula or string; without an end, only its opening character."""
        if sign == "//":
            found = _END_OF_LINE.match(self.text, start)
            end = found.end() if found else after
        elif sign == "``":
            end = after
        elif sign in self._never_ended:
            end = -1
        elif sign == "/*":
            end = self._after_comment(after)
        elif sign[0] == "`":
            closing = self.text.find(sign, after)
            end = closing + len(sign) if closing >= 0 else -1
        else:
            found = (_STRING if sign == '"' else _FORMULA).match(self.text, start)
            end = found.end() if found else -1
        if end < 0:
            self._never_ended.add(sign)
            return after
        self.skipped[start] = end
        return end

    def _after_comment(self, at: int) -> int:
        depth = 1
        while depth and (found := _COMMENT_SIGN.search(self.text, at)):
            depth += 1 if found[0] == "/*" else -1
            at = found.end()
        return -1 if depth else at
