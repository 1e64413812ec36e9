"""Reading real papers: CPU per page, and what is found of their headings, captions, tables and order, by each way.

The papers are those of a folder that have an outline. It is removed before they are read: its entries are the truth
about their headings. Docling's layout of every page, as PDFs were read before, is what the others are compared with.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from citeloom.core.text.normalize import letters_and_digits
from citeloom.core.types import BlockKind, Converted
from tests.bench.figures import say, table
from tests.support import ROOT, environment

_MAX_PAPERS, _MAX_PAGES, _MIN_OUTLINE = 60, 70, 4
_MAX_TOKENS = 256
_WAYS = {
    "bare": "pypdfium2's text alone",
    "first": "first reading, with passages",
    "complete": "complete: slow pages by OCR and docling",
    "docling": "docling's layout of every page",
}
_CAPTION = re.compile(r"^(table|figure|fig\.|tab\.|abbildung|tabelle)\s*(\d+)\s*[.:]", re.I | re.M)
_FIGURE = re.compile(r"^[-−+±<>~$€£]?\d[\d.,]*\s?[%×a-zA-Z]{0,3}$")
_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*|[IVX]+(?=\.)|[A-Z](?=[.\s]\s?\S{2}))\.?\s+")


def measure(papers: Path | None) -> str:
    """The tables of cost and of what was found."""
    chosen = _with_outlines(papers or Path())
    outlines = [outline for _, outline, _ in chosen]
    files = [file for file, _, _ in chosen]
    pages = sum(count for _, _, count in chosen)
    say(f"{len(files)} papers with {sum(map(len, outlines))} outline entries, {pages} pages")
    read = {way: _run(way, files) for way in _WAYS}
    documents = {way: [Converted.from_json(doc) for doc in read[way]["documents"]] for way in _WAYS if way != "bare"}
    bare, whole = read["bare"]["cpu"], documents["docling"]
    costs = {way: taken["cpu"] for way, taken in read.items()}
    cost = [(_WAYS[way], f"{cpu / pages * 1000:.1f}", f"{cpu / bare:.1f} ×") for way, cpu in costs.items()]
    found = []
    for way, docs in documents.items():
        slow = sum(len({n for numbers in doc.slow_pages.values() for n in numbers}) for doc in docs)
        recall, precision = _headings(docs, outlines)
        found.append((
            _WAYS[way],
            f"{recall:.3f}",
            f"{precision:.3f}",
            f"{statistics.mean(doc.word_coverage or 0 for doc in docs):.4f}",
            f"{_captions(docs, read['bare']['documents']):.3f}",
            f"{_rows(docs, [*documents.values()]):.3f}",
            f"{_order(docs, whole):.3f}",
            f"{slow / pages:.1%}",
        ))  # fmt: skip
    columns = (
        "way",
        "headings found",
        "of its headings right",
        "words",
        "captions",
        "table rows",
        "order",
        "slow pages",
    )
    title = f"{len(files)} papers, {pages} pages"
    return "\n\n".join((
        table(f"Cost of reading: {title}", ("way", "CPU ms a page", "× bare text"), cost),
        table(f"What is found without the outline: {title}", columns, found),
    ))  # fmt: skip


def _with_outlines(folder: Path) -> list[tuple[Path, list[str], int]]:
    """The papers to read: file, keys of the outline's entries, pages."""
    import pypdfium2

    found = []
    for file in sorted(folder.rglob("*.pdf")):
        try:
            document: Any = pypdfium2.PdfDocument(file)
            keys = [key for entry in document.get_toc() if (key := _key(str(entry.get_title())))]
            if len(keys) >= _MIN_OUTLINE and len(document) <= _MAX_PAGES:
                found.append((file, keys, len(document)))
            document.close()
        except pypdfium2.PdfiumError:
            continue
    return found[:_MAX_PAPERS]


def _run(way: str, files: Sequence[Path]) -> dict[str, Any]:
    """Read the papers in a process of its own."""
    say(_WAYS[way])
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-m", "tests.bench.reading", way, str(answer), *map(str, files)]
        subprocess.run(command, cwd=ROOT, env=environment(Path(folder)), check=True)
        result: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return result


# --- measures ---------------------------------------------------------------------------


def _key(title: str) -> str:
    return letters_and_digits(_NUMBER.sub("", " ".join(title.split())))


def _is_same(one: str, other: str) -> bool:
    return one == other or (len(one) > 12 and len(other) > 12 and (one in other or other in one))


def _headings(docs: Sequence[Converted], outlines: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Recall and precision of the headings against the outlines."""
    recalled = right = wanted = given = 0
    for doc, outline in zip(docs, outlines, strict=True):
        found = [_key(block.text) for block in doc.blocks if block.kind is BlockKind.HEADING]
        recalled += sum(any(_is_same(title, heading) for heading in found) for title in outline)
        right += sum(any(_is_same(title, heading) for title in outline) for heading in found)
        wanted, given = wanted + len(outline), given + len(found)
    return recalled / wanted, right / given


def _captions(docs: Sequence[Converted], texts: Sequence[str]) -> float:
    """Share of the numbered figures and tables, by the lines of the bare text, that have a caption of their own."""
    wanted = given = 0
    for doc, text in zip(docs, texts, strict=True):
        named = {(kind[:3].casefold(), number) for kind, number in _CAPTION.findall(text)}
        beside = (block.text for block in doc.blocks if block.kind in (BlockKind.CAPTION, BlockKind.TABLE))
        found = {(m[1][:3].casefold(), m[2]) for part in beside for m in _CAPTION.finditer(part)}
        wanted, given = wanted + len(named), given + len(named & found)
    return given / wanted


def _rows(docs: Sequence[Converted], every: Sequence[Sequence[Converted]]) -> float:
    """Share of the rows of figures in the tables of any reading whose cells follow each other in one block here."""
    wanted = given = 0
    for doc, readings in zip(docs, zip(*every, strict=True), strict=True):
        texts: dict[int | None, list[str]] = {}
        for block in doc.blocks:
            texts.setdefault(block.page, []).append(letters_and_digits(block.text))
        rows = {row for reading in readings for row in _rows_of_figures(reading)}
        wanted += len(rows)
        given += sum(any(row in text for text in texts.get(page, ())) for page, row in rows)
    return given / max(wanted, 1)


def _rows_of_figures(doc: Converted) -> Iterator[tuple[int | None, str]]:
    """Yield page and letters of the table rows with two numbers or more, which prose taken for a table has not."""
    for block in doc.blocks:
        for line in block.text.split("\n") if block.kind is BlockKind.TABLE else ():
            cells = [cell.strip() for cell in line.strip("| ").split("|")]
            if sum(bool(_FIGURE.match(cell)) for cell in cells) >= 2:
                yield block.page, letters_and_digits(line)


def _order(docs: Sequence[Converted], others: Sequence[Converted]) -> float:
    """Mean share of the words occurring once on a page and in the other's running text that are in the same order."""
    shares = []
    for doc, other in zip(docs, others, strict=True):
        for number in range(1, len(doc.pages) + 1):
            own, its = list(_running_words(doc, number)), list(_running_words(other, number))
            counts = Counter(own), Counter(its)
            place = {word: at for at, word in enumerate(its) if counts[0][word] == counts[1][word] == 1}
            sequence = [place[word] for word in own if word in place]
            if len(sequence) >= 40:
                shares.append(_longest_increasing(sequence) / len(sequence))
    return statistics.mean(shares)


def _running_words(doc: Converted, number: int) -> Iterator[str]:
    for block in doc.blocks:
        if block.page == number and block.kind in (BlockKind.TEXT, BlockKind.HEADING):
            yield from re.findall(r"\w+", block.text.casefold())


def _longest_increasing(sequence: Sequence[int]) -> int:
    ends: list[int] = []
    for value in sequence:
        at = bisect_left(ends, value)
        ends[at : at + 1] = [value]
    return len(ends)


# --- the process that reads ---------------------------------------------------------------


def _reader(way: str) -> Callable[[Path], Any]:
    if way == "bare":
        import pypdfium2

        pdfium: Any = pypdfium2  # it carries no types

        def text(path: Path) -> str:
            document = pdfium.PdfDocument(path)
            return "\n".join(page.get_textpage().get_text_range() for page in document)

        return text
    from citeloom.conversion.chunking import chunk
    from citeloom.conversion.convert import ConversionOptions, convert
    from citeloom.conversion.pdf import slow_pages
    from citeloom.conversion.pdf.pdfium import document as pdfium_document
    from citeloom.conversion.tokens import TokenCounter

    pdfium_document._outline = lambda _: iter(())  # type: ignore[assignment]
    if way == "docling":
        slow_pages._MAX_SCATTERED = 0
    count = TokenCounter(ROOT / "citeloom" / "index" / "models" / "data" / "tokenizer.json")
    count(["The first count loads the tokenizer."])

    def read(path: Path) -> dict[str, Any]:
        doc = convert(path, ConversionOptions(quick=way == "first"))
        chunk(doc, count, _MAX_TOKENS)
        return doc.to_json()

    return read


def main(way: str, answer: str, *files: str) -> None:
    """Read the files and write down CPU seconds and what was read."""
    read = _reader(way)
    read(Path(files[0]))  # warms up, as a worker is warm after its first document
    before = os.times()
    documents = [read(Path(file)) for file in files]
    after = os.times()
    cpu = sum(after[:4]) - sum(before[:4])
    Path(answer).write_text(json.dumps({"cpu": cpu, "documents": documents}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
