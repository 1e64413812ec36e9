"""Manuscripts as files: format, encoding, size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.manuscripts.reader import MAX_TEXT_BYTES, read_manuscript, read_text


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.md", "[@k]", "markdown"),
        ("a.Rmd", "[@k]", "markdown"),
        ("thesis.QMD", "[@k]", "markdown"),
        ("a.txt", "[@k]", "markdown"),
        ("a.tex", r"\cite{k}", "latex"),
        ("a.typ", "@k", "typst"),
        ("a.org", "[cite:@k]", "org"),
        ("a.adoc", "cite:[k]", "asciidoc"),
        ("chapter", r"Text \parencite[3]{k}.", "latex"),
        ("chapter.text", "Text [see @k].", "markdown"),
    ],
)
def test_the_name_or_the_content_tells_the_format(name: str, text: str, format: str) -> None:
    manuscript = read_manuscript(name, text.encode())
    assert (manuscript.format, [citation.key for citation in manuscript.citations]) == (format, ["k"])
    assert manuscript.fixable


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("As [@k, p. 3] says.", "markdown"),
        ("@k says.", "markdown"),
        ("No citation.", "markdown"),
        (r"As \textcite[3]{k} says.", "latex"),
        ("As [cite/t:@k p. 3] says.", "org"),
        ("As cite:&k says.", "org"),
        ("As cite:[k(3)] says.", "asciidoc"),
        ("As #cite(<k>) says.", "typst"),
    ],
)
def test_a_piece_of_text_tells_its_format_by_what_it_cites(text: str, format: str) -> None:
    assert read_text(text).format == format


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "latin-1"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_the_bytes_come_back_in_every_encoding(encoding: str, ends: str) -> None:
    extra = "\x81" if encoding == "latin-1" else ""
    text = f"Müller “says” so [@müller2019, p. 3].{extra}{ends}End.{ends}".replace("“", '"').replace("”", '"')
    data = (b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding)
    manuscript = read_manuscript("a.md", data)
    assert manuscript.text.encode(manuscript.encoding) == data
    citation = manuscript.citations[0]
    assert (citation.key, citation.quotations[0].text) == ("müller2019", "says")
    assert manuscript.text[citation.span.start : citation.span.end] == citation.key
    assert bool(manuscript.warnings) == (encoding in {"cp1252", "latin-1"})


@given(st.binary(max_size=200), st.sampled_from(["a.md", "a.tex", "a.typ", "a.org", "a.adoc", "a"]))
def test_bytes_are_read_and_come_back_or_are_refused_in_a_sentence(data: bytes, name: str) -> None:
    try:
        manuscript = read_manuscript(name, data)
    except CiteLoomError as error:
        assert error.code is Code.UNSUPPORTED_FORMAT
        assert "DOCX" in str(error)
    else:
        assert manuscript.text.encode(manuscript.encoding) == data


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n\0\0", b"PK\x03\x04\0\0", "[@k]".encode("utf-16-le"), b"\xff\xfe\x00\xd8"]
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(CiteLoomError) as caught:
        read_manuscript("a.md", data)
    assert caught.value.code is Code.UNSUPPORTED_FORMAT


def test_a_file_without_known_markup_is_refused_and_a_huge_one_too() -> None:
    with pytest.raises(CiteLoomError, match="format was not recognized"):
        read_manuscript("notes.xyz", b"Just words.")
    with pytest.raises(CiteLoomError, match="20 MB"):
        read_manuscript("a.md", b"a" * (MAX_TEXT_BYTES + 1))
    with pytest.raises(CiteLoomError, match="wiki"):
        read_text("text", "wiki")


def test_line_and_column_of_a_citation_are_told() -> None:
    manuscript = read_manuscript("a.md", b"One.\r\n\r\nTwo [@k].\r\n")
    assert manuscript.line_and_column(manuscript.citations[0].span.start) == (3, 7)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_column(encoding: str) -> None:
    manuscript = read_manuscript("a.md", "Two [@k].\nThree.".encode(encoding))
    assert manuscript.line_and_column(manuscript.citations[0].span.start) == (1, 7)
    assert [manuscript.line_and_column(offset) for offset in (0, 1, 11)] == [(1, 1), (1, 1), (2, 1)]


@pytest.mark.parametrize(
    ("format", "text", "names"),
    [
        (
            "latex",
            "\\input{macros}\\begin{document}\\input{a}\\include{b.tex}\\import{c/}{d} \\input{x.tikz}"
            "%\\input{e}\n\\begin{verbatim}\\input{f}\\end{verbatim}\\end{document}",
            "a, b.tex, d",
        ),
        ("typst", '#import "t.typ": *\n#include "a.typ"\n// #include "b.typ"', "a.typ"),
        ("org", '#+include: "a.org"\n#+INCLUDE: b.org\n#+include: "c.py" src python', "a.org, b.org"),
        ("asciidoc", "include::a.adoc[]\n\n----\ninclude::b.py[]\n----", "a.adoc"),
        ("markdown", "{{< include _a.qmd >}}\n\n`{{< include b.qmd >}}` {{< video c >}}", "_a.qmd"),
    ],
)
def test_files_that_are_drawn_in_are_named(format: str, text: str, names: str) -> None:
    (said,) = read_text(text, format).warnings
    assert said == f"What it includes was not read ({names}): check those files too."
