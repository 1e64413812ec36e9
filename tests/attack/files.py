"""Damaged files of every kind: each is read or refused with a reason, and the others are read all the same."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from PIL import Image

from citeloom.core.errors import Code
from tests.attack.library import SEEN, Library
from tests.attack.rounds import attack
from tests.flows.steps import Control, pdf_paper
from tests.support import wait_for

_PIECES = (b"endobj", b"stream\n", b"/Count 1000000", b"<</Kids[1 0 R]>>", b"<x>" * 2_000, b"\x00" * 64, b"99999999999")
_DAMAGED = "damaged-"  # how the names of damaged files begin
Change = tuple[str, float, Any]


def run(library: Library, enough: Callable[[int], bool], seed: int) -> int:
    """Have the engine read damaged files until there were enough; gives how many there were."""
    engine = library.engine()
    whole = _whole_files(library.papers.parent / "whole")
    examples = st.tuples(st.sampled_from(sorted(whole)), st.lists(changes(), min_size=1, max_size=4))
    with Control(library.home) as control:
        before = _searchable(control)

        def check(example: tuple[str, list[Change]]) -> None:
            name, made = example
            file = library.papers / f"{_DAMAGED}{name}"
            file.write_bytes(changed(whole[name], made))
            job = control.call("importing.ingest", project=SEEN, source=str(file))["job_id"]
            wait_for(lambda: job not in [one["job_id"] for one in control.call("engine.status")["jobs"]], "the import")
            documents = control.call("library.list_documents", project=SEEN)["documents"]
            (row,) = (document for document in documents if document["source"] == file.name)
            assert row["status"] in ("ready", "failed", "duplicate"), row
            if row["status"] == "failed":
                assert row["reason"] and row["reason_code"] != Code.INTERNAL_ERROR, row
            file.unlink()

        count = attack(examples, check, enough, seed)
        assert library.engine() == engine, "the engine ended over a file"
        assert before <= _searchable(control), "a damaged file took a whole one with it"
    return count


def _searchable(control: Control) -> set[str]:
    """The documents that can be searched, but those that were damaged."""
    found = control.call("library.list_documents", project=SEEN)["documents"]
    return {d["source"] for d in found if d["status"] == "ready" and not d["source"].startswith(_DAMAGED)}


def _whole_files(folder: Path) -> dict[str, bytes]:
    """A small file of every kind that has a structure to damage."""
    pdf = pdf_paper(folder / "paper.pdf", "lichen").read_bytes()
    picture = io.BytesIO()
    Image.new("L", (200, 80), 255).save(picture, "PNG")
    page = "<html><head><title>T</title></head><body><h1>Head</h1><p>The fern was measured.</p></body></html>"
    body = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
    body += "<w:t>The fern was measured.</w:t></w:r></w:p></w:body></w:document>"
    kinds = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" '
    kinds += 'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    return {
        "paper.pdf": pdf,
        "picture.png": picture.getvalue(),
        "page.html": page.encode(),
        "words.docx": _zipped({"[Content_Types].xml": kinds, "word/document.xml": body}),
        "book.epub": _zipped({"mimetype": "application/epub+zip", "a.xhtml": page}),
        "notes.md": b"# Head\n\nThe fern was measured.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "code.py": b'"""Fern."""\n\nclass Fern:\n    """A fern."""\n',
    }


def _zipped(entries: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return file.getvalue()


def changes() -> st.SearchStrategy[Change]:
    """Something that can be done to the bytes of a file."""
    where = st.floats(0, 1)
    return st.one_of(
        st.tuples(st.just("flip"), where, st.integers(1, 255)),
        st.tuples(st.just("cut"), where, st.integers(1, 2_000)),
        st.tuples(st.just("end"), where, st.none()),
        st.tuples(st.just("insert"), where, st.sampled_from(_PIECES) | st.binary(max_size=20)),
        st.tuples(st.just("repeat"), where, st.integers(1, 500)),
    )


def changed(content: bytes, made: list[Change]) -> bytes:
    """A file with something done to it at some places."""
    data = bytearray(content)
    for kind, where, what in made:
        at = int(where * max(0, len(data) - 1))
        if kind == "flip" and data:
            data[at] ^= what
        elif kind == "cut":
            del data[at : at + what]
        elif kind == "end":
            del data[at:]
        elif kind == "insert":
            data[at:at] = what
        elif kind == "repeat":
            data[at:at] = data[at : at + what] * 20
    return bytes(data)
