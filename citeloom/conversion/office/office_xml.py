"""XML of Word and PowerPoint files: checks it, normalizes it for docling and collects its text. Used by the reader."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from urllib.parse import unquote

from lxml import etree

from citeloom.conversion.docling import markers
from citeloom.conversion.office.zip_package import NAMES, Package, damaged, other_format

_MAIN_TYPES = {"docx": b"wordprocessingml.document.main", "pptx": b"presentationml.presentation.main"}
_OTHER_TYPES = {
    b"wordprocessingml": "a Word document or template",
    b"presentationml": "a PowerPoint presentation, show or template",
    b"spreadsheetml": "an Excel workbook",
    b"macroEnabled": "an Office file with macros",
}
_XML_SUFFIXES = (".xml", ".rels", ".vml")
# Character formatting: docling splits sentences where it changes, and loses the spaces there.
_CHARACTER_FORMATTING = {"b", "bCs", "i", "iCs", "u", "strike", "dstrike", "vertAlign", "rStyle", "em"}
# Elements around the text of a paragraph; inside tables, the libraries ignore their content.
_WRAPPERS = ("hyperlink", "ins", "moveTo", "smartTag", "customXml", "fldSimple")
_NEEDED = {
    "officeDocument", "styles", "numbering", "footnotes", "endnotes", "slide", "slideLayout", "slideMaster",
    "notesSlide", "notesMaster",
}  # fmt: skip
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_TEXT_BOX = f"""<p:sp xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="{_DRAWING}">
<p:nvSpPr><p:cNvPr id="0" name=""/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr/>
<p:txBody><a:bodyPr/><a:p><a:r><a:t/></a:r></a:p></p:txBody></p:sp>"""
_NOTE_REFERENCES = {"footnoteReference": "f", "endnoteReference": "e"}


def main_part(package: Package, kind: str) -> str:
    """Return the name of the main document part. Raises CiteLoomError for a package of another format."""
    if "[Content_Types].xml" not in package:
        raise other_format(package.path, kind, "another kind of archive")
    types = package.read("[Content_Types].xml")
    if _MAIN_TYPES[kind] not in types:
        found = next((name for word, name in _OTHER_TYPES.items() if word in types), "another kind of Office file")
        raise other_format(package.path, kind, found)
    for _, relation, name in _relations(package, "_rels/.rels"):
        if relation == "officeDocument":
            return name
    raise damaged(package.path, f"it does not say where the text of the {NAMES[kind]} is")


def title(package: Package) -> str:
    """Return the title in the file's properties."""
    if "docProps/core.xml" not in package:
        return ""
    return next((str(e.text or "") for e in package.parse("docProps/core.xml") if _name(e) == "title"), "")


def for_docling(package: Package, main: str, kind: str) -> tuple[io.BytesIO, list[str]]:
    """Return the package rewritten for docling, without pictures and other binary parts, and the texts of the file.

    Every part is checked against the limits here, so that no unchecked content reaches a library.
    """
    raw: list[str] = []
    stream = io.BytesIO()
    folder = posixpath.dirname(main)
    texts = (main, f"{folder}/footnotes.xml", f"{folder}/endnotes.xml") if kind == "docx" else ()
    captions, titles = _styles(package, f"{folder}/styles.xml") if kind == "docx" else (set(), set())
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as copy:
        for name in package.names():
            data = package.read_xml(name) if name.lower().endswith(_XML_SUFFIXES) else b""
            if name.endswith(".rels"):
                data = _without_dangling_relations(package, name)
            elif name in texts or (kind == "pptx" and name.startswith(f"{folder}/slides/slide")):
                root = package.parse(name)
                _inline_diagrams(package, name, root)
                _unwrap(root)
                raw.extend(_words(root))
                _mark_paragraphs(root, captions, titles)
                _mark_notes(root)
                data = etree.tostring(root, encoding="utf-8", xml_declaration=True)
            copy.writestr(zipfile.ZipInfo(name), data)
    stream.seek(0)
    return stream, raw


def _relations(package: Package, name: str) -> Iterator[tuple[Any, str, str]]:
    """Yield the relations of a part to other parts of the package, with kind and name of the target."""
    folder = posixpath.dirname(posixpath.dirname(name))
    for relation in package.parse(name).iterchildren("{*}Relationship"):
        if relation.get("TargetMode") != "External" and not str(relation.get("Target")).startswith("#"):
            target = posixpath.normpath(posixpath.join("/", folder, unquote(str(relation.get("Target")))))
            yield relation, str(relation.get("Type")).rpartition("/")[2], target.lstrip("/")


def _without_dangling_relations(package: Package, name: str) -> bytes:
    """Return the relations without those to missing parts. Raises CiteLoomError if a missing part contains text."""
    root = None
    for relation, kind, target in _relations(package, name):
        root = relation.getparent() if root is None else root
        if target in package:
            continue
        if kind in _NEEDED:
            raise damaged(package.path, f"its part {target} is missing")
        root.remove(relation)
    return package.read(name) if root is None else bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _name(element: Any) -> str:
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""


def _words(root: Any) -> Iterator[str]:
    """Yield the text of each paragraph without formulas; of alternate content, the first version."""
    for paragraph in root.iter("{*}p"):
        space = etree.QName(paragraph).namespace
        parts = []
        for element in paragraph.iter(f"{{{space}}}t", f"{{{space}}}br", f"{{{space}}}tab"):
            if next(element.iterancestors(paragraph.tag)) is paragraph and not any(
                element.iterancestors("{*}Fallback")
            ):
                parts.append(str(element.text or "") if _name(element) == "t" else " ")
        yield markers.split_marks("".join(parts))[0]


def _styles(package: Package, name: str) -> tuple[set[str], set[str]]:
    """Return the ids of the caption and title styles, found by name: names are always English, ids are localized."""
    found: dict[str, set[str]] = {"caption": set(), "title": set()}
    if name in package:
        for style in package.parse(name).iter("{*}style"):
            for child in style.iterchildren("{*}name"):
                kind = _attribute(child, "val").lower()
                if kind in found:
                    found[kind].add(_attribute(style, "styleId"))
    return found["caption"], found["title"]


def _attribute(element: Any, name: str) -> str:
    """Return an attribute by its local name, in any namespace."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _mark_paragraphs(root: Any, captions: set[str], titles: set[str]) -> None:
    """Mark captions and titles, and merge the runs of each paragraph into one for docling."""
    for style in list(root.iter("{*}pStyle")):
        style_id = _attribute(style, "val")
        name = markers.CAPTION if style_id in captions else markers.TITLE if style_id in titles else ""
        if name:
            _insert_text(style.getparent().getparent(), markers.mark(name))
    for properties in root.iter("{*}rPr"):
        for shape in [child for child in properties if _name(child) in _CHARACTER_FORMATTING]:
            properties.remove(shape)


def _unwrap(root: Any) -> None:
    """Replace links, fields, content controls and tracked changes by their text, with all changes accepted."""
    for moved in list(root.iter("{*}moveFrom")):
        moved.getparent().remove(moved)
    for wrapper in list(root.iter(*(f"{{*}}{name}" for name in _WRAPPERS))):
        _replace_element(wrapper, list(wrapper))
    for control in list(root.iter("{*}sdt")):
        inner = [child for content in control.iterchildren("{*}sdtContent") for child in content]
        if _name(control.getparent()) == "p" and next(control.iter("{*}checkbox"), None) is None:
            _replace_element(control, inner)


def _replace_element(wrapper: Any, children: list[Any]) -> None:
    parent = wrapper.getparent()
    at = parent.index(wrapper)
    parent[at : at + 1] = children


def _inline_diagrams(package: Package, name: str, root: Any) -> None:
    """Insert the text of a SmartArt diagram, which is stored in a separate part, at the diagram's position."""
    folder, base = posixpath.split(name)
    beside = f"{folder}/_rels/{base}.rels"
    relations = _relations(package, beside) if beside in package else ()
    diagrams = {relation.get("Id"): part for relation, kind, part in relations if kind == "diagramData"}
    for ids in list(root.iter("{*}relIds")):
        part = diagrams.get(_attribute(ids, "dm"), "")
        words = "\n".join(text for text in _words(package.parse(part)) if text.strip()) if part in package else ""
        frame = next(ids.iterancestors("{*}graphicFrame"), None)
        paragraph = next(ids.iterancestors("{*}p"), None)
        if words and paragraph is not None:
            new = etree.Element(paragraph.tag)
            _insert_text(new, markers.mark(markers.FIGURE) + words)
            paragraph.addnext(new)
        elif words and frame is not None:
            frame.addnext(_text_box(frame, markers.mark(markers.FIGURE) + words))


def _text_box(frame: Any, text: str) -> Any:
    """Create a text box for a slide at the position of another shape."""
    box = etree.fromstring(_TEXT_BOX)
    for place in frame.iterchildren("{*}xfrm"):
        placed = etree.SubElement(box[1], etree.QName(_DRAWING, "xfrm"))
        placed.extend(deepcopy(child) for child in place)
    next(box.iter(f"{{{_DRAWING}}}t")).text = text
    return box


def _mark_notes(root: Any) -> None:
    """Mark note references and the notes themselves, so that each note can be placed after its reference."""
    for tag, kind in _NOTE_REFERENCES.items():
        for reference in list(root.iter(f"{{*}}{tag}")):
            text = etree.Element(etree.QName(etree.QName(reference).namespace, "t"))
            text.text = markers.note_mark(kind, _attribute(reference, "id"))
            reference.getparent().replace(reference, text)
    for tag, kind in (("footnote", "f"), ("endnote", "e")):
        for note in root.iterchildren(f"{{*}}{tag}"):
            for paragraph in list(note.iter("{*}p"))[:1]:
                _insert_text(paragraph, markers.note_mark(kind, _attribute(note, "id")))


def _insert_text(paragraph: Any, text: str) -> None:
    """Insert a run of text at the start of a paragraph, after its properties."""
    space = etree.QName(paragraph).namespace
    run = etree.Element(etree.QName(space, "r"))
    etree.SubElement(run, etree.QName(space, "t")).text = text
    paragraph.insert(1 if len(paragraph) and _name(paragraph[0]) == "pPr" else 0, run)
