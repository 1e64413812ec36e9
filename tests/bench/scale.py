"""Half a million passages: import, opening, questions, memory and disk, for each way of keeping the vectors.

All ways are built from the same passages and asked in turn, each by a process of its own. CiteLoom's own way builds the
search graph while passages come; the others build it at the end, over all of them at once.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import qdrant_edge as qdrant

from citeloom.index import filters as f
from citeloom.index.base import Fusion, Point
from citeloom.index.edge.collection import Bm25, EdgeCollection, optimise
from citeloom.index.edge.optimise import MAX_WITHOUT_GRAPH, optimise_in_place
from citeloom.index.edge.sparse_files import copy_with_holes
from tests.bench import library, turns
from tests.bench.figures import ms, p50, p95, say, table
from tests.bench.peer import Library
from tests.support import ROOT

_FOUND = 10
_A_LOOK = 0.2  # seconds between two looks at what a process holds
_OWN = "as CiteLoom keeps it"
_INT8 = qdrant.ScalarQuantizationConfig(qdrant.ScalarType.Int8, quantile=0.99, memory=qdrant.Memory.Pinned)
_COLD = qdrant.Memory.Cold
_WAYS: dict[str, dict[str, Any]] = {
    _OWN: {},
    "float32 in memory": {},
    "float32 on disk": {"memory": _COLD},
    "int8 and float32 in memory": {"quantization_config": _INT8},
    "int8 in memory, float32 on disk": {"quantization_config": _INT8, "memory": _COLD},
}

# These lie between the others. Each takes minutes to build over many passages, and more memory than most laptops have.
_AT_MOST = dict.fromkeys(("float32 on disk", "int8 and float32 in memory"), 10_000)

_KINDS = ("dense", "hybrid", "hybrid, one work", "hybrid, five years", "hybrid, words in the text")
_ASKED = ("passages", "vectors", *_KINDS, "CPU of hybrid", "recall@10")
_KEPT = (
    "passages",
    "vectors",
    "import, passages/s",
    "search graph, s",
    "memory for that, MB (own + mapped)",
    "open, s",
    "memory MB (own + mapped)",
    "disk MB",
)
_DELETED = ("passages", "disk before, MB", "deleted, MB", "optimised again, MB", "optimised in, s")


def measure(root: Path, sizes: Sequence[int]) -> str:
    """The tables of what each way costs at each size."""
    root.mkdir()
    library.write(root / "library", max(sizes))
    kept, asked, deleted = [], [], []
    for size in sizes:
        say(f"importing {size:,} passages")
        base = root / f"{size}"
        filled = _run("fill", root / "library", base, size)
        right = library.nearest(root / "library", size, _FOUND)
        built = {_OWN: _run("grow", root / "library", _folder(base, _OWN), size)}
        ways = [way for way in _WAYS if size <= _AT_MOST.get(way, size)]
        built |= {way: _run("build", base, _folder(base, way), way) for way in ways if way != _OWN}
        emptied = _run("empty", _folder(base, _OWN), base.with_name(f"{size}-emptied"))
        answerers = [_answerer(root / "library", _folder(base, way), size, way) for way in ways]
        say(f"asking {size:,} passages")
        turns.ask_in_turn(answerers, library.QUESTIONS)
        for way in answerers:
            asked.append(_asked(size, way, right))
            kept.append(_kept(size, way, filled, built[way.name]))
        deleted.append((f"{size:,}", *(f"{emptied[part]:.0f}" for part in ("before", "after", "optimised", "seconds"))))
        for folder in root.glob(f"{size}*"):
            shutil.rmtree(folder)
    return "\n\n".join(
        (
            table("Scale: questions, p50 / p95 ms", _ASKED, asked),
            table("Scale: import, disk and memory", _KEPT, kept),
            table("Scale: a quarter of the works deleted", _DELETED, deleted),
        )
    )


def _folder(base: Path, way: str) -> Path:
    return base.with_name(f"{base.name}-{[*_WAYS].index(way)}")


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "tests.bench.scale", *map(str, arguments)]


def _run(*arguments: object) -> dict[str, float]:
    """Work in a process of its own, so that its memory is given back; how much it took is told as well."""
    say(" ".join(str(a) for a in arguments if not isinstance(a, Path)))
    most = {"own": 0.0, "mapped": 0.0}
    with subprocess.Popen(_command(*arguments), stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        while process.poll() is None:
            for held in _memory(process.pid):
                most = max(most, held, key=lambda one: one["own"])
            time.sleep(_A_LOOK)
        assert process.stdout
        printed = process.stdout.read()
    if process.returncode:
        raise RuntimeError(f"{arguments[0]} ended: exit code {process.returncode}")
    return {**json.loads(printed), **most}


def _memory(pid: int) -> Iterator[dict[str, float]]:
    """What a process and those that it has started hold now, each."""
    with suppress(psutil.NoSuchProcess):
        for one in (pid, *(child.pid for child in psutil.Process(pid).children())):
            with suppress(OSError, KeyError):  # one that has ended holds nothing
                yield turns.memory(one)


def _answerer(data: Path, folder: Path, size: int, way: str) -> turns.Answerer:
    return turns.Answerer(way, _command("answer", data, folder, size))


def _asked(size: int, way: turns.Answerer, right: Sequence[set[str]]) -> tuple[str, ...]:
    times = [f"{ms(p50(t.wall))} / {ms(p95(t.wall))}" for t in way.times.values()]
    worked = way.times["hybrid"].cpu
    return (f"{size:,}", way.name, *times, f"{ms(p50(worked))} / {ms(p95(worked))}", way.times["dense"].recall(right))


def _kept(size: int, way: turns.Answerer, filled: Mapping[str, float], built: Mapping[str, float]) -> tuple[str, ...]:
    own, mapped = way.end()
    return (
        f"{size:,}",
        way.name,
        f"{size / (built.get('imported') or filled['imported']):.0f}",
        f"{built['seconds']:.0f}",
        f"{built['own']:.0f} + {built['mapped']:.0f}",
        f"{way.built['opened']:.2f}",
        f"{own:.0f} + {mapped:.0f}",
        f"{built['disk']:.0f}",
    )


def _fill(data: Library, folder: Path, at_once: float = math.inf) -> dict[str, float]:
    collection, bm25 = EdgeCollection.create(folder, data.vectors.shape[1], sparse=True), Bm25("english")
    seconds = built = 0.0
    for payloads, vectors in data.batches(library.PASSAGES_A_DOCUMENT):
        words = [bm25.passage(p["chunk_text"]) for p in payloads]
        made = zip(payloads, vectors.tolist(), words, strict=True)
        points = [Point(p["chunk_id"], v, w, p) for p, v, w in made]
        began = time.perf_counter()
        collection.upsert(points)
        seconds += time.perf_counter() - began
        if collection.written >= at_once:
            built += _settled(collection)
    if at_once < math.inf:
        built += _settled(collection)
    collection.close()
    return {"imported": seconds, "seconds": built, "disk": turns.disk(folder)}


def _settled(collection: EdgeCollection) -> float:
    began = time.perf_counter()
    optimise_in_place(collection, threading.Event())
    return time.perf_counter() - began


def _build(source: Path, folder: Path, way: str) -> dict[str, float]:
    shutil.copytree(source, folder, copy_function=copy_with_holes)
    began = time.perf_counter()
    _optimise_as(folder, _WAYS[way])
    return {"seconds": time.perf_counter() - began, "disk": turns.disk(folder)}


def _optimise_as(folder: Path, settings: dict[str, Any]) -> None:
    size = json.loads((folder / "edge_config.json").read_text(encoding="utf-8"))["vectors"]["dense"]["size"]
    dense = qdrant.EdgeVectorParams(size, qdrant.Distance.Cosine, **settings)
    sparse = qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)
    config = qdrant.EdgeConfig(vectors={"dense": dense}, sparse_vectors={"sparse": sparse})
    shard = qdrant.EdgeShard.load(str(folder), config)
    shard.optimize()
    shard.close()


def _empty(source: Path, folder: Path) -> dict[str, float]:
    """Delete a quarter of the works, and see when the disk gets its room back."""
    shutil.copytree(source, folder, copy_function=copy_with_holes)
    before = turns.disk(folder)
    collection = EdgeCollection.open(folder)
    works = -(-collection.count() // library.PASSAGES_A_DOCUMENT)
    for number in range(0, works, 4):
        collection.delete(f.AnyOf("citekey", (library.citekey(number),)))
    collection.close()
    after = turns.disk(folder)
    began = time.perf_counter()
    optimise(folder)
    seconds = time.perf_counter() - began
    return {"before": before, "after": after, "optimised": turns.disk(folder), "seconds": seconds}


def _answer(data: Library, folder: Path) -> None:
    vectors, texts, bm25 = data.vectors.tolist(), data.texts, Bm25("english")
    began = time.perf_counter()
    collection = EdgeCollection.open(folder)
    opened = time.perf_counter() - began

    def hybrid(number: int, where: f.Condition = f.EVERYTHING) -> list[str]:
        found = collection.search(vectors[number], bm25.query(texts[number]), _FOUND, where, Fusion())
        return [hit.id for hit in found]

    works = data.size // library.PASSAGES_A_DOCUMENT
    asks: tuple[turns.Ask, ...] = (
        lambda n: [hit.id for hit in collection.search(vectors[n], None, _FOUND)],
        hybrid,
        lambda n: hybrid(n, f.AnyOf("citekey", (library.citekey(n * 7919 % works),))),
        lambda n: hybrid(n, f.Range("year", gte=library.YEARS[n % 40], lt=library.YEARS[n % 40] + 5)),
        lambda n: hybrid(n, f.Words("chunk_text", " ".join(texts[n].split()[:2]))),
    )
    turns.answer(dict(zip(_KINDS, asks, strict=True)), opened=opened)


def _main(what: str, *arguments: str) -> None:
    match what:
        case "fill":
            print(json.dumps(_fill(Library(Path(arguments[0]), int(arguments[2])), Path(arguments[1]))))
        case "grow":
            print(
                json.dumps(_fill(Library(Path(arguments[0]), int(arguments[2])), Path(arguments[1]), MAX_WITHOUT_GRAPH))
            )
        case "build":
            print(json.dumps(_build(Path(arguments[0]), Path(arguments[1]), arguments[2])))
        case "empty":
            print(json.dumps(_empty(Path(arguments[0]), Path(arguments[1]))))
        case "answer":
            _answer(Library(Path(arguments[0]), int(arguments[2])), Path(arguments[1]))


if __name__ == "__main__":
    _main(*sys.argv[1:])
