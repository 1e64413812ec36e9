"""Converts marked text to Markdown, HTML or plain text: merges punctuation and nests quotation marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Literal
from urllib.parse import quote

from citeloom.csl.terms import Terms
from citeloom.csl.text.markup import HIDDEN, KIND, MARK_CLASS, MARKS, NO_MERGE, OFF, ON

Markup = Literal["markdown", "html", "text"]

# The result of two adjacent punctuation characters: rows are the first, columns the second.
_MERGED_PUNCTUATION = {
    "!": {".": "!", "?": "!?", ":": "!", ",": "!,", ";": "!;"},
    "?": {"!": "?!", ".": "?", ":": "?", ",": "?,", ";": "?;"},
    ".": {"!": ".!", "?": ".?", ":": ".:", ",": ".,", ";": ".;"},
    ":": {"!": "!", "?": "?", ".": ":", ",": ":,", ";": ":;"},
    ",": {"!": ",!", "?": ",?", ":": ",:", ".": ",.", ";": ",;"},
    ";": {"!": "!", "?": "?", ":": ";", ".": ";", ",": ";,"},
}
_NO_MARK = re.compile(f"{HIDDEN}|{ON['nocase']}|{OFF['nocase']}|{ON['block']}|{ON['left']}")
_EMPTY = re.compile("|".join(f"{ON[kind]}{OFF[kind]}" for kind in ON))
# Punctuation around an empty part: "1999. . Oslo"; three are an ellipsis of the record.
_DOUBLED_PUNCTUATION = re.compile(r"(?<![.,] )([.,]) \1(?= [^.,]|$)")
_AFTER_QUOTE = re.compile(f"((?:[{OFF['quote']}{OFF['inner-quote']}][{''.join(OFF.values())}]{{0,20}})+)([.,!?])")
_GAP = f"(?:{MARK_CLASS}(?<!{NO_MERGE}))*"


def tidy(text: str, terms: Terms) -> str:
    """Remove doubled spaces and merge punctuation where parts were joined."""
    text = re.sub(f"[{OFF['left']}{OFF['block']}]\\s*", " ", _NO_MARK.sub("", text))
    while (shorter := _EMPTY.sub("", text)) != text:
        text = shorter
    if terms.options.get("punctuation-in-quote") == "true":
        text = _AFTER_QUOTE.sub(r"\2\1", text)  # as in American English
    text = _merge_punctuation(text)
    text = re.sub(rf"( {_GAP}) +", r"\1", text)
    text = _DOUBLED_PUNCTUATION.sub(r"\1", text)
    text = re.sub(r",(?=\.$)|, (?=\))", "", text)
    return text.replace(NO_MERGE, "").strip()


def _merge_punctuation(text: str) -> str:
    """Merge adjacent punctuation of different parts; runs within a record are protected."""
    merged_text: list[str] = []
    last = -1  # index of the last character that is not a mark
    for character in text:
        if character in MARKS:
            merged_text.append(character)
            if character == NO_MERGE:
                last = -1
            continue
        before = merged_text[last] if last >= 0 else ""
        if before in _MERGED_PUNCTUATION and character in _MERGED_PUNCTUATION:
            if before == character:
                continue
            merged = _MERGED_PUNCTUATION[before][character]
            if len(merged) == 1:
                merged_text[last] = merged
                continue
        merged_text.append(character)
        last = len(merged_text) - 1
    return "".join(merged_text)


def write(text: str, terms: Terms, markup: Markup) -> str:
    """Tidy marked text and convert it to the requested markup."""
    writer = _Writer(_SYNTAXES[markup], terms)
    written = writer.write(tidy(text, terms))
    return _escape_line_start(_write_emphasis(written)) if markup == "markdown" else written


_ITALIC_ON, _ITALIC_OFF, _BOLD_ON, _BOLD_OFF = (chr(0xF1000 + i) for i in range(4))
_NO_EMPHASIS = re.compile(
    rf"{_ITALIC_ON}{_ITALIC_OFF}|{_ITALIC_OFF}{_ITALIC_ON}|{_BOLD_ON}{_BOLD_OFF}|{_BOLD_OFF}{_BOLD_ON}"
)


@dataclass(frozen=True, slots=True)
class _MarkupSyntax:
    """The syntax of a markup format; `flipped` is used inside the same formatting (italics in italics)."""

    tags: dict[str, tuple[str, str]]
    flipped: dict[str, tuple[str, str]]
    escape: Callable[[str], str]
    link: Callable[[str, str], str]
    raise_text: Callable[[str, bool], str] = lambda text, _high: text


_PLAIN_OF = {"upright": "italic", "light": "bold", "full-caps": "small-caps"}
# Italics of a record inside those of a style are flipped; those of a style inside a style's are not.
_OWN = {"own-italic": "italic", "own-bold": "bold", "own-small-caps": "small-caps"}


class _Writer:
    def __init__(self, syntax: _MarkupSyntax, terms: Terms) -> None:
        self.syntax = syntax
        outer = (terms.get("open-quote") or "“", terms.get("close-quote") or "”")
        inner = (terms.get("open-inner-quote") or "‘", terms.get("close-inner-quote") or "’")
        self.quotes = (outer, inner)

    def write(self, text: str) -> str:
        pieces: list[str] = []
        depth = dict.fromkeys(ON, 0)
        closers: list[tuple[str, str]] = []  # closing text, and the kind of formatting that it ends
        run = ""
        for piece in re.split(f"({MARK_CLASS})", text):
            kind = KIND.get(piece)
            if kind is None:
                run = piece
                if depth["link"]:
                    pieces.append(piece)
                else:
                    written = self.syntax.escape(piece)
                    raised = depth["super"] or depth["sub"]
                    pieces.append(self.syntax.raise_text(written, bool(depth["super"])) if raised else written)
            elif kind == "link":
                depth["link"] += 1 if piece == ON["link"] else -1
                if piece == OFF["link"] and pieces:
                    pieces[-1] = self._link(run)
            elif piece == ON[kind]:
                opening, closing, opened = self._open(kind, depth)
                pieces.append(opening)
                closers.append((closing, opened))
                if opened:
                    depth[opened] += 1
            elif closers:
                closing, opened = closers.pop()
                pieces.append(closing)
                if opened:
                    depth[opened] -= 1
        return "".join(pieces)

    def _open(self, kind: str, depth: dict[str, int]) -> tuple[str, str, str]:
        """Return opening text, closing text, and the kind whose depth increases ("" if nothing changes)."""
        if kind in ("quote", "inner-quote"):
            inner = depth["quote"] % 2 if depth["quote"] else kind == "inner-quote"
            opening, closing = self.quotes[inner]
            return self.syntax.escape(opening), self.syntax.escape(closing), "quote"
        base = _PLAIN_OF.get(kind) or _OWN.get(kind, kind)
        is_set = depth[base] % 2 == 1
        if (is_set and kind == base) or (not is_set and kind in _PLAIN_OF):
            return "", "", ""  # the surrounding text has this formatting already
        return *(self.syntax.flipped if is_set else self.syntax.tags).get(base, ("", "")), base

    def _link(self, text: str) -> str:
        address = f"https://doi.org/{text}" if text.startswith("10.") else text
        if not re.match(r"https?://\S", address, re.IGNORECASE):
            return self.syntax.escape(text)
        return self.syntax.link(text, quote(address, safe="%/:=&?~#+!$,;'@()*[]-._"))


def _html(text: str) -> str:
    return escape(text, quote=False)


def _html_link(text: str, address: str) -> str:
    return f'<a href="{escape(address)}">{_html(text)}</a>'


def _markdown(text: str) -> str:
    """Escape text for Markdown, including Pandoc's extensions."""
    text = re.sub(r"([\\`*_\[\]<>^~$|])", r"\\\1", text)
    text = re.sub(r"(?<!\w)@(?=\w|\{)", r"\\@", text)
    text = re.sub(r"&(?=#?\w+;)", r"\\&", text)
    return re.sub(r"-(?=-)|\.(?=\.\.)", r"\\\g<0>", text)


def _markdown_link(text: str, address: str) -> str:
    if text == address and not re.search(r"[<>\s]", address):
        return f"<{address}>"
    return f"[{_markdown(text)}](<{address}>)" if re.search(r"[()\s]", address) else f"[{_markdown(text)}]({address})"


def _write_emphasis(text: str) -> str:
    """Write italics and bold as asterisks, without inner spaces and empty pairs, which Markdown would print."""
    while (shorter := _NO_EMPHASIS.sub("", text)) != text:
        text = shorter
    text = re.sub(rf"([{_ITALIC_ON}{_BOLD_ON}]+)( +)", r"\2\1", text)
    text = re.sub(rf"( +)([{_ITALIC_OFF}{_BOLD_OFF}]+)", r"\2\1", text)
    return text.translate({ord(_ITALIC_ON): "*", ord(_ITALIC_OFF): "*", ord(_BOLD_ON): "**", ord(_BOLD_OFF): "**"})


def _escape_line_start(text: str) -> str:
    """Escape a start of line that Markdown would take for a list item or a heading."""
    text = re.sub(r"^(\d{1,9})([.)])(?=\s|$)", r"\1\\\2", text)
    return re.sub(r"^(?=[-+#=:](?:\s|#|$))", r"\\", text)


def _small_figures(text: str, high: bool) -> str:
    """Replace digits by superscript or subscript characters."""
    if not re.fullmatch(r"[\d,–+() -]+", text):
        return text
    return text.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹" if high else "₀₁₂₃₄₅₆₇₈₉"))


_SMALL_CAPS = '<span style="font-variant:small-caps;">'
_SYNTAXES: dict[str, _MarkupSyntax] = {
    "html": _MarkupSyntax(
        {
            "italic": ("<i>", "</i>"),
            "bold": ("<b>", "</b>"),
            "underline": ('<span style="text-decoration:underline;">', "</span>"),
            "super": ("<sup>", "</sup>"),
            "sub": ("<sub>", "</sub>"),
            "small-caps": (_SMALL_CAPS, "</span>"),
        },
        {
            "italic": ('<span style="font-style:normal;">', "</span>"),
            "bold": ('<span style="font-weight:normal;">', "</span>"),
            "small-caps": ('<span style="font-variant:normal;">', "</span>"),
        },
        _html,
        _html_link,
    ),
    "markdown": _MarkupSyntax(
        {
            "italic": (_ITALIC_ON, _ITALIC_OFF),
            "bold": (_BOLD_ON, _BOLD_OFF),
            "super": ("^", "^"),
            "sub": ("~", "~"),
            "underline": ("[", "]{.underline}"),
            "small-caps": ("[", "]{.smallcaps}"),
        },
        # Closes the outer formatting and opens it again after the flipped text.
        {"italic": (_ITALIC_OFF, _ITALIC_ON), "bold": (_BOLD_OFF, _BOLD_ON)},
        _markdown,
        _markdown_link,
        raise_text=lambda text, _high: text.replace(" ", "\\ "),
    ),
    "text": _MarkupSyntax({}, {}, str, lambda text, _address: text, _small_figures),
}
