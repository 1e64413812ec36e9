"""Zotero with thousands of items: listing it, finding that nothing changed, and watching it for an hour.

The stand-in for Zotero runs in a process of its own, so that its work is not counted as CiteLoom's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from citeloom.zotero.local_api import LocalApi
from citeloom.zotero.sqlite.source import SqliteSource
from citeloom.zotero.types import MY_LIBRARY, Library
from tests.bench.figures import say, table
from tests.support import ROOT, citeloom, done, engine_address, environment, stop_engine, wait_for
from tests.zotero_stand_in.database import write_database
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World

_WATCHED_SECONDS = 60
_HOUR = 3600
_FULL_LOOKS = 4  # an hour, whatever the versions say
_LISTS = ("collections", "items", "searches")


def measure(folder: Path, items: int) -> str:
    """The tables of a library with so many items."""
    folder.mkdir()
    home = folder / "home"
    home.mkdir()
    with _zotero(folder / "Zotero", items) as url:
        (home / "citeloom.toml").write_text(f'[zotero]\nlocal_url = "{url}"\ndata_folder = "{folder / "Zotero"}"\n')
        rows = [*_listing(url, folder / "Zotero"), *_syncing(home, url)]
    return table(f"A Zotero library of {items:,} works", ("what", "figure", "beside it"), rows)


def _listing(url: str, data_folder: Path) -> list[tuple[str, str, str]]:
    say("listing the library")
    library = Library(MY_LIBRARY, "My Library")
    ours = min(_seconds(lambda: LocalApi(url).read(library)) for _ in range(3))
    bare = min(_seconds(lambda: [json.loads(_get(f"{url}/api/users/0/{what}")) for what in _LISTS]) for _ in range(3))
    database = min(_seconds(lambda: SqliteSource(data_folder / "zotero.sqlite").read(library)) for _ in range(3))
    return [
        ("first listing, local API", f"{ours:.2f} s", f"{ours / bare:.1f} × fetching and parsing the same JSON"),
        ("first listing, zotero.sqlite", f"{database:.2f} s", f"{database / bare:.1f} ×"),
    ]


def _syncing(home: Path, url: str) -> list[tuple[str, str, str]]:
    done(citeloom(home, "project", "add", "bench", "--zotero", "*"))
    say("import of the library")
    first = json.loads(done(_first_sync(home)))
    engine = psutil.Process(engine_address(home)["pid"])
    say("sync, nothing changed")
    before = _cpu(engine)
    again = json.loads(done(citeloom(home, "sync", "bench", "--json")))
    cpu = _cpu(engine) - before
    stop_engine(home)
    did = {name for name in ("convert", "embed", "write") if again["stages"].get(name)}
    watched, requests = _watching(home, url)
    return [
        ("first sync", f"{first['duration_seconds']:.0f} s", f"{first['new']} documents"),
        (
            "sync, nothing changed",
            f"{cpu:.2f} s of CPU, {again['duration_seconds']:.2f} s",
            f"{again['skipped']} skipped; {', '.join(sorted(did)) or 'no conversion, no embedding, no vector write'}",
        ),
        (
            "watching an unchanged, running Zotero for an hour",
            f"{watched * _HOUR / _WATCHED_SECONDS + _FULL_LOOKS * cpu:.0f} s of CPU",
            f"{requests * _HOUR / _WATCHED_SECONDS + _FULL_LOOKS * 4:.0f} requests",
        ),
    ]


def _watching(home: Path, url: str) -> tuple[float, int]:
    """CPU and requests of an engine that only watches."""
    say(f"watching for {_WATCHED_SECONDS} seconds")
    process = subprocess.Popen(
        [sys.executable, "-m", "citeloom.engine.main", "--started-by", "person"],
        env=environment(home, CITELOOM_WATCH="on"),
    )
    try:
        engine = psutil.Process(process.pid)
        wait_for(lambda: _asked(url) > 0, "the first look")
        time.sleep(15)  # the first look reads everything
        before, asked = _cpu(engine), _asked(url)
        time.sleep(_WATCHED_SECONDS)
        return _cpu(engine) - before, _asked(url) - asked
    finally:
        stop_engine(home)
        process.wait(60)


def _first_sync(home: Path) -> subprocess.CompletedProcess[str]:
    """A first sync, which may take its time."""
    command = [sys.executable, "-m", "citeloom", "sync", "bench", "--json"]
    return subprocess.run(command, env=environment(home), capture_output=True, text=True, check=False)


def _seconds(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _get(url: str) -> bytes:
    with urllib.request.urlopen(url) as reply:
        answer: bytes = reply.read()
        return answer


def _asked(url: str) -> int:
    """How many requests the stand-in has seen, without being one of them."""
    return int(_count(url).read_text() or 0)


def _count(url: str) -> Path:
    return Path(tempfile.gettempdir()) / f"citeloom-bench-{url.rpartition(':')[2]}"


@contextmanager
def _zotero(data_folder: Path, items: int) -> Iterator[str]:
    say(f"a library of {items} works")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.zotero", str(data_folder), str(items)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(60)


def _library(data_folder: Path, items: int) -> World:
    """Works with a short text each; some have notes and marked sentences."""
    world = World(data_folder)
    shelves = [world.collection(f"Shelf {n}") for n in range(20)]
    for n in range(items):
        key = world.add(
            "journalArticle",
            title=f"On the {n}th question of measurement",
            date=f"{1950 + n % 70}-03",
            publicationTitle=f"Journal {n % 300}",
            volume=str(n % 40),
            pages=f"{n}-{n + 12}",
            DOI=f"10.1000/bench.{n}",
            abstractNote="What was measured, how often, and by whom. " * 20,
            citationKey=f"author{n}question{1950 + n % 70}",
            collections=[shelves[n % len(shelves)]],
            tags=[f"subject {n % 50}"],
            creators=[
                {"firstName": "A.", "lastName": f"Author{n + k}", "creatorType": "author"} for k in range(1 + n % 5)
            ],
        )
        text = f"The {n}th thing was measured {n % 7 + 2} times, and each time it was {n % 13} ells long.\n"
        file = world.attach(key, "text.txt", text.encode(), content_type="text/plain")
        if n % 10 == 0:
            world.note(key, f"<p>A note on the {n}th question, which I have still to answer.</p>")
        if n % 10 == 5:
            world.annotate(file, f"it was {n % 13} ells long", comment=f"see the {n + 1}th")
    return world


def _serve(data_folder: Path, items: int) -> None:
    world = _library(data_folder, items)
    write_database(world, data_folder)
    with LocalZotero(world) as zotero:
        count = _count(zotero.url)
        count.write_text("0")
        print(zotero.url, flush=True)
        try:
            while True:
                time.sleep(0.2)
                count.write_text(str(len(zotero.requests)))
        finally:
            count.unlink()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), int(sys.argv[2]))
