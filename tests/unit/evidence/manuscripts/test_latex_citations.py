"""LaTeX manuscripts: natbib, biblatex, csquotes, and what is not prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.evidence.manuscripts.latex.reader import read
from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.prose import MARK
from citeloom.evidence.manuscripts.types import Citation


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


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"\cite{a}", ["a"]),
        (r"\citep*[see][33]{a, b}", ["a", "b"]),
        ("\\parencite\n  [33] {a,% \\cite{no}, {\n  b}", ["a", "b"]),
        (r"\cites(see)(etc.)[1]{a}[cf.][2]{b} {c}", ["a", "b", "c"]),
        (r"\volcite[see]{2}[33]{a}", ["a"]),
        (r"\shortciteA<e.g.>[p. 3]{a}", ["a"]),
        (r"\citefield{a}{title} \citeauthor{b}'s", ["a", "b"]),
        (r"\mycite{a} \nocite{b} \nocite{*}", ["a", "b"]),
        (r"\parencite[see also \cite{b}]{a}", ["a", "b"]),
        (r"\citestyle{a} \citetext{see \citealp{b}} \newcommand{\c}[1]{\cite{#1}}", ["b"]),
        (r"\cite{a \emph{b}} \cite \cite[3", []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_keys_of_a_citation_command_come_in_order(written: str, expected: list[str]) -> None:
    assert keys(written) == expected


@pytest.mark.parametrize(
    ("note", "pages", "in_place"),
    [
        ("33", ("33", "33"), "33"),
        ("p.~33", ("33", "33"), "33"),
        ("{pp.~33--35}", ("33", "35"), "33--35"),
        (r"\pno~3\psq", ("3", "4"), r"3\psq"),
        ("33\\textendash 35", ("33", "35"), "33\\textendash 35"),
        ("ch.~2", None, None),
        ("", None, None),
    ],
    ids=str,
)
def test_the_note_after_is_the_locator_of_the_last_key(
    note: str, pages: tuple[str, str] | None, in_place: str | None
) -> None:
    text = rf"\parencite[see][{note}]{{a,b}}"
    first, last = cited(text)
    assert (first.prefix, first.pages) == ("see", None)
    assert last.pages == pages
    assert (last.pages_span and text[last.pages_span.start : last.pages_span.end]) == in_place


def test_a_list_of_citations_gives_each_its_own_notes() -> None:
    first, last = cited(r"\parencites(see)(passim)[12]{a}[cf.][33--35]{b}")
    assert (first.prefix, first.locator) == ("see", "12")
    assert (last.prefix, last.pages, last.suffix) == ("cf.", ("33", "35"), "passim")
    assert first.group == last.group


def test_the_command_says_whether_the_work_is_part_of_the_sentence() -> None:
    named = [
        r"\textcite",
        r"\Citet*",
        r"\citeauthor",
        r"\citeA",
        r"\parencite",
        r"\citetitle",
        r"\citeNP",
        r"\footcite",
    ]
    assert [cited(rf"{name}{{a}}")[0].in_text for name in named] == [True] * 4 + [False] * 4
    named = [r"\citeyear", r"\citeyearpar", r"\parencite*", r"\citep*"]
    assert [cited(rf"{name}{{a}}")[0].suppress_author for name in named] == [True] * 3 + [False]


def test_prose_reads_as_it_is_printed() -> None:
    text = (
        r"Gr\"o\ss e, na\"{\i}ve, gar\c{c}on, \'{E}tude, Stra"
        "\"se, sch\"on, \"`Zitat\"', \\glqq so\\grqq{}, ``a `b' c'' -- d---e~f\\,g 5\\,\\% \\& \\ldots{} $p < 0.05$"
        r" \emph{very \textbf{much}} \textcolor{red}{so} \href{http://x.y/z}{link}\label{x}, \own[x]{one}{two}"
        "\n% \\cite{no}\nend"
    )
    assert paragraphs(text) == [
        "Größe, naïve, garçon, Étude, Straße, schön, „Zitat“, „so“, “a ‘b’ c” – d—e f g 5 % & … p < 0.05"
        " very much so link, one two end"
    ]


def test_what_is_not_printed_where_it_stands_is_not_in_the_sentence() -> None:
    assert paragraphs(r"One \nocite{a}two \citefield{b}{title}.") == [f"One two {MARK}.", MARK]
    assert paragraphs("\\own[never closed\n\nkept]{so}") == ["[never closed", "kept]so"]


def test_comments_code_formulas_and_the_preamble_are_no_prose() -> None:
    text = (
        "\\documentclass{x}\\newcommand{\\x}{\\cite{no}}\n\\begin{document}One\\verb|\\cite{no}|.\n"
        "\\begin{verbatim}\n\\cite{no} }{ \n\\end{verbatim}\n\\begin{align*} a \\text{no} \\end{align*}\n"
        "\\iffalse \\cite{no} \\fi \\[ no \\] $$no$$ % \\cite{no} {\nTwo \\cite{yes}.\n\\end{document}\\cite{no}"
    )
    assert paragraphs(text) == [f"One. Two {MARK}."] and keys(text) == ["yes"]


def test_a_heading_an_item_and_a_blank_line_end_a_paragraph() -> None:
    items = "\\begin{itemize}\\item[a] four\\item five\\end{itemize}"
    text = f"\\section[short]{{Long}}\nOne\r\n% c\r\ntwo\r\n\r\nthree %\n\n{items} six"
    assert paragraphs(text) == ["Long", "One two", "three", "[a] four", "five", "six"]


def test_a_row_of_a_table_is_a_paragraph() -> None:
    table = r"\begin{tabular}{ll} \citet{a} & so \\ \citet{b} & \enquote{one} \& \enquote{two} \\[2pt] \end{tabular}"
    assert [[q.text for q in citation.quotations] for citation in pair(read(table))] == [[], ["one", "two"]]


def test_quotation_commands_carry_their_quotation_and_their_citation() -> None:
    text = (
        r"He says \enquote{one of \enquote{two}} \parencite[5]{a}. She says \textcquote[see][33]{b}[.]{another thing}. "
        r"They say \foreigntextquote{german}[{\cite[7]{c}}]{eine dritte \textelp{} \textins{sic} Sache}."
    )
    found = {c.key: ([q.text for q in c.quotations], c.pages) for c in pair(read(text))}
    assert found == {
        "a": (["one of ‘two’"], ("5", "5")),
        "b": (["another thing"], ("33", "33")),
        "c": (["eine dritte […] [sic] Sache"], ("7", "7")),
    }


@pytest.mark.parametrize(
    "block",
    [
        "\\begin{quote}So it is.\\end{quote}\\cite{a}",
        "\\begin{displaycquote}[see][33]{a}[.]\nSo it is.\n\\end{displaycquote}",
        "\\begin{displayquote}[{\\cite{a}}]So it is.\\end{displayquote}",
        "\\blockcquote{a}{So it is.\n\nAnd so on.}",
    ],
)
def test_a_block_quotation_belongs_to_its_citation(block: str) -> None:
    (citation,) = pair(read(f"As is well known:\n\n{block}\n\nNext."))
    assert citation.quotations[0].block and citation.quotations[0].text.startswith("So it is.")


def test_a_note_that_only_cites_stands_for_its_sentence_and_another_follows_the_paragraph() -> None:
    text = (
        r"He says ``this and that''.\footnote{See \cite[33]{a}; \cite{b}.} More\footnote{\textcite{c} says ``no, it is "
        r"not''.} text.\footnote{\cite{d}. The others never tried to repeat it.}"
    )
    assert paragraphs(text) == [
        f"He says “this and that”.{MARK}{MARK} More text.{MARK}",
        f"{MARK} says “no, it is not”.",
        "The others never tried to repeat it.",
    ]
    assert [[q.text for q in c.quotations] for c in pair(read(text))] == [
        ["this and that"], [], [], ["no, it is not"],
    ]  # fmt: skip


DEEP = 5_000  # far beyond what a reader that calls itself could reach


@pytest.mark.parametrize(
    "text",
    [
        "{" * DEEP + r"\cite{a}" + "}" * DEEP,
        "{" * DEEP + r"\cite{a}",
        r"\footnote{" * DEEP + r"\cite{a}",
        r"\enquote{" * DEEP + r"\cite{a}" + "}" * DEEP,
        r"\begin{quote}" * DEEP + r"\cite{a}" + r"\end{quote}",
        r"\begin{verbatim}$$\(\[\verb|\iffalse" * 100 + "\n\n" + r"\cite{a}",
        "}]" * DEEP + r"\cite{a}",
        "$ 5 and \\( more\n\n\\cite{a}",
    ],
    ids=["braces", "open braces", "notes", "quotes", "blocks", "never ended", "closed", "lone signs"],
)
def test_what_is_deep_or_unbalanced_hides_no_citation(text: str) -> None:
    assert keys(text) == ["a"]


PIECES = st.sampled_from(
    [
        "{", "}", "[", "]", "(", ")", "<", ">", "\\", "%", "$", "$$", "~", "&", "``", "''", '"', "-", "\n", "\n\n",
        "\r\n", " ", "word", "33", ",", "\\cite", "\\cites", "\\volcite", "\\textcquote", "\\enquote", "\\blockquote",
        "\\footnote", "\\nocite", "\\begin{quote}", "\\end{quote}", "\\begin{displaycquote}", "\\end{displaycquote}",
        "\\begin{document}", "\\end{document}", "\\verb|", "\\(", "\\)", "\\[", "\\]", "\\item", "\\section",
        "\\newcommand", "\\def", "\\\\", "\\textelp", "\\'", "\\c", "\\own", "\\href", "\\begin{verbatim}",
        "\\end{verbatim}", "\\iffalse", "\\fi",
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


KEYS = st.text("abcXYZ019_:+./-", min_size=1, max_size=12)


@given(
    st.lists(KEYS, min_size=1, max_size=4),
    st.sampled_from(["cite", "citep", "textcite", "footcite", "autocite*", "Parencite"]),
    st.sampled_from(["", "[33]", "[see][33--35]", "[]", " [p.~3]\n"]),
    st.sampled_from([",", ", ", " ,\n ", ",%\n"]),
)
def test_written_keys_come_back(written: list[str], command: str, notes: str, between: str) -> None:
    assert keys(f"Text {{\\em so}} \\{command}{notes}{{{between.join(written)}}} on.") == written
