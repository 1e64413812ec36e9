"""Steps that the flow tests share: small papers, an engine with injected faults, and a look at what is on disk."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate

from citeloom.importing.stages.payloads import embedded_text
from citeloom.index.edge.collection import EdgeCollection
from citeloom.ipc.protocol import PROTOCOL
from tests.faults import Fault, as_variable, fault
from tests.support import WAIT, citeloom, done, engine_address, environment, wait_for

_MONTHS = ("March", "April", "May", "June", "July", "August")


def paper(path: Path, title: str, *paragraphs: str) -> Path:
    """A short Markdown paper: each paragraph is a section, so each becomes a passage."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sections = [f"## Part {number}\n\n{text}" for number, text in enumerate(paragraphs, start=1)]
    path.write_text("\n\n".join([f"# {title}", *sections]) + "\n", encoding="utf-8")
    return path


def four_papers(folder: Path) -> list[Path]:
    """Four papers with three passages each."""
    subjects = {"1-reefs": "coral", "2-moths": "moth", "3-peat": "bog", "4-tides": "tide"}
    return [
        paper(folder / f"{name}.md", f"On the {word}", *(f"The {word} was measured {n} times." for n in (2, 5, 9)))
        for name, word in subjects.items()
    ]


def pdf_paper(path: Path, word: str, *, diagram: bool = False) -> Path:
    """A PDF of three pages without numbers, with a heading on each; the layout of a diagram's page is uncertain."""
    style = getSampleStyleSheet()
    parts: list[Any] = [Paragraph(f"On the {word} in spring", style["Title"])]
    for number, name in enumerate(("Introduction", "Methods", "Results"), start=1):
        parts.append(Paragraph(name, style["Heading1"]))
        for month in _MONTHS:
            text = f"In {month} of year {number} the {word} was measured at {number + 3} places, by people with a ruler"
            again = f"who came back after {len(month)} days to see what had become of the {word} since they had left."
            parts.append(Paragraph(f"{text} {again}", style["BodyText"]))
        parts.append(PageBreak())
    if diagram:
        parts.append(_Diagram())
    path.parent.mkdir(parents=True, exist_ok=True)
    SimpleDocTemplate(str(path), invariant=1).build(parts)
    return path


class _Diagram(Flowable):  # type: ignore[misc]
    """Boxes with a word or two in each, scattered over the width of the page."""

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return width, 620.0

    def draw(self) -> None:
        for number in range(28):
            left, up = number * 37 % 150, number * 22
            for across in (left, left + 120 + number * 53 % 130):
                self.canv.rect(across - 4, up - 3, 60, 11)
                self.canv.drawString(across, up, f"step {number + 1}")


def settings(home: Path, text: str) -> None:
    """Write the settings file of a data folder."""
    (home / "citeloom.toml").write_text(text)


@dataclass(frozen=True)
class Project:
    """A project as a person uses it, on the command line."""

    home: Path
    name: str = "p"

    @classmethod
    def made(cls, home: Path, folder: Path, *more: str, name: str = "p") -> Project:
        """A new project that reads a folder."""
        done(citeloom(home, "project", "add", name, "--folder", str(folder), *more))
        return cls(home, name)

    def ingest(self, *arguments: str) -> dict[str, Any]:
        """Import, and give the counts."""
        result = citeloom(self.home, "ingest", self.name, *arguments, "--json")
        assert result.stdout, result.stderr
        counts: dict[str, Any] = json.loads(result.stdout)
        assert "Traceback" not in result.stderr
        return counts

    def sync(self, *arguments: str, **environment: str) -> dict[str, Any]:
        """Sync, and give the counts."""
        result = citeloom(self.home, "sync", self.name, *arguments, "--json", **environment)
        assert result.stdout and "Traceback" not in result.stderr, result.stderr
        counts: dict[str, Any] = json.loads(result.stdout)
        return counts

    def documents(self) -> dict[str, dict[str, Any]]:
        """The documents by file name."""
        listed = json.loads(done(citeloom(self.home, "documents", self.name, "--json")))
        return {d["source"]: d for d in listed}

    def search(self, words: str, *arguments: str) -> list[dict[str, Any]]:
        """The hits of a search."""
        answer = json.loads(done(citeloom(self.home, "search", self.name, words, "--json", *arguments)))
        hits: list[dict[str, Any]] = answer["items"]
        return hits

    def found(self, words: str = "measured") -> set[tuple[str, str]]:
        """File and text of every hit."""
        return {(hit["source"], hit["render_text"]) for hit in self.search(words, "--top", "20")}


def counts(result: dict[str, Any]) -> dict[str, int]:
    """What an import did, without what it did not do."""
    words = ("new", "replaced", "skipped", "updated", "removed", "without_file", "failed", "chunks_written")
    return {word: result[word] for word in words if result[word]}


# -- the engine ------------------------------------------------------------------------------------------------


@contextmanager
def engine_with(home: Path, *faults: Fault, watch: str = "off", **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A running engine with injected faults; `watch` says whether it follows changes by itself."""
    command = [sys.executable, "-m", "citeloom.engine.main", "--started-by", "person"]
    variables = environment(home, CITELOOM_WATCH=watch, **as_variable(*faults))
    process = subprocess.Popen(command, env=variables, cwd=home, **options)
    try:
        wait_for(lambda: _listens(home, process), "the engine to listen")
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(WAIT)


def _listens(home: Path, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, f"the engine ended with {process.returncode}"
    try:
        return engine_address(home)["pid"] == process.pid
    except (OSError, ValueError):
        return False


def engines(home: Path) -> list[psutil.Process]:
    """The engine processes of a data folder."""
    found = []
    for process in psutil.process_iter():
        try:
            of_this = process.environ().get("CITELOOM_HOME") == str(home)
            if of_this and "citeloom.engine.main" in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill_engine(home: Path) -> int:
    """kill -9 the engine; gives the process id it had."""
    process = psutil.Process(engine_address(home)["pid"])
    process.send_signal(signal.SIGKILL)
    process.wait(WAIT)
    return process.pid


def connect(home: Path, first_line: dict[str, Any] | None = None) -> socket.socket:
    """A connection to the engine's port that has sent a first line, or nothing."""
    connection = socket.create_connection(("127.0.0.1", engine_address(home)["port"]), timeout=WAIT)
    if first_line is not None:
        connection.sendall(json.dumps(first_line).encode() + b"\n")
    return connection


def hello(home: Path, role: str = "control", **changes: Any) -> dict[str, Any]:
    """A proper hello, with changes."""
    return {"citeloom": PROTOCOL, "role": role, "token": engine_address(home)["token"], "options": {}, **changes}


class Control:
    """A control connection, spoken by hand."""

    def __init__(self, home: Path) -> None:
        self._socket = connect(home, hello(home))
        self._lines = self._socket.makefile("rb")
        assert json.loads(self._lines.readline())["ok"] is True

    def __enter__(self) -> Control:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()
        self._socket.close()

    def call(self, verb: str, **arguments: Any) -> Any:
        """Ask for a verb; gives its result."""
        self._socket.sendall(json.dumps({"id": 1, "verb": verb, "args": arguments}).encode() + b"\n")
        answer = json.loads(self._lines.readline())
        assert "error" not in answer, answer
        return answer["result"]

    def wait_for_end(self) -> None:
        """Wait until the engine closes the connection."""
        assert self._lines.read() == b""


def begin_ingest(home: Path, **options: Any) -> None:
    """Queue an import of the whole project `p` and do not wait for it."""
    with Control(home) as control:
        control.call("importing.ingest", project="p", **options)


def wait_until_idle(home: Path) -> None:
    """Wait until the engine has no import left."""
    with Control(home) as control:
        wait_for(lambda: not control.call("engine.status")["jobs"], "the imports to end")


def copy_home(source: Path, target: Path) -> Path:
    """A copy of a data folder; cp knows how to keep the holes in an index's files."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True, timeout=WAIT)
    return target


# -- what is on disk, once the engine has ended ------------------------------------------------------------------


def rows(home: Path, sql: str) -> list[dict[str, Any]]:
    """Rows of the catalog."""
    with closing(sqlite3.connect(home / "catalog.db")) as catalog:
        catalog.row_factory = sqlite3.Row
        return [dict(r) for r in catalog.execute(sql)]


@contextmanager
def _index(home: Path, name: str) -> Iterator[EdgeCollection]:
    (row,) = (r for r in rows(home, "SELECT * FROM projects") if r["id"] == name)
    collection = EdgeCollection.open(home / "index" / row["collection"] / f"g{row['generation']:04d}")
    try:
        yield collection
    finally:
        collection.close()


def stored_passages(home: Path, name: str = "p") -> list[dict[str, Any]]:
    """Every passage in a project's index, seen or unseen. The engine must have ended."""
    with _index(home, name) as collection:
        return [hit.payload for hit in collection.any_passages(100_000)]


Vectors = dict[str, list[float] | None]


def stored_vectors(home: Path, name: str = "p") -> Vectors:
    """The dense vector of every text in a project's index, None where it has none. The engine must have ended."""
    with _index(home, name) as collection:
        points = collection.points(None, 10_000)
    return {embedded_text(point.payload): None if point.dense is None else list(point.dense) for point in points}


def assert_embedded(home: Path, right: Vectors, name: str = "p") -> None:
    """Every passage has the vector of its own text, as in `right`."""
    for text, vector in stored_vectors(home, name).items():
        assert vector is not None, f"not embedded: {text}"
        assert vector == pytest.approx(right[text], abs=1e-4), text


def counting(home: Path) -> Fault:
    """The rule that notes how many passages an engine embeds, see `embedded`."""
    return fault("models.embed", "note", value=str(_noted(home)))


def embedded(home: Path) -> list[int]:
    """How many passages were embedded, batch by batch, by all engines of a data folder that count them."""
    return [int(line) for line in _noted(home).read_text().split()] if _noted(home).exists() else []


def _noted(home: Path) -> Path:
    return home.with_name(f"{home.name}-embedded")


def assert_whole(home: Path, name: str = "p") -> set[str]:
    """Catalog and index agree to the last passage; gives the passages' ids."""
    wait_for(lambda: not engines(home), "the engine's process to end")
    known = [r for r in rows(home, "SELECT * FROM documents") if r["project_id"] == name]
    passages = stored_passages(home, name)
    ids = [p["chunk_id"] for p in passages]
    assert len(ids) == len(set(ids))
    expected = {r["doc_id"]: (r["version"], r["chunks"]) for r in known if r["state"] == "ready"}
    found = Counter((p["doc_id"], p["version"]) for p in passages)
    assert {doc_id: (version, count) for (doc_id, version), count in found.items()} == expected
    assert len(found) == len(expected)
    assert [r["source"] for r in known if r["writing"]] == []
    for doc_id, (_, count) in expected.items():
        assert sorted(p["chunk_index"] for p in passages if p["doc_id"] == doc_id) == list(range(count))
    return set(ids)


def states(home: Path) -> dict[str, str]:
    """The state of every document by file name."""
    return {Path(r["source"]).name: r["state"] for r in rows(home, "SELECT source, state FROM documents")}
