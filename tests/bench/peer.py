"""One of those who answer: builds its index from the written library, then takes questions over stdin.

Runs as `python -m tests.bench.peer NAME LIBRARY FOLDER SIZE`, in whichever virtual environment has what it needs.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench import turns

FOUND = 6  # passages a question gets
_EACH = 50  # candidates of each ranking that hybrid search takes
_RRF = 60


class Library:
    """The passages and questions that everybody gets."""

    def __init__(self, folder: Path, size: int) -> None:
        self.size = size
        self._passages = folder / "passages.jsonl"
        self._vectors = np.load(folder / "vectors.npy", mmap_mode="r")
        self.vectors = np.load(folder / "questions.npy")
        self.texts: list[str] = json.loads((folder / "questions.json").read_text(encoding="utf-8"))

    def batches(self, size: int) -> Iterator[tuple[list[dict[str, Any]], np.ndarray]]:
        """The payloads of passages and their vectors, so many at a time."""
        with self._passages.open(encoding="utf-8") as lines:
            payloads = map(json.loads, itertools.islice(lines, self.size))
            for start in range(0, self.size, size):
                here = list(itertools.islice(payloads, size))
                yield here, np.array(self._vectors[start : start + len(here)])


class Peer(ABC):
    """What is built from a library, and asked."""

    batch = 1000

    def __init__(self, folder: Path, library: Library) -> None:
        self.folder, self.library = folder, library

    @abstractmethod
    def add(self, payloads: list[dict[str, Any]], vectors: np.ndarray) -> None:
        """Take in some passages."""

    def finish(self) -> None:  # noqa: B027
        """Build what questions need, when everything is there."""

    @abstractmethod
    def kinds(self) -> Mapping[str, turns.Ask]:
        """The questions that it can answer."""


class CiteLoom(Peer):
    """Qdrant Edge, as CiteLoom uses it."""

    batch = 64

    def __init__(self, folder: Path, library: Library) -> None:
        from citeloom.index.edge.collection import Bm25, EdgeCollection

        super().__init__(folder, library)
        self._bm25 = Bm25("english")
        self._collection = EdgeCollection.create(folder, library.vectors.shape[1], sparse=True)

    def add(self, payloads: list[dict[str, Any]], vectors: np.ndarray) -> None:
        """Take in some passages."""
        from citeloom.index.base import Point
        from citeloom.index.edge.optimise import MAX_WITHOUT_GRAPH

        if self._collection.written >= MAX_WITHOUT_GRAPH:
            self.finish()
        words = [self._bm25.passage(p["chunk_text"]) for p in payloads]
        made = zip(payloads, vectors.tolist(), words, strict=True)
        self._collection.upsert([Point(p["chunk_id"], v, w, p) for p, v, w in made])

    def finish(self) -> None:
        """Build the search graph, as the engine does it."""
        from citeloom.index.edge.optimise import optimise_in_place

        optimise_in_place(self._collection, threading.Event())

    def kinds(self) -> Mapping[str, turns.Ask]:
        """The questions that it can answer."""
        from citeloom.index.base import Fusion

        vectors, texts = self.library.vectors.tolist(), self.library.texts

        def ask(number: int, *, dense: bool, sparse: bool) -> list[str]:
            words = self._bm25.query(texts[number]) if sparse else None
            fusion = Fusion() if dense and sparse else None
            found = self._collection.search(vectors[number] if dense else None, words, FOUND, fusion=fusion)
            return [hit.id for hit in found]

        return {
            "dense": lambda n: ask(n, dense=True, sparse=False),
            "sparse": lambda n: ask(n, dense=False, sparse=True),
            "hybrid": lambda n: ask(n, dense=True, sparse=True),
        }


class Chroma(Peer):
    """chromadb with its own graph, by meaning only."""

    batch = 5000

    def __init__(self, folder: Path, library: Library) -> None:
        import chromadb

        super().__init__(folder, library)
        settings = chromadb.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(folder), settings)
        self._collection = client.create_collection(
            "bench", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, payloads: list[dict[str, Any]], vectors: np.ndarray) -> None:
        """Take in some passages."""
        self._collection.add(
            ids=[p["chunk_id"] for p in payloads],
            embeddings=vectors,
            documents=[p["chunk_text"] for p in payloads],
            metadatas=[{"citekey": p["citekey"], "year": p["year"]} for p in payloads],
        )

    def kinds(self) -> Mapping[str, turns.Ask]:
        """The questions that it can answer."""

        def dense(number: int) -> list[str]:
            found = self._collection.query(
                query_embeddings=self.library.vectors[number : number + 1],
                n_results=FOUND,
                include=["documents", "metadatas", "distances"],
            )
            return list(found["ids"][0])

        return {"dense": dense}


class Lance(Peer):
    """lancedb with a graph over 8-bit vectors, its full-text index, and its own fusion."""

    batch = 10_000
    _table: Any = None

    def add(self, payloads: list[dict[str, Any]], vectors: np.ndarray) -> None:
        """Take in some passages."""
        import lancedb
        import pyarrow as pa

        flat = pa.array(vectors.astype(np.float32).reshape(-1))
        columns = {
            "id": pa.array([p["chunk_id"] for p in payloads]),
            "vector": pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            "text": pa.array([p["chunk_text"] for p in payloads]),
            "citekey": pa.array([p["citekey"] for p in payloads]),
            "year": pa.array([p["year"] for p in payloads]),
        }
        if self._table is None:
            self._table = lancedb.connect(str(self.folder)).create_table("bench", pa.table(columns))
        else:
            self._table.add(pa.table(columns))

    def finish(self) -> None:
        """Build both indexes."""
        from lancedb.index import FTS, HnswSq

        self._table.create_index("vector", config=HnswSq(distance_type="cosine"))
        self._table.create_index("text", config=FTS())
        self._table.optimize()

    def kinds(self) -> Mapping[str, turns.Ask]:
        """The questions that it can answer."""
        vectors, texts = self.library.vectors, self.library.texts

        def ids(search: Any) -> list[str]:
            return [row["id"] for row in search.limit(FOUND).to_list()]

        return {
            "dense": lambda n: ids(self._table.search(vectors[n])),
            "sparse": lambda n: ids(self._table.search(texts[n], query_type="fts")),
            "hybrid": lambda n: ids(self._table.search(query_type="hybrid").vector(vectors[n]).text(texts[n])),
        }


class Sqlite(Peer):
    """sqlite-vec beside SQLite's own full-text index, fused by rank."""

    def __init__(self, folder: Path, library: Library) -> None:
        import apsw  # many a Python's own sqlite3 loads no extensions
        import sqlite_vec

        super().__init__(folder, library)
        folder.mkdir()
        self._db = apsw.Connection(str(folder / "bench.db"))
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        size = library.vectors.shape[1]
        self._db.execute("CREATE TABLE passages (number INTEGER PRIMARY KEY, id TEXT, text TEXT, citekey TEXT)")
        self._db.execute(f"CREATE VIRTUAL TABLE near USING vec0(embedding float[{size}] distance_metric=cosine)")
        self._db.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='passages', content_rowid='number')")
        self._written = 0

    def add(self, payloads: list[dict[str, Any]], vectors: np.ndarray) -> None:
        """Take in some passages."""
        numbers = range(self._written, self._written + len(payloads))
        texts = [p["chunk_text"] for p in payloads]
        rows = zip(numbers, (p["chunk_id"] for p in payloads), texts, (p["citekey"] for p in payloads), strict=True)
        with self._db:
            self._db.executemany("INSERT INTO passages VALUES (?, ?, ?, ?)", rows)
            self._db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", zip(numbers, texts, strict=True))
            near = ((number, vector.tobytes()) for number, vector in zip(numbers, vectors, strict=True))
            self._db.executemany("INSERT INTO near (rowid, embedding) VALUES (?, ?)", near)
        self._written += len(payloads)

    def kinds(self) -> Mapping[str, turns.Ask]:
        """The questions that it can answer."""
        return {
            "dense": lambda n: self._read(self._dense(n, FOUND)),
            "sparse": lambda n: self._read(self._sparse(n, FOUND)),
            "hybrid": lambda n: self._read(_fused(self._dense(n, _EACH), self._sparse(n, _EACH))),
        }

    def _dense(self, question: int, limit: int) -> list[int]:
        sql = "SELECT rowid FROM near WHERE embedding MATCH ? AND k = ?"
        return [row[0] for row in self._db.execute(sql, (self.library.vectors[question].tobytes(), limit))]

    def _sparse(self, question: int, limit: int) -> list[int]:
        words = " OR ".join(f'"{w}"' for w in self.library.texts[question].replace('"', "").split())
        sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        return [row[0] for row in self._db.execute(sql, (words, limit))]

    def _read(self, numbers: Sequence[int]) -> list[str]:
        sql = "SELECT id, text, citekey FROM passages WHERE number = ?"
        return [self._db.execute(sql, (number,)).fetchone()[0] for number in numbers]


class Bm25s(Peer):
    """bm25s, by words only, all of it in memory."""

    _index: Any = None

    def __init__(self, folder: Path, library: Library) -> None:
        super().__init__(folder, library)
        self._payloads: list[dict[str, Any]] = []

    def add(self, payloads: list[dict[str, Any]], vectors: np.ndarray) -> None:
        """Take in some passages."""
        self._payloads += [{"id": p["chunk_id"], "text": p["chunk_text"]} for p in payloads]

    def finish(self) -> None:
        """Index all of them: it has no other way."""
        import bm25s

        tokens = bm25s.tokenize([p["text"] for p in self._payloads], stopwords="en", show_progress=False)
        self._index = bm25s.BM25(corpus=self._payloads)
        self._index.index(tokens, show_progress=False)
        self._index.save(str(self.folder), corpus=self._payloads, show_progress=False)

    def kinds(self) -> Mapping[str, turns.Ask]:
        """The questions that it can answer."""
        import bm25s

        def sparse(number: int) -> list[str]:
            tokens = bm25s.tokenize([self.library.texts[number]], stopwords="en", show_progress=False)
            found, _ = self._index.retrieve(tokens, k=FOUND, show_progress=False)
            return [row["id"] for row in found[0]]

        return {"sparse": sparse}


class LocalMode(Peer):
    """qdrant-client without a server, by meaning only: its reference implementation in Python."""

    def __init__(self, folder: Path, library: Library) -> None:
        from qdrant_client import QdrantClient, models

        super().__init__(folder, library)
        self._client = QdrantClient(path=str(folder))
        size = library.vectors.shape[1]
        vectors = models.VectorParams(size=size, distance=models.Distance.COSINE)
        self._client.create_collection("bench", vectors_config=vectors)

    def add(self, payloads: list[dict[str, Any]], vectors: np.ndarray) -> None:
        """Take in some passages."""
        from qdrant_client import models

        points = [
            models.PointStruct(id=p["chunk_id"], vector=v, payload=p)
            for p, v in zip(payloads, vectors.tolist(), strict=True)
        ]
        self._client.upsert("bench", points)

    def kinds(self) -> Mapping[str, turns.Ask]:
        """The questions that it can answer."""

        def dense(number: int) -> list[str]:
            found = self._client.query_points("bench", query=self.library.vectors[number].tolist(), limit=FOUND)
            return [str(point.id) for point in found.points]

        return {"dense": dense}


_PEERS: dict[str, type[Peer]] = {
    "citeloom": CiteLoom,
    "chromadb": Chroma,
    "lancedb": Lance,
    "sqlite-vec": Sqlite,
    "bm25s": Bm25s,
    "qdrant-client local mode": LocalMode,
}


def _fused(*rankings: Sequence[int]) -> list[int]:
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, number in enumerate(ranking):
            scores[number] = scores.get(number, 0.0) + 1 / (_RRF + place)
    return sorted(scores, key=lambda number: -scores[number])[:FOUND]


def main(name: str, library: Library, folder: Path) -> None:
    """Build, then answer."""
    peer = _PEERS[name](folder, library)
    imported = 0.0
    for payloads, vectors in library.batches(peer.batch):
        began = time.perf_counter()
        peer.add(payloads, vectors)
        imported += time.perf_counter() - began
    began = time.perf_counter()
    peer.finish()
    optimised = time.perf_counter() - began
    turns.answer(peer.kinds(), imported=imported, optimised=optimised, cpu=time.process_time(), disk=turns.disk(folder))


if __name__ == "__main__":
    main(sys.argv[1], Library(Path(sys.argv[2]), int(sys.argv[4])), Path(sys.argv[3]))
