"""A check of a 10,000-word manuscript with 150 citations, against asking as many plain questions, on a warm engine."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import psutil

from citeloom.conversion.convert import convert
from citeloom.core.text.sentences import sentences
from citeloom.core.types import BlockKind
from tests.bench.figures import say, table
from tests.support import SAMPLE, Editor, citeloom, done, engine_address, stop_engine

WORDS, CITATIONS = 10_000, 150


def measure(home: Path) -> str:
    """The table of what a check costs the engine."""
    home.mkdir()
    say("importing the sample library")
    sources = ("--references", str(SAMPLE / "library.json"), "--folder", str(SAMPLE / "papers"))
    done(citeloom(home, "project", "add", "bench", *sources))
    done(citeloom(home, "ingest", "bench"))
    with Editor(home) as editor:
        manuscript, cited = _manuscript(editor)
        file = home / "manuscript.md"
        file.write_text(manuscript, encoding="utf-8")
        say(f"checking {len(manuscript.split()):,} words with {cited} citations")
        # Once unmeasured: the works are read from the disk and kept.
        citeloom(home, "check", str(file), "--project", "bench", "--json")
        engine = psutil.Process(engine_address(home)["pid"])
        checks, questions = [], []
        for turn in range(3):
            # Another word in each sentence, so that no vector is remembered.
            file.write_text(manuscript.replace("Turn 0", f"Turn {turn + 1}"), encoding="utf-8")
            before = _seconds(engine)
            citeloom(home, "check", str(file), "--project", "bench", "--json")
            checks.append(_seconds(engine) - before)
            before = _seconds(engine)
            for number in range(cited):
                editor.call("query", project="bench", text=f"question {turn} {number} about quotations and pages")
            questions.append(_seconds(engine) - before)
    stop_engine(home)
    check, asked = min(checks), min(questions)
    rows = [(f"{WORDS:,} words, {cited} citations", f"{check:.2f}", f"{asked:.2f}", f"{check / asked:.2f}")]
    columns = ("manuscript", "check, CPU s", f"{cited} plain questions, CPU s", "ratio")
    return table("Checking a manuscript, the least of three turns", columns, rows)


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _manuscript(editor: Editor) -> tuple[str, int]:
    """Half of the citations quote their work, half tell what it says; padding makes up the words."""
    chance = random.Random(5)
    said = [(key, page, text) for key, page, text in _sayings(editor) if 8 <= len(text.split()) <= 30]
    chance.shuffle(said)
    parts: list[str] = []
    for number, (key, page, text) in enumerate(itertools.islice(itertools.cycle(said), CITATIONS)):
        if number % 2:
            parts.append(f"Turn 0 of point {number}: “{text.rstrip('.')}” [@{key}, p. {page}].")
        else:
            parts.append(f"Turn 0 of point {number}: {text.rstrip('.')} [@{key}, p. {page}].")
        parts.append("What follows from it is open to more than one reading, and both are given their due here. ")
        if number % 4 == 3:
            parts.append("\n\n")
    padding = "The argument goes on from there without another source and adds what the chapter needs to be read. "
    missing = WORDS - len(" ".join(parts).split())
    parts += [padding] * max(0, missing // len(padding.split()))
    return " ".join(parts), CITATIONS


def _sayings(editor: Editor) -> list[tuple[str, str, str]]:
    """Sentences of the sample papers with citekey and printed page."""
    documents: list[dict[str, Any]] = editor.call("list_documents", project="bench")["documents"]
    keys = {document["source"]: document["citekey"] for document in documents}
    found = []
    for paper in sorted((SAMPLE / "papers").glob("*.pdf")):
        converted = convert(paper)
        labels = {page.number: page.label for page in converted.pages}
        for block in converted.blocks:
            if block.kind == BlockKind.TEXT and block.page and not block.continues:
                spans = sentences(block.text)[:-1]
                found += [(keys[paper.name], labels[block.page], block.text[a:b]) for a, b in spans]
    return found
