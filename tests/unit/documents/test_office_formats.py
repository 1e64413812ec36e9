from __future__ import annotations

import base64
import json
import os
import struct
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import docx
import pptx
import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from citeloom.documents.chunk import chunk
from citeloom.documents.convert import convert
from citeloom.documents.tokens import estimate_tokens
from citeloom.errors import CiteLoomError, Code
from citeloom.model import Converted
from tests.support import ROOT

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def told(doc: Converted) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind.value, block.section_path, block.text) for block in doc.blocks]


def texts(doc: Converted) -> list[str]:
    return [block.text for block in doc.blocks]


def failing(path: Path) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        convert(path)
    assert caught.value.next_step
    assert path.name in caught.value.message
    return caught.value


def rewritten(path: Path, changes: dict[str, bytes | Callable[[bytes], bytes] | None]) -> Path:
    """A package with parts changed, added, or (None) taken away."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    for name, change in changes.items():
        if change is None:
            del parts[name]
        else:
            parts[name] = change if isinstance(change, bytes) else change(parts[name])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in parts.items():
            new.writestr(name, data)
    return path


def replacing(old: str, new: str) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert old.encode() in data
        return data.replace(old.encode(), new.encode())

    return change


# -- Word ------------------------------------------------------------------------------------------------------


def word(folder: Path, name: str = "paper.docx") -> Path:
    doc = docx.Document()
    doc.core_properties.title = "Template of the Journal"
    doc.add_heading("Salt and Grain", 0)
    doc.add_paragraph("By A. Author")
    doc.add_heading("Prices", 1)
    paragraph = doc.add_paragraph("Water (H")
    paragraph.add_run("2").font.subscript = True
    paragraph.add_run("O) is ")
    paragraph.add_run("wet").bold = True
    paragraph.add_run(", see https://doi.org/10.1234/Salt.")
    doc.add_heading("In Lübeck", 3)
    doc.add_paragraph("Salt rose.", style="List Number")
    doc.add_paragraph("Grain fell.", style="List Number")
    doc.add_paragraph("Table 1. Prices in “Mark”.", style="Caption")
    table = doc.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"r{row}c{column}"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "1340\n(Lent)"
    doc.add_heading("References", 1)
    doc.add_paragraph("Braudel 1949.")
    path = folder / name
    doc.save(str(path))
    return path


def with_note(path: Path) -> Path:
    """A Word file with a footnote on the word “wet”."""
    part = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    note = f"""<w:footnotes xmlns:w="{W}"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>
      <w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>As a rule.</w:t></w:r></w:p></w:footnote>
      </w:footnotes>"""
    return rewritten(
        path,
        {
            "word/footnotes.xml": note.encode(),
            "word/document.xml": replacing(
                "<w:t>wet</w:t></w:r>", '<w:t>wet</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>'
            ),
            "[Content_Types].xml": replacing(
                "</Types>", f'<Override PartName="/word/footnotes.xml" ContentType="{part}"/></Types>'
            ),
            "word/_rels/document.xml.rels": replacing(
                "</Relationships>",
                f'<Relationship Id="rId99" Type="{relation}" Target="footnotes.xml"/></Relationships>',
            ),
        },
    )


def test_a_word_document_keeps_sections_sentences_tables_and_notes_in_place(tmp_path: Path) -> None:
    doc = convert(with_note(word(tmp_path)))
    in_luebeck = ("Prices", "In Lübeck")
    assert told(doc) == [
        ("text", (), "Salt and Grain"),
        ("text", (), "By A. Author"),
        ("heading", ("Prices",), "Prices"),
        ("text", ("Prices",), "Water (H2O) is wet, see https://doi.org/10.1234/Salt."),
        ("footnote", ("Prices",), "As a rule."),
        ("heading", in_luebeck, "In Lübeck"),
        ("text", in_luebeck, "1. Salt rose."),
        ("text", in_luebeck, "2. Grain fell."),
        ("caption", in_luebeck, "Table 1. Prices in “Mark”."),
        ("table", in_luebeck, "r0c0\tr0c1\tr0c2\n1340 (Lent)\tr1c1\tr1c2\n1340 (Lent)\tr2c1\tr2c2"),
        ("heading", ("References",), "References"),
        ("text", ("References",), "Braudel 1949."),
    ]
    assert (doc.file_type, doc.engine, doc.pages, doc.warnings) == ("docx", "docling", (), ())
    assert (doc.title, doc.dois, doc.word_coverage) == ("Salt and Grain", ("10.1234/salt",), 1.0)


def test_a_word_document_in_german_has_its_title_and_captions_too(tmp_path: Path) -> None:
    path = word(tmp_path)
    for id_, name in (("Title", "Titel"), ("Caption", "Beschriftung")):
        rewritten(path, {"word/styles.xml": replacing(f'w:styleId="{id_}"', f'w:styleId="{name}"')})
        rewritten(path, {"word/document.xml": replacing(f'w:val="{id_}"', f'w:val="{name}"')})
    found = told(convert(path))
    assert found[0] == ("text", (), "Salt and Grain")
    assert ("caption", ("Prices", "In Lübeck"), "Table 1. Prices in “Mark”.") in found


def test_tracked_changes_are_read_as_accepted_and_links_and_fields_keep_their_words(tmp_path: Path) -> None:
    path = word(tmp_path)
    run = "<w:r><w:t>{}</w:t></w:r>"
    added = (
        f'<w:ins w:id="7">{run.format(" new")}</w:ins><w:del w:id="8"><w:r><w:delText> old</w:delText></w:r></w:del>'
        f'<w:hyperlink w:anchor="x">{run.format(" linked")}</w:hyperlink>'
        f'<w:fldSimple w:instr="REF x">{run.format(" field")}</w:fldSimple>'
    )
    for words in ("wet", "r1c1"):
        rewritten(path, {"word/document.xml": replacing(f"<w:t>{words}</w:t></w:r>", run.format(words)[5:] + added)})
    found = " ".join(texts(convert(path)))
    assert "is wet new linked field, see" in found
    assert "\tr1c1 new linked field\t" in found


def test_the_only_first_level_heading_of_a_word_document_is_its_title(tmp_path: Path) -> None:
    doc = docx.Document()
    doc.add_heading("Salt and Grain", 1)
    doc.add_heading("Prices", 2)
    doc.add_paragraph("Salt rose.")
    doc.save(str(tmp_path / "a.docx"))
    converted = convert(tmp_path / "a.docx")
    assert converted.title == "Salt and Grain"
    assert told(converted)[1:] == [("heading", ("Prices",), "Prices"), ("text", ("Prices",), "Salt rose.")]


# -- PowerPoint ------------------------------------------------------------------------------------------------


def slides(folder: Path) -> Path:
    deck = pptx.Presentation()
    deck.core_properties.title = "PowerPoint Presentation"
    opening = deck.slides.add_slide(deck.slide_layouts[0])
    opening.shapes.title.text = "Salt Roads"
    opening.placeholders[1].text = "A talk"
    findings = deck.slides.add_slide(deck.slide_layouts[1])
    findings.shapes.add_textbox(0, 0, Inches(2), Inches(0.2)).text_frame.text = "Above the title"
    findings.shapes.title.text = "Findings"
    body = findings.placeholders[1].text_frame
    body.text = "Prices "
    run = body.paragraphs[0].add_run()
    run.text, run.font.bold = "rose", True
    table = findings.shapes.add_table(2, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
    for at, cell in enumerate(table.iter_cells()):
        cell.text = f"c{at}"
    findings.notes_slide.notes_text_frame.text = "Say it twice."
    deck.slides.add_slide(deck.slide_layouts[6])
    chart = deck.slides.add_slide(deck.slide_layouts[6])
    data = CategoryChartData()
    data.categories = ["Lübeck", "Kiel"]
    data.add_series("Salt", (12, 9))
    chart.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(4), Inches(3), data)
    path = folder / "talk.pptx"
    deck.save(str(path))
    return path


def test_a_presentation_has_a_page_for_each_slide_and_every_block_knows_its_own(tmp_path: Path) -> None:
    doc = convert(slides(tmp_path))
    assert [(block.page, *told_one) for block, told_one in zip(doc.blocks, told(doc), strict=True)] == [
        (1, "heading", ("Salt Roads",), "Salt Roads"),
        (1, "text", ("Salt Roads",), "A talk"),
        (2, "heading", ("Findings",), "Findings"),
        (2, "text", ("Findings",), "Above the title"),
        (2, "text", ("Findings",), "- Prices rose"),
        (2, "table", ("Findings",), "c0\tc1\nc2\tc3"),
        (2, "text", ("Findings", "Speaker notes"), "Say it twice."),
        (4, "table", (), "\tSalt\nLübeck\t12\nKiel\t9"),
    ]
    assert [(page.number, page.label, page.text) for page in doc.pages][:1] == [(1, "1", "Salt Roads\n\nA talk")]
    assert [page.number for page in doc.pages] == [1, 2, 3, 4]
    assert (doc.title, doc.word_coverage) == ("Salt Roads", 1.0)
    assert {(p.page_start, p.page_end) for p in chunk(doc, estimate_tokens, 200)} == {(1, 1), (2, 2), (4, 4)}


# -- web pages -------------------------------------------------------------------------------------------------

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Salt and grain | Journal of Trade</title>
<meta name="citation_doi" content="10.5555/Salt.1"><style>p {color: red}</style>
<script>var a = "<p>scripted</p>"</script></head>
<body class="has-footnotes"><nav>Navigated</nav><ul><li><a href="/">Menu</a></li></ul>
<p style="color: red; display: none">Styled away</p><p hidden>Hidden</p><noscript>No script</noscript>
<template><p>Template</p></template><span class="sr-only">For screen readers</span>
<article><h1>Salt and <em>grain</em></h1><p>By A. Author.<br>Lübeck<br><br>Received: 1340–1350 …</p>
<h3>Prices</h3><p>Water is H<sub>2</sub>O, “<i>wet</i>”, said <a href="x">he</a>.
<h2>Methods</h2><ol start="3"><li>three<ul><li>inner<li>most</ul></li><li><p>four</p><p>and more</p></li></ol>
<figure><img src="a.png" alt="Alternative"><figcaption>Figure 1. A plot.</figcaption></figure>
<figure><table><tr><th>year<th>salt<tr><td rowspan="2">1340<td>12<tr><td>a<br>b</table>
<figcaption>Table 1. Mark.</figcaption></figure><pre>def f(x):
    return x &lt; 2</pre>
<p>Then <math><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></math>.</p>
<table><tr><td><h2>Layout</h2><p>No table.</p></td><td>Really</td></tr></table>
<section class="footnotes"><ol><li>The note.</ol></section></article>
<footer>Copyright</footer><button>Press</button></body></html>"""


def html(folder: Path, text: str | bytes, name: str = "page.html") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def test_a_web_page_is_read_as_a_reader_sees_it(tmp_path: Path) -> None:
    doc = convert(html(tmp_path, PAGE))
    assert told(doc) == [
        ("text", (), "Salt and grain"),
        ("text", (), "By A. Author. Lübeck"),
        ("text", (), "Received: 1340–1350 …"),
        ("heading", ("Prices",), "Prices"),
        ("text", ("Prices",), "Water is H2O, “wet”, said he."),
        ("heading", ("Methods",), "Methods"),
        ("text", ("Methods",), "3. three"),
        ("text", ("Methods",), "- inner"),
        ("text", ("Methods",), "- most"),
        ("text", ("Methods",), "4. four and more"),
        ("caption", ("Methods",), "Figure 1. A plot."),
        ("caption", ("Methods",), "Table 1. Mark."),
        ("table", ("Methods",), "year\tsalt\n1340\t12\n1340\ta b"),
        ("code", ("Methods",), "def f(x):\n    return x < 2"),
        ("text", ("Methods",), "Then x^2."),
        ("heading", ("Layout",), "Layout"),
        ("text", ("Layout",), "No table."),
        ("text", ("Layout",), "Really"),
        ("footnote", ("Layout",), "1. The note."),
    ]
    assert (doc.title, doc.dois, doc.word_coverage, doc.pages) == ("Salt and grain", ("10.5555/salt.1",), 1.0, ())


def test_only_the_main_part_of_a_page_is_kept_where_it_names_one(tmp_path: Path) -> None:
    page = "<div>We use cookies.</div><h1>Salt</h1><main><p>{}</p></main><aside>Read also: pepper.</aside>"
    assert texts(convert(html(tmp_path, page.format("Salt rose in Lübeck. " * 5)))) == [
        "Salt",
        " ".join(["Salt rose in Lübeck."] * 5),
    ]
    assert "Read also: pepper." in texts(convert(html(tmp_path, page.format("Short."))))


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="utf-8">', "utf-8"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">', "cp1252"),
        ('<meta charset="iso-8859-1">', "cp1252"),
        ('<meta charset="iso-8859-1">', "utf-8"),
        ('<?xml version="1.0" encoding="iso-8859-15"?>', "iso-8859-15"),
        ("", "utf-16"),
        ("", "utf-8"),
    ],
)
def test_letters_are_right_in_every_encoding_a_page_names(tmp_path: Path, head: str, encoding: str) -> None:
    words = "Schöne Grüße, 5 €" if encoding == "iso-8859-15" else "Schöne “Grüße”, 5 €"
    doc = convert(html(tmp_path, f"{head}<p>{words}</p>".encode(encoding)))
    assert texts(doc) == [words]
    assert not doc.warnings


def test_a_page_that_names_no_encoding_is_read_with_a_warning(tmp_path: Path) -> None:
    doc = convert(html(tmp_path, "<p>Schöne Grüße</p>".encode("cp1252")))
    assert texts(doc) == ["Schöne Grüße"]
    assert "cp1252" in doc.warnings[0]


def test_nesting_of_any_depth_is_read(tmp_path: Path) -> None:
    page = "<h1>Top" + "<div>" * 10_000 + "<p>within</p>" + "</div>" * 10_000
    page += "<ul><li>one" * 2000 + "</ul>" * 2000 + "<table><tr><td>cell" * 2000 + "</table>" * 2000
    doc = convert(html(tmp_path, page + "<p>after</p>"))
    assert doc.blocks[-1].text == "after"
    assert doc.word_coverage == 1.0


def test_a_snapshot_with_megabytes_of_pictures_inside_is_read(tmp_path: Path) -> None:
    picture = base64.b64encode(os.urandom(3_000_000)).decode()
    page = f'<h1>Salt</h1><img src="data:image/png;base64,{picture}"><p style="background: url(data:{picture})">Rose.'
    assert texts(convert(html(tmp_path, page))) == ["Salt", "Rose."]


# -- EPUB ------------------------------------------------------------------------------------------------------

CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
XHTML = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://w3.org/x.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>{}</body>
</html>"""
CHAPTERS = {
    "z%20first.xhtml": '<h1>Part One</h1><p>Opening caf&eacute;<a id="p1"/>&nbsp;words.</p><script src="x"/>',
    "b.xhtml": '<h2>Chapter 1</h2><p>Body.</p><aside epub:type="footnote"><p>The note.</p></aside>',
    "a.xhtml": "<h1>Part Two</h1><h3>Deep</h3><p>End.</p>",
    "c.xhtml": "<p>Without a heading.</p>",
}
CONTENTS = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Afterword</text>
</navLabel><content src="c.xhtml#top"/></navPoint></navMap></ncx>"""


def epub(folder: Path, **parts: bytes) -> Path:
    path = folder / "book.epub"
    items = "".join(
        f'<item id="i{name[0]}" href="{name}" media-type="application/xhtml+xml"/>' for name in sorted(CHAPTERS)
    )
    order = "".join(f'<itemref idref="i{name[0]}"/>' for name in CHAPTERS)
    opf = f"""<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>The Salt Roads</dc:title></metadata><manifest>{items}
    <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest><spine>{order}</spine></package>"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("OEBPS/book.opf", opf)
        book.writestr("OEBPS/toc.ncx", CONTENTS)
        for name, body in CHAPTERS.items():
            book.writestr(f"OEBPS/{name.replace('%20', ' ')}", XHTML.format(body))
    return rewritten(path, dict(parts))


def test_a_book_is_read_in_the_order_of_its_spine_with_chapters_as_sections(tmp_path: Path) -> None:
    doc = convert(epub(tmp_path))
    assert told(doc) == [
        ("heading", ("Part One",), "Part One"),
        ("text", ("Part One",), "Opening café words."),
        ("heading", ("Part One", "Chapter 1"), "Chapter 1"),
        ("text", ("Part One", "Chapter 1"), "Body."),
        ("footnote", ("Part One", "Chapter 1"), "The note."),
        ("heading", ("Part Two",), "Part Two"),
        ("heading", ("Part Two", "Deep"), "Deep"),
        ("text", ("Part Two", "Deep"), "End."),
        ("heading", ("Afterword",), "Afterword"),
        ("text", ("Afterword",), "Without a heading."),
    ]
    assert (doc.title, doc.word_coverage, doc.file_type) == ("The Salt Roads", 1.0, "epub")


def encryption(algorithm: str, part: str) -> bytes:
    return f"""<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:EncryptionMethod
    Algorithm="{algorithm}"/><e:CipherData><e:CipherReference URI="{part}"/></e:CipherData></e:EncryptedData>
    </encryption>""".encode()


def test_a_book_with_rights_management_is_refused_and_one_with_garbled_fonts_is_not(tmp_path: Path) -> None:
    drm = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/z%20first.xhtml")
    error = failing(epub(tmp_path, **{"META-INF/encryption.xml": drm}))
    assert error.code is Code.CONVERSION_FAILED
    assert "rights management" in error.message
    fonts = encryption("http://www.idpf.org/2008/embedding", "OEBPS/font.otf")
    assert convert(epub(tmp_path, **{"META-INF/encryption.xml": fonts})).title == "The Salt Roads"


def test_a_book_without_one_of_its_chapters_says_which(tmp_path: Path) -> None:
    doc = convert(rewritten(epub(tmp_path), {"OEBPS/b.xhtml": None}))
    assert "End." in texts(doc)
    assert doc.warnings == ("1 of 4 chapters are missing from the file: OEBPS/b.xhtml",)


# -- nothing leaves the file -------------------------------------------------------------------------------------


@pytest.fixture
def requests_seen() -> Iterator[tuple[str, list[str]]]:
    """A web server that notes every request."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    thread.join()
    server.server_close()


def test_nothing_is_fetched_and_no_other_file_is_read(tmp_path: Path, requests_seen: tuple[str, list[str]]) -> None:
    address, seen = requests_seen
    secret = html(tmp_path, "<p>A secret.</p>", "secret.html")
    fetching = "".join(
        f"""<link rel="stylesheet" href="{place}"><style>@import url({place});</style><script src="{place}"></script>
        <img src="{place}" srcset="{place} 2x"><iframe src="{place}"></iframe><object data="{place}"></object>
        <embed src="{place}"><video src="{place}" poster="{place}"></video><svg><use href="{place}"/></svg>"""
        for place in (f"{address}/x", secret.as_uri(), "secret.html")
    )
    dtd = f'<!DOCTYPE html SYSTEM "{address}/dtd"><base href="{address}/">'
    page = html(tmp_path, f"{dtd}{fetching}<h1>Salt</h1><p>Rose.{fetching}</p>")
    chapter = XHTML.format(f"<h1>Salt</h1><p>Rose.</p>{fetching}").replace("http://w3.org", address)
    book = epub(tmp_path, **{"OEBPS/b.xhtml": chapter.encode()})
    paper = with_picture(tmp_path, f"{address}/p.png")
    for path in (page, book, paper):
        assert "secret" not in " ".join(texts(convert(path)))
    assert seen == []


def with_picture(folder: Path, address: str) -> Path:
    """A Word file with a picture that lies on a server."""
    Image.new("RGB", (9, 9), "red").save(folder / "dot.png")
    doc = docx.Document()
    doc.add_paragraph("Rose.")
    doc.add_picture(str(folder / "dot.png"))
    path = folder / "picture.docx"
    doc.save(str(path))
    external = replacing('Target="media/image1.png"', f'Target="{address}" TargetMode="External"')
    return rewritten(path, {"word/_rels/document.xml.rels": external})


def test_a_worker_reads_them_without_a_word_on_standard_error(tmp_path: Path) -> None:
    files = [
        with_picture(tmp_path, "http://127.0.0.1:9/p.png"),
        rewritten(word(tmp_path), {"word/document.xml": lambda data: data[:-100]}),
        slides(tmp_path),
        epub(tmp_path),
    ]
    requests = "".join(
        json.dumps({"id": at, "path": str(path), "max_tokens": 200}) + "\n" for at, path in enumerate(files)
    )
    command = [sys.executable, "-W", "always::UserWarning", "-m", "citeloom.documents.worker"]
    done = subprocess.run(command, input=requests, capture_output=True, text=True, cwd=ROOT, check=True)
    assert [json.loads(line)["ok"] for line in done.stdout.splitlines()] == [True, False, True, True]
    assert done.stderr == ""


def test_the_door_to_all_formats_opens_without_docling() -> None:
    command = (
        "import sys, citeloom.documents.convert; print([m for m in sys.modules if m[:7] == 'docling' or m == 'lxml'])"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("make", [lambda f: with_note(word(f)), slides, lambda f: html(f, PAGE), epub])
def test_the_same_file_gives_the_same_document(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path)
    first = convert(path)
    assert convert(path) == first
    assert Converted.from_json(json.loads(json.dumps(first.to_json()))) == first


# -- bad input ---------------------------------------------------------------------------------------------------

LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")


def zipped(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return path


@pytest.mark.parametrize("suffix", ["docx", "pptx", "epub"])
def test_a_package_that_is_none_or_is_broken_is_told_apart(tmp_path: Path, suffix: str) -> None:
    whole = {"docx": word, "pptx": slides, "epub": epub}[suffix](tmp_path)
    data = whole.read_bytes()
    for content, code, words in (
        (b"Just some words.", Code.UNSUPPORTED_FORMAT, "whatever its name says"),
        (b"%PDF-1.7 and so on", Code.UNSUPPORTED_FORMAT, "whatever its name says"),
        (data[: len(data) // 2], Code.CONVERSION_FAILED, "table of contents cannot be read"),
        (b"PK\x05\x06" + bytes(18), Code.CONVERSION_FAILED, "empty archive"),
        (ENCRYPTED, Code.CONVERSION_FAILED, "password"),
    ):
        path = tmp_path / f"file.{suffix}"
        path.write_bytes(content)
        error = failing(path)
        assert error.code is code
        assert words in error.message
    assert failing(zipped(path, {"a.txt": b"x"})).code is Code.UNSUPPORTED_FORMAT


def test_office_files_of_another_kind_are_named(tmp_path: Path) -> None:
    deck = slides(tmp_path)
    assert "PowerPoint" in failing(deck.rename(tmp_path / "deck.docx")).message
    old = tmp_path / "old.docx"
    old.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    error = failing(old)
    assert error.code is Code.UNSUPPORTED_FORMAT
    assert "before 2007" in error.message
    pdf = failing(html(tmp_path, b"%PDF-1.7\nand so on"))
    assert pdf.code is Code.UNSUPPORTED_FORMAT
    assert "a PDF" in pdf.message


@pytest.mark.parametrize(
    ("make", "change", "words"),
    [
        (word, {"word/document.xml": None}, "word/document.xml is missing"),
        (word, {"_rels/.rels": None}, "_rels/.rels is missing"),
        (word, {"word/styles.xml": None}, "damaged"),
        (word, {"word/document.xml": b"<w:document"}, "not well-formed"),
        (slides, {"ppt/presentation.xml": None}, "ppt/presentation.xml is missing"),
        (slides, {"ppt/slides/slide2.xml": None}, "damaged"),
        (epub, {"META-INF/container.xml": None}, "META-INF/container.xml is missing"),
        (epub, {"OEBPS/book.opf": None}, "OEBPS/book.opf is missing"),
        (epub, {"OEBPS/book.opf": b"<package/>"}, "names no chapters"),
        (word, {"word/document.xml": lambda data: LAUGHS.encode() + data.partition(b"?>")[2]}, "entities"),
        (slides, {"ppt/slides/slide1.xml": lambda data: LAUGHS.encode() + data.partition(b"?>")[2]}, "entities"),
        (epub, {"OEBPS/book.opf": lambda data: LAUGHS.encode() + data}, "entities"),
        (epub, {"OEBPS/b.xhtml": f"{LAUGHS}<p>&b;</p>".encode()}, "entities"),
        (word, {"../../etc/passwd": b"x"}, "points outside"),
        (epub, {"..\\..\\start.bat": b"x"}, "points outside"),
        (slides, {"/etc/passwd": b"x"}, "points outside"),
        (word, {"word/more.xml": bytes(20_000_000)}, "swells"),
        (epub, {"OEBPS/b.xhtml": bytes(20_000_000)}, "swells"),
    ],
)
def test_a_package_with_missing_broken_or_harmful_parts_says_which(
    tmp_path: Path, make: Callable[[Path], Path], change: dict[str, bytes | None], words: str
) -> None:
    error = failing(rewritten(make(tmp_path), change))
    assert error.code is Code.CONVERSION_FAILED
    assert words in error.message


def lying(path: Path, name: str, size: int) -> Path:
    """A package whose table of contents gives another size for a part than it has."""
    data = bytearray(path.read_bytes())
    at = data.rindex(name.encode()) - 46  # an entry of the central directory ends with the name
    assert data[at : at + 4] == b"PK\x01\x02"
    data[at + 24 : at + 28] = struct.pack("<I", size)
    path.write_bytes(bytes(data))
    return path


def test_a_package_is_refused_by_the_size_it_promises_and_by_the_size_it_hides(tmp_path: Path) -> None:
    promised = lying(word(tmp_path), "docProps/thumbnail.jpeg", 600 * 1024 * 1024)
    assert "unpacks to 601 MB" in failing(promised).message
    swollen = rewritten(epub(tmp_path), {"OEBPS/b.xhtml": b"x" * 50_000_000})
    assert "cannot be unpacked" in failing(lying(swollen, "OEBPS/b.xhtml", 1000)).message


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("docx", lambda path: docx.Document().save(str(path))),
        ("pptx", lambda path: pptx.Presentation().save(str(path))),
        ("html", lambda path: path.write_text("<html><body><script>1</script><img src=a.png></body></html>")),
    ],
)
def test_a_document_without_text_says_so(tmp_path: Path, kind: str, make: Callable[[Path], object]) -> None:
    path = tmp_path / f"empty.{kind}"
    make(path)
    error = failing(path)
    assert error.code is Code.CONVERSION_FAILED
    assert "no text" in error.message
