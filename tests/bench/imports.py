"""How fast documents become searchable, and where the time goes."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from tests.bench.figures import megabytes, say, table
from tests.support import SAMPLE, Editor, citeloom, done, engine_address, stop_engine, wait_for


def measure(home: Path) -> str:
    """The table of an import of the sample library, and of doing it again unchanged."""
    home.mkdir()
    say("import of the sample library")
    library, papers = str(SAMPLE / "library.json"), str(SAMPLE / "papers")
    done(citeloom(home, "project", "add", "bench", "--references", library, "--folder", papers))
    most = _Most(engine_address(home)["pid"])
    first = json.loads(done(citeloom(home, "ingest", "bench", "--json")))
    peak = most.end()
    again = json.loads(done(citeloom(home, "ingest", "bench", "--json")))
    pages = sum(d["pages"] or 0 for d in json.loads(done(citeloom(home, "documents", "bench", "--json"))))
    with Editor(home) as editor:
        wait_for(lambda: not editor.call("inspect_collection", project="bench")["jobs"], "the import's end")
    stop_engine(home)

    seconds, stages = first["duration_seconds"], first["stages"]
    # Converting runs beside embedding, in processes of its own: the shares can add up to more than the whole.
    overhead = stages["write"] + stages["match"] + stages["plan"] + stages["records"] + stages["fetch"]
    rows = [
        ("documents / pages / passages", f"{first['new']} / {pages} / {first['chunks_written']}", ""),
        ("whole import", f"{seconds:.1f} s", f"{first['chunks_written'] / seconds:.1f} passages/s"),
        ("convert (worker processes)", f"{stages['convert']:.2f} s", f"{stages['convert'] / seconds:.0%}"),
        ("chunk (worker processes)", f"{stages['chunk']:.2f} s", f"{stages['chunk'] / seconds:.0%}"),
        ("embed", f"{stages['embed']:.2f} s", f"{stages['embed'] / seconds:.0%}"),
        ("catalog, index, matching, planning", f"{overhead:.2f} s", f"{overhead / seconds:.1%}"),
        ("again, nothing changed", f"{again['duration_seconds']:.2f} s", f"{again['duration_seconds'] / seconds:.1%}"),
        ("engine's memory during it, at most", f"{peak:.0f} MB", f"{os.cpu_count()} cores"),
    ]
    return table("Import of the sample library", ("what", "figure", "share"), rows)


class _Most:
    """The most memory a process was seen to use."""

    def __init__(self, pid: int) -> None:
        self._pid, self._most, self._over = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            self._most = max(self._most, megabytes(self._pid))

    def end(self) -> float:
        self._over.set()
        self._thread.join()
        return self._most
