"""PDFs written object by object, for what no well-meant program would write."""

from __future__ import annotations

import zlib
from pathlib import Path

CATALOG, PAGES = 1, 2


def stream(data: bytes, entries: str = "", *, deflate: bool = False) -> bytes:
    """A stream object."""
    if deflate:
        data, entries = zlib.compress(data, 9), f"{entries} /Filter /FlateDecode"
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def write(path: Path, objects: dict[int, bytes | str], root: str = "") -> Path:
    """A PDF of these objects; object 1 is the catalog (`root` adds to it), object 2 the page tree."""
    objects = {CATALOG: f"<< /Type /Catalog /Pages 2 0 R {root} >>", **objects}
    out = bytearray(b"%PDF-1.7\n")
    places = {}
    for number, body in sorted(objects.items()):
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode() + (body if isinstance(body, bytes) else body.encode()) + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {max(objects) + 1}\n0000000000 65535 f \n".encode()
    for number in range(1, max(objects) + 1):
        out += f"{places.get(number, 0):010} 00000 {'n' if number in places else 'f'} \n".encode()
    out += f"trailer << /Size {max(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    path.write_bytes(out)
    return path


PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"


def one_page(
    path: Path, content: bytes, font: str = "", more: dict[int, bytes | str] | None = None, root: str = ""
) -> Path:
    """A PDF with one page that shows a content stream in Helvetica as /F1, or in another font object."""
    objects: dict[int, bytes | str] = {
        PAGES: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: PAGE,
        4: stream(content),
        5: font or "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        **(more or {}),
    }
    return write(path, objects, root)


def shown(lines: list[str], size: int = 11) -> bytes:
    """A content stream that shows lines of Latin-1 text."""
    parts = [f"BT /F1 {size} Tf 72 760 Td {size + 3} TL"]
    parts += [f"({line.translate({40: '(', 41: ')'})}) Tj T*" for line in lines]
    return "\n".join([*parts, "ET"]).encode("latin-1")
