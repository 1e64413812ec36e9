"""Typst manuscripts: references, calls that cite or quote, and what is code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.prose import MARK
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.manuscripts.typst.reader import read


def cited(text: str) -> list[Citation]:
    found = [citation for group in read(text).cited for citation in group.citations]
    for citation in found:
        assert text[citation.span.start : citation.span.end] == citation.key
    return found


def keys(text: str) -> list[str]:
    return [citation.key for citation in cited(text)]


def paragraphs(text: str) -> list[str]:
    prose = read(text)
    return [" ".join(prose.text[p.start : p.end].split()) for p in prose.paragraphs]


def test_references_and_calls_cite_with_their_pages() -> None:
    text = 'As @a:b-c.d[p. 33]. #cite(<k>, supplement: [pp. 3--5, my italics], form: "prose") #cite(label("x/y z"))'
    text += " #let textcite(key) = cite(key) #textcite(<own>)"
    first, second, third, fourth = cited(text)
    assert (first.key, first.pages, first.in_text) == ("a:b-c.d", ("33", "33"), False)
    assert (second.key, second.pages, second.suffix, second.in_text) == ("k", ("3", "5"), ", my italics", True)
    assert (third.key, fourth.key) == ("x/y z", "own")
    spans = [c.pages_span for c in (first, second) if c.pages_span]
    assert [text[span.start : span.end] for span in spans] == ["33", "3--5"]


def test_references_in_a_row_are_one_group() -> None:
    assert [c.group for c in cited("@a @b[3]\n@c, @d\n\n@e")] == [0, 0, 0, 1, 2]


def test_labels_of_the_document_addresses_and_escapes_are_no_citations() -> None:
    text = '= One <one>\n== Two #label("two")\nSee @one, @two, @fig:x, @sec-y, me@example.org, \\@no, '
    text += "https://x.org/@no/#no and @yes, 語@so。"
    assert keys(text) == ["yes", "so"]
    assert paragraphs(text)[:2] == ["One", "Two"]


def test_comments_raw_text_formulas_and_code_are_no_prose() -> None:
    text = (
        '#import "@preview/x:1.0": y\n#set text(lang: "de")\nOne // @no\n/* @no /* @no */ */ `@no` ```@no [``` $ @no $'
        '#link("x@no")[two] #f(1, "[@no]", [three]).with(x: 1)\n#{ let z = "@no" }four'
    )
    assert paragraphs(text) == ["One two three four"] and keys(text) == []


def test_prose_reads_as_it_is_printed() -> None:
    text = "_Very_ *much*, snake_case -- a---b~c ... \\*so\\* \\u{e9}\\ and #emph[this]s $p < 5$.\n\n- one\n+ two"
    assert paragraphs(text) == ["Very much, snake_case – a—b c … *so* é and thiss p < 5.", "one", "two"]


def test_contents_in_code_are_prose_beside_the_sentence() -> None:
    text = (
        "#show: paper.with(\n  title: [A title],\n  abstract: [Said in @a.],\n)\nIt #figure(table([x], [y]), "
        "caption: [Of @b.]) <f>\n#if draft [@c is new.] else [@d is old.] End. #context [@e]"
    )
    assert keys(text) == ["a", "b", "c", "d", "e"]
    assert paragraphs(text) == [
        "A title", f"Said in {MARK}.", "It", "x", "y", f"Of {MARK}.",
        f"{MARK} is new.", f"{MARK} is old.", f"End. {MARK}",
    ]  # fmt: skip


def test_a_named_argument_does_not_interrupt_the_sentence() -> None:
    assert paragraphs("It #box(note: [aside], [goes]) on.") == ["It goes on.", "aside"]


def test_a_quote_belongs_to_its_attribution() -> None:
    text = (
        "It is #quote(attribution: <a>)[this and that]. Known:\n#quote(block: true, attribution: [@b[p. 5]])[\n  A "
        "long block.\n]\nNext.\n#quote(attribution: <c>, block: true, [As an argument.])"
    )
    found = {c.key: [(q.text, q.block) for q in c.quotations] for c in pair(read(text))}
    assert found == {
        "a": [("this and that", False)],
        "b": [("A long block.", True)],
        "c": [("As an argument.", True)],
    }
    assert keys("#quote(attribution: [@a], [As an argument.])") == ["a"]


def test_a_note_that_only_cites_stands_for_its_sentence_and_another_follows_the_paragraph() -> None:
    text = 'He says "this and that".#footnote[See @a[33].] More#footnote[But @b denies that it is so.] text.'
    assert paragraphs(text) == [f'He says "this and that".{MARK} More text.', f"But {MARK} denies that it is so."]


DEEP = 5_000  # far beyond what a reader that calls itself could reach


@pytest.mark.parametrize(
    "text",
    [
        "#[" * DEEP + "@a" + "]" * DEEP,
        "#footnote[" * DEEP + "@a" + "]" * DEEP,
        "#f(x: [" * DEEP + "@a" + "])" * DEEP,
        "[" * DEEP + "@a",
        "])}" * DEEP + "@a",
        "A slip #f(x, and text @a",
        "A slip #emph[and text\n\n@a",
        "A slip #f(x\n\nText#footnote[It is @a who says so.]",
        "#let x = (1,\n\nText @a",
        "``` $ /* @a",
    ],
    ids=[
        "contents",
        "notes",
        "arguments",
        "open",
        "closed",
        "call",
        "content",
        "call before a note",
        "statement",
        "never ended",
    ],
)
def test_what_is_deep_or_unbalanced_hides_no_citation(text: str) -> None:
    assert keys(text) == ["a"]
    assert "#footnote" not in read(text).text


PIECES = st.sampled_from(
    [
        "#", "@", "@a", "@b[p. 3]", "[", "]", "(", ")", "{", "}", "<a>", '"', "`", "```", "$", "//", "/*", "*/", "\\",
        "*", "_", "-", "= ", "\n", "\n\n", " ", "word", ",", ":", ".", "#cite", "#cite(<a>", "#quote", "attribution: ",
        "block: true", "supplement: ", "#footnote", "#let x = ", "#if ", "else", "#show", "#figure", "#context ",
        "https://x", "\\u{0}",
    ]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
def test_any_text_is_read_and_every_place_is_in_it(text: str) -> None:
    prose = read(text)
    assert prose.length == len(prose.text) == len(prose.origins)
    assert all(0 <= at < len(text) for at in prose.origins)
    for group in prose.cited:
        assert prose.text[group.at] == MARK
        assert all(text[c.span.start : c.span.end] == c.key for c in group.citations)


KEYS = st.text("abcXYZ019_", min_size=1, max_size=8)


@given(st.lists(KEYS, min_size=1, max_size=4), st.sampled_from(["", "[p. 33]", "[see *there*]"]))
def test_written_keys_come_back(written: list[str], supplement: str) -> None:
    assert keys(f"Text {' '.join(f'@{key}{supplement}' for key in written)}. On.") == written
    assert keys("".join(f"#cite(<{key}>)" for key in written)) == written
