from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import docx
import pytest

from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import convert
from citeloom.conversion.tokens import estimate_tokens
from citeloom.core.errors import Code
from citeloom.core.text.markdown_table import as_markdown
from citeloom.core.types import Converted
from tests.support import ROOT
from tests.unit.conversion.sample_office import (
    XHTML,
    epub,
    failing,
    html,
    replacing,
    rewritten,
    slides,
    with_diagram,
    with_note,
    with_picture,
    word,
)


def told(doc: Converted) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind.value, block.section_path, block.text) for block in doc.blocks]


def texts(doc: Converted) -> list[str]:
    return [block.text for block in doc.blocks]


# -- Word ------------------------------------------------------------------------------------------------------


def test_a_word_document_keeps_sections_sentences_tables_and_notes_in_place(tmp_path: Path) -> None:
    doc = convert(with_note(word(tmp_path)))
    in_luebeck = ("Prices", "In Lübeck")
    rows = [["r0c0", "r0c1", "r0c2"], ["1340 (Lent)", "r1c1", "r1c2"], ["1340 (Lent)", "r2c1", "r2c2"]]
    assert told(doc) == [
        ("text", (), "Salt and Grain"),
        ("text", (), "By A. Author"),
        ("heading", ("Prices",), "Prices"),
        ("text", ("Prices",), "Water (H2O) is wet, see https://doi.org/10.1234/Salt."),
        ("footnote", ("Prices",), "As a rule."),
        ("heading", in_luebeck, "In Lübeck"),
        ("text", in_luebeck, "1. Salt rose."),
        ("text", in_luebeck, "2. Grain fell."),
        ("table", in_luebeck, as_markdown(rows, "Table 1. Prices in “Mark”.")),
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
    (table,) = [text for kind, _, text in found if kind == "table"]
    assert table.startswith("Table 1. Prices in “Mark”.\n\n| r0c0 |")


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
    assert "| r1c1 new linked field |" in found


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


def test_a_presentation_has_a_page_for_each_slide_and_every_block_knows_its_own(tmp_path: Path) -> None:
    doc = convert(slides(tmp_path))
    assert [(block.page, *told_one) for block, told_one in zip(doc.blocks, told(doc), strict=True)] == [
        (1, "heading", ("Salt Roads",), "Salt Roads"),
        (1, "text", ("Salt Roads",), "A talk"),
        (2, "heading", ("Findings",), "Findings"),
        (2, "text", ("Findings",), "Above the title"),
        (2, "text", ("Findings",), "- Prices rose"),
        (2, "table", ("Findings",), as_markdown([["c0", "c1"], ["c2", "c3"]])),
        (2, "text", ("Findings", "Speaker notes"), "Say it twice."),
        (4, "table", (), as_markdown([["", "Salt"], ["Lübeck", "12"], ["Kiel", "9"]])),
    ]
    assert [(page.number, page.label, page.text) for page in doc.pages][:1] == [(1, "1", "Salt Roads\n\nA talk")]
    assert [page.number for page in doc.pages] == [1, 2, 3, 4]
    assert (doc.title, doc.word_coverage) == ("Salt Roads", 1.0)
    assert {(p.page_start, p.page_end) for p in chunk(doc, estimate_tokens, 200)} == {(1, 1), (2, 2), (4, 4)}


def test_the_words_of_a_diagram_stand_where_the_diagram_stands(tmp_path: Path) -> None:
    in_word = convert(with_diagram(word(tmp_path)))
    on_slide = convert(with_diagram(slides(tmp_path)))
    assert told(in_word)[-1] == ("figure", ("References",), "Buy\nSell")
    assert [(block.kind.value, block.page) for block in on_slide.blocks if block.text == "Buy\nSell"] == [("figure", 1)]


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
        ("table", ("Methods",), as_markdown([["year", "salt"], ["1340", "12"], ["1340", "a b"]], "Table 1. Mark.")),
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
        ("heading", ("Index",), "Index"),
        ("text", ("Index",), "Salt, 12."),
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
    assert doc.warnings == ("1 of 5 chapters are missing from the file: OEBPS/b.xhtml",)


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
    with urlopen(f"{address}/alive"):
        assert seen == ["/alive"]


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
    command = [sys.executable, "-W", "always::UserWarning", "-m", "citeloom.conversion.worker"]
    done = subprocess.run(command, input=requests, capture_output=True, text=True, cwd=ROOT, check=True)
    assert [json.loads(line)["ok"] for line in done.stdout.splitlines()] == [True, False, True, True]
    assert done.stderr == ""


def test_the_door_to_all_formats_opens_without_docling() -> None:
    command = (
        "import sys, citeloom.conversion.convert; print([m for m in sys.modules if m[:7] == 'docling' or m == 'lxml'])"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("make", [lambda f: with_note(word(f)), slides, lambda f: html(f, PAGE), epub])
def test_the_same_file_gives_the_same_document(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path)
    first = convert(path)
    assert convert(path) == first
    assert Converted.from_json(json.loads(json.dumps(first.to_json()))) == first
