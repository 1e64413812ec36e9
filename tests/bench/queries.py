"""Questions over stdio against the bare Qdrant query plus embedding, on collections of growing size."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import qdrant_edge as qdrant

from citeloom.catalog import Catalog
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE
from citeloom.core.types import IndexLocation
from citeloom.index.base import Point
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.edge.optimise import MAX_WITHOUT_GRAPH, optimise_in_place
from citeloom.index.models.embedding import DenseModel, SparseModel
from citeloom.index.registry import Collections
from tests.bench import library
from tests.bench.figures import megabytes, ms, p50, p95, say, table
from tests.support import ROOT, Editor, engine_address, stop_engine

QUESTIONS = 200
_FOUND = 6
_EACH = 50  # candidates of each ranking
_WITH_GRAPH = 20_000  # passages from which the engine builds a search graph


def measure(root: Path, sizes: list[int]) -> str:
    """The table of query times and the engine's memory at each size."""
    root.mkdir()
    dense, sparse = DenseModel(BUNDLED_DENSE), SparseModel(BUNDLED_SPARSE, "english")
    made_from = library.seeds(dense)
    rows, memory = [], []
    for size in sizes:
        say(f"building a collection of {size:,} passages")
        home = root / str(size)
        build(home, size, dense, sparse, made_from)
        copy = root / f"{size}-copy"
        shutil.copytree(home / "index", copy)
        bare = qdrant.EdgeShard.load(str(next(copy.glob("*/g*"))))
        say(f"asking {size:,} passages")
        with Editor(home) as editor:
            editor.call("query_hybrid", project="bench", text="warm up")
            idle = megabytes(engine_address(home)["pid"])
            for tool in ("query", "query_hybrid"):
                rows.append(_compare(tool, size, editor, _bare_query(tool, bare, dense, sparse)))
            memory.append((f"{size:,}", f"{idle:.0f}", f"{megabytes(engine_address(home)['pid']):.0f}"))
        bare.close()
        stop_engine(home)
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(copy, ignore_errors=True)
    columns = ("tool", "passages", "over stdio p50 / p95 ms", "bare Qdrant + embedding p50 / p95 ms", "ratio p50 / p95")
    asked = table(f"Questions, {QUESTIONS} of each kind, asked in turn", columns, rows)
    return (
        asked + "\n\n" + table("Engine's memory", ("passages", "opened, RSS MB", "after the questions, RSS MB"), memory)
    )


def _compare(tool: str, size: int, editor: Editor, bare: Callable[[str], None]) -> tuple[object, ...]:
    words = random.Random(7)
    pool = [
        line
        for file in sorted((ROOT / "references" / "texts").glob("*.md"))
        for line in file.read_text().split(".")
        if len(line) > 60
    ]
    over_stdio, alone = [], []
    for number in range(QUESTIONS):
        # Each asks something else, so that neither side answers from memory.
        question = " ".join(words.choice(pool).split()[:12])
        first, second = f"{question} {tool} {size} {number} a", f"{question} {tool} {size} {number} b"
        began = time.perf_counter()
        editor.call(tool, project="bench", text=first)
        over_stdio.append(time.perf_counter() - began)
        began = time.perf_counter()
        bare(second)
        alone.append(time.perf_counter() - began)
    mid, high = p50(over_stdio) / p50(alone), p95(over_stdio) / p95(alone)
    return (
        f"`{tool}`",
        f"{size:,}",
        f"{ms(p50(over_stdio))} / {ms(p95(over_stdio))}",
        f"{ms(p50(alone))} / {ms(p95(alone))}",
        f"{mid:.2f} / {high:.2f}",
    )


def _bare_query(tool: str, bare: qdrant.EdgeShard, dense: DenseModel, sparse: SparseModel) -> Callable[[str], None]:
    """The least that Qdrant Edge can do: one query, which for hybrid search ranks twice and fuses by itself."""

    def by_meaning(text: str) -> qdrant.Query:
        return qdrant.Query.Nearest(dense.embed_query(text), using="dense")

    def by_words(text: str) -> qdrant.Query:
        words = sparse.embed_query(text)
        return qdrant.Query.Nearest(qdrant.SparseVector(words.indices, words.values), using="sparse")

    def query(text: str) -> None:
        bare.query(qdrant.QueryRequest(limit=_FOUND, query=by_meaning(text), with_payload=True))

    def hybrid(text: str) -> None:
        each = [qdrant.Prefetch(limit=_EACH, query=query) for query in (by_meaning(text), by_words(text))]
        fusion = qdrant.Fusion.Rrf(k=60)
        bare.query(qdrant.QueryRequest(limit=_FOUND, prefetches=each, query=fusion, with_payload=True))

    return hybrid if tool == "query_hybrid" else query


def build(home: Path, size: int, dense: DenseModel, sparse: SparseModel, made_from: library.Seeds) -> None:
    """A home with one project of `size` passages."""
    home.mkdir()
    catalog = Catalog(home / "catalog.db")
    project = library.add_project(catalog, dense.info.size, dense.info.fingerprint)
    folder = Collections(home / "index").folder(IndexLocation(project.collection, project.generation))
    collection = EdgeCollection.create(folder, dense.info.size, sparse=True)
    vectors = made_from.mixtures(size, seed=1)
    written = 0
    for document, points in library.documents(project, size, made_from):
        catalog.documents.save(document)
        words = sparse.embed([p.payload["chunk_text"] for p in points])
        made = zip(points, vectors[written : written + len(points)].tolist(), words, strict=True)
        collection.upsert([Point(p.id, v, w, p.payload) for p, v, w in made])
        written += len(points)
        if collection.written >= MAX_WITHOUT_GRAPH or (written == size >= _WITH_GRAPH):
            say("building its search graph")
            optimise_in_place(collection, threading.Event())
    collection.close()
    catalog.close()
