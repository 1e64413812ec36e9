"""What others find in a judged set: runs as `python -m tests.bench.retrieval_peers FOLDER` in their own environment.

The folder has texts.json and questions.json, and their vectors of CiteLoom's bundled model as .npy. chromadb's default
model is the same one unquantised; it is fetched from a hub at the first use, so that here it gets these vectors.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

MOST = 100


def bm25s(folder: Path, texts: list[str], questions: list[str]) -> list[list[int]]:
    """bm25s with its English stop words."""
    import bm25s as package

    found = package.BM25()
    found.index(package.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    asked = package.tokenize(questions, stopwords="en", show_progress=False)
    places, _ = found.retrieve(asked, k=min(MOST, len(texts)), show_progress=False)
    return [[int(n) for n in row] for row in places]


def chromadb(folder: Path, texts: list[str], questions: list[str]) -> list[list[int]]:
    """chromadb by meaning, with the bundled model's vectors."""
    import chromadb as package

    client = package.EphemeralClient(package.Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        "judged", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    vectors = np.load(folder / "texts.npy")
    for start in range(0, len(texts), 1000):
        some = range(start, min(start + 1000, len(texts)))
        collection.add(ids=[str(n) for n in some], embeddings=vectors[some.start : some.stop])
    found = collection.query(query_embeddings=np.load(folder / "questions.npy"), n_results=MOST, include=[])
    return [[int(n) for n in row] for row in found["ids"]]


def main() -> None:
    """Print what each of them finds, as JSON."""
    folder = Path(sys.argv[1])
    texts, questions = (json.loads((folder / name).read_text("utf-8")) for name in ("texts.json", "questions.json"))
    print(json.dumps({way.__name__: way(folder, texts, questions) for way in (bm25s, chromadb)}))


if __name__ == "__main__":
    main()
