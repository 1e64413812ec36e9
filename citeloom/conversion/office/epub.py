"""Reader of EPUB books: chapters in spine order."""

from __future__ import annotations

import posixpath
from typing import Any
from urllib.parse import unquote

from lxml import etree

from citeloom.conversion.file_errors import file_error
from citeloom.conversion.office.web_page import HEADINGS, PARAGRAPH, Node, WebPage, read_page
from citeloom.conversion.office.zip_package import Package, damaged, other_format
from citeloom.core.errors import CiteLoomError

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# Obfuscated fonts; the text stays readable.
_FONTS_ONLY = {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
_TEXT_TYPES = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document", ""}


def read_book(package: Package) -> WebPage:
    """Read the chapters of an EPUB book as one page. Raises CiteLoomError if its text is encrypted."""
    if _CONTAINER not in package:
        if "mimetype" in package and package.read("mimetype").strip() == b"application/epub+zip":
            raise damaged(package.path, f"its part {_CONTAINER} is missing")
        raise other_format(package.path, "epub", "another kind of archive")
    opf_name = next((str(e.get("full-path") or "") for e in package.parse(_CONTAINER).iter("{*}rootfile")), "")
    opf = package.parse(opf_name)
    folder = posixpath.dirname(opf_name)
    chapters = _spine(opf, folder)
    _refuse_encrypted(package, set(chapters))
    missing = [name for name in chapters if name not in package]
    if not chapters or len(missing) == len(chapters):
        raise damaged(package.path, f"its part {missing[0]} is missing" if missing else "it names no chapters")
    book = WebPage(titles=[_text(e) for e in opf.iter("{*}title")][:1])
    try:
        labels = _labels(package, opf, folder)
    except (CiteLoomError, etree.LxmlError, ValueError):
        labels = {}  # the book can be read without its table of contents
    for name in chapters:
        if name in package:
            page = read_page(package.read(name), package.path, xhtml=True)
            if name in labels and not any(node.tag in HEADINGS for node in page.body.nodes()):
                depth, label = labels[name]
                page.body.children.insert(0, Node(f"h{min(depth, 6)}", [label]))
            book.body.children += [*page.body.children, PARAGRAPH]
            book.visible += [*page.visible, "\n"]
            book.omitted += [*page.omitted, "\n"]
            book.warnings += [warning for warning in page.warnings if warning not in book.warnings]
    if missing:
        shown = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        book.warnings.append(f"{len(missing)} of {len(chapters)} chapters are missing from the file: {shown}")
    return book


def _part_name(folder: str, address: str) -> str:
    """Resolve an address relative to a folder into a part name."""
    return posixpath.normpath(posixpath.join(folder, unquote(address.partition("#")[0])))


def _spine(opf: Any, folder: str) -> list[str]:
    """Return the part names of the chapters in reading order, without duplicates and the table of contents."""
    items = {
        item.get("id"): _part_name(folder, str(item.get("href") or ""))
        for item in opf.iter("{*}item")
        if str(item.get("media-type") or "") in _TEXT_TYPES and not _is_contents(item)
    }
    return list(dict.fromkeys(items[e.get("idref")] for e in opf.iter("{*}itemref") if e.get("idref") in items))


def _is_contents(item: Any) -> bool:
    return "nav" in str(item.get("properties") or "").split()


def _refuse_encrypted(package: Package, chapters: set[str]) -> None:
    entries = package.parse(_ENCRYPTION).iter("{*}EncryptedData") if _ENCRYPTION in package else ()
    for entry in entries:
        method = next((e.get("Algorithm") for e in entry.iterchildren("{*}EncryptionMethod")), "")
        parts = {_part_name("", str(e.get("URI") or "")) for e in entry.iter("{*}CipherReference")}
        if method not in _FONTS_ONLY and parts & chapters:
            message = f"The file {package.path.name} is encrypted by digital rights management."
            next_step = "Ask the publisher or your library for a copy without it, or attach the PDF."
            raise file_error(package.path, message, next_step)


def _labels(package: Package, opf: Any, folder: str) -> dict[str, tuple[int, str]]:
    """Return the depth and title of each chapter in the book's table of contents."""
    found: dict[str, tuple[int, str]] = {}
    for item in opf.iter("{*}item"):
        name = _part_name(folder, str(item.get("href") or ""))
        if name not in package:
            continue
        base = posixpath.dirname(name)
        if _is_contents(item):
            page = etree.fromstring(package.read(name), etree.HTMLParser(encoding="utf-8", no_network=True))
            for link in page.xpath("//nav[contains(@*[name()='epub:type'], 'toc')]//a[@href]"):
                depth = sum(1 for _ in link.iterancestors("ol"))
                found.setdefault(_part_name(base, link.get("href")), (depth, _text(link)))
        elif item.get("media-type") == "application/x-dtbncx+xml":
            for point in package.parse(name).iter("{*}navPoint"):
                depth = 1 + sum(1 for _ in point.iterancestors("{*}navPoint"))
                for label, target in zip(
                    point.iterchildren("{*}navLabel"), point.iterchildren("{*}content"), strict=False
                ):
                    found.setdefault(_part_name(base, str(target.get("src") or "")), (depth, _text(label)))
    return {name: (max(1, depth), label) for name, (depth, label) in found.items() if label}


def _text(element: Any) -> str:
    return " ".join("".join(element.itertext()).split())
