"""Converted documents as Markdown with page marks, for get_document_text and the CLI."""

from __future__ import annotations

import math

from citeloom.core.types import Block, BlockKind, Converted, Page


def to_markdown(doc: Converted, first_page: int | None = None, last_page: int | None = None) -> str:
    """Return the document, or a range of its PDF pages, as Markdown.

    Comments mark the start of each page and give the text of its margins: running headers, page number, stamps.
    """
    first, last = first_page or 1, last_page or math.inf
    pages = [page for page in doc.pages if first <= page.number <= last]
    parts: list[str] = []
    at: int | None = None  # page of the last block
    for block in doc.blocks:
        if block.page is not None:
            if not first <= block.page <= last:
                continue
            if block.page != at:
                at = block.page
                while pages and pages[0].number < at:
                    parts.extend(_margin(pages.pop(0)))
                parts.extend(_begin(pages.pop(0) if pages and pages[0].number == at else Page(at, "")))
                if block.continues:
                    parts.append(block.text)
                    continue
        if block.continues and parts and block.kind is BlockKind.TEXT:
            parts[-1] = f"{parts[-1]} {block.text}"
        else:
            parts.append(_block(block, doc.file_type))
    for page in pages:
        parts.extend(_margin(page))
    return "\n\n".join(parts) + "\n" if parts else ""


def _margin(page: Page) -> list[str]:
    """Return the comments of a page without text: none, unless it has margin text."""
    return _begin(page) if page.margin else []


def _begin(page: Page) -> list[str]:
    where = "" if page.label == str(page.number) else f" (PDF {page.number})"
    marks = [f"<!-- page {_in_comment(page.label)}{where} -->"]
    margin = [
        line for line in page.margin if line.strip("-–— ") != page.label
    ]  # a bare page number is in the comment above
    if margin:
        marks.append(f"<!-- margin: {_in_comment(' | '.join(margin))} -->")
    return marks


def _in_comment(text: str) -> str:
    while "--" in text:
        text = text.replace("--", "-")
    return text.rstrip("-")


def _block(block: Block, file_type: str) -> str:
    if block.kind is BlockKind.HEADING:
        level = block.extra.get("header_level", len(block.section_path))
        return f"{'#' * max(1, min(6, int(level)))} {block.text}"
    if block.kind is BlockKind.CODE and file_type == "python":
        return f"```python\n{block.text}\n```"
    return block.text
