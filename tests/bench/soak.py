"""The engine's memory over time: editors that ask without a pause, imports, a flood of calls, and rest afterwards."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from tests.bench.figures import say, table
from tests.bench.load import Words
from tests.flows.steps import Control, wait_until_idle
from tests.support import SAMPLE, Editor, citeloom, done, engine_address, stop_engine, wait_for

_EDITORS = 6
_MINUTES = float(os.environ.get("CITELOOM_BENCH_SOAK_MINUTES", "20"))
_ROUNDS = 10  # rows of the table while editors ask
_REBUILDS = 5
_FLOOD = 500  # calls of each editor at once
_REST_SECONDS = 90.0  # the engine returns memory once a minute


def measure(root: Path) -> str:
    """The table of memory over time."""
    home = root / "home"
    home.mkdir(parents=True)
    sample = ("--references", str(SAMPLE / "library.json"), "--folder", str(SAMPLE / "papers"))
    done(citeloom(home, "project", "add", "thesis", *sample))
    done(citeloom(home, "sync", "thesis"))
    stop_engine(home)
    words, began = Words(), time.monotonic()
    rows: list[tuple[object, ...]] = []
    with ExitStack() as stack:
        editors = [stack.enter_context(Editor(home, name=f"editor-{n}")) for n in range(_EDITORS)]

        def note(what: str) -> None:
            own, mapped = _memory(home)
            say(f"soak: {what}: {own:.0f} + {mapped:.0f} MB")
            rows.append((f"{(time.monotonic() - began) / 60:.1f}", what, f"{own:.0f}", f"{mapped:.0f}"))

        editors[0].call("query_hybrid", project="thesis", text="warm")
        note("one question")
        for calls in _asked_by(editors, words):
            note(f"{calls} calls of {_EDITORS} editors")
        for _ in range(_REBUILDS):
            with Control(home) as control:
                control.call("importing.ingest", project="thesis", force_rebuild=True)
            wait_until_idle(home)
        note(f"{_REBUILDS} rebuilds of the index")
        _flood(editors, words)
        note(f"a flood of {_FLOOD * _EDITORS} calls")
        time.sleep(_REST_SECONDS)
        note(f"{_REST_SECONDS:g} s of rest")
    stop_engine(home)
    return table("Engine's memory over time", ("minute", "after", "own MB", "mapped MB"), rows)


def _memory(home: Path) -> tuple[float, float]:
    """Memory of the engine's own, and mapped files that the system can take back."""
    about = psutil.Process(engine_address(home)["pid"]).memory_info()
    return (about.rss - about.shared) / 1e6, about.shared / 1e6


def _asked_by(editors: list[Editor], words: Words) -> Iterator[int]:
    """Have editors ask all the time, and give now and then how many calls there were."""
    over, counts = threading.Event(), [0] * len(editors)
    citekeys = [d["citekey"] for d in editors[0].call("list_documents", project="thesis")["documents"]]

    def ask(number: int, editor: Editor) -> None:
        chance = random.Random(number)
        while not over.is_set():
            tool, arguments = _call(chance, words, chance.choice(citekeys))
            editor.request("tools/call", {"name": tool, "arguments": {"project": "thesis", **arguments}})
            counts[number] += 1

    threads = [threading.Thread(target=ask, args=pair) for pair in enumerate(editors)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(_ROUNDS):
            time.sleep(_MINUTES * 60 / _ROUNDS)
            yield sum(counts)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _call(chance: random.Random, words: Words, citekey: str) -> tuple[str, dict[str, Any]]:
    """A call as agents make them, the usual ones more often."""
    quotation = f'As said: "{words.some(12)}" [@{citekey}, p. 3]. '
    calls: list[tuple[str, dict[str, Any]]] = [
        ("query", {"text": words.some(12), "top_k": 20, "full_text": True}),
        ("query_hybrid", {"text": words.some(60), "top_k": 20}),
        ("verify_quote", {"quote": words.some(12)}),
        ("check_citations", {"text": quotation * 20}),
        ("format_citations", {"citekeys": [citekey], "style": chance.choice(("apa", "ieee", "nature"))}),
        ("get_document", {"citekey": citekey}),
    ]
    return chance.choices(calls, (6, 6, 3, 1, 1, 1))[0]


def _flood(editors: list[Editor], words: Words) -> None:
    for editor in editors:
        known = len(editor.raw)
        for _ in range(_FLOOD):
            arguments = {"project": "thesis", "text": words.some(20), "top_k": 20, "full_text": True}
            editor.begin("tools/call", {"name": "query_hybrid", "arguments": arguments})
        wait_for(lambda: len(editor.raw) >= known + _FLOOD, "the answers to all calls")  # noqa: B023
