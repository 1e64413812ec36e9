"""Citations in Org."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.evidence.manuscripts.org import read
from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.types import Citation


def cited(text: str) -> list[Citation]:
    """The citations of a manuscript, whose spans are true."""
    found = pair(read(text))
    for citation in found:
        assert text[citation.span.start : citation.span.end] == citation.key
    return found


def test_a_citation_has_prefixes_locators_and_suffixes() -> None:
    text = "He says “so it is” [cite:see @a p. 33; @b, pp. 3--5 and more]. [cite/t:@c] knows [cite/na:global;@d;@e]."
    a, b, c, d, e = cited(text)
    assert (a.prefix, a.pages, a.quotations[0].text) == ("see", ("33", "33"), "so it is")
    assert (b.pages, b.suffix, b.group) == (("3", "5"), " and more", a.group)
    assert (c.in_text, a.in_text) == (True, False)
    assert (d.prefix, d.suppress_author, e.prefix) == ("global", True, "")


def test_org_ref_is_read_in_its_old_and_its_new_form() -> None:
    text = "See cite:a,b, citet:c. [[cite:See &d p. 33;&e]] and [[citep:f][see::p. 3]] but not site:g."
    found = cited(text)
    assert [citation.key for citation in found] == list("abcdef")
    assert [citation.group for citation in found] == [0, 0, 1, 2, 2, 3]
    assert found[2].in_text
    assert [citation.pages for citation in found[3:]] == [("33", "33"), None, ("3", "3")]
    assert found[3].prefix == "See"


def test_code_comments_drawers_and_verbatim_text_cite_nothing() -> None:
    text = (
        "#+title: [cite:@no]\n# [cite:@no]\n* Head :tag:\n:PROPERTIES:\n:a: [cite:@no]\n:END:\n"
        "#+BEGIN_SRC python\n[cite:@no]\n#+END_SRC\n: [cite:@no]\n\\begin{equation}\n[cite:@no]\n\\end{equation}\n"
        "~[cite:@no]~ and [cite:@yes].\n"
    )
    assert [citation.key for citation in cited(text)] == ["yes"]


def test_a_comment_or_a_formula_does_not_interrupt_a_sentence() -> None:
    (citation,) = cited("He says “it\n# a comment\nis\n\\begin{math}\nx\n\\end{math}\nso” [cite:@a].")
    assert citation.quotations[0].text == "it is so"


def test_quote_blocks_notes_and_tables_are_read() -> None:
    text = (
        "#+begin_quote\nQuoted /text/. [cite:@q 3]\n#+end_quote\n\n“x”[fn:1] and “y”[fn:: [cite:@z p. 4]].\n"
        "| “t” | [cite:@t] |\n\n[fn:1] [cite:@n 12].\n"
    )
    found = {citation.key: [quotation.text for quotation in citation.quotations] for citation in cited(text)}
    assert found == {"q": ["Quoted text."], "n": ["x"], "z": ["y"], "t": ["t"]}


def test_what_is_not_closed_swallows_nothing() -> None:
    text = "#+begin_src\n[cite:@a]\n\n:drawer:\n[cite:@b]\n\n[fn:: [cite:@c]\n\n[[x [cite:@d"
    assert [citation.key for citation in cited(text)] == list("abc")


@given(st.text(alphabet="[]:@&;/*_=~+#|\\ \ncitefnab1$<>“”", max_size=100))
def test_no_text_breaks_the_reader(text: str) -> None:
    cited(text)


def test_deep_nesting_is_read() -> None:
    for text in ("[" * 10_000, "[cite:@a " * 10_000, "[fn::" * 2_000, "#+begin_src\n" * 10_000, "cite:a," * 10_000):
        cited(text)
