"""How fast papers become searchable and complete, beside the bare extraction of their text and an older version.

Each version imports into a data folder of its own, as a person would do it on the command line. Bare extraction is
pypdfium2 in one process, measured before and after each import.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2

from citeloom.core.text.stopwords import FREQUENT_WORDS
from tests.bench.figures import say, table
from tests.bench.import_run import ImportRun, Installation
from tests.support import ROOT, SAMPLE

_TEXT_CHARACTERS = 100  # a page with fewer has no text layer
_TEXT_PAGES = 0.9  # least share of pages with a text layer
_FREQUENT_SHARE = 0.12  # least share of words such as "the": papers have 0.2 or more, garbled text layers under 0.1
_CONVERSION = ("convert", "chunk", "embed")  # all other stages keep the books: catalog, planning, writing
_BARE_PAGES = 500  # are extracted at least: fewer take too short a time to measure
_WORDS_GOAL = "≤ 8"
_COMPLETE_GOAL = "≤ 40" if importlib.util.find_spec("openvino") else "≤ 60"
_CATALOG_GOAL = "≤ 5%"


@dataclass(frozen=True)
class Papers:
    """PDFs with a sound text layer, in a folder of their own."""

    folder: Path
    files: list[Path]
    pages: int
    without_text: int  # pages among them
    left_out: int  # files: without a sound text layer, unreadable or there twice
    references: Path | None = None

    def described(self) -> str:
        """The size of the set in words."""
        ocr = f", {self.without_text} of them without text" if self.without_text else ""
        left_out = f"; {self.left_out} files without a sound text layer, unreadable or there twice left out"
        return f"{len(self.files)} papers, {self.pages:,} pages{ocr}{left_out if self.left_out else ''}"


@dataclass(frozen=True)
class Extraction:
    """What bare extraction of the text costs, in seconds."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Measured:
    """An import, and bare extraction at that time."""

    run: ImportRun
    again: float  # seconds of an import that finds nothing changed
    bare: Extraction


def measure(root: Path, given: Path | None, before: Path | None, most: int | None) -> str:
    """The tables for the sample library and, if a folder is given, for its papers."""
    root.mkdir()
    versions = {"this version": ROOT, **({"the version before": before} if before else {})}
    sample = _gather(SAMPLE / "papers", root / "sample", None, SAMPLE / "library.json")
    tables = [_compare("the sample library", sample, versions, root)]
    if given:
        tables.append(_compare("real papers", _gather(given, root / "papers", most), versions, root))
    return "\n\n".join(tables)


def _gather(source: Path, folder: Path, most: int | None, references: Path | None = None) -> Papers:
    """Copy the PDFs with a sound text layer, at most so many, chosen by chance but always the same ones."""
    found = sorted(path for path in source.rglob("*") if path.suffix.lower() == ".pdf")
    random.Random(1).shuffle(found)
    files: list[Path] = []
    hashes: set[str] = set()
    pages = without_text = left_out = 0
    for path in found:
        if most and len(files) == most:
            break
        content_hash = hashlib.sha256(path.read_bytes()).hexdigest()
        texts = _page_texts(path)
        empty = sum(len(text) < _TEXT_CHARACTERS for text in texts)
        if content_hash in hashes or empty > (1 - _TEXT_PAGES) * len(texts) or not _is_language(" ".join(texts)):
            left_out += 1
            continue
        hashes.add(content_hash)
        pages, without_text = pages + len(texts), without_text + empty
        copy = folder / f"{len(files):04}" / path.name
        copy.parent.mkdir(parents=True)
        shutil.copy(path, copy)
        files.append(copy)
    if not files:
        sys.exit(f"bench: {source} has no PDF with a sound text layer.")
    return Papers(folder, files, pages, without_text, left_out, references)


def _page_texts(path: Path) -> list[str]:
    """The text layer of each page; nothing for a file that cannot be read."""
    pdfium: Any = pypdfium2  # it carries no types
    try:
        with pdfium.PdfDocument(path) as document:
            return [page.get_textpage().get_text_range().strip() for page in document]
    except pdfium.PdfiumError:
        return []


def _is_language(text: str) -> bool:
    """Whether a text layer has words, not the numbers of glyphs."""
    words = [word for word in text.lower().split() if len(word) > 1]
    return bool(words) and sum(word in FREQUENT_WORDS for word in words) > _FREQUENT_SHARE * len(words)


def _compare(what: str, papers: Papers, versions: dict[str, Path], root: Path) -> str:
    """The table of one set of papers: a column for each version, measured in turn."""
    measured = {}
    bare = _bare(papers, root)
    for number, (name, code) in reversed([*enumerate(versions.items())]):
        say(f"import of {what} ({papers.described()}) by {name}")
        with Installation(code, root / f"{papers.folder.name}-{number}") as installation:
            run = installation.import_folder(papers.folder, papers.references)
            again = installation.import_again()
        bare, earlier = _bare(papers, root), bare
        mean = Extraction((earlier.wall + bare.wall) / 2, (earlier.cpu + bare.cpu) / 2)
        measured[name] = Measured(run, again, mean)
    columns = [measured[name] for name in versions]
    rows = [(label, *(figure(one) for one in columns), goal) for label, figure, goal in _figures(papers.pages, columns)]
    return table(f"Import of {what}: {papers.described()}", ("what", *versions, "goal"), rows)


def _bare(papers: Papers, root: Path) -> Extraction:
    """Extract the text of all files with pypdfium2 in one process."""
    answer = root / "bare.json"
    rounds = -(-_BARE_PAGES // papers.pages)
    files = [str(path) for path in (papers.files[0], *(papers.files * rounds))]  # the first one warms up
    subprocess.run(
        [sys.executable, "-m", "tests.bench.document_paths", "plain", str(answer), *files], cwd=ROOT, check=True
    )
    cost = json.loads(answer.read_text(encoding="utf-8"))
    return Extraction(cost["seconds"] / rounds, cost["cpu"] / rounds)


_Row = tuple[str, Callable[[Measured], str], str]


def _figures(pages: int, columns: Iterable[Measured]) -> list[_Row]:
    """The rows of the table: what it is, how it is got, its goal."""
    stages = list(dict.fromkeys(stage for one in columns for stage in one.run.result["stages"]))
    return [
        ("documents / passages / failed", _counts, ""),
        ("pages read by OCR", lambda m: f"{m.run.recognised:.0f}", ""),
        ("searchable by words, pages/s", lambda m: f"{pages / m.run.words.seconds:.2f}", ""),
        ("complete, pages/s", lambda m: f"{pages / m.run.end.seconds:.2f}", ""),
        ("first paper searchable after, s", lambda m: f"{m.run.first.seconds:.1f}", ""),
        ("again, nothing changed, s", lambda m: f"{m.again:.2f}", ""),
        ("bare extraction, pages/s", lambda m: f"{pages / m.bare.wall:.0f}", ""),
        ("by words, × bare extraction", lambda m: f"{m.run.words.seconds / m.bare.wall:.1f}", _WORDS_GOAL),
        ("complete, × bare extraction", lambda m: f"{m.run.end.seconds / m.bare.wall:.1f}", _COMPLETE_GOAL),
        ("by words, CPU, × bare extraction", lambda m: f"{m.run.words.cpu / m.bare.cpu:.1f}", ""),
        ("complete, CPU, × bare extraction", lambda m: f"{m.run.end.cpu / m.bare.cpu:.1f}", ""),
        ("CPU a page, ms: engine + workers", lambda m: _cpu_a_page(m.run, pages), ""),
        *(_stage(stage, pages) for stage in stages),
        ("catalog, planning, writing, share of all stages", _share_of_catalog, _CATALOG_GOAL),
        ("cores idle until by words / complete", lambda m: _shares(m.run, m.run.idle), ""),
        ("cores used by other programs until then", lambda m: _shares(m.run, m.run.others), ""),
        ("engine, RSS MB at most", lambda m: f"{m.run.peaks.engine:.0f}", "≤ 600"),
        ("engine, MB without mapped files at most", lambda m: f"{m.run.peaks.engine_own:.0f}", ""),
        ("workers together, RSS MB at most", lambda m: f"{m.run.peaks.workers:.0f}", ""),
        ("largest worker, RSS MB at most", lambda m: f"{m.run.peaks.worker:.0f}", ""),
        ("cores", lambda _: f"{os.cpu_count()}", "2"),
    ]


def _counts(measured: Measured) -> str:
    run = measured.run
    ready, by_meaning = run.coverage["searchable"], run.coverage.get("by_meaning")
    missing = f" ({ready - by_meaning} not by meaning)" if by_meaning not in (None, ready) else ""
    return f"{ready}{missing} / {run.result['chunks_written']} / {run.result['failed']}"


def _cpu_a_page(run: ImportRun, pages: int) -> str:
    engine, workers = run.end.engine_cpu, run.end.cpu - run.end.engine_cpu
    return f"{1000 * engine / pages:.1f} + {1000 * workers / pages:.1f}"


def _stage(stage: str, pages: int) -> _Row:
    return (
        f"stage {stage}, ms a page as the import tells",
        lambda m: f"{1000 * m.run.result['stages'][stage] / pages:.1f}" if stage in m.run.result["stages"] else "–",
        "",
    )


def _share_of_catalog(measured: Measured) -> str:
    stages = measured.run.result["stages"]
    kept = sum(seconds for stage, seconds in stages.items() if stage not in _CONVERSION)
    return f"{kept / sum(stages.values()):.1%}"


def _shares(run: ImportRun, share: Callable[[Any], float]) -> str:
    return f"{share(run.words):.0%} / {share(run.end):.0%}"
