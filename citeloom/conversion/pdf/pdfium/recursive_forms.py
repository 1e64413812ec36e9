"""Removes cycles among the form XObjects of a PDF, which pdfium would follow.

A form is a drawing that a page or another form paints by name. A form must not paint itself; pdfium follows one that
does for forty levels, so that its words are repeated forty times, or exhaust the memory if it paints itself twice.
"""

from __future__ import annotations

import mmap
import re
import zlib
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FORM = re.compile(rb"/Subtype\s*/Form\b")
_NUMBER = re.compile(rb"(?<!\d)(\d{1,9})\s+\d+\s+$")
_STREAM = re.compile(rb"\bstream\r?\n")
_RESOURCES = re.compile(rb"/Resources\s+(\d{1,9})\s+\d+\s+R")
_XOBJECTS = re.compile(rb"/XObject\s*(?:<<(.*?)>>|(\d{1,9})\s+\d+\s+R)", re.S)
_REFERENCE = re.compile(rb"/([^\s/<>\[\]()]+)\s+(\d{1,9})\s+\d+\s+R")
_PAINTS = re.compile(rb"/([^\s/<>\[\]()]+)\s+Do\b")
_MAX_DICTIONARY = 100_000  # bytes
_MAX_FORM_CONTENT = 20_000_000
_MAX_CONTENT = 200_000_000  # of all forms together


@dataclass(slots=True)
class _Form:
    start: int  # offset of its content in the file
    length: int
    compressed: bool
    content: bytes
    painted: dict[bytes, int]  # name → number of the object that it paints


def without_cycles(path: Path) -> bytes | None:
    """Return the file without cycles; None if it has none that can be found (an encrypted file hides them)."""
    if not path.stat().st_size:
        return None
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if not _FORM.search(data):
            return None
        forms = _forms(data)
        repaired: bytearray | None = None
        for form, names in _cycle_closing_forms(forms):
            content = _PAINTS.sub(
                lambda found, names=names: b" " * len(found[0]) if found[1] in names else found[0],  # type: ignore[misc]
                form.content,
            )
            written = zlib.compress(content, 9) if form.compressed else content
            if len(written) <= form.length:  # readers ignore bytes after the end of compressed content
                repaired = repaired or bytearray(data)
                repaired[form.start : form.start + len(written)] = written
        return bytes(repaired) if repaired else None


def _forms(data: mmap.mmap) -> dict[int, _Form]:
    """Return the forms that paint others, or themselves, by object number."""
    objects = [
        (place.end(), int(before[1]))
        for place in re.finditer(rb"obj\b", data)
        if (before := _NUMBER.search(data[max(0, place.start() - 30) : place.start()]))
    ]
    starts = {number: start for start, number in objects}  # the last definition in the file is valid
    found: dict[int, _Form] = {}
    budget = _MAX_CONTENT
    for match in _FORM.finditer(data):
        at = bisect(objects, (match.start(), 0)) - 1
        stream = _STREAM.search(data, match.end(), match.end() + _MAX_DICTIONARY)
        if at < 0 or stream is None:
            continue
        start, number = objects[at]
        if starts[number] != start or match.start() - start > _MAX_DICTIONARY:
            continue
        dictionary = data[start : stream.start()]
        references = _references(data, starts, dictionary)
        filters = re.findall(rb"/(\w+Decode)\b", dictionary)
        compressed = filters == [b"FlateDecode"]
        readable = compressed or b"/Filter" not in dictionary
        if not references or budget <= 0 or b"/DecodeParms" in dictionary or not readable:
            continue
        raw = data[stream.end() : max(stream.end(), data.find(b"endstream", stream.end()))]
        content = _decompressed(raw) if compressed else raw
        budget -= len(content)
        names = set(_PAINTS.findall(content))
        painted = {name: to for name, to in references.items() if name in names}
        if painted and len(content) < _MAX_FORM_CONTENT:
            found[number] = _Form(stream.end(), len(raw), compressed, content, painted)
    return found


def _references(data: mmap.mmap, starts: dict[int, int], dictionary: bytes) -> dict[bytes, int]:
    """Return the object number of each name in a form's resources, which may be separate objects."""

    def text(number: bytes) -> bytes:
        start = starts.get(int(number), -1)
        return data[start : start + _MAX_DICTIONARY].partition(b"endobj")[0] if start >= 0 else b""

    resources = _RESOURCES.search(dictionary)
    found = _XOBJECTS.search(text(resources[1]) if resources else dictionary)
    if not found:
        return {}
    return {m[1]: int(m[2]) for m in _REFERENCE.finditer(found[1] if found[1] is not None else text(found[2]))}


def _decompressed(raw: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(raw, _MAX_FORM_CONTENT)
    except zlib.error:
        return b""


def _cycle_closing_forms(forms: dict[int, _Form]) -> Iterator[tuple[_Form, set[bytes]]]:
    """Yield the forms that close a cycle, with the names by which they do."""
    done: set[int] = set()
    for first, form in forms.items():
        path = {} if first in done else {first: (iter(form.painted.items()), set[bytes]())}
        while path:  # iterative, since the file controls the nesting depth
            number, (remaining, closing) = next(reversed(path.items()))
            for name, to in remaining:
                if to in path:
                    closing.add(name)
                elif to in forms and to not in done:
                    path[to] = iter(forms[to].painted.items()), set()
                    break
            else:
                del path[number]
                done.add(number)
                if closing:
                    yield forms[number], closing
