"""A document whose whole conversion has still to come can be read as its passages show it."""

from __future__ import annotations

from typing import Any

from citeloom.catalog.documents import Document
from citeloom.conversion.markup.markdown_writer import to_markdown
from citeloom.index.base import Hit
from citeloom.library.document_text import from_passages


def hit(number: int, text: str, pages: tuple[int, int], labels: list[str], path: list[str]) -> Hit:
    payload: dict[str, Any] = {"chunk_text": text, "section_path": path, "page_labels": labels}
    return Hit(str(number), 1.0, {**payload, "page_start": pages[0], "page_end": pages[1]})


def test_pages_hold_the_passages_that_stand_on_them_under_their_printed_numbers() -> None:
    passages = [
        hit(0, "Grain came by ship.", (1, 1), ["7"], ["Trade"]),
        hit(1, "Salt came by land.", (1, 3), ["7", "8", "9"], ["Trade"]),
        hit(2, "Nobody knows.", (3, 3), ["9"], ["Trade", "Limits"]),
    ]
    converted = from_passages(Document("p", "d", "/d.pdf", "pdf", pages=4, title="Salt"), passages)
    assert [(page.number, page.label) for page in converted.pages] == [(1, "7"), (2, "8"), (3, "9"), (4, "4")]
    assert [page.text.split("\n\n") for page in converted.pages] == [
        ["Grain came by ship.", "Salt came by land."],
        ["Salt came by land."],
        ["Salt came by land.", "Nobody knows."],
        [""],
    ]
    markdown = to_markdown(converted)
    assert markdown.index("# Trade") < markdown.index("Grain") < markdown.index("## Limits") < markdown.index("Nobody")
    assert markdown.count("Trade") == 1


def test_passages_that_an_agent_stored_keep_their_printed_pages() -> None:
    stored = [hit(0, "Grain came by ship.", (41, 42), ["A41", "A42"], [])]
    converted = from_passages(Document("p", "d", "stored:x", "stored", title="Salt"), stored)
    assert [(page.number, page.label) for page in converted.pages] == [(41, "A41"), (42, "A42")]
