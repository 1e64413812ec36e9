"""An import by any version of CiteLoom, started by its command line and watched from outside.

Only what every version has is used: commands and their JSON, the catalog, and what the system says of processes.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.bench import turns

PROJECT = "bench"
_LOOK_SECONDS = 0.1  # between two looks at the catalog and the processes
_QUIET_SECONDS, _QUIET_CPU = 0.5, 0.02  # an engine that uses less CPU than this has finished starting
_START_SECONDS = 30.0
_VECTORS_SECONDS = 600.0  # how long vectors may follow after the end of the job


@dataclass(frozen=True)
class Moment:
    """What was seen at one moment of an import."""

    seconds: float  # since the command was given
    searchable: int  # documents
    cpu: float  # seconds of the engine and its workers
    engine_cpu: float  # seconds of the engine alone
    machine: float  # seconds of CPU of all programs


@dataclass
class Peaks:
    """The most memory that was seen, in MB."""

    engine: float = 0.0
    engine_own: float = 0.0  # without mapped files, which the system can take back
    workers: float = 0.0  # all of them together
    worker: float = 0.0  # the largest one

    def add(self, engine: float, own: float, workers: list[float]) -> None:
        """Take what is held now into account."""
        self.engine, self.engine_own = max(self.engine, engine), max(self.engine_own, own)
        self.workers, self.worker = max(self.workers, sum(workers)), max(self.worker, *workers, 0.0)


@dataclass
class ImportRun:
    """What an import did and cost."""

    result: dict[str, Any]  # the JSON of `citeloom sync`
    moments: list[Moment]
    peaks: Peaks
    coverage: dict[str, int]
    recognised: float  # pages read by OCR

    @property
    def end(self) -> Moment:
        """The moment at which everything was done."""
        return self.moments[-1]

    @property
    def words(self) -> Moment:
        """The first moment at which all documents were searchable."""
        return self._searchable(self.end.searchable)

    @property
    def first(self) -> Moment:
        """The first moment at which a document was searchable."""
        return self._searchable(1)

    def idle(self, until: Moment) -> float:
        """Share of the cores that the import left unused."""
        return 1 - until.cpu / (until.seconds * (os.cpu_count() or 1))

    def others(self, until: Moment) -> float:
        """Share of the cores that other programs used: with much of it, seconds say little."""
        return max(0.0, until.machine - until.cpu) / (until.seconds * (os.cpu_count() or 1))

    def _searchable(self, documents: int) -> Moment:
        return next((m for m in self.moments if m.searchable >= documents), self.end)


class Installation:
    """A version of CiteLoom, from the folder with its code, with a data folder of its own, deleted at the end."""

    def __init__(self, code: Path, home: Path) -> None:
        self.home = home
        home.mkdir(parents=True)
        python_path = os.pathsep.join(p for p in (str(code), os.environ.get("PYTHONPATH", "")) if p)
        own = {"CITELOOM_HOME": str(home), "CITELOOM_WATCH": "off", "PYTHONPATH": python_path}
        self._environment: Mapping[str, str] = {**os.environ, **own}

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *_: object) -> None:
        self.run("engine", "stop")
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, *arguments: str) -> str:
        """Run a command that may tell of files that failed; gives its output."""
        process = self._start(*arguments)
        output, errors = process.communicate()
        if process.returncode > 1 or "Traceback" in errors:
            raise RuntimeError(f"citeloom {' '.join(arguments)}: {errors}")
        return output

    def engine(self) -> psutil.Process:
        """The process of the running engine."""
        return psutil.Process(json.loads((self.home / "engine.json").read_text(encoding="utf-8"))["pid"])

    def import_folder(self, folder: Path, references: Path | None = None) -> ImportRun:
        """Import a folder into a new project and watch it to the end."""
        named = ("--references", str(references)) if references else ()
        self.run("project", "add", PROJECT, "--folder", str(folder), *named)
        watch = _Watch(self)
        process = self._start("sync", PROJECT, "--json")
        watch.until(lambda: process.poll() is not None)
        output, errors = process.communicate()
        if not output:
            raise RuntimeError(f"the import failed: {errors}")
        watch.until(lambda: self._without_vectors() == 0, _VECTORS_SECONDS)
        details = json.loads(self.run("project", "show", PROJECT, "--json"))
        documents = json.loads(self.run("documents", PROJECT, "--json"))
        recognised = sum((d["ocr_share"] or 0) * (d["pages"] or 0) for d in documents)
        return ImportRun(json.loads(output), watch.moments, watch.peaks, details["coverage"], recognised)

    def import_again(self) -> float:
        """Seconds of an import that finds nothing changed."""
        seconds: float = json.loads(self.run("sync", PROJECT, "--json"))["duration_seconds"]
        return seconds

    def searchable(self) -> int:
        """The number of documents that are searchable now."""
        return self._count("SELECT count(*) FROM documents WHERE state = 'ready'")

    def _without_vectors(self) -> int:
        columns = self._rows("SELECT name FROM pragma_table_info('documents')")
        if ("without_vector",) not in columns:  # a version that embeds before it writes
            return 0
        return self._count("SELECT coalesce(sum(without_vector), 0) FROM documents")

    def _count(self, sql: str) -> int:
        return int(self._rows(sql)[0][0])

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self.home / 'catalog.db'}?mode=ro", uri=True)) as catalog:
            return catalog.execute(sql).fetchall()

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "citeloom", *arguments],
            env=self._environment,
            cwd=self.home,  # not the folder of another version's code
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


class _Watch:
    """Looks at an import, beginning when the engine has finished starting."""

    def __init__(self, installation: Installation) -> None:
        self.moments: list[Moment] = []
        self.peaks = Peaks()
        self._installation, self._engine = installation, installation.engine()
        until = time.monotonic() + _START_SECONDS
        cpu = -1.0
        while self._cpu() - cpu > _QUIET_CPU and time.monotonic() < until:
            cpu = self._cpu()
            time.sleep(_QUIET_SECONDS)
        self._engine_before, self._cpu_before = self._engine_cpu(), self._cpu()
        self._machine_before, self._began = _machine_cpu(), time.monotonic()

    def until(self, is_over: Callable[[], bool], seconds: float = float("inf")) -> None:
        """Look again and again until something holds."""
        end = time.monotonic() + seconds
        over = False
        while not over:
            over = is_over()  # asked first, so that the last look sees everything
            self._look()
            if time.monotonic() > end:
                raise RuntimeError("waited in vain for the end of the import")
            if not over:
                time.sleep(_LOOK_SECONDS)

    def _look(self) -> None:
        # The catalog last: by then, what it counts has cost no more than what was measured.
        seconds = time.monotonic() - self._began
        known = self.moments[-1].cpu if self.moments else 0.0
        cpu = max(known, self._cpu() - self._cpu_before)  # a worker that has just ended is nowhere for a moment
        engine_cpu, machine = self._engine_cpu() - self._engine_before, _machine_cpu() - self._machine_before
        self.moments.append(Moment(seconds, self._installation.searchable(), cpu, engine_cpu, machine))
        held = {process.pid: rss for process, rss in self._memory()}
        if self._engine.pid in held:
            own = turns.memory(self._engine.pid)["own"]
            self.peaks.add(held.pop(self._engine.pid), own, list(held.values()))

    def _cpu(self) -> float:
        """CPU of the engine and its workers in seconds, with that of processes that have ended."""
        total = 0.0
        for process in self._processes():
            try:
                times = process.cpu_times()
            except psutil.Error:  # it has just ended
                continue
            total += times.user + times.system + times.children_user + times.children_system
        return total

    def _engine_cpu(self) -> float:
        times = self._engine.cpu_times()
        return float(times.user + times.system)

    def _memory(self) -> Iterator[tuple[psutil.Process, float]]:
        for process in self._processes():
            try:
                yield process, process.memory_info().rss / 1e6
            except psutil.Error:
                continue

    def _processes(self) -> list[psutil.Process]:
        return [self._engine, *self._engine.children(recursive=True)]


def _machine_cpu() -> float:
    """Seconds of CPU that all programs have used since the machine was started."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0.0) - getattr(times, "guest", 0.0))
