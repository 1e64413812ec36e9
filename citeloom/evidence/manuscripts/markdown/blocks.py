"""Splits a Markdown manuscript into blocks, without code, comments, front matter and displayed formulas.

Called by `reader`.
"""

from __future__ import annotations

import re

from citeloom.evidence.manuscripts.line_blocks import Block, Collector

# Replaces something removed inside a paragraph; the reader of the paragraph drops it.
GAP = "\0"

_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?![ \t]*\r?\n)(?:[^\n]*\n)*?(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)")
_REGION = re.compile(
    r"""^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)
    | (?P<comment><!--)
    | `[^`\n]+`
    | (?P<formula>\$\$(?:[^$\n]|\n(?![ \t\r]*\n)|\$(?!\$))+?\$\$)
    | <(?P<tag>script|style|pre)\b
    | \\begin\{(?P<environment>(?:equation|align|gather|multline|eqnarray|displaymath|math|verbatim|lstlisting)\*?)\}
    """,
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
_FENCE_END = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*\r?$", re.MULTILINE)

_QUOTE = re.compile(r"(?:[ \t]*>)+ ?")
_CALLOUT = re.compile(r"\[!(?:(?P<quotes>quote|cite)|[A-Za-z-]{1,30})\][-+]?", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}#{1,6}(?=[ \t])")
_RULE = re.compile(r"[ \t]*(?:[-=*_+:|][ \t]*){3,}\r?\Z|=+[ \t]*\r?\Z|-+[ \t]*\r?\Z")
_DIV = re.compile(r"[ \t]*:{3,}(?P<name>[^\n]*)")
_NOTE = re.compile(r" {0,3}\[\^(?P<name>[^\]\s]{1,200})\]:[ \t]*")
_LINK = re.compile(r" {0,3}\[[^\]^@][^\]]{0,500}\]:[ \t]*\S")
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+")
_NUMBERED = re.compile(r"[ \t]*(?:\(?(?:\d{1,9}|#)[.)]|\(?[a-zA-Z]\)|\(@[\w-]*\))[ \t]+")
_DEFINITION = re.compile(r"[ \t]{0,3}[:~][ \t]+")
_ROW = re.compile(r"[ \t]*\|")
_HTML_QUOTE = re.compile(r"[ \t]*<(?P<end>/?)blockquote\b", re.IGNORECASE)
_CELL_END = re.compile(r"(?<!\\)\|")


def blocks(text: str) -> list[Block]:
    """Return the blocks of a manuscript in order."""
    return _Blocks().of(_without_code(text))


def _without_code(text: str) -> str:
    """Replace everything that is not prose by blanks, so that all offsets stay the same."""
    parts: list[str] = []
    position = 0
    if front := _FRONT_MATTER.match(text):
        parts.append(_blank_lines(front.end()))
        position = front.end()
    ends = _Ends(text)
    while found := _REGION.search(text, position):
        start, end, filler = found.start(), found.end(), _blank_lines
        if found["fence"]:
            start, end = found.start("fence"), ends.fence(found)
        elif found["tag"]:
            end = ends.after(f"</{found['tag']}>", found.end())
        elif found["comment"]:
            end, filler = ends.after("-->", found.end()), _gap
        elif found["environment"]:
            end, filler = ends.after(f"\\end{{{found['environment']}}}", found.end()), _gap
        elif found["formula"]:
            filler = _gap
        else:
            end = -1  # a code span only hides its content from this search
        if end < 0:
            parts.append(text[position : found.end()])
            position = found.end()
        else:
            parts += [text[position:start], filler(end - start)]
            position = end
    parts.append(text[position:])
    return "".join(parts)


def _blank_lines(length: int) -> str:
    return "\n" + " " * (length - 2) + "\n"


def _gap(length: int) -> str:
    return GAP * length


class _Ends:
    """Finds the ends of regions; a region without an end does not count, and is searched for only once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing: set[str] = set()
        self._fences = [(found.end(), found[1]) for found in _FENCE_END.finditer(text)]
        self._next = 0
        self._longest: list[dict[str, int]] = []  # the longest fence of each kind from here on
        longest = {"`": 0, "~": 0}
        for _, fence in reversed(self._fences):
            longest = {**longest, fence[0]: max(longest[fence[0]], len(fence))}
            self._longest.append(longest)
        self._longest.reverse()

    def after(self, closing: str, position: int) -> int:
        """Return the end of the next closing mark; -1 if there is none."""
        if closing in self._missing:
            return -1
        found = self._text.find(closing, position)
        if found < 0:
            self._missing.add(closing)
            return -1
        return found + len(closing)

    def fence(self, opening: re.Match[str]) -> int:
        """Return where the code after this fence ends; -1 if it is not a fence or never closed."""
        fence = opening["fence"]
        if fence[0] == "`" and "`" in opening["info"]:
            return -1
        while self._next < len(self._fences) and self._fences[self._next][0] <= opening.end():
            self._next += 1
        if self._next == len(self._fences) or self._longest[self._next][fence[0]] < len(fence):
            return -1
        while self._fences[self._next][1][0] != fence[0] or len(self._fences[self._next][1]) < len(fence):
            self._next += 1
        return self._fences[self._next][0]


class _Blocks:
    def __init__(self) -> None:
        self._found = Collector()
        self._callout = False  # whether the block quotation is a callout of the author: > [!tip]
        self._in_item = False  # whether indented lines belong to a list item or a footnote
        self._divs: list[bool] = []  # for each open div, whether it is a quotation
        self._quote_divs = 0
        self._html_quotes = 0

    def of(self, text: str) -> list[Block]:
        start = 0
        for line in text.split("\n"):
            quoted = _QUOTE.match(line)
            prefix = quoted.end() if quoted else 0
            body = line[prefix:]
            if quoted and (callout := _CALLOUT.match(body)):
                self._callout = not callout["quotes"]
                prefix, body = prefix + callout.end(), body[callout.end() :]
            elif not quoted:
                self._callout = False
            if not body.strip():
                self._found.end()
            elif not self._is_code(line, bool(quoted)):
                self._line(start, line, prefix, body, bool(quoted))
            start += len(line) + 1
        self._found.end()
        return self._found.blocks

    def _is_code(self, line: str, quoted: bool) -> bool:
        return self._found.is_empty and not self._in_item and not quoted and line.startswith(("    ", "\t"))

    def _line(self, start: int, line: str, prefix: int, body: str, quoted: bool) -> None:
        if quoted and not self._callout and not self._found.is_empty and not self._found.quote:
            self._found.end()
        if div := _DIV.match(body):
            self._found.end()
            self._div(div["name"])
            return
        if _RULE.match(body) or _LINK.match(body):
            self._found.end()
            return
        if tag := _HTML_QUOTE.match(body):
            self._found.end()
            self._html_quotes = max(0, self._html_quotes + (-1 if tag["end"] else 1))
        marker = self._marker(body)
        if marker is not None:
            self._found.end()
        elif self._found.is_empty and body[0] not in " \t":
            self._found.note, self._in_item = None, False
        if marker is not None and marker.re is _NOTE:
            self._found.note = marker["name"]
        if marker and marker.re is _ROW:
            line = _CELL_END.sub(" ", line)
        quote = (quoted and not self._callout) or self._quote_divs > 0 or self._html_quotes > 0
        self._found.add(start, line, prefix + (marker.end() if marker else 0), quote=quote)
        if marker and marker.re in (_HEADING, _ROW):  # the block is this line only
            self._found.end()

    def _marker(self, body: str) -> re.Match[str] | None:
        """Return the marker that begins a block."""
        if heading := _HEADING.match(body):
            self._found.note, self._in_item = None, False
            return heading
        if row := _ROW.match(body):
            return row
        # Inside a paragraph, a number at the start of a line is more often a year than a list item.
        numbered = (_NUMBERED,) if self._in_item or self._found.is_empty else ()
        item = next(filter(None, (pattern.match(body) for pattern in (_NOTE, _BULLET, _DEFINITION, *numbered))), None)
        self._in_item = self._in_item or item is not None
        return item

    def _div(self, name: str) -> None:
        if name.strip(" \t\r:"):
            self._divs.append("quote" in name.lower())
            self._quote_divs += self._divs[-1]
        elif self._divs:
            self._quote_divs -= self._divs.pop()
