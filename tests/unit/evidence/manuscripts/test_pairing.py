"""Which sentence a citation belongs to, and which quotations it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.evidence.manuscripts.markdown.reader import read
from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.types import Citation


def cited(text: str) -> dict[str, Citation]:
    return {citation.key: citation for citation in pair(read(text))}


def quotations(text: str) -> dict[str, list[str]]:
    """What each key stands for."""
    return {key: [quotation.text for quotation in citation.quotations] for key, citation in cited(text).items()}


PAIRS = {
    "He says “it is so” [@a, p. 3]. Next [@b].": {"a": ["it is so"], "b": []},
    "Hartmann [@h] says “it is so”.": {"h": ["it is so"]},
    "As @h writes, “one. Two. Three” and more.": {"h": ["one. Two. Three"]},
    "First. “The end.” [@h, p. 3] Then “one more” [@k].": {"h": ["The end."], "k": ["one more"]},
    "“The end.” @h [p. 3].": {"h": ["The end."]},
    "Both “x y” [@a] and “z w” [@b].": {"a": ["x y"], "b": ["z w"]},
    "“x y” and “z w” [@a].": {"a": ["x y", "z w"]},
    "@a says “x”, while @b says “y” and “z”.": {"a": ["x"], "b": ["y", "z"]},
    "As @a [p. 3] says, “x” [see also @b].": {"a": ["x"], "b": []},
    "“x” [@a; @b].": {"a": ["x"], "b": ["x"]},
    "@a says “x”, while others [@b] say “y”.": {"a": ["x"], "b": ["y"]},
    "“x”, @a writes, and “y”, @b holds.": {"a": ["x"], "b": ["y"]},
    "As shown [@a], “x” [@b] and “y” are so.": {"a": [], "b": ["x", "y"]},
    # Either may be meant, and who says it is for the works to tell.
    "@a [p. 3] says “x”, which was disputed [@b].": {"a": ["x"], "b": ["x"]},
    "Unlike @a, they call it “x” and “y” [@b].": {"a": ["x"], "b": ["x", "y"]},
    "It is low [@a], and “x” according to @b.": {"a": ["x"], "b": ["x"]},
    "One “x”. Two [@a].": {"a": []},
    "One “x” here.\n\nTwo [@a].": {"a": []},
}


@pytest.mark.parametrize("text", PAIRS)
def test_a_quotation_belongs_to_the_citation_of_its_sentence(text: str) -> None:
    assert quotations(text) == PAIRS[text]


MARKS = {
    "„Er sagt.“ Dann „so ist es“ [@a].": ["so ist es"],
    "„Tak „właśnie” jest” [@a]": ["Tak „właśnie” jest"],
    "»So ist es« [@a].": ["So ist es"],
    "« C’est ainsi » [@a].": ["C’est ainsi"],
    "‹So ist es› [@a].": ["So ist es"],
    "”Så är det” [@a].": ["Så är det"],
    "「そうです」[@a]": ["そうです"],
    "\"so 'it' is\" [@a].": ["so 'it' is"],
    "“so ‘it’ “really” is” [@a].": ["so ‘it’ “really” is"],
    "'it's so' [@a].": ["it's so"],
    "‘the students’ work’ [@a].": ["the students’ work"],
    "‘deep nets’ aren’t [@a].": ["deep nets"],
    "The '90s, rock 'n' roll and the students' work don't count [@a].": [],
    "The students’ and the teachers’ work [@a].": [],
    'A 5" disk with "much text" [@a].': ["much text"],
    "An “ open one and “a closed one” [@a].": ["a closed one"],
    "A ” closing one and “a closed one” [@a].": ["a closed one"],
    "Open “ for ever [@a].": [],
    "“…” and “” [@a].": [],
}


@pytest.mark.parametrize("text", MARKS)
def test_quotation_marks_of_many_languages_are_understood(text: str) -> None:
    assert quotations(text) == {"a": MARKS[text]}


BLOCKS = {
    "> The text\n> goes on. [@h, p. 3]\n": {"h": ["The text goes on."]},
    "> One.\n>\n> Two. — @h [p. 3]\n": {"h": ["One.", "Two."]},
    "> “One.”\n>\n> (Hartmann [@h, 3])\n": {"h": ["One."]},
    "As @h [33] writes:\n\n> One.\n\nAfter [@z].": {"h": ["One."], "z": []},
    "Hartmann [@h] knows. He puts it so:\n\n> One.\n": {"h": ["One."]},
    "Known [@x].\n\n> One.\n\n[@h, 3] says so.": {"x": [], "h": ["One."]},
    "Hartmann says so [@h].\n\n> One.\n\nAfter.": {"h": ["One."]},
    "Much is known [@h]. We asked.\n\n> An interview.\n\nAfter.": {"h": []},
    "> “One is so” (@h 257).\n": {"h": ["One is so"]},
    "> One. (Hartmann & Osei 2019: 257) [@h]\n": {"h": ["One."]},
    "As @h writes:\n\n> One. (p. 33, my emphasis)\n": {"h": ["One."]},
    "> Mind that @h is a note of mine, no quotation.\n": {"h": []},
    "> [!tip]\n> This is mine [@h].\n>\n> And this [@k].\n\n> This not [@z].\n": {"h": [], "k": [], "z": ["This not"]},
    "> [!quote]\n> One [@h].\n": {"h": ["One"]},
}


@pytest.mark.parametrize("text", BLOCKS)
def test_a_block_quotation_belongs_to_the_citation_in_it_or_beside_it(text: str) -> None:
    assert quotations(text) == BLOCKS[text]
    assert all(quotation.block for citation in cited(text).values() for quotation in citation.quotations)


def test_a_sentence_is_plain_and_does_not_end_before_its_citation_or_inside_a_quotation() -> None:
    found = cited("One. He *says*\n“This. Is. So” ([@a]). It is so. [@b] Next, as [@c; @d], said by Smith et al. [@e].")
    assert {key: citation.sentence for key, citation in found.items()} == {
        "a": "He says “This. Is. So”.",
        "b": "It is so.",
        "c": "Next, as, said by Smith et al.",
        "d": "Next, as, said by Smith et al.",
        "e": "Next, as, said by Smith et al.",
    }


def test_the_span_of_a_quotation_is_its_place_in_the_manuscript() -> None:
    text = "> x\n\nHe says “it *is*\nso” [@a]."
    span = cited(text)["a"].quotations[0].span
    assert text[span.start : span.end] == "it *is*\nso"


def test_a_sentence_without_end_is_given_in_parts() -> None:
    sentences = {citation.sentence for citation in pair(read("[@a] word " * 2000))}
    assert len(sentences) > 1
    assert max(map(len, sentences)) <= 2000


@given(st.text(alphabet="“”„«»‹›‘’'\"‚ .!?:\nas[@k]>—()", max_size=100))
def test_quotations_are_words_of_the_manuscript_whatever_marks_it_has(text: str) -> None:
    for citation in pair(read(text)):
        for quotation in citation.quotations:
            assert 0 <= quotation.span.start < quotation.span.end <= len(text)
            assert "\ufffc" not in quotation.text + citation.sentence


def test_thousands_of_open_marks_are_read() -> None:
    for mark in "“‘\"'„»":
        cited(f"{mark}a " * 3_000 + "” ’ " * 3_000 + "[@a]")
