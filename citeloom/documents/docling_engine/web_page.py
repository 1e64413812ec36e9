"""Web pages made ready for docling: what a reader sees, without navigation, in plain structure of bounded depth.

The page is read as a stream of tags, so that no depth of nesting matters, and no address in it reaches docling:
there is nothing that could be fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

from lxml import etree as _etree  # type: ignore[import-untyped]

from citeloom.documents.docling_engine import marks

etree: Any = _etree

# Never shown; shown but no part of the text; and what parts paragraphs without having a meaning of its own.
_UNSEEN = {
    "script", "style", "template", "noscript", "iframe", "object", "embed", "audio", "video", "canvas", "svg",
    "datalist", "rp", "noframes", "applet", "map",
}  # fmt: skip
_CONTROLS = {"nav", "button", "select", "textarea", "input", "menu", "dialog"}
_CONTROL_ROLES = {
    "navigation", "banner", "search", "menu", "menubar", "toolbar", "tablist", "dialog", "alertdialog", "contentinfo",
}  # fmt: skip
_PARTING = {
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "footer", "form", "header", "hgroup", "hr", "legend", "main", "p", "section", "summary",
}  # fmt: skip
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = ("ul", "ol")
_STRUCTURE = {*_HEADINGS, *_LISTS, "li", "table", "caption", "tr", "td", "th", "pre", "figure", "figcaption"}
_NOTE_TYPES = re.compile(r"\b(?:doc-)?(?:foot|end|rear)notes?\b")
_HIDDEN = re.compile(r"display:none|visibility:(?:hidden|collapse)|opacity:0(?:;|$)")
_MAX_DEPTH = 24  # of lists in lists and the like; deeper ones are read as paragraphs
_LONGEST_HEADING = 300  # characters; more is text in a heading that was never closed
_PARAGRAPH = "\x1c"
_LINE_BREAK = "\x0b"
_BLANK_LINE = re.compile(rf"(?:[ \t\n]*{_LINE_BREAK}[ \t\n]*){{2,}}")
# Docling writes these as plain quotes, hyphens and dots; a quotation must stay as it was printed.
_SHELTERED = "\u200c\u200d\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201c\u201d\u2026"
_SHELTER = {ord(letter): 0xE220 + at for at, letter in enumerate(_SHELTERED)} | {0xAD: None}
_UNSHELTER = {0xE220 + at: letter for at, letter in enumerate(_SHELTERED)}


@dataclass(slots=True)
class Node:
    """A heading, list, table, … with its text and what is in it."""

    tag: str
    kids: list[Node | str] = field(default_factory=list)
    spans: str = ""  # of a table's cell, as attributes
    start: int = 1  # of a numbered list
    unlinked: bool = False  # holds text that is no link

    def nodes(self) -> Iterator[Node]:
        """The nodes in it, at any depth."""
        for kid in self.kids:
            if isinstance(kid, Node):
                yield kid
                yield from kid.nodes()

    def text(self) -> str:
        """All its text on one line."""
        parts = (kid.text() if isinstance(kid, Node) else kid for kid in self.kids)
        return " ".join(" ".join(parts if self.tag not in ("li", "td", "th") else parts).split())


@dataclass(slots=True)
class WebPage:
    """A page as it was read."""

    body: Node
    titles: list[str] = field(default_factory=list)  # as the page's metadata say, best first
    dois: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)  # everything a reader sees
    left_out: list[str] = field(default_factory=list)  # of which navigation and the like
