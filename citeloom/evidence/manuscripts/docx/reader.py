"""Reader of Word manuscripts: their prose and their Zotero citations. Called by `manuscripts.reader`.

The XML is parsed while it is unpacked, without building a tree; entities are rejected, nothing is downloaded.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import lxml.etree as _etree

from citeloom.core.files.zip_reader import ZipReader
from citeloom.evidence.manuscripts.docx.package import damaged, not_word, open_package
from citeloom.evidence.manuscripts.docx.story import Contents, FieldSummary, Story, Styles, Target
from citeloom.evidence.manuscripts.prose import Cited, Prose
from citeloom.evidence.manuscripts.types import Span

# lxml has no types: declaring it as Any keeps the rest of the module checked.
etree: Any = _etree

_STANDARD_PARTS = {name: f"word/{name}.xml" for name in ("document", "footnotes", "endnotes", "styles")}


def read_docx(data: bytes) -> tuple[str, Prose]:
    """Return the prose of a Word document, one paragraph per line, and its citations; spans refer to this prose."""
    with open_package(data) as package:
        prose = _read(package)
    prose.origins = array("q", range(prose.length))
    prose.cited = [
        Cited(cited.at, tuple(replace(citation, span=Span(cited.at, cited.at + 1)) for citation in cited.citations))
        for cited in prose.cited
    ]
    return prose.text, prose


def _read(package: ZipReader) -> Prose:
    contents, styles, found = Contents(), Styles(), FieldSummary()
    _read_part(package, "[Content_Types].xml", contents)
    names = {kind: contents.names.get(kind, standard) for kind, standard in _STANDARD_PARTS.items()}
    if names["document"] not in package:
        raise not_word("The file is an archive, but not a Word document.", "Save the manuscript as .docx.")
    _read_part(package, names["styles"], styles)
    notes: dict[tuple[str, str], Prose] = {}
    body = Story(found, styles, notes)
    for kind in ("footnotes", "endnotes"):
        _read_part(package, names[kind], Story(found, styles, notes))
    _read_part(package, names["document"], body)
    found.check()
    prose = body.prose.finish()
    prose.unread += found.unread
    return prose


def _read_part(package: ZipReader, name: str, target: Target) -> None:
    """Read a part if the document has it."""
    if name not in package:
        return
    parser = etree.XMLParser(target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        for piece in package.pieces(name):
            parser.feed(piece)
        parser.close()
    except (etree.XMLSyntaxError, ValueError, LookupError):
        raise damaged(f"its part {name} is not well-formed XML") from None
