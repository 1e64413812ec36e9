"""Small Word, PowerPoint, web and EPUB files for the tests."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from citeloom.conversion.convert import convert
from citeloom.core.errors import CiteLoomError

GRAPHIC_FRAME = """<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/>
</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="9000000"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic>
<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram">{}</a:graphicData></a:graphic>
</p:graphicFrame>"""

CATEGORY_CHART_DATA: Any = CategoryChartData  # it carries no types
Change = bytes | Callable[[bytes], bytes] | None

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def failing(path: Path) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        convert(path)
    assert caught.value.next_step
    assert path.name in caught.value.message
    return caught.value


def rewritten(path: Path, changes: Mapping[str, Change]) -> Path:
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


def word(folder: Path) -> Path:
    """A short paper in Word, whose properties still name the journal's template."""
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
    path = folder / "paper.docx"
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


def slides(folder: Path) -> Path:
    """A talk of four slides; the third is empty."""
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
    data = CATEGORY_CHART_DATA()
    data.categories = ["Lübeck", "Kiel"]
    data.add_series("Salt", (12, 9))
    chart.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, Inches(4), Inches(3), data)
    path = folder / "talk.pptx"
    deck.save(str(path))
    return path


def with_diagram(path: Path) -> Path:
    """A Word or PowerPoint file with a SmartArt diagram of two words in its first paragraph or slide."""
    part, frame = {
        ".docx": ("word/document.xml", "<w:p><w:r><w:drawing>{}</w:drawing></w:r></w:p></w:body>"),
        ".pptx": ("ppt/slides/slide1.xml", f"{GRAPHIC_FRAME}</p:spTree>"),
    }[path.suffix]
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    ids = f'<d:relIds xmlns:d="{drawing}/diagram" xmlns:r="{relations}" r:dm="rId98"/>'
    point = "<d:pt><d:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></d:t></d:pt>"
    points = point.format("Buy") + point.format("Sell")
    data = f'<d:dataModel xmlns:d="{drawing}/diagram" xmlns:a="{drawing}/main">{points}</d:dataModel>'
    folder, name = part.rsplit("/", 1)
    end = frame.rpartition("</")[2]
    link = f'<Relationship Id="rId98" Type="{relations}/diagramData" Target="/{folder}/data1.xml"/></Relationships>'
    kind = f'<Override PartName="/{folder}/data1.xml" ContentType="application/xml"/></Types>'
    return rewritten(
        path,
        {
            f"{folder}/data1.xml": data.encode(),
            part: replacing(f"</{end}", frame.format(ids)),
            f"{folder}/_rels/{name}.rels": replacing("</Relationships>", link),
            "[Content_Types].xml": replacing("</Types>", kind),
        },
    )


def html(folder: Path, text: str | bytes, name: str = "page.html") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def with_picture(folder: Path, address: str, external: bool = True) -> Path:
    """A Word file with a picture that lies elsewhere."""
    Image.new("RGB", (9, 9), "red").save(folder / "dot.png")
    doc = docx.Document()
    doc.add_paragraph("Rose.")
    doc.add_picture(str(folder / "dot.png"))
    path = folder / "picture.docx"
    doc.save(str(path))
    target = f'Target="{address}"' + (' TargetMode="External"' if external else "")
    return rewritten(path, {"word/_rels/document.xml.rels": replacing('Target="media/image1.png"', target)})


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
    "d.xhtml": "<p>Salt, 12.</p>",
}
NAVIGATION = (
    """<h1>Table of contents</h1><nav epub:type="toc"><ol><li><a href="c.xhtml">Afterword</a></li></ol></nav>"""
)
CONTENTS = """<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Index</text>
</navLabel><content src="d.xhtml#top"/></navPoint></navMap></ncx>"""


def epub(folder: Path, **parts: bytes) -> Path:
    path = folder / "book.epub"
    items = "".join(
        f'<item id="i{name[0]}" href="{name}" media-type="application/xhtml+xml"/>' for name in sorted(CHAPTERS)
    )
    order = "".join(f'<itemref idref="i{name[0]}"/>' for name in CHAPTERS)
    opf = f"""<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>The Salt Roads</dc:title></metadata><manifest>{items}
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>
    <spine><itemref idref="nav"/>{order}</spine></package>"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr("META-INF/container.xml", CONTAINER)
        book.writestr("OEBPS/book.opf", opf)
        book.writestr("OEBPS/toc.ncx", CONTENTS)
        book.writestr("OEBPS/nav.xhtml", XHTML.format(NAVIGATION))
        for name, body in CHAPTERS.items():
            book.writestr(f"OEBPS/{name.replace('%20', ' ')}", XHTML.format(body))
    return rewritten(path, dict(parts))
