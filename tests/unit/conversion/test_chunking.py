from __future__ import annotations

import string
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.conversion.chunking import chunk
from citeloom.conversion.tokens import TokenCounter, estimate_tokens
from citeloom.core.errors import CiteLoomError
from citeloom.core.text.sentences import sentences
from citeloom.core.types import Block, BlockKind, Converted, Page
from tests.unit.conversion.sample_papers import TOKENIZER

REAL = TokenCounter(TOKENIZER)
word = st.text(string.ascii_letters + "äß-.,;0 9é字", min_size=1, max_size=12).filter(str.strip)
sentence = st.lists(word, min_size=1, max_size=60).map(" ".join)
monster = st.integers(200, 1500).map(lambda n: "ab1" * n)


@st.composite
def documents(draw: st.DrawFn) -> Converted:
    """Sections, page breaks inside paragraphs, tables, huge words, headings without text."""
    blocks: list[Block] = []
    page = 1
    path: tuple[str, ...] = ()
    for _ in range(draw(st.integers(1, 12))):
        what = draw(st.sampled_from(["heading", "text", "text", "text", "continue", "table", "monster"]))
        if what == "heading":
            heading = draw(st.one_of(word, sentence)).strip()
            path = (*path[: draw(st.integers(0, 2))], heading)
            blocks.append(Block(BlockKind.HEADING, heading, path, page))
            continue
        page += draw(st.integers(0, 2))
        if what == "table":
            rows = draw(st.lists(st.lists(word, min_size=2, max_size=4).map("\t".join), min_size=1, max_size=30))
            blocks.append(Block(BlockKind.TABLE, "\n".join(rows), path, page))
            continue
        text = draw(monster if what == "monster" else st.lists(sentence, min_size=1, max_size=8).map(". ".join))
        goes_on = what == "continue" and bool(blocks) and blocks[-1].kind is BlockKind.TEXT
        blocks.append(Block(BlockKind.TEXT, text, path, page, continues=goes_on))
    pages = tuple(Page(n, "", None, str(n + 252)) for n in range(1, page + 1))
    return Converted("pdf", "test", tuple(blocks), pages)


def letters(texts: Sequence[str]) -> str:
    return "".join("".join(texts).split())


def body(doc: Converted) -> str:
    """The letters that passages must hold: all text, and the headings nothing else would name."""
    blocks = doc.blocks
    wanted = []
    for at, block in enumerate(blocks):
        below = blocks[at + 1].section_path if at + 1 < len(blocks) else ()
        if block.kind is not BlockKind.HEADING or below[: len(block.section_path)] != block.section_path:
            wanted.append(block.text)
    return letters(wanted)


@settings(max_examples=60, deadline=None)
@given(documents(), st.sampled_from([REAL, estimate_tokens]), st.sampled_from([32, 64, 256]))
def test_passages_lose_nothing_hold_the_limit_and_stay_in_their_section(
    doc: Converted, count: Callable[[Sequence[str]], list[int]], limit: int
) -> None:
    passages = chunk(doc, count, limit)
    assert letters([p.text for p in passages]) == body(doc)
    assert all(tokens <= limit for tokens in count([p.embedded_text for p in passages]))
    assert [p.index for p in passages] == list(range(len(passages)))
    paths = {block.section_path for block in doc.blocks}
    for passage in passages:
        assert passage.text.strip()
        if not passage.extra.get("section_shortened"):
            assert passage.section_path in paths
    assert passages == chunk(doc, count, limit)


@settings(max_examples=60, deadline=None)
@given(documents(), st.sampled_from([32, 128]))
def test_pages_are_those_of_the_first_and_last_letters(doc: Converted, limit: int) -> None:
    passages = chunk(doc, REAL, limit)
    page_of: list[int] = []
    for at, block in enumerate(doc.blocks):
        below = doc.blocks[at + 1].section_path if at + 1 < len(doc.blocks) else ()
        if block.kind is not BlockKind.HEADING or below[: len(block.section_path)] != block.section_path:
            page_of += [block.page or 0] * len(letters([block.text]))
    at = 0
    for passage in passages:
        length = len(letters([passage.text]))
        assert (passage.page_start, passage.page_end) == (page_of[at], page_of[at + length - 1])
        own = dict.fromkeys(page_of[at : at + length])
        assert passage.page_labels == tuple(str(page + 252) for page in own)  # none on which it does not stand
        at += length


def test_a_long_section_is_shared_out_evenly_at_sentence_ends() -> None:
    text = " ".join(f"Sentence number {n} speaks of salt and grain in the year {n}." for n in range(60))
    passages = chunk(Converted("text", "test", (Block(BlockKind.TEXT, text),)), REAL, 256)
    counts = REAL([p.text for p in passages])
    assert min(counts) > 0.7 * max(counts) and max(counts) > 180
    assert all(p.text.startswith("Sentence") and p.text.endswith(".") for p in passages)


def test_a_table_is_cut_between_rows_only() -> None:
    rows = [f"{year}\t{year * 7}\t{year * 13}" for year in range(1300, 1360)]
    table = Block(BlockKind.TABLE, "\n".join(rows), page=1)
    passages = chunk(Converted("pdf", "test", (table,), (Page(1, ""),)), REAL, 64)
    assert len(passages) > 1
    assert [row for p in passages for row in p.text.split("\n")] == rows


def test_a_reference_list_is_marked_and_a_bare_heading_is_kept() -> None:
    blocks = (
        Block(BlockKind.HEADING, "Plates", ("Plates",), 1),
        Block(BlockKind.HEADING, "7. Literaturverzeichnis", ("7. Literaturverzeichnis",), 1),
        Block(BlockKind.TEXT, "Brandt (1998).", ("7. Literaturverzeichnis",), 1),
    )
    plates, references = chunk(Converted("pdf", "test", blocks, (Page(1, ""),)), REAL, 256)
    assert (plates.text, plates.section_path) == ("Plates", ("Plates",))
    assert references.extra == {"references": True, "section_role": "references"}


def test_a_heading_chain_too_long_for_the_model_leaves_room_for_the_text() -> None:
    path = tuple(f"The heading number {n} which goes on and on about salt and grain and letters" for n in range(20))
    doc = Converted("pdf", "test", (Block(BlockKind.TEXT, "Salt. " * 100, path, 1),), (Page(1, ""),))
    passages = chunk(doc, REAL, 64)
    assert all(p.section_path[-1] == path[-1] and p.extra["section_shortened"] for p in passages)
    assert max(REAL([p.embedded_text for p in passages])) <= 64


def test_lines_follow_the_sentences_of_a_passage() -> None:
    text = "\n".join(f"Line {n} tells about the salt of the year and ends here." for n in range(1, 41))
    passages = chunk(Converted("text", "test", (Block(BlockKind.TEXT, text, lines=(11, 50)),)), REAL, 128)
    assert [p.extra["lines"][0] for p in passages[1:]] == [p.extra["lines"][1] + 1 for p in passages[:-1]]
    assert (passages[0].extra["lines"][0], passages[-1].extra["lines"][1]) == (11, 50)


def test_a_limit_without_room_for_text_is_refused() -> None:
    with pytest.raises(CiteLoomError, match="too small"):
        chunk(Converted("text", "test", ()), REAL, 4)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("We follow Brandt et al. (1998) and J. S. Mill. It works.", 2),
        ("Vgl. Abb. 3 auf S. 12. Das gilt z. B. für Salz.", 2),
        ("Is it? Yes! “Quite so.” He left at 3.5 p.m. on Monday.", 4),
    ],
)
def test_sentences_end_where_a_reader_sees_the_end(text: str, count: int) -> None:
    assert len(sentences(text)) == count
