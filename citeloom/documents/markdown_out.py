"""A converted document as Markdown, with marks where pages begin."""

from __future__ import annotations

from citeloom.model import Block, BlockKind, Converted


def to_markdown(doc: Converted, first_page: int | None = None, last_page: int | None = None) -> str:
    """The document, or a range of its PDF pages, as Markdown; a mark tells where each page begins."""
    labels = {page.number: page.label for page in doc.pages}
    parts: list[str] = []
    page: int | None = None
    for block in doc.blocks:
        if block.page is not None:
            if (first_page or 1) > block.page or (last_page is not None and block.page > last_page):
                continue
            if block.page != page:
                page = block.page
                parts.append(_mark(page, labels.get(page)))
                if block.continues:
                    parts.append(block.text)
                    continue
        if block.continues and parts and block.kind is BlockKind.TEXT:
            parts[-1] = f"{parts[-1]} {block.text}"
        else:
            parts.append(_block(block, doc.file_type))
    return "\n\n".join(parts) + "\n" if parts else ""


def _mark(number: int, label: str | None) -> str:
    if label is None or label == str(number):
        return f"<!-- page {number} -->"
    return f"<!-- page {label.replace('--', '-')} (PDF {number}) -->"


def _block(block: Block, file_type: str) -> str:
    if block.kind is BlockKind.HEADING:
        level = block.extra.get("header_level", len(block.section_path))
        return f"{'#' * max(1, min(6, int(level)))} {block.text}"
    if block.kind is BlockKind.CODE and file_type == "python":
        return f"```python\n{block.text}\n```"
    return block.text
