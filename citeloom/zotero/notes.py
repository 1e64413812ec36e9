"""Notes, annotations and Zotero's full text as converted documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import unescape
from html.parser import HTMLParser
from typing import Any

from citeloom.core.text.markdown_table import as_markdown
from citeloom.core.types import Block, BlockKind, Converted, TextSource
from citeloom.zotero.types import Item

# Bidirectional marks and isolates, controls that print nothing, halves of surrogate pairs.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_MAX_TITLE_LENGTH = 120
_MAX_HEADING_LENGTH = 300  # more is text in a heading that was never closed
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = ("ul", "ol")
# Tags that end a paragraph; others are inline.
_PARAGRAPH_BREAKS = {
    *("p", "div", "section", "blockquote", "li", "dl", "dt", "dd", "hr", "pre"),
    *("table", "tr", "td", "th", "caption", *_HEADINGS, *_LISTS),
}
_IGNORED_TAGS = {"script", "style", "head", "template"}
# int() refuses thousands of digits, and no code point has eight.
_ENDLESS_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{8,};?")
_MARKUP = re.compile(r"</?(?:i|b|em|strong|sub|sup|span)>", re.IGNORECASE)  # all that Zotero allows in an annotation


def printable(text: str) -> str:
    """Return text without control characters and bidirectional marks."""
    return _INVISIBLE.sub("", text)


def first_line(html: str) -> str:
    """Return the title of a note: its first line."""
    return _title(_blocks(html))


def from_note(item: Item) -> Converted:
    """Convert a note: headings, paragraphs, lists and tables; no images."""
    html = item.data.get("note")
    blocks = _blocks(html if isinstance(html, str) else "")
    return Converted("note", "", tuple(blocks), title=_title(blocks))


def from_annotations(annotations: Sequence[Item]) -> Converted:
    """Convert the annotations of an attachment in page order, each a passage of its own."""
    ordered = sorted(annotations, key=lambda item: (_line(item.data.get("annotationSortIndex")), item.key))
    return Converted("annotations", "", tuple(block for item in ordered if (block := _annotation(item))))


def from_full_text(text: str) -> Converted:
    """Convert the text that Zotero extracted from a file: paragraphs without pages."""
    paragraphs: list[list[str]] = [[]]
    for line in text.replace("\f", "\n\n").splitlines():  # a new page ends a paragraph
        if words := _line(line):
            paragraphs[-1].append(words)
        elif paragraphs[-1]:
            paragraphs.append([])
    return Converted(
        "fulltext",
        "",
        tuple(
            Block(BlockKind.TEXT, "\n".join(lines), text_source=TextSource.ZOTERO_FULLTEXT)
            for lines in paragraphs
            if lines
        ),
    )


def _line(value: object) -> str:
    return " ".join(printable(value).split()) if isinstance(value, str) else ""


def _title(blocks: Sequence[Block]) -> str:
    named = next((b for b in blocks if b.kind is BlockKind.HEADING), next(iter(blocks), None))
    return _line(named.text.partition("\n")[0])[:_MAX_TITLE_LENGTH].strip() if named else ""


def _annotation(item: Item) -> Block | None:
    data = item.data
    text = _line(_MARKUP.sub("", data["annotationText"])) if isinstance(data.get("annotationText"), str) else ""
    comment = data.get("annotationComment")
    comment = printable(_MARKUP.sub("", comment)).strip() if isinstance(comment, str) else ""
    if not text and not comment:
        return None
    position = _position(data.get("annotationPosition"))
    page = position.get("pageIndex") if position else None
    about = {
        "annotation_type": _line(data.get("annotationType")),
        "colour": _line(data.get("annotationColor")),
        "comment": comment,
        "page_label": _line(data.get("annotationPageLabel")),
        "position": position,
        "tags": _tags(data.get("tags")),
    }
    return Block(
        BlockKind.TEXT,
        "\n".join(part for part in (text, comment and f"Comment: {comment}") if part),
        page=page + 1 if isinstance(page, int) and page >= 0 else None,
        extra={"annotation": item.key, "own_passage": True} | {name: value for name, value in about.items() if value},
        text_source=TextSource.ANNOTATION,
    )


def _tags(value: object) -> list[str]:
    tags = value if isinstance(value, list) else []
    return [name for tag in tags if isinstance(tag, dict) and (name := _line(tag.get("tag")))]


def _position(value: object) -> dict[str, Any] | None:
    """Parse the position of an annotation, which is JSON in a string; strokes of drawings are left out."""
    if not isinstance(value, str):
        return None
    try:
        position = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return {name: part for name, part in position.items() if name != "paths"} if isinstance(position, dict) else None


def _blocks(html: str) -> list[Block]:
    reader = _Reader()
    for piece, is_markup in _markup_and_text(html):
        if is_markup:
            reader.feed(piece)
        else:
            reader.handle_data(unescape(piece))
    reader.close()
    reader.finish()
    return reader.blocks


def _markup_and_text(html: str) -> Iterator[tuple[str, bool]]:
    """Yield the markup, then the text after the last tag.

    Unterminated comments, declarations and tags are removed first: Python's parser searches for the end of each of them
    again, so that a megabyte of them would take hours.
    """
    html = _ENDLESS_REFERENCE.sub("\ufffd", html)
    parts: list[str] = []
    at = 0
    while (start := html.find("<!", at)) >= 0:
        closing = "-->" if html.startswith("<!--", start) else ">"
        end = html.find(closing, start)
        parts.append(html[at:start])
        if end < 0:
            at = start
            break
        at = end + len(closing)
    rest = "".join((*parts, html[at:].replace("<!", "")))
    markup_end = rest.rfind(">") + 1
    yield rest[:markup_end], True
    yield rest[markup_end:], False


class _Reader(HTMLParser):
    """Reads a note into blocks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._text: list[str] = []
        self._path: list[tuple[int, str]] = []  # level and text of the headings above
        self._heading = 0  # the level of the heading that is open
        self._lists: list[int] = []  # the number of the next item; 0: not numbered
        self._bullet = ""
        self._rows: list[list[str]] | None = None  # of the table that is open
        self._in_cell = False
        self._ignored_depth = 0
        self._code = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle an opening tag."""
        if tag in _IGNORED_TAGS:
            self._ignored_depth += 1
        if tag == "br":
            self._text.append("\n")
        if tag not in _PARAGRAPH_BREAKS:
            return
        self._end_paragraph()
        if tag in ("tr", "td", "th"):
            self._end_cell()
        if tag in _HEADINGS:
            self._heading = int(tag[1])
        elif tag in _LISTS:
            self._lists.append(int(tag == "ol"))
        elif tag == "li":
            number = self._lists[-1] if self._lists else 0
            self._bullet = f"{number}. " if number else "- "
            if number:
                self._lists[-1] += 1
        elif tag == "table" and self._rows is None:
            self._rows = []
        elif tag == "tr" and self._rows is not None:
            self._rows.append([])
        elif tag in ("td", "th"):
            self._in_cell = bool(self._rows)
        elif tag == "pre":
            self._code = ("class", "math") not in attrs

    def handle_endtag(self, tag: str) -> None:
        """Handle a closing tag."""
        if tag in _IGNORED_TAGS:
            self._ignored_depth = max(0, self._ignored_depth - 1)
        if tag not in _PARAGRAPH_BREAKS:
            return
        self._end_paragraph()
        if tag in ("td", "th", "tr"):
            self._end_cell()
        elif tag == "table":
            self._end_table()
        elif tag in _LISTS and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._bullet = ""
        self._heading, self._code = 0, False

    def handle_data(self, data: str) -> None:
        """Collect text."""
        if not self._ignored_depth:
            self._text.append(data if self._code else data.replace("\n", " "))

    def finish(self) -> None:
        """Close open tables and paragraphs."""
        self._end_table()
        self._end_paragraph()

    def _end_cell(self) -> None:
        if self._rows:
            text = " ".join(self._take_text().split())
            if text or self._in_cell:
                self._rows[-1].append(text)
        self._in_cell = False

    def _end_table(self) -> None:
        self._end_cell()
        rows = [row for row in self._rows or () if any(row)]
        self._rows = None
        if rows:
            self._add(BlockKind.TABLE, as_markdown(rows))

    def _end_paragraph(self) -> None:
        """End the paragraph."""
        if self._rows:
            self._text.append(" ")  # paragraphs in a cell
            return
        code = self._code
        text = self._take_text()
        if not text:
            return
        if self._heading and len(text) <= _MAX_HEADING_LENGTH:
            text = " ".join(text.split())
            self._path = [(level, name) for level, name in self._path if level < self._heading]
            self._path.append((self._heading, text))
            self._add(BlockKind.HEADING, text, {"header_level": self._heading})
        else:
            self._add(BlockKind.CODE if code else BlockKind.TEXT, self._bullet + text)
            self._bullet = ""

    def _take_text(self) -> str:
        text = printable("".join(self._text))
        self._text.clear()
        if self._code:
            return text.strip("\r\n")
        return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()

    def _add(self, kind: BlockKind, text: str, extra: dict[str, Any] | None = None) -> None:
        path = tuple(name for _, name in self._path)
        self.blocks.append(Block(kind, text, path, extra=extra or {}, text_source=TextSource.NOTE))
