"""Reading PDFs: pages per second and memory of each way, and how true the text is, on papers whose truth is known."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from citeloom.core.types import Converted
from tests.bench.figures import say, table
from tests.papers import MadePaper, make
from tests.papers.measures import Judgement, Share
from tests.support import ROOT, environment

_WAYS = {
    "plain": "pypdfium2's text alone",
    "quick": "CiteLoom, first reading",
    "bare-docling": "docling without a model, its own pypdfium2 backend",
    "whole": "CiteLoom, complete (slow pages by OCR and docling with the bundled layout model)",
}
_QUALITY = {
    "word coverage": Judgement.word_coverage,
    "page attribution": Judgement.page_attribution,
    "heading recall": Judgement.heading_recall,
    "heading precision": Judgement.heading_precision,
    "section path": Judgement.section_paths,
    "reading order": Judgement.reading_order,
    "table rows": Judgement.table_rows,
    "OCR word recall": Judgement.ocr_word_recall,
}


@dataclass(slots=True)
class _Cost:
    start: float
    seconds: float
    cpu: float
    megabytes: float
    documents: list[Converted | None]


def measure(folder: Path, book_pages: int = 400) -> str:
    """The tables of speed, of quality and of a long book's memory."""
    folder.mkdir()
    return "\n\n".join((_speed(folder), _quality(folder), _long_book(folder, book_pages)))


def _speed(folder: Path) -> str:
    papers = {
        "one column": [make("single", folder, seed=seed, pages=12) for seed in (11, 12)],
        "two columns": [make("two_columns", folder, seed=seed, pages=12) for seed in (11, 12)],
        "scanned, 200 dpi": [make("scan", folder, seed=11, pages=4)],
    }
    warm_up = {
        "one column": make("single", folder, seed=10, pages=2),
        "two columns": make("two_columns", folder, seed=10, pages=2),
        "scanned, 200 dpi": make("scan", folder, seed=10, pages=1),
    }
    rows = []
    for kind, made in papers.items():
        pages = sum(len(paper.truth.pages) for paper in made)
        for way, name in _WAYS.items():
            if "scanned" in kind and way != "whole":
                continue  # without OCR there is nothing to read
            say(f"{kind}: {name}")
            rows.append((kind, name, pages, *_costs(_run(way, warm_up[kind], made), pages)))
    columns = ("PDF", "way", "pages", "pages/s", "CPU s a page", "peak RSS MB", "start and first paper, s")
    return table("Reading PDFs, one process each, after a first paper", columns, rows)


def _costs(cost: _Cost | None, pages: int) -> tuple[str, ...]:
    if cost is None:
        return ("failed", "", "", "")
    return (
        f"{pages / cost.seconds:.2f}",
        f"{cost.cpu / pages:.3f}",
        f"{cost.megabytes:.0f}",
        f"{cost.start:.1f}",
    )


def _quality(folder: Path) -> str:
    seeds = (1, 2, 3)
    kinds: dict[str, list[MadePaper]] = {
        "one column, outline": [make("single", folder, seed=s) for s in seeds],
        "two columns, numbered headings": [make("two_columns", folder, seed=s) for s in seeds],
        "German, headings by type alone": [make("plain_headings", folder, seed=s) for s in seeds],
        "book, outline a page off": [make("book", folder, seed=1, pages=32)],
        "scan, clean": [make("scan", folder, seed=1, pages=4)],
        "scan of two columns, worn": [make("scan", folder, seed=2, pages=3, of="two_columns", worn=True)],
        "every other page scanned": [make("mixed", folder, seed=1, pages=6)],
        "text layer garbled": [make("garbled", folder, seed=1, pages=3)],
        "scan with junk behind it": [make("junk_layer", folder, seed=1, pages=3)],
        "scan with good text behind it": [make("searchable_scan", folder, seed=1, pages=4)],
    }
    rows: list[tuple[str, ...]] = []
    for kind, papers in kinds.items():
        scanned = any(paper.truth.scanned_pages for paper in papers)
        for way in ("quick", "whole"):
            if way == "quick" and scanned:
                continue
            say(f"quality: {kind}, {way}")
            cost = _run(way, papers[0], papers)
            if cost is None:
                rows.append((kind, way, "failed"))
                continue
            judged = [
                Judgement(doc, paper.truth)
                for doc, paper in zip(cost.documents, papers, strict=True)
                if doc is not None
            ]
            rows.append((kind, way, *(_shares(name, judged, scanned) for name in _QUALITY)))
    return table("Against the text the PDFs were made from", ("PDF", "way", *_QUALITY), rows)


def _shares(name: str, judged: Sequence[Judgement], scanned: bool) -> str:
    if name == "OCR word recall" and not scanned:
        return "–"
    parts = [_QUALITY[name](judgement) for judgement in judged]
    whole = Share(sum(p.right for p in parts), sum(p.of for p in parts))
    return f"{float(whole):.3f}" if whole.of else "–"


def _long_book(folder: Path, pages: int) -> str:
    say(f"a book of {pages} pages")
    book = make("book", folder, seed=5, pages=pages)
    cost = _run("whole", make("single", folder, seed=10, pages=2), [book])
    rate, _, most, _ = _costs(cost, pages)
    doc = cost.documents[0] if cost else None
    row = (pages, most, rate, doc.engine if doc else "")
    return table("A long book, whole", ("pages", "peak RSS MB", "pages/s", "structure by"), [row])


def _run(way: str, warm_up: MadePaper, papers: Sequence[MadePaper]) -> _Cost | None:
    """Read papers in a process of its own and watch it and its children; None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        files = [str(paper.path) for paper in (warm_up, *papers)]
        command = [sys.executable, "-m", "tests.bench.document_paths", way, str(answer), *files]
        process = subprocess.Popen(command, cwd=ROOT, env=environment(Path(folder)))
        most = 0.0
        while process.poll() is None:
            most = max(most, _tree_megabytes(process.pid))
            time.sleep(0.03)
        if process.returncode:
            say(f"{way} failed")
            return None
        data = json.loads(answer.read_text(encoding="utf-8"))
    documents = [Converted.from_json(doc) if doc else None for doc in data["documents"]]
    return _Cost(data["start"], data["seconds"], data["cpu"], most, documents)


def _tree_megabytes(pid: int) -> float:
    processes: Any = psutil  # it carries no types
    total = 0
    try:
        root = processes.Process(pid)
        for process in (root, *root.children(recursive=True)):
            total += process.memory_info().rss
    except psutil.Error:  # it has just ended
        pass
    return total / 1_000_000
