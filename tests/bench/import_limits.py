"""What a flow test has no time for: ten thousand files, a file of five thousand pages, and the engine's memory."""

from __future__ import annotations

import os
import random
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE
from citeloom.index.models.embedding import DenseModel, SparseModel
from tests.bench import library, queries, turns
from tests.bench.figures import say, table
from tests.bench.import_run import ImportRun, Installation
from tests.support import ROOT, Editor, engine_address, stop_engine

_IDLE_MINUTES = float(os.environ.get("CITELOOM_BENCH_IDLE_MINUTES", "11"))  # the model is unloaded after ten
_WORDS_A_PAGE, _LINE = 150, 90
_QUESTIONS = 50
_IMPORTS = (
    "import of",
    "by words, s",
    "complete, s",
    "CPU s",
    "largest worker, RSS MB",
    "not searchable (goal: 0)",
    "failed (goal: 0)",
)
_MEMORY = ("engine", "RSS MB", "without mapped files, MB", "goal")


def measure(root: Path, sizes: Sequence[int]) -> str:
    """The tables for so many one-page files, a file of so many pages and so many passages."""
    files, pages, passages = sizes
    root.mkdir()
    say(f"making {files:,} files of a page and one of {pages:,} pages")
    words = random.Random(3)
    for number in range(files):
        _write_pdf(root / "files" / f"{number // 1000:03}" / f"{number:06}.pdf", words, 1)
    _write_pdf(root / "book" / "book.pdf", words, pages)

    say(f"import of {files:,} files")
    with Installation(ROOT, root / "files-home") as installation:
        installation.run("engine", "start")  # an engine that a command needed would end when it is idle
        many = installation.import_folder(root / "files")
        memory = [(f"at work on {files:,} files, most", *_most(many), "≤ 600 RSS"), _idle(installation.home)]
    say(f"import of {pages:,} pages in one file")
    with Installation(ROOT, root / "book-home") as installation:
        one = installation.import_folder(root / "book")
    memory.append((f"at work on {pages:,} pages in one file, most", *_most(one), "≤ 600 RSS"))
    memory.append(_open(root / "passages-home", passages))
    imports = [_row(f"{files:,} files of a page", many, files), _row(f"a file of {pages:,} pages", one, 1)]
    return "\n\n".join((table("Large imports", _IMPORTS, imports), table("Engine's memory", _MEMORY, memory)))


def _write_pdf(path: Path, words: random.Random, pages: int) -> None:
    """Write a PDF whose pages have other text than all others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas = Canvas(str(path))
    vocabulary = library.vocabulary()
    for _ in range(pages):
        text = canvas.beginText(60, 780)
        said = " ".join(words.choices(vocabulary, k=_WORDS_A_PAGE))
        text.textLines(textwrap.wrap(f"{said.capitalize()}.", _LINE))
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()


def _row(what: str, run: ImportRun, documents: int) -> tuple[str, ...]:
    for error in run.result["errors"][:3]:
        say(f"{what}: {error}")
    return (
        what,
        f"{run.words.seconds:.0f}",
        f"{run.end.seconds:.0f}",
        f"{run.end.cpu:.0f}",
        f"{run.peaks.worker:.0f}",
        f"{documents - run.coverage['searchable']}",
        f"{run.result['failed']}",
    )


def _most(run: ImportRun) -> tuple[str, str]:
    return f"{run.peaks.engine:.0f}", f"{run.peaks.engine_own:.0f}"


def _memory(home: Path) -> tuple[str, str]:
    held = turns.memory(engine_address(home)["pid"])
    return f"{held['own'] + held['mapped']:.0f}", f"{held['own']:.0f}"


def _idle(home: Path) -> tuple[str, str, str, str]:
    say(f"{_IDLE_MINUTES:g} minutes without a question")
    time.sleep(_IDLE_MINUTES * 60)
    return (f"idle for {_IDLE_MINUTES:g} minutes after it", *_memory(home), "≤ 200 RSS")


def _open(home: Path, passages: int) -> tuple[str, str, str, str]:
    """Memory of an engine that has answered questions over so many passages."""
    say(f"a collection of {passages:,} passages")
    dense, sparse = DenseModel(BUNDLED_DENSE), SparseModel(BUNDLED_SPARSE, "english")
    queries.build(home, passages, dense, sparse, library.seeds(dense))
    words = random.Random(4)
    with Editor(home) as editor:
        for _ in range(_QUESTIONS):
            editor.call("query_hybrid", project="bench", text=" ".join(words.choices(library.vocabulary(), k=8)))
        held = _memory(home)
    stop_engine(home)
    return (f"{passages:,} passages open, {_QUESTIONS} questions", *held, "≤ 500 without mapped files")
