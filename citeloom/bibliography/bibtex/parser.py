"""Parser for the syntax of .bib files: entries with their line numbers, and every malformed place.

bibtexparser 1.4 takes what it cannot parse for a comment, so a missing brace makes entries disappear without a message,
and it takes 4 ms for each entry (this parser: 0.1 ms). A researcher must be told of a lost entry and its line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

MAX_PROBLEMS = 20  # more would not help, and each may cost a scan to the end of the file

_ENTRY_START = re.compile(r"\s*@[ \t]*([A-Za-z][\w+-]*)\s*([{(])")
_NEXT_ENTRY = re.compile(r"^[ \t]*@[ \t]*([A-Za-z][\w+-]*)\s*([{(])", re.MULTILINE)
_AT_WORD = re.compile(r"^[ \t]*@[ \t]*(?!comment\b)(\w+)(?!\w)(?!\s*[{(])", re.MULTILINE | re.IGNORECASE)
_STRAY_FIELD = re.compile(r"^[ \t]*(?:,?[ \t]*[A-Za-z][\w-]*[ \t]*=[ \t]*[\"{\d]|\}[ \t,}]*$)", re.MULTILINE)
_RUN_ON_FIELD = re.compile(r"^[ \t]*(?:@\w+\s*[{(][^\s,{}]*,|[A-Za-z][\w-]*[ \t]*=[ \t]*[\"{])", re.MULTILINE)
_RUN_ON_ENTRY = re.compile(r"^[ \t]*@\w+[ \t]*[{(][^\s,{}]*,[ \t]*$", re.MULTILINE)
_BLANK = re.compile(r"(?:\s+|%[^\n]*\n?)*")
_KEYS = {
    "{": re.compile(r"\s*([^\s,{}=\"#%\\]*)\s*"),
    "(": re.compile(r"\s*([^\s,{}()=\"#%\\]*)\s*"),
}
_NAME = re.compile(r"[^\s\"#%'(),={}@]+")
_CLOSERS = {"{": "}", "(": ")"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a .bib file; its values are still LaTeX."""

    kind: str  # article, book …, in lower case
    key: str  # empty when the entry has none
    fields: dict[str, str]  # names in lower case
    line: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A malformed place in a .bib file."""

    line: int
    column: int
    reason: str


@dataclass(frozen=True, slots=True)
class BibFile:
    """The entries, problems and warnings of a parsed .bib file."""

    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def closing_brace(text: str, at: int) -> int:
    """Return the position of the brace that closes the group whose inside begins at `at`; -1 if there is none."""
    depth = 1
    for brace in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return -1


def read_bibtex(text: str) -> BibFile:
    """Parse a .bib file; malformed places are reported in the result, not raised."""
    return _Reader(text).read()


class _MalformedError(Exception):
    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.result = BibFile()
        self.last_field = ("", 0, "")  # name, position and value of the field before
        self.strings = {name[:3].lower(): name for name in MONTHS}
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def read(self) -> BibFile:
        while len(self.result.problems) < MAX_PROBLEMS and (start := self._next_start()):
            self._check_between(self.at, start.start())
            self.at = start.end()
            try:
                self._read_block(start.start(1) - 1, start[1].lower(), start[2])
            except _MalformedError as error:
                self._add_problem(error.position, error.reason)
                # Continue with the next entry, so that one pass reports every malformed one.
                self.at = self._next_entry(start.end())
        if len(self.result.problems) < MAX_PROBLEMS:
            self._check_between(self.at, len(self.text))
        return self.result

    def _next_start(self) -> re.Match[str] | None:
        return _ENTRY_START.match(self.text, self.at) or _NEXT_ENTRY.search(self.text, self.at)

    def _read_block(self, start: int, kind: str, opener: str) -> None:
        if kind == "comment":
            end = closing_brace(self.text, self.at) if opener == "{" else -1
            self.at = end + 1 if end >= 0 else self._next_entry(self.at)
        elif kind == "preamble":
            end = closing_brace(self.text, self.at) if opener == "{" else self.text.find(")", self.at)
            if end < 0:
                raise _MalformedError(start, "@preamble is never closed")
            self.at = end + 1
        elif kind == "string":
            fields = self._read_fields("@string", start, _CLOSERS[opener])
            self.strings.update(fields)
        else:
            self._read_entry(start, kind, opener)

    def _read_entry(self, start: int, kind: str, opener: str) -> None:
        closer = _CLOSERS[opener]
        match = _KEYS[opener].match(self.text, self.at)
        assert match is not None  # every part of the pattern may be empty
        key, follows = match[1], self.text[match.end() : match.end() + 1]
        if follows == "=":  # Better BibTeX writes no key, nor its comma, for an item that has none
            key = ""
        elif follows in (",", closer):
            self.at = match.end() + (follows == ",")
        elif not follows:
            raise _MalformedError(start, f"@{kind} is never closed")
        else:
            reason = f"the citekey of @{kind} must be one word followed by a comma, but {follows!r} follows"
            raise _MalformedError(match.end(), reason)
        name = f"entry {key!r}" if key else f"@{kind} without a citekey"
        fields = self._read_fields(name, start, closer)
        self.result.entries.append(Entry(kind, key, fields, self._line(start)))

    def _read_fields(self, owner: str, start: int, closer: str) -> dict[str, str]:
        fields: dict[str, str] = {}
        self.last_field = ("", self.at, "")
        while True:
            self._skip_blanks()
            if self.at >= len(self.text):
                raise _MalformedError(start, f"{owner} is never closed{self._hint()}")
            if self.text[self.at] == closer:
                self.at += 1
                return fields
            name = _NAME.match(self.text, self.at)
            if name is None:
                raise self._unexpected(owner, "a field name")
            self.at = name.end()
            self._skip_blanks()
            if self.text[self.at : self.at + 1] != "=":
                raise self._unexpected(f"{owner}, field {name[0]!r}", "'='")
            self.at += 1
            self._skip_blanks()
            value_at = self.at
            self.last_field = ("", value_at, "")
            value = self._read_value(owner, name[0])
            self.last_field = (name[0], value_at, value)
            # BibTeX keeps the first of two fields of the same name.
            if fields.setdefault(name[0].lower(), value) is not value and fields[name[0].lower()] != value:
                self._add_warning(value_at, f"{owner} has two different values for '{name[0]}': the first is used")
            self._skip_blanks()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
            elif self.text[self.at : self.at + 1] != closer and self.at < len(self.text):
                raise self._unexpected(owner, f"',' or '{closer}' after field {name[0]!r}")

    def _read_value(self, owner: str, field_name: str) -> str:
        pieces = [self._read_piece(owner, field_name)]
        while True:
            self._skip_blanks()
            if self.text[self.at : self.at + 1] != "#":
                return "".join(pieces)
            self.at += 1
            self._skip_blanks()
            pieces.append(self._read_piece(owner, field_name))

    def _read_piece(self, owner: str, field_name: str) -> str:
        start = self.at
        opener = self.text[start : start + 1]
        if opener in ("{", '"'):
            end = closing_brace(self.text, start + 1) if opener == "{" else self._closing_quote(start + 1)
            if end < 0:
                raise _MalformedError(start, f"{owner}: the value of '{field_name}' is never closed")
            self.at = end + 1
            value = self.text[start + 1 : end]
            if included := _RUN_ON_ENTRY.search(value):
                stray = included[0].strip().rstrip(",")
                raise _MalformedError(
                    start,
                    f"{owner}: the value of '{field_name}' continues over {stray!r}"
                    f" (line {self._line(start + 1 + included.start())}): a closing brace is missing",
                )
            return value
        word = _NAME.match(self.text, start)
        if word is None:
            raise self._unexpected(f"{owner}, field {field_name!r}", "a value")
        self.at = word.end()
        if word[0].isdigit():
            return word[0]
        if word[0].lower() not in self.strings:
            self._add_warning(start, f"{owner}: no @string defines '{word[0]}' in '{field_name}', used as it is")
        return self.strings.get(word[0].lower(), word[0])

    def _closing_quote(self, at: int) -> int:
        depth = 0
        for mark in re.compile(r'["{}]').finditer(self.text, at):
            if mark[0] == '"' and depth == 0:
                return mark.start()
            depth += {"{": 1, "}": -1, '"': 0}[mark[0]]
            if depth < 0:
                return -1
        return -1

    def _unexpected(self, owner: str, expected: str) -> _MalformedError:
        found = self.text[self.at : self.at + 1]
        hint = self._hint()
        reason = f"{owner}: expected {expected}, found {found!r}" if found else f"{owner}: ends before {expected}"
        return _MalformedError(self.last_field[1] if hint else self.at, reason + hint)

    def _hint(self) -> str:
        """Name the missing brace if the value of the field before contains what looks like another field."""
        name, value_at, value = self.last_field
        if not (name and (included := _RUN_ON_FIELD.search(value))):
            return ""
        line = self._line(value_at + 1 + included.start())
        return f"; the value of '{name}' continues over line {line}: a closing brace is missing before it"

    def _check_between(self, start: int, end: int) -> None:
        """Text between entries is a comment, unless it is the rest of an entry that closed too early."""
        between = self.text[start:end]
        if stray := _STRAY_FIELD.search(between):
            self._add_problem(
                start + stray.end() - len(stray[0].lstrip()),
                f"{stray[0].strip()!r} is outside any entry: the entry before it closes too early",
            )
        for word in _AT_WORD.finditer(between):
            self._add_warning(start + word.start(), f"'@{word[1]}' is not followed by a brace: taken as a comment")

    def _skip_blanks(self) -> None:
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at

    def _next_entry(self, at: int) -> int:
        following = _NEXT_ENTRY.search(self.text, at)
        return following.start() if following else len(self.text)

    def _line(self, at: int) -> int:
        return bisect_right(self.line_starts, at)

    def _add_problem(self, at: int, reason: str) -> None:
        line = self._line(at)
        self.result.problems.append(Problem(line, at - self.line_starts[line - 1] + 1, reason))

    def _add_warning(self, at: int, what: str) -> None:
        self.result.warnings.append(f"line {self._line(at)}: {what}")
