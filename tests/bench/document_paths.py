"""One way of reading PDFs, in a process of its own: what it costs, and what it gave.

`python -m tests.bench.document_paths WAY ANSWER.json FILE...`: the first file warms up, as a worker is warm after its
first document; the others are measured.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _plain() -> Callable[[Path], None]:
    import pypdfium2

    pdfium: Any = pypdfium2  # it carries no types

    def read(path: Path) -> None:
        document = pdfium.PdfDocument(path)
        for page in document:
            page.get_textpage().get_text_range()
        document.close()

    return read


def _ours(quick: bool) -> Callable[[Path], dict[str, Any]]:
    from citeloom.conversion.convert import ConversionOptions, convert

    return lambda path: convert(path, ConversionOptions(quick=quick)).to_json()


def _bare_docling() -> Callable[[Path], None]:
    from tests.bench.bare_docling import reader

    read = reader()

    def run(path: Path) -> None:
        read(path)

    return run


WAYS: dict[str, Callable[[], Callable[[Path], Any]]] = {
    "plain": _plain,
    "quick": lambda: _ours(quick=True),
    "whole": lambda: _ours(quick=False),
    "bare-docling": _bare_docling,
}


def main(way: str, answer: str, warm_up: str, *files: str) -> None:
    """Read the files and write down seconds, CPU seconds (child processes included) and what was read."""
    began = time.perf_counter()
    read = WAYS[way]()
    read(Path(warm_up))
    start = time.perf_counter() - began
    cpu, began = _cpu(), time.perf_counter()
    documents = [read(Path(file)) for file in files]
    taken = {"start": start, "seconds": time.perf_counter() - began, "cpu": _cpu() - cpu, "documents": documents}
    Path(answer).write_text(json.dumps(taken), encoding="utf-8")


def _cpu() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main(*sys.argv[1:])
