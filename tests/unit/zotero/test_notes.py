"""Notes, annotations and Zotero's full text as documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.types import Block, BlockKind, Converted, TextSource
from citeloom.zotero.notes import first_line, from_annotations, from_full_text, from_note
from citeloom.zotero.types import Item, item_from_json

RECORDINGS = Path(__file__).parents[2] / "recordings"
A_MEGABYTE = 1_000_000

NOTE = """<div class="zotero-note znv1"><h1>Reading &amp; notes</h1>
<p>First <b>bold</b><br>second line <a href="https://example.org">a link</a>.</p>
<h2>Method</h2>
<blockquote><p>“Quoted” <span class="citation">(Doe, 2020, p. 3)</span></p></blockquote>
<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul>
<ol><li>first</li><li>second</li></ol>
<table><tbody><tr><th>a|b</th><th>c</th></tr><tr><td><p>1</p><p>2</p></td><td></td></tr></tbody></table>
<pre>x = 1
  y</pre>
<pre class="math">$$e^x$$</pre>
<script>alert(1)</script><style>p {}</style>
<img src="data:image/png;base64,iVBORw0KGgo=" data-attachment-key="ABCD2345">
<h2>Result</h2></div>"""


def note(html: Any) -> Converted:
    return from_note(Item("NOTE2345", {"itemType": "note", "note": html}))


def said(blocks: tuple[Block, ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(str(b.kind), b.text, b.section_path) for b in blocks]


def annotation(key: str, **data: Any) -> Item:
    return Item(key, {"itemType": "annotation", **{f"annotation{k[0].upper()}{k[1:]}": v for k, v in data.items()}})


def test_a_note_keeps_its_structure_and_loses_its_pictures() -> None:
    top, method = ("Reading & notes",), ("Reading & notes", "Method")
    read = note(NOTE)
    assert said(read.blocks) == [
        ("heading", "Reading & notes", top),
        ("text", "First bold\nsecond line a link.", top),
        ("heading", "Method", method),
        ("text", "“Quoted” (Doe, 2020, p. 3)", method),
        ("text", "- one", method),
        ("text", "- inner", method),
        ("text", "- two", method),
        ("text", "1. first", method),
        ("text", "2. second", method),
        ("table", "| a\\|b | c |\n| --- | --- |\n| 1 2 |  |", method),
        ("code", "x = 1\n  y", method),
        ("text", "$$e^x$$", method),
        ("heading", "Result", ("Reading & notes", "Result")),
    ]
    assert (read.file_type, read.title, read.pages, read.text_source) == ("note", "Reading & notes", (), "note")


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("just words", ["just words"]),
        ("<p>open <b>and never", ["open and never"]),
        ("<table><tr><td>a<td>b<tr><td>c", ["| a | b |\n| --- | --- |\n| c |  |"]),
        ("</li></table></ul>text</h1>", ["text"]),
        ("<ul><li></li></ul><p>text</p>", ["text"]),
        ("a <!-- gone --> b <!-- never closed", ["a b -- never closed"]),
        ("<![CDATA[x]]><!DOCTYPE y>1 < 2 & 3 > 2", ["1 < 2 & 3 > 2"]),
        ("&#" + "9" * 5000 + "; too large", ["\ufffd too large"]),
        ("<p>\u2067right\u2069 \ud800half</p>", ["right half"]),
        ("", []),
        (None, []),
    ],
)
def test_malformed_html_keeps_its_words(html: Any, texts: list[str]) -> None:
    assert [block.text for block in note(html).blocks] == texts


@given(st.text(alphabet="<>/!-&#;[]'\"= \n?ahlipturd1") | st.text())
def test_any_html_is_some_note_that_survives_being_kept(html: str) -> None:
    read = note(html)
    assert all(block.text.strip() for block in read.blocks)
    assert Converted.from_json(json.loads(json.dumps(read.to_json()))) == read


@pytest.mark.parametrize(
    "piece", ["<!-- >", "<", "<a ", "<![CDATA[ >", "</", "<?", "&", "<a x='", "<script>", "<!a", "&#9"]
)
def test_five_megabytes_of_anything_are_read(piece: str) -> None:
    note(piece * (5 * A_MEGABYTE // len(piece)))


def test_a_note_with_megabytes_of_pictures_is_its_words() -> None:
    picture = f'<img src="data:image/png;base64,{"A" * A_MEGABYTE}">'
    assert [b.text for b in note(f"<p>before {picture * 5} after</p>").blocks] == ["before after"]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<p>first line<br>second</p><p>more</p>", "first line"),
        ("<p>intro</p><h2>Heading</h2>", "Heading"),
        ("<p>" + "long " * 100 + "</p>", ("long " * 24).strip()),
        ("<img src='data:,'>", ""),
    ],
)
def test_a_note_is_called_by_its_first_heading_or_line(html: str, title: str) -> None:
    assert note(html).title == first_line(html) == title


def test_recorded_annotations_are_passages_of_their_own_in_the_order_of_the_pages() -> None:
    replies = json.loads((RECORDINGS / "zotero-10.json").read_text(encoding="utf-8"))
    recorded = next(reply["body"] for reply in replies if reply["name"] == "trashed_incl")
    items = [item_from_json(i["data"]) for i in recorded if i["data"].get("parentItem") == "63RSNME5"]
    read = from_annotations(items)
    assert [(b.extra["annotation_type"], b.text, b.page, b.extra["page_label"]) for b in read.blocks] == [
        ("highlight", "highlighted sentence from the paper\nComment: edited comment", 1, "1"),
        ("underline", "underlined words", 1, "1"),
        ("note", "Comment: sticky note only comment", 2, "iv"),
        ("image", "Comment: figure", 2, "1"),
    ]
    assert read.blocks[0].extra == {
        "annotation": "TYLSNVM4",
        "own_passage": True,
        "annotation_type": "highlight",
        "colour": "#ffd400",
        "comment": "edited comment",
        "page_label": "1",
        "position": {"pageIndex": 0, "rects": [[100, 600, 300, 612], [100, 588, 250, 600]]},
        "tags": ["ann-tag"],
    }
    assert (read.file_type, read.pages, read.text_source) == ("annotations", (), "annotation")


def test_an_annotation_outside_a_pdf_claims_no_page() -> None:
    position = json.dumps({"type": "FragmentSelector", "value": "epubcfi(/6/4!/4/2)"})
    [block] = from_annotations([annotation("A", type="highlight", text="a <i>b</i> < c", position=position)]).blocks
    assert (block.text, block.page, block.text_source) == ("a b < c", None, TextSource.ANNOTATION)


@pytest.mark.parametrize("position", ["", "[" * 100_000, "{", "7", '{"pageIndex": "x"}', '{"pageIndex": -1}', 7])
def test_a_position_that_cannot_be_read_costs_only_the_page(position: Any) -> None:
    [block] = from_annotations([annotation("A", type="highlight", text="words", position=position)]).blocks
    assert (block.text, block.page) == ("words", None)


def test_the_strokes_of_a_drawing_are_left_out() -> None:
    position = json.dumps({"pageIndex": 3, "width": 2, "paths": [[1, 2] * 5000]})
    [block] = from_annotations([annotation("A", type="ink", comment="see", position=position)]).blocks
    assert (block.page, block.extra["position"]) == (4, {"pageIndex": 3, "width": 2})
    assert from_annotations([annotation("A", type="ink", position=position)]).blocks == ()


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["type", "text", "comment", "position", "sortIndex"]), st.text() | st.integers()
        )
    )
)
def test_whatever_annotations_hold_each_with_words_is_one_block(held: list[dict[str, Any]]) -> None:
    read = from_annotations([annotation(f"K{n}", **data) for n, data in enumerate(held)])
    assert len({block.extra["annotation"] for block in read.blocks}) == len(read.blocks) <= len(held)


def test_full_text_is_paragraphs_without_pages() -> None:
    read = from_full_text("Title\n\n  A line\nand another \x00 \n \nPage one\fPage two")
    assert [b.text for b in read.blocks] == ["Title", "A line\nand another", "Page one", "Page two"]
    assert {(b.kind, b.page, b.text_source) for b in read.blocks} == {
        (BlockKind.TEXT, None, TextSource.ZOTERO_FULLTEXT)
    }
    assert (read.file_type, read.pages) == ("fulltext", ())
