from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pptx
import pytest

from citeloom.conversion.convert import convert
from citeloom.core.errors import Code
from tests.unit.conversion.sample_office import Change, epub, failing, html, rewritten, slides, with_picture, word

LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")


def nested(after: bytes) -> Callable[[bytes], bytes]:
    """A change that puts a hundred thousand elements inside each other."""
    deep = b"<g>" * 100_000 + b"</g>" * 100_000

    def change(data: bytes) -> bytes:
        assert after in data
        return data.replace(after, after + deep, 1)

    return change


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
        (b"Just some words.", Code.UNSUPPORTED_FORMAT, "despite its suffix"),
        (b"%PDF-1.7 and so on", Code.UNSUPPORTED_FORMAT, "despite its suffix"),
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
        (word, {"word/styles.xml": None}, "word/styles.xml is missing"),
        (word, {"word/document.xml": b"<w:document"}, "not well-formed"),
        (slides, {"ppt/presentation.xml": None}, "ppt/presentation.xml is missing"),
        (slides, {"ppt/slides/slide2.xml": None}, "ppt/slides/slide2.xml is missing"),
        (epub, {"META-INF/container.xml": None}, "META-INF/container.xml is missing"),
        (epub, {"OEBPS/book.opf": None}, "OEBPS/book.opf is missing"),
        (epub, {"OEBPS/book.opf": b"<package/>"}, "names no chapters"),
        (word, {"word/document.xml": lambda data: LAUGHS.encode() + data.partition(b"?>")[2]}, "entities"),
        (slides, {"ppt/slides/slide1.xml": lambda data: LAUGHS.encode() + data.partition(b"?>")[2]}, "entities"),
        (epub, {"OEBPS/book.opf": lambda data: LAUGHS.encode() + data}, "entities"),
        (epub, {"OEBPS/b.xhtml": f"{LAUGHS}<p>&b;</p>".encode()}, "entities"),
        (word, {"word/document.xml": nested(b"<w:body>")}, "nested too deeply"),
        (slides, {"ppt/slides/slide1.xml": nested(b"<p:spTree>")}, "nested too deeply"),
        (epub, {"OEBPS/book.opf": nested(b"<manifest>")}, "nested too deeply"),
        (word, {"../../etc/passwd": b"x"}, "points outside"),
        (epub, {"..\\..\\start.bat": b"x"}, "points outside"),
        (slides, {"/etc/passwd": b"x"}, "points outside"),
        (word, {"word/more.xml": bytes(20_000_000)}, "expands"),
        (epub, {"OEBPS/b.xhtml": bytes(20_000_000)}, "expands"),
    ],
)
def test_a_package_with_missing_broken_or_harmful_parts_says_which(
    tmp_path: Path, make: Callable[[Path], Path], change: dict[str, Change], words: str
) -> None:
    error = failing(rewritten(make(tmp_path), change))
    assert error.code is Code.CONVERSION_FAILED
    assert words in error.message


def test_a_picture_that_is_missing_does_not_cost_the_text(tmp_path: Path) -> None:
    doc = convert(with_picture(tmp_path, "../NULL", external=False))
    assert [block.text for block in doc.blocks] == ["Rose."]


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
