"""Writes a parsed page as simplified HTML that docling reads without loss. Called by the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from citeloom.conversion.docling import markers
from citeloom.conversion.office.web_page import HEADINGS, LINE_BREAK, LISTS, PARAGRAPH, Node

_MAX_HEADING_LENGTH = 300  # characters; a longer one is text after a heading tag that was never closed
_WIDEST_SPAN = 100
_MAX_CELLS = 300_000  # of a table, empty ones included; a larger table is read as paragraphs
_BLANK_LINE = re.compile(rf"(?:[ \t\r\n]*{LINE_BREAK}[ \t\r\n]*){{2,}}")
# Docling replaces these by ASCII; quotations must stay as printed, so they are mapped to private-use characters.
_PROTECTED = "\u200c\u200d\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201c\u201d\u2026"
_PROTECT = {ord(letter): 0xE220 + at for at, letter in enumerate(_PROTECTED)}
_RESTORE = {0xE220 + at: letter for at, letter in enumerate(_PROTECTED)}


def restore_characters(text: str) -> str:
    """Return a text from docling with the protected characters restored."""
    return text.translate(_RESTORE)


def to_html(body: Sequence[Node | str]) -> str:
    """Return the page as HTML without addresses, styles and scripts."""
    return f'<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>{"".join(_flow(body))}</body></html>'


def _escaped(text: str) -> str:
    return escape(text.replace("\u00ad", "").translate(_PROTECT), quote=False)


def _flow(children: Sequence[Node | str], before: str = "", note: bool = False) -> Iterator[str]:
    """Yield paragraphs and the blocks between them; `before` is prepended to the first paragraph."""
    text: list[str] = [before]
    for child in [*children, PARAGRAPH]:
        if isinstance(child, str) and child != PARAGRAPH:
            text.append(child)
            continue
        for paragraph in _BLANK_LINE.split("".join(text)):
            words = " ".join(paragraph.split())
            if words and words != before.strip():
                yield f"<p>{markers.mark(markers.NOTE) if note else ''}{_escaped(words)}</p>\n"
                before = ""
        text = [before]
        if isinstance(child, Node):
            yield from _block(child, note)


def _block(node: Node, note: bool) -> Iterator[str]:
    if node.tag in HEADINGS:
        words = node.text()
        tag = node.tag if len(words) <= _MAX_HEADING_LENGTH else "p"
        yield f"<{tag}>{_escaped(words)}</{tag}>\n" if words else ""
    elif node.tag in LISTS:
        yield from _list(node, note)
    elif node.tag == "table":
        yield from _table(node, note)
    elif node.tag == "pre":
        text = "".join(child.text() if isinstance(child, Node) else child for child in node.children)
        text = text.replace(LINE_BREAK, "\n").replace(PARAGRAPH, "\n").strip("\r\n")
        yield f"<pre>{_escaped(text)}</pre>\n" if text.strip() else ""
    elif node.tag == "figure":
        yield f"<figure>{''.join(_flow(node.children, note=note))}</figure>\n"
    elif node.tag in ("figcaption", "caption"):
        yield f"<{node.tag}>{_escaped(node.text())}</{node.tag}>\n" if node.text() else ""
    else:
        yield from _flow(node.children, note=note or node.tag == "note")


def _list(node: Node, note: bool) -> Iterator[str]:
    start = node.attributes.get("start", "")
    number = int(start) if start.isascii() and start.isdigit() and len(start) < 7 else 1
    if any(inner.tag not in (*LISTS, "li") for inner in node.nodes()):
        # A list whose items contain headings, tables or code is used for layout only.
        for child in node.children:
            if isinstance(child, Node) and child.tag == "li":
                yield from _flow(child.children, f"{number}. " if node.tag == "ol" else "- ", note)
                number += 1
            elif isinstance(child, Node):
                yield from _block(child, note)
            else:
                yield from _flow([child], note=note)
        return
    yield f'<ol start="{number}">' if node.tag == "ol" else "<ul>"
    for child in node.children:
        if isinstance(child, Node) and child.tag in LISTS:
            yield from _list(child, note)
        elif isinstance(child, Node) or child.strip():
            inner = child.children if isinstance(child, Node) else [child]
            words = Node("li", [k for k in inner if isinstance(k, str)]).text()
            yield f"<li>{markers.mark(markers.NOTE) if note and words else ''}{_escaped(words)}"
            for below in inner:
                if isinstance(below, Node):
                    yield from _list(below, note)
            yield "</li>"
    yield "</ol>\n" if node.tag == "ol" else "</ul>\n"


def _table(node: Node, note: bool) -> Iterator[str]:
    parts = [child for child in node.children if isinstance(child, Node)]
    loose = [child for child in node.children if isinstance(child, str) and child.strip()]
    rows = [[cell for cell in part.children if isinstance(cell, Node)] for part in parts if part.tag == "tr"]
    rows += [[part for part in parts if part.tag in ("td", "th")]]
    inside = {inner.tag for inner in node.nodes()}
    for_layout = node.attributes.get("role") in ("presentation", "none") or inside & {"table", "pre", *HEADINGS}
    captions = [part for part in parts if part.tag == "caption"]
    columns = max(sum(_span(cell, "colspan") for cell in row) for row in rows)
    yield from _flow(loose, note=note)
    if for_layout or max(map(len, rows)) < 2 or columns * len(rows) > _MAX_CELLS:
        for part in captions:
            yield f"<figure><figcaption>{_escaped(part.text())}</figcaption></figure>\n" if part.text() else ""
        for cell in (cell for row in rows for cell in row):
            yield from _flow(cell.children, note=note) if cell.tag in ("td", "th") else _block(cell, note)
        return
    yield f"<table>{''.join(piece for part in captions for piece in _block(part, note))}"
    yield from (f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows if row)
    yield "</table>\n"


def _cell(cell: Node) -> str:
    spans = "".join(f' {name}="{_span(cell, name)}"' for name in ("rowspan", "colspan") if _span(cell, name) > 1)
    tag = "th" if cell.tag == "th" else "td"
    return f"<{tag}{spans}>{_escaped(cell.text())}</{tag}>"


def _span(cell: Node, name: str) -> int:
    value = cell.attributes.get(name, "")
    return min(int(value), _WIDEST_SPAN) or 1 if value.isascii() and value.isdigit() and len(value) < 6 else 1
