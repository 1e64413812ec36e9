"""Ten editors asking at once, quiet and while an import runs, and beside one that sends a thousand calls at once."""

from __future__ import annotations

import itertools
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

from citeloom.core.settings import BUNDLED_DENSE
from citeloom.index.models.embedding import DenseModel
from tests.bench.figures import megabytes, ms, p50, p95, say, table
from tests.flows.steps import Control
from tests.support import ROOT, WRITING, Editor, citeloom, done, engine_address, stop_engine, wait_for

_PASSAGES = 8000
_BATCH = 500
_EDITORS = 10
_SECONDS = float(os.environ.get("CITELOOM_BENCH_LOAD_SECONDS", "20"))
_AT_ONCE = 1000
_PAPERS, _PAGES = 60, 12  # more than is read in that time
_COLUMNS = (
    "who asks",
    "questions/s",
    "p50 / p95 / p99 ms",
    "p95 against quiet",
    "slowest editor's p95 ms",
    "least / most answered",
    "errors",
    "engine's RSS MB, most",
)


@dataclass
class _Asked:
    """What editors saw of one round."""

    seconds: list[list[float]]  # per editor
    errors: Counter[str] = field(default_factory=Counter)
    lasted: float = 0.0
    memory: float = 0.0

    @property
    def all(self) -> list[float]:
        return [one for editor in self.seconds for one in editor]

    def row(self, who: str, quiet: _Asked | None = None) -> tuple[object, ...]:
        every, answered = self.all, [len(editor) for editor in self.seconds]
        p99 = sorted(every)[int(len(every) * 0.99)]
        return (
            who,
            f"{len(every) / self.lasted:.0f}",
            f"{ms(p50(every))} / {ms(p95(every))} / {ms(p99)}",
            f"{p95(every) / p95(quiet.all):.2f}" if quiet else "",
            ms(max(p95(editor) for editor in self.seconds)),
            f"{min(answered)} / {max(answered)}",
            ", ".join(f"{code} {count}" for code, count in self.errors.items()) or "none",
            f"{self.memory:.0f}",
        )


def measure(root: Path) -> str:
    """The tables of questions under load."""
    home = root / "home"
    home.mkdir(parents=True)
    words = Words()
    say(f"load: a library of {_PASSAGES:,} passages, {_PAPERS} papers to import")
    _papers(root / "papers", words)
    done(citeloom(home, "project", "add", "bench"))
    done(citeloom(home, "project", "add", "papers", "--folder", str(root / "papers")))
    with ExitStack() as stack:
        editors = [stack.enter_context(Editor(home, *WRITING, name=f"editor-{n}")) for n in range(_EDITORS)]
        _fill(editors[0], words)
        _ask(home, editors, words, 2.0)  # everything is loaded
        one = _ask(home, editors[:1], words, _SECONDS)
        quiet = _ask(home, editors, words, _SECONDS)
        before = _passages(editors[0])
        with Control(home) as control:
            job = control.call("importing.ingest", project="papers")["job_id"]
        wait_for(lambda: _passages(editors[0]) > before, "the import's first passages")
        begun = _passages(editors[0])
        busy = _ask(home, editors, words, _SECONDS)
        read = _passages(editors[0]) - begun
        assert editors[0].call("inspect_collection", project="papers")["jobs"], "the import ended too early"
        begun, start = _passages(editors[0]), time.monotonic()
        time.sleep(_SECONDS)
        alone = (_passages(editors[0]) - begun) / (time.monotonic() - start)
        with Control(home) as control:
            control.call("engine.cancel_job", job_id=job)
            wait_for(lambda: not control.call("engine.status")["jobs"], "the import to end")
        flood, answers = _flood(home, editors, words)
    stop_engine(home)
    rows = [
        one.row("one editor"),
        quiet.row(f"{_EDITORS} editors, quiet"),
        busy.row(f"{_EDITORS} editors, an import runs", quiet),
        flood.row(f"{_EDITORS - 1} editors, another sends {_AT_ONCE} at once", quiet),
    ]
    asked = table(f"Questions under load, {_PASSAGES:,} passages, {_SECONDS:g} s each", _COLUMNS, rows)
    rate = f"The import made {read / busy.lasted:.1f} passages/s beside the questions, {alone:.1f} without them."
    return f"{asked}\n\n{rate} The {_AT_ONCE} calls at once were answered with: {answers}."


class Words:
    """Questions and texts that nobody has seen before, from the words of the sample library."""

    def __init__(self) -> None:
        texts = sorted((ROOT / "references" / "texts").glob("*.md"))
        self._words = " ".join(file.read_text(encoding="utf-8") for file in texts).split()
        self._numbers = itertools.count()
        self.chance = random.Random(5)

    def some(self, count: int) -> str:
        """So many words."""
        return f"{' '.join(self.chance.choices(self._words, k=count))} {next(self._numbers)}"


def _fill(editor: Editor, words: Words) -> None:
    """Store passages as an agent would; their vectors lie around those of real texts."""
    dense = DenseModel(BUNDLED_DENSE)
    near = dense.embed([words.some(60) for _ in range(50)])
    dense.close()
    for start in range(0, _PASSAGES, _BATCH):
        items = [
            {
                "id": f"passage-{number}",
                "text": words.some(110),
                "embedding": [value + words.chance.gauss(0, 0.03) for value in near[number % len(near)]],
                "metadata": {"doc_id": f"paper-{number // 40}", "citekey": f"paper{number // 40}", "year": 2000},
            }
            for number in range(start, start + _BATCH)
        ]
        editor.call("store_chunks", project="bench", items=items)


def _papers(folder: Path, words: Words) -> None:
    folder.mkdir()
    style = getSampleStyleSheet()
    for number in range(_PAPERS):
        parts: list[Any] = [Paragraph(f"Paper {number}", style["Title"])]
        for page in range(_PAGES):
            parts.append(Paragraph(f"Part {page}", style["Heading1"]))
            parts += [Paragraph(_escaped(words.some(100)), style["BodyText"]) for _ in range(4)]
            parts.append(PageBreak())
        SimpleDocTemplate(str(folder / f"{number:03}.pdf")).build(parts)


def _escaped(text: str) -> str:
    return text.replace("&", "and").replace("<", "(").replace(">", ")")


def _passages(editor: Editor) -> int:
    projects = editor.call("list_projects")["projects"]
    return int(next(p["chunk_count"] for p in projects if p["id"] == "papers"))


def _ask(home: Path, editors: Sequence[Editor], words: Words, seconds: float) -> _Asked:
    """Every editor asks one question after the other, all of them at the same time."""
    asked = _Asked([[] for _ in editors])
    over, pid = threading.Event(), engine_address(home)["pid"]

    def ask(editor: Editor, took: list[float]) -> None:
        for tool in itertools.cycle(("query", "query_hybrid")):
            if over.is_set():
                return
            arguments = {"project": "bench", "text": words.some(10)}
            began = time.perf_counter()
            answer = editor.request("tools/call", {"name": tool, "arguments": arguments})["result"]
            took.append(time.perf_counter() - began)
            if answer["isError"]:
                asked.errors[answer["structuredContent"]["error"]["code"]] += 1

    threads = [threading.Thread(target=ask, args=pair) for pair in zip(editors, asked.seconds, strict=True)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    while time.perf_counter() - began < seconds:
        asked.memory = max(asked.memory, megabytes(pid))
        time.sleep(0.2)
    over.set()
    for thread in threads:
        thread.join()
    asked.lasted = time.perf_counter() - began
    return asked


def _flood(home: Path, editors: Sequence[Editor], words: Words) -> tuple[_Asked, str]:
    """One editor sends many calls without waiting, time and again, while the others ask one by one."""
    first, outcomes, over = editors[0], Counter[str](), threading.Event()

    def flood() -> None:
        while not over.is_set():
            known = len(first.raw)
            for _ in range(_AT_ONCE):
                arguments = {"project": "bench", "text": words.some(10)}
                first.begin("tools/call", {"name": "query_hybrid", "arguments": arguments})
            wait_for(lambda: len(first.raw) == known + _AT_ONCE, "the answers to all calls")  # noqa: B023
            for line in first.raw[known:]:
                content = json.loads(line)["result"]["structuredContent"]
                outcomes[content["error"]["code"] if "error" in content else "an answer"] += 1

    thread = threading.Thread(target=flood)
    thread.start()
    asked = _ask(home, editors[1:], words, _SECONDS)
    over.set()
    thread.join()
    return asked, ", ".join(f"{what} {count}" for what, count in outcomes.most_common())


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory(prefix="citeloom-bench-", ignore_cleanup_errors=True) as folder:
        print(measure(Path(folder)))
