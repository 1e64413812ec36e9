"""Citations in Markdown, as Pandoc reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.evidence.manuscripts.markdown.reader import read
from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.types import Citation


def cited(text: str) -> list[Citation]:
    """The citations of a manuscript, whose spans are true."""
    found = pair(read(text))
    for citation in found:
        assert text[citation.span.start : citation.span.end] == citation.key
    return found


def keys(text: str) -> list[str]:
    return [citation.key for citation in cited(text)]


def test_a_group_has_prefixes_locators_and_suffixes() -> None:
    text = "So it is [see @key, pp. 33-35, and passim; -@other, chap. 2; also @{a b}]."
    first, second, third = cited(text)
    assert (first.prefix, first.locator, first.pages, first.suffix) == (
        "see",
        "pp. 33-35",
        ("33", "35"),
        ", and passim",
    )
    assert first.pages_span is not None
    assert text[first.pages_span.start : first.pages_span.end] == "33-35"
    assert (second.suppress_author, second.locator, second.pages) == (True, "chap. 2", None)
    assert (third.key, third.prefix) == ("a b", "also")
    assert first.group == second.group == third.group


def test_a_citation_in_the_sentence_has_its_locator_in_the_bracket_behind_it() -> None:
    first, second, third, fourth = cited("As @a [p. 33; see @b] and @c\n[12] say, but @d, p. 4, does not.")
    assert (first.in_text, first.pages, first.suffix) == (True, ("33", "33"), "")
    assert (second.prefix, second.in_text, second.group) == ("see", False, first.group)
    assert (third.pages, third.group != first.group) == (("12", "12"), True)
    assert fourth.pages == ("4", "4")


def test_braces_after_the_key_hold_the_locator_whatever_it_looks_like() -> None:
    first, second = cited("[@smith{ii, A, D-Z}, with a suffix; @doe, {}99 years later]")
    assert (first.locator, first.suffix) == ("ii, A, D-Z", ", with a suffix")
    assert (second.locator, second.pages, second.suffix) == ("", None, "99 years later")


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("@Foo_bar.baz.", "Foo_bar.baz"),
        ("@Foo--bar", "Foo"),
        ("@doe:2019a-b's", "doe:2019a-b"),
        ("[@https://x.org/a?b&c]", "https://x.org/a?b&c"),
        ("[@müller2019]", "müller2019"),
        ("*@a*", "a"),
    ],
)
def test_a_key_ends_where_pandoc_ends_it(written: str, key: str) -> None:
    assert keys(f"See {written} there.") == [key]


@pytest.mark.parametrize(
    "text",
    [
        "Write to me@example.org.",
        r"An escaped \@key and \@ref(fig:x).",
        "`@code` and ``a ` @code``.",
        "Sum $x_@y$ and\n\n$$\na\n@b\n$$",
        "Before <!-- @a\n\n@b --> after.",
        "---\nnocite: '@a'\n---\nText.",
        "```{r}\nx@y @z\n```\n\n~~~\n@a\n~~~",
        "Text.\n\n    code @a\n",
        "See @fig-one, @Sec-two, @tbl:x and [@eq-y].",
        "https://example.org/@user",
        "(@good) An example.\n\nAs (@good) shows.",
        "<script>\n@a\n</script>",
        "{{< include @a >}}",
        "`<b>@a</b>`{=html} and `r f@slot`",
    ],
)
def test_what_only_looks_like_a_citation_is_none(text: str) -> None:
    assert keys(text) == []


def test_citations_stand_in_headings_lists_tables_links_divs_and_notes() -> None:
    text = (
        "# Head [@a] {#sec-x}\n\n- item [@b]\n  goes on\n\n| x | [@c] |\n|---|---|\n\n[link @d](http://x.org/@no)\n\n"
        "::: {.callout}\nIn [@e].\n:::\n\nNote^[See @f.] and[^1].\n\n[^1]: Long enough to say something, as @g does.\n"
        "\n    More [@h].\n\nEnd[^2].\n\n[^2]: @i.\n"
    )
    assert sorted(keys(text)) == list("abcdefghi")


def test_the_prose_has_no_markup() -> None:
    text = 'A **bold** _word_, snake_case, [a link](http://x.org "t"), `code`, &ldquo;x&rdquo;, 2 * 3, <b>b</b> [@a].'
    assert cited(text)[0].sentence == "A bold word, snake_case, a link, code, “x”, 2 * 3, b."


def test_a_note_that_only_cites_stands_for_the_quotation_it_hangs_on() -> None:
    text = "He “first says so”[^a], then “adds this.”[^b] Done.\n\n[^a]: See @a [p. 3].\n[^b]: [@b, 4].\n"
    first, second = cited(text)
    assert [quotation.text for quotation in first.quotations] == ["first says so"]
    assert [quotation.text for quotation in second.quotations] == ["adds this."]


def test_what_is_not_closed_swallows_nothing() -> None:
    assert keys("<!-- open\n\n[@a]\n\n```r\n\n[@b]\n\n$$ [@c] [@d \n\n`x [@e]\n\n<pre> ::: [@f]\n\n---\n[@g](") == list(
        "abcdefg"
    )


WORDS = st.sampled_from(
    ["word", "*em*", "“so it is”", "`code`", "[link](http://x.org)", "> ", "\n\n", "- ", "$x$", "it's"]
)


@given(st.lists(st.one_of(WORDS, st.integers(0, 99).map("[see @key{}x, p. 3]".format)), max_size=30))
def test_every_generated_citation_comes_back(parts: list[str]) -> None:
    text = " ".join(parts)
    assert keys(text) == [part[6:-7] for part in parts if part.startswith("[see")]


@given(st.text(alphabet="[]@^`$*_<>{}()!-;:#|\\ \n\tak1.\"“”'~=&\r\0", max_size=120))
def test_no_text_breaks_the_reader(text: str) -> None:
    cited(text)


def test_deep_nesting_is_read() -> None:
    for text in (
        "[" * 10_000,
        "[" * 5_000 + "]" * 5_000,
        "[@a " * 2_000,
        "^[" * 5_000,
        "```a\n" * 2_000,
        "> " * 5_000,
    ):
        cited(text)


def test_citations_of_latex_are_said_not_to_be_read() -> None:
    (said,) = read("So \\citep[3]{a} and \\cite{b}, `\\cite{c}`.\n\n```\n\\cite{d}\n```\n\n\\cited [@e].").warnings
    assert said == "Citations in LaTeX's way (\\cite) are not read in Markdown: 2 were left out."
