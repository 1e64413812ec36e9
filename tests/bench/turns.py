"""Several processes answer the same questions in turn, so that whatever else the machine does falls on all of them.

Each process has its own memory, which is measured. Whoever answers may run in another virtual environment: this module
needs the standard library only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_A_TURN = 5  # questions
_PATIENCE = 60.0  # seconds that the questions of one kind may take; who is slow is asked fewer
_FEWEST = 20

Ask = Callable[[int], Sequence[str]]  # the number of a question; gives the ids of what was found


@dataclass
class Times:
    """How long questions took, and what they found."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    found: dict[int, list[str]] = field(default_factory=dict)

    def recall(self, right: Sequence[set[str]]) -> str:
        """How much of what is right for each question was found."""
        shares = [len(right[number].intersection(ids)) / len(right[number]) for number, ids in self.found.items()]
        return f"{sum(shares) / len(shares):.3f}"


class Answerer:
    """A process that has built something, and answers questions."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
        )
        self.built: dict[str, Any] = self._read()
        self.times = {kind: Times() for kind in self.built["kinds"]}

    def ask(self, kind: str, questions: Sequence[int]) -> None:
        """Have some questions answered."""
        answer = self._call({"kind": kind, "questions": list(questions)})
        times = self.times[kind]
        times.wall += answer["wall"]
        times.cpu += answer["cpu"]
        times.found |= dict(zip(questions, answer["found"], strict=True))

    def end(self) -> tuple[float, float]:
        """Its memory in MB (its own, and what it maps of files), and let it go."""
        answer = self._call({"kind": "memory"})
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        return answer["own"], answer["mapped"]

    def _call(self, what: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended: exit code {self._process.wait()}")
        read: dict[str, Any] = json.loads(line)
        return read


def ask_in_turn(answerers: Sequence[Answerer], questions: int) -> None:
    """Each kind of question is put to everybody who knows it, a few at a time."""
    for kind in dict.fromkeys(kind for a in answerers for kind in a.times):
        for start in range(0, questions, _A_TURN):
            for answerer in answerers:
                times = answerer.times.get(kind)
                if times is not None and (len(times.wall) < _FEWEST or sum(times.wall) < _PATIENCE):
                    answerer.ask(kind, range(start, min(start + _A_TURN, questions)))


def answer(kinds: Mapping[str, Ask], **built: Any) -> None:
    """Answer what comes in, until nothing more comes. Runs in the process of its own."""
    for ask in kinds.values():
        ask(0)
    _write({"kinds": list(kinds), **built})
    for line in sys.stdin:
        what = json.loads(line)
        if what["kind"] == "memory":
            _write(memory())
            continue
        ask, wall, cpu, found = kinds[what["kind"]], [], [], []
        for question in what["questions"]:
            began, worked = time.perf_counter(), time.process_time()
            found.append(list(ask(question)))
            wall.append(time.perf_counter() - began)
            cpu.append(time.process_time() - worked)
        _write({"wall": wall, "cpu": cpu, "found": found})


def memory(pid: int | str = "self") -> dict[str, float]:
    """A process's memory in MB: its own, and what it maps of files, which the system may take back."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    held = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith("Rss")}
    return {"own": held["RssAnon"], "mapped": held["RssFile"]}


def disk(folder: Path) -> float:
    """What a folder takes of the disk, in MB."""
    return sum(f.stat().st_blocks * 512 for f in folder.rglob("*") if f.is_file()) / 1_000_000


def _write(what: dict[str, Any]) -> None:
    print(json.dumps(what), flush=True)
