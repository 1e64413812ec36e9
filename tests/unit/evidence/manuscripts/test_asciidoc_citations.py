"""Citations in AsciiDoc."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.evidence.manuscripts.asciidoc import read
from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.types import Citation


def cited(text: str) -> list[Citation]:
    """The citations of a manuscript, whose spans are true."""
    found = pair(read(text))
    for citation in found:
        assert text[citation.span.start : citation.span.end] == citation.key
    return found


def quotations(text: str) -> dict[str, list[str]]:
    return {citation.key: [quotation.text for quotation in citation.quotations] for citation in cited(text)}


def test_a_citation_has_its_pages_in_brackets_or_as_an_option() -> None:
    text = "So cite:[a(33), b]. citenp:[c(pp. 3-5)] says. cite:See[d(59)] and cite:[e, page=3]+[f]."
    found = {citation.key: citation for citation in cited(text)}
    assert {key: citation.pages for key, citation in found.items()} == {
        "a": ("33", "33"), "b": None, "c": ("3", "5"), "d": ("59", "59"), "e": ("3", "3"), "f": None,
    }  # fmt: skip
    assert found["c"].in_text
    assert found["d"].prefix == "See"
    assert found["a"].group == found["b"].group != found["c"].group
    span = found["e"].pages_span
    assert span is not None
    assert text[span.start : span.end] == "3"


def test_quotations_stand_in_curved_marks_in_blocks_and_before_notes() -> None:
    assert quotations('He says "`so *it* is`" cite:[a(3)].') == {"a": ["so it is"]}
    assert quotations("[quote]\nSo it is. cite:[b(3)]\n\nAfter cite:[c].") == {"b": ["So it is."], "c": []}
    block = "[quote, Hartmann, cite:[d(33)]]\n____\nOne.\n\nTwo.\n____\n\nAfter cite:[e]."
    assert quotations(block) == {"d": ["One.", "Two."], "e": []}
    assert quotations("He “says so”footnote:[See cite:[f(3)].] and goes.") == {"f": ["says so"]}


def test_a_comment_does_not_interrupt_a_sentence() -> None:
    assert quotations("He says “it\n// a comment\nis so” cite:[a].") == {"a": ["it is so"]}


def test_listings_comments_and_cross_references_cite_nothing() -> None:
    text = (
        "= Title\n:attr: cite:[no]\n\n----\ncite:[no]\n----\n\n// cite:[no]\n////\ncite:[no]\n////\n\n"
        "See <<key>>, <<key, p. 33>> and `cite:[no]`.\n\n* [[[key]]] A book.\n* cite:[yes]\n"
    )
    assert [citation.key for citation in cited(text)] == ["yes"]


def test_what_is_not_closed_swallows_nothing() -> None:
    text = "----\ncite:[a]\n\n____\nx\n\ncite:[b]\n\nfootnote:[cite:[c]\n\ncite:[d"
    assert [citation.key for citation in cited(text)] == list("abc")
    assert not any(citation.quotations for citation in cited(text))


@given(st.text(alphabet="[](),:+=_-./*`\"'<>|\\ \ncitefooab1“”#", max_size=100))
def test_no_text_breaks_the_reader(text: str) -> None:
    cited(text)


def test_deep_nesting_is_read() -> None:
    for text in (
        "[" * 10_000,
        "cite:[a" * 2_000,
        "footnote:[" * 10_000,
        "____\n" * 2_001,
        "----\n" * 2_001,
        "<<" * 5_000,
    ):
        cited(text)
