"""Word manuscripts, built here part by part as Word and Zotero write them."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.manuscripts.docx.reader import read_docx
from citeloom.evidence.manuscripts.pairing import pair
from citeloom.evidence.manuscripts.prose import MARK, Prose
from citeloom.evidence.manuscripts.types import Citation

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def part(root: str, inside: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {W} {MC}>{inside}</w:{root}>'


def docx(body: str, **parts: str) -> bytes:
    return archive({"word/document.xml": part("document", f"<w:body>{body}</w:body>"), **parts})


def archive(parts: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return stream.getvalue()


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def p(*inside: str, style: str = "") -> str:
    looks = f"<w:pPr><w:pStyle w:val={quoteattr(style)}/></w:pPr>" if style else ""
    return f"<w:p>{looks}{''.join(inside)}</w:p>"


def complex_field(code: str, shown: str, pieces: int = 3) -> str:
    size = len(code) // pieces + 1
    codes = "".join(
        f"<w:r><w:instrText>{escape(code[at : at + size])}</w:instrText></w:r>" for at in range(0, len(code), size)
    )
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    return f"{begin}{codes}{separate}{run(shown)}{end}"


def code(*items: dict[str, Any]) -> str:
    return f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': items})} "


def item(key: str = "ABCD2345", **said: Any) -> dict[str, Any]:
    return {"id": 7, "uris": [f"http://zotero.org/users/1/items/{key}"], "itemData": {"title": "T"}, **said}


def cited(prose: Prose) -> list[Citation]:
    return [citation for group in prose.cited for citation in group.citations]


def lines(prose: Prose) -> list[str]:
    return [prose.text[paragraph.start : paragraph.end].strip() for paragraph in prose.paragraphs]


def test_a_field_code_in_many_runs_is_a_citation_in_the_place_of_its_shown_text() -> None:
    one = item(locator="33-35", label="page", prefix="see ", suffix=", my italics")
    one["itemData"] = {"citation-key": "hartmann2019", "DOI": "10.1/x"}
    two = item("WXYZ6789", locator="2", label="chapter", **{"suppress-author": True})
    text, prose = read_docx(docx(p(run("It is so "), complex_field(code(one, two), "(Hartmann 2019, 33)"), run("."))))
    assert text == prose.text == f"It is so {MARK}.\n"
    first, second = cited(prose)
    assert (first.key, first.zotero_items, first.doi) == ("hartmann2019", ("ABCD2345",), "10.1/x")
    assert (first.prefix, first.locator, first.pages, first.suffix) == ("see", "33-35", ("33", "35"), ", my italics")
    assert (second.key, second.locator, second.pages) == ("WXYZ6789", "chapter 2", None)
    assert second.suppress_author and first.group == second.group
    assert text[first.span.start : first.span.end] == MARK


def test_a_simple_field_is_read_and_the_bibliography_is_not() -> None:
    simple = f"<w:fldSimple w:instr={quoteattr(code(item()))}>{run('(Hartmann)')}</w:fldSimple>"
    begin, rest = complex_field(" ADDIN ZOTERO_BIBL {} CSL_BIBLIOGRAPHY ", "Hartmann, “One”.", 1).split("Hartmann", 1)
    entries = f"<w:p>{begin}Hartmann</w:t></w:r></w:p><w:p><w:r><w:t>{rest}</w:p>"
    _, prose = read_docx(docx(p(run("So "), simple, run(".")) + entries + p(run("After."))))
    assert lines(prose) == [f"So {MARK}.", "After."]


def test_a_footnote_that_only_cites_stands_for_the_sentence_and_another_comes_after_it() -> None:
    cites = p(run("See "), complex_field(code(item(locator="33")), "Hartmann"), run("."))
    notes = part(
        "footnotes",
        f'<w:footnote w:id="2">{cites}</w:footnote>'
        f'<w:footnote w:id="3">{p(run("Others deny that this has ever been shown."))}</w:footnote>',
    )
    sign = '<w:r><w:footnoteReference w:id="{}"/></w:r>'
    body = p(
        run("She calls it “wholly settled by now”."), sign.format(2), run(" It is not"), sign.format(3) * 2, run(".")
    )
    _, prose = read_docx(docx(body, **{"word/footnotes.xml": notes}))
    assert lines(prose) == [
        f"She calls it “wholly settled by now”.{MARK} It is not.",
        "Others deny that this has ever been shown.",
    ]
    (citation,) = pair(prose)
    assert [quotation.text for quotation in citation.quotations] == ["wholly settled by now"]


def test_what_was_deleted_is_gone_and_what_was_inserted_stays() -> None:
    deleted = f"<w:del>{complex_field(code(item()), 'x')}<w:r><w:delText>no</w:delText></w:r></w:del>"
    body = p(run("a "), deleted, f"<w:ins>{run('b ')}{complex_field(code(item('NEWW2222')), 'y')}</w:ins>")
    _, prose = read_docx(docx(body))
    assert lines(prose) == [f"a b {MARK}"] and [c.key for c in cited(prose)] == ["NEWW2222"]


def test_a_block_quote_is_known_by_its_style_in_any_language_and_by_what_it_is_based_on() -> None:
    styles = part(
        "styles",
        '<w:style w:styleId="Z1"><w:name w:val="Quote"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="Z1"/></w:style>'
        '<w:style w:styleId="Round"><w:basedOn w:val="Round"/></w:style>',
    )
    body = "".join(p(run(style), style=style) for style in ("Z1", "Mine", "Zitat", "Round", "Heading1"))
    _, prose = read_docx(docx(body, **{"word/styles.xml": styles}))
    assert [paragraph.block_quote for paragraph in prose.paragraphs] == [True, True, True, False, False]


def test_a_text_box_is_read_once_and_beside_its_sentence_and_cells_are_paragraphs() -> None:
    box = f"<w:txbxContent>{p(run('boxed'))}</w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    cells = f"<w:tbl><w:tr><w:tc>{p(run('one'))}</w:tc><w:tc>{p(run('two'))}</w:tc></w:tr></w:tbl>"
    link = f"<w:hyperlink>{run('link')}</w:hyperlink>"
    control = f"<w:sdt><w:sdtContent>{run('controlled')}</w:sdtContent></w:sdt>"
    _, prose = read_docx(docx(p(run("around "), f"<w:r>{both}</w:r>", link, run(" "), control) + cells))
    assert lines(prose) == ["around link controlled", "boxed", "one", "two"]


def test_a_field_that_is_never_closed_swallows_only_its_paragraph() -> None:
    unclosed = complex_field(code(item()), "shown").rpartition("<w:r>")[0]
    _, prose = read_docx(docx(p(unclosed, run("lost")) + p(run("kept"))))
    assert lines(prose) == [MARK, "kept"]


def test_the_document_is_found_under_another_name() -> None:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = f'<Types><Override PartName="/word/document2.xml" ContentType="{kind}"/></Types>'
    body = part("document", f"<w:body>{p(run('found'))}</w:body>")
    assert read_docx(archive({"[Content_Types].xml": types, "word/document2.xml": body}))[0] == "found\n"


def test_a_broken_field_keeps_its_shown_text() -> None:
    broken = complex_field(" ADDIN ZOTERO_ITEM CSL_CITATION {broken", "(Hartmann)")
    _, prose = read_docx(docx(p(broken, run(" and "), complex_field(code(item()), "x"))))
    assert lines(prose) == [f"(Hartmann) and {MARK}"]


DOCUMENT = part("document", "<w:body/>")


@pytest.mark.parametrize(
    ("data", "expected", "said"),
    [
        pytest.param(b"plain text", Code.UNSUPPORTED_FORMAT, "not a Word document", id="no zip"),
        pytest.param(b"PK\x03\x04 cut off", Code.INVALID_INPUT, "table of contents", id="cut off"),
        pytest.param(archive({"a.txt": "a"}), Code.UNSUPPORTED_FORMAT, "not a Word document", id="another archive"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", Code.UNSUPPORTED_FORMAT, "before 2007", id="old"),
        pytest.param(
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            Code.INVALID_INPUT,
            "password",
            id="encrypted",
        ),
        pytest.param(docx("<w:p>"), Code.INVALID_INPUT, "well-formed", id="broken xml"),
        pytest.param(docx("<w:p>" * 10_000), Code.INVALID_INPUT, "well-formed", id="too deep"),
        pytest.param(docx(" " * 20_000_000), Code.INVALID_INPUT, "expands", id="bomb"),
        pytest.param(
            archive({"word/document.xml": f'<!DOCTYPE a [<!ENTITY x "y">]>{DOCUMENT.partition("?>")[2]}'}),
            Code.INVALID_INPUT,
            "entities",
            id="entities",
        ),
        pytest.param(
            docx(p('<w:bookmarkStart w:id="1" w:name="ZOTERO_BREF_x"/>', run("(Hartmann)"))),
            Code.UNSUPPORTED_FORMAT,
            "Fields",
            id="bookmarks",
        ),
        pytest.param(
            docx(p(complex_field(" ADDIN EN.CITE <EndNote/>", "(H)"))), Code.UNSUPPORTED_FORMAT, "EndNote", id="EndNote"
        ),
        pytest.param(
            docx(p(complex_field(" ADDIN ZOTERO_ITEM {", "(H)"))),
            Code.INVALID_INPUT,
            "none of its 1",
            id="broken field",
        ),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_what_to_do(data: bytes, expected: Code, said: str) -> None:
    with pytest.raises(CiteLoomError, match=said) as raised:
        read_docx(data)
    assert raised.value.code == expected and raised.value.next_step


def test_a_part_that_is_larger_than_its_table_of_contents_says_is_refused() -> None:
    data = bytearray(docx(p(run("x" * 200_000))))
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (1000).to_bytes(4, "little")
    with pytest.raises(CiteLoomError, match="cannot be unpacked"):
        read_docx(bytes(data))


ELEMENTS = st.sampled_from(
    [
        run("text “quoted” "),
        *(f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")),
        f"<w:r><w:instrText>{escape(code(item()))}</w:instrText></w:r>",
        complex_field(code(item()), "(Hartmann)"),
        "</w:p><w:p>",
        "<w:r><w:txbxContent><w:p/></w:txbxContent></w:r>",
        '<w:r><w:footnoteReference w:id="1"/></w:r>',
        "<w:r><w:tab/></w:r>",
    ]
)


@given(st.lists(ELEMENTS, max_size=12))
def test_fields_in_any_order_give_prose_whose_marks_are_its_citations(elements: list[str]) -> None:
    try:
        text, prose = read_docx(docx(f"<w:p>{''.join(elements)}</w:p>"))
    except CiteLoomError as error:
        assert error.code == Code.INVALID_INPUT
        return
    assert list(prose.origins) == list(range(len(text)))
    assert [at for at, sign in enumerate(text) if sign == MARK] == [group.at for group in prose.cited]


def test_what_stands_beside_readable_citations_and_cannot_be_read_is_counted() -> None:
    ours, broken = complex_field(code(item()), "(H)"), complex_field(" ADDIN ZOTERO_ITEM CSL_CITATION {", "(B)")
    endnote = complex_field(" ADDIN EN.CITE <EndNote/>", "(E)") + complex_field(" ADDIN EN.CITE.DATA ", "")
    control = '<w:sdt><w:sdtPr><w:tag w:val="CitaviPlaceholder#1"/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>'
    citavi = control.format(complex_field(" ADDIN CitaviPlaceholder{1}", "(C)"))
    _, prose = read_docx(docx(p(ours, broken, endnote, endnote, citavi)))
    assert prose.warnings == [
        "Citations made with Citavi are not read, only Zotero's: 1 of them were left out.",
        "Citations made with EndNote are not read, only Zotero's: 2 of them were left out.",
        "1 of Zotero's citations are broken: choose Refresh in Word's Zotero tab.",
    ]
    assert read_docx(docx(p(ours)))[1].warnings == []
