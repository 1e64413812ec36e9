"""Rebuilds the text of a document from its passages, if there is no whole conversion.

Used by the text of documents and the check of quotations.
"""

from __future__ import annotations

from collections.abc import Sequence

from citeloom.catalog.documents import Document
from citeloom.core.types import Block, BlockKind, Converted, Page, TextSource
from citeloom.index.base import ScoredPoint


def from_passages(document: Document, hits: Sequence[ScoredPoint]) -> Converted:
    """Return a conversion built from passages: the text of a page is that of the passages on it."""
    blocks: list[Block] = []
    section: tuple[str, ...] = ()
    texts: dict[int, list[str]] = {}
    labels: dict[int, str] = {}
    for hit in hits:
        path, page = tuple(hit.payload.get("section_path") or ()), hit.payload.get("page_start")
        text = hit.payload["chunk_text"]
        if path and path != section:
            blocks.append(Block(BlockKind.HEADING, path[-1], path, page))
        section = path
        source = TextSource(hit.payload.get("text_source") or TextSource.NATIVE)
        blocks.append(Block(BlockKind.TEXT, text, path, page, text_source=source))
        if page is not None:
            for at, label in enumerate(hit.payload.get("page_labels") or (), start=page):
                texts.setdefault(at, []).append(text)
                labels[at] = label
    pages = tuple(
        Page(number, "\n\n".join(texts.get(number, ())), printed=_other(labels.get(number), number))
        for number in sorted({*range(1, (document.pages or 0) + 1), *labels})
    )
    return Converted(document.file_type, document.converter, tuple(blocks), pages, title=document.title)


def _other(label: str | None, number: int) -> str | None:
    return label if label != str(number) else None
