"""Questions over stdio against the bare Qdrant query plus embedding, on collections of growing size."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from citeloom.config import BUNDLED_DENSE, BUNDLED_SPARSE
from citeloom.documents.chunk import chunk
from citeloom.documents.convert import convert
from citeloom.documents.tokens import TokenCounter
from citeloom.index.collection import Fusion, Point
from citeloom.index.collections import Collections
from citeloom.index.edge import EdgeCollection
from citeloom.index.models import DenseModel, SparseModel
from citeloom.ingest.passages import document_id, passage_id, passage_set_id, payload
from citeloom.model import Passage, Record
from citeloom.store import Catalog, Document, Project, State
from tests.bench.figures import megabytes, ms, p50, p95, say, table
from tests.support import ROOT, SAMPLE, Editor, engine_address, stop_engine

QUESTIONS = 200
_PER_DOCUMENT = 40


def measure(root: Path, sizes: list[int]) -> str:
    """The table of query times and the engine's memory at each size."""
    root.mkdir()
    dense, sparse = DenseModel(BUNDLED_DENSE), SparseModel(BUNDLED_SPARSE, "english")
    seeds = _sample_passages(dense)
    vectors = np.array(dense.embed([p.embedded_text for p in seeds]))
    rows, memory = [], []
    for size in sizes:
        say(f"building a collection of {size:,} passages")
        home = root / str(size)
        _build(home, size, dense, sparse, seeds, vectors)
        copy = root / f"{size}-copy"
        shutil.copytree(home / "index", copy)
        bare = EdgeCollection.open(next(copy.glob("*/g*")))
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


def _bare_query(tool: str, bare: EdgeCollection, dense: DenseModel, sparse: SparseModel) -> Callable[[str], None]:
    def ask(text: str) -> None:
        hybrid = tool == "query_hybrid"
        words = sparse.embed_query(text) if hybrid else None
        bare.search(dense.embed_query(text), words, 6, fusion=Fusion() if hybrid else None)

    return ask


def _sample_passages(dense: DenseModel) -> list[Passage]:
    count = TokenCounter(dense.info.tokenizer)
    papers = sorted((SAMPLE / "papers").glob("*.pdf"))
    return [p for paper in papers for p in chunk(convert(paper), count, dense.info.max_tokens)]


def _build(
    home: Path, size: int, dense: DenseModel, sparse: SparseModel, seeds: list[Passage], vectors: np.ndarray
) -> None:
    """A library of `size` passages: the sample's words in other order, its vectors with noise."""
    home.mkdir()
    catalog, collections = Catalog(home / "catalog.db"), Collections(home / "index")
    info = dense.info
    model = {"dense_model": info.name, "dense_fingerprint": info.fingerprint, "dense_size": info.size}
    project = catalog.projects.add("bench", None, {**model, "sparse_model": BUNDLED_SPARSE})
    collection = collections.create(project.collection, project.generation, info.size, sparse=True)
    chance, noise = random.Random(1), np.random.default_rng(1)
    for number in range(-(-size // _PER_DOCUMENT)):
        points = _document(catalog, project, number, min(_PER_DOCUMENT, size - number * _PER_DOCUMENT), seeds, chance)
        texts = [p.payload["chunk_text"] for p in points]
        near = vectors[[chance.randrange(len(vectors)) for _ in points]]
        moved = near + noise.normal(0, 0.035, near.shape)
        words = sparse.embed(texts)
        made = zip(points, moved.tolist(), words, strict=True)
        collection.upsert([Point(p.id, v, w, p.payload) for p, v, w in made])
    collection.close()
    catalog.close()
    if size >= 20_000:
        say("building its search graph")
        folder = collections.folder(project.collection, project.generation)
        aside = folder.with_name("optimised")
        root = Path(__file__).parents[2]
        command = [sys.executable, "-m", "citeloom.index.optimise", str(folder), str(aside)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(root)})
        shutil.rmtree(folder)
        aside.rename(folder)


def _document(
    catalog: Catalog, project: Project, number: int, count: int, seeds: list[Passage], chance: random.Random
) -> list[Point]:
    source = f"/bench/{number}.pdf"
    doc_id = document_id(project.id, source)
    passage_set = passage_set_id(project.id, str(number), "bench", 256)
    record = Record(
        f"author{number}", f"Paper {number}", (f"Author {number % 700}",), 1980 + number % 45, f"10.5555/{number}"
    )
    document = Document(
        project.id, doc_id, source, "pdf", State.READY, version=passage_set, chunks=count, citekey=record.citekey
    )
    catalog.documents.save(document)
    points = []
    for index in range(count):
        seed = chance.choice(seeds)
        words = seed.text.split()
        chance.shuffle(words)
        page = 1 + index // 3
        passage = Passage(index, " ".join(words), seed.section_path, page, page, (str(page + 100),))
        values = payload(project, document, record, passage, passage_set)
        points.append(Point(passage_id(passage_set, index), [], None, values))
    return points
