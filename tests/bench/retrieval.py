"""How good the answers are: public sets in BEIR's layout, the sample library's own questions, and what scores mean."""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from citeloom.api.search import Query, SearchHit
from citeloom.catalog import Catalog
from citeloom.core.cancel import Cancel
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE, Models, Search, Settings
from citeloom.index.base import Collection, Fusion, Point, ScoredPoint
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.models.embedding import DenseModel, ModelRegistry, SparseModel
from citeloom.search.query import SearchService
from tests.bench.figures import say, table
from tests.bench.sample_questions import FOREIGN, KNOWN
from tests.support import ROOT, SAMPLE, citeloom, done, stop_engine

_WANTED = 18  # what a question for six passages looks at
_FUSIONS = (
    ("hybrid, RRF k=2", Fusion("rrf", 2)),
    ("hybrid, RRF k=60", Fusion("rrf", 60)),
    ("hybrid, DBSF", Fusion("dbsf")),
    ("**hybrid, blend (default)**", Fusion("blend")),
)
_NAMESPACE = uuid.UUID("b1d7e0f2-4b0c-5a3e-8d55-0c0ffee0c0de")
Ask = Callable[[int, int], list[ScoredPoint]]  # which question, how many hits


@dataclass(frozen=True)
class Judged:
    """A set of texts and questions with the texts that answer each."""

    name: str
    texts: dict[str, str]
    questions: list[str]
    answers: list[set[str]]

    @classmethod
    def read(cls, folder: Path) -> Judged:
        """A set in BEIR's layout; questions without an answer are left out."""
        texts = {d["_id"]: f"{d.get('title', '')} {d['text']}".strip() for d in _lines(folder / "corpus.jsonl")}
        answers = defaultdict(set)
        for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            question, text, grade = line.split("\t")
            if int(grade) > 0 and text in texts:
                answers[question].add(text)
        asked = [q for q in _lines(folder / "queries.jsonl") if answers[q["_id"]]]
        return cls(folder.name, texts, [q["text"] for q in asked], [answers[q["_id"]] for q in asked])


def measure(root: Path, data: Path) -> str:
    """The tables; vectors that are in `root` already are not made again."""
    folders = [data] if (data / "corpus.jsonl").exists() else sorted(p.parent for p in data.glob("*/corpus.jsonl"))
    root.mkdir(parents=True, exist_ok=True)
    made = [_Set(root, Judged.read(folder)) for folder in folders]
    return "\n\n".join([_quality(made), _meaning(made), _sample(root)])


class _Set:
    """A judged set in an index, and its questions as vectors."""

    def __init__(self, root: Path, judged: Judged) -> None:
        say(f"retrieval: {judged.name}, {len(judged.texts)} texts, {len(judged.questions)} questions")
        self.root, self.judged = root, judged
        dense, sparse = DenseModel(BUNDLED_DENSE, os.cpu_count()), SparseModel(BUNDLED_SPARSE, "english")
        self.collection = _indexed(root, judged, dense, sparse)
        self.vectors = [(dense.embed_query(q), sparse.embed_query(q)) for q in judged.questions]

    def ways(self) -> Iterator[tuple[str, Ask]]:
        """Every way to ask it."""
        yield "dense", lambda n, most: self.collection.search(self.vectors[n][0], None, most)
        yield "sparse (BM25)", lambda n, most: self.collection.search(None, self.vectors[n][1], most)
        for name, fusion in _FUSIONS:
            yield name, self._fused(fusion)
        if reranker := os.environ.get("CITELOOM_BENCH_RERANK"):
            yield f"reranked by {reranker}", self._reranked(reranker)

    def _fused(self, fusion: Fusion) -> Ask:
        return lambda n, most: self.collection.search(*self.vectors[n], most, fusion=fusion)

    def _reranked(self, name: str) -> Ask:
        reranker = ModelRegistry(Models()).reranker(name)

        def ask(n: int, most: int) -> list[ScoredPoint]:
            found = self.collection.search(*self.vectors[n], max(most, 30), fusion=Fusion("blend"))
            scores = reranker.scores(self.judged.questions[n], [hit.payload["chunk_text"] for hit in found[:30]])
            again = [ScoredPoint(h.id, s, h.payload) for h, s in zip(found, scores, strict=False)]
            return sorted(again, key=lambda hit: -hit.score) + found[30:]

        return ask

    def asked_elsewhere(self, other: _Set, fusion: Fusion) -> list[ScoredPoint]:
        """The best hits of another set's questions, to which there are no answers here."""
        return [self.collection.search(*vectors, 1, fusion=fusion)[0] for vectors in other.vectors]


def _indexed(root: Path, judged: Judged, dense: DenseModel, sparse: SparseModel) -> Collection:
    kept = root / f"{judged.name}-docs.npy"
    texts = list(judged.texts.values())
    if not kept.exists():
        by_length = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        vectors = np.zeros((len(texts), dense.info.size), "float32")
        vectors[by_length] = dense.embed([texts[n] for n in by_length])
        np.save(kept, vectors)
    folder = root / f"{judged.name}-index"
    shutil.rmtree(folder, ignore_errors=True)
    collection = EdgeCollection.create(folder, dense.info.size, sparse=True)
    collection.upsert(
        [
            Point(str(uuid.uuid5(_NAMESPACE, name)), vector.tolist(), words, {"chunk_id": name, "chunk_text": text})
            for (name, text), vector, words in zip(
                judged.texts.items(), np.load(kept), sparse.embed(texts), strict=True
            )
        ]
    )
    return collection


def _quality(sets: Sequence[_Set]) -> str:
    rows = []
    for one in sets:
        for name, ask in (*one.ways(), *_others(one)):
            gains, tens, hundreds = [], [], []
            for number, answers in enumerate(one.judged.answers):
                best = [hit.payload["chunk_id"] for hit in ask(number, _WANTED)]
                many = [hit.payload["chunk_id"] for hit in ask(number, 100)]
                gains.append(_ndcg(best[:10], answers))
                tens.append(len(answers.intersection(best[:10])) / len(answers))
                hundreds.append(len(answers.intersection(many)) / len(answers))
            figures = (f"{statistics.mean(values):.3f}" for values in (gains, tens, hundreds))
            rows.append((one.judged.name, name, *figures))
    return table("Retrieval with the bundled model", ("set", "by", "nDCG@10", "Recall@10", "Recall@100"), rows)


def _others(one: _Set) -> Iterator[tuple[str, Ask]]:
    """What people would use instead, where CITELOOM_BENCH_PEERS names an environment that has it."""
    python = Path(os.environ.get("CITELOOM_BENCH_PEERS") or "/nowhere") / "bin" / "python"
    if not python.exists():
        return
    folder = one.root / f"{one.judged.name}-peers"
    folder.mkdir(exist_ok=True)
    names = list(one.judged.texts)
    (folder / "texts.json").write_text(json.dumps(list(one.judged.texts.values())), encoding="utf-8")
    (folder / "questions.json").write_text(json.dumps(one.judged.questions), encoding="utf-8")
    shutil.copy(one.root / f"{one.judged.name}-docs.npy", folder / "texts.npy")
    np.save(folder / "questions.npy", np.array([dense for dense, _ in one.vectors], "float32"))
    command = [str(python), "-m", "tests.bench.retrieval_peers", str(folder)]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name, found in json.loads(printed.splitlines()[-1]).items():
        hits = [[ScoredPoint(names[n], 0.0, {"chunk_id": names[n]}) for n in places] for places in found]
        yield name, _known(hits)


def _known(hits: list[list[ScoredPoint]]) -> Ask:
    return lambda number, most: hits[number][:most]


def _meaning(sets: Sequence[_Set]) -> str:
    """Whether one threshold over all questions tells hits that answer from those that do not."""
    rows = []
    for name, fusion in _FUSIONS:
        right, wrong, best, foreign = (list[float]() for _ in range(4))
        for one in sets:
            for vectors, answers in zip(one.vectors, one.judged.answers, strict=True):
                hits = one.collection.search(*vectors, 10, fusion=fusion)
                best.append(hits[0].score)
                for hit in hits:
                    (right if hit.payload["chunk_id"] in answers else wrong).append(hit.score)
            others = [other for other in sets if other is not one]
            foreign += [hit.score for other in others for hit in one.asked_elsewhere(other, fusion)]
        cells = [f"{_area(right, wrong + foreign):.3f}", f"{_area(best, foreign):.3f}" if foreign else "–"]
        spans = (f"{np.quantile(v, 0.1):.2f}–{np.quantile(v, 0.9):.2f}" if v else "–" for v in (right, best, foreign))
        rows.append((name, *cells, *spans))
    columns = (
        "by", "AUC: hits that answer", "AUC: questions with an answer", "scores of answers", "best hits",
        "best hits of the other set's questions",
    )  # fmt: skip
    return table("What a score says, whatever the question (AUC 1: one threshold tells all apart)", columns, rows)


def _sample(root: Path) -> str:
    """The sample library's questions, asked as an agent would, by kind: mean reciprocal rank of the known passage."""
    say("retrieval: the sample library")
    home = root / "sample-home"
    if not home.exists():
        try:
            sources = ("--references", str(SAMPLE / "library.json"), "--folder", str(SAMPLE / "papers"))
            done(citeloom(home, "project", "add", "sample/library", *sources))
            done(citeloom(home, "ingest", "sample/library"))
        finally:
            stop_engine(home)
    collection = EdgeCollection.open(next(home.rglob("edge_config.json")).parent)
    catalog = Catalog(home / "catalog.db")
    models = ModelRegistry(Models())
    kinds = list(dict.fromkeys(kind for kind, *_ in KNOWN))
    rows = []
    for name, fusion in _FUSIONS:
        search = Search(fusion=fusion.method, rrf_k=fusion.k)
        service = SearchService(catalog, models, Settings(search=search), lambda _: collection)

        def ask(text: str, service: SearchService = service, **more: Any) -> Sequence[SearchHit]:
            request = Query(project="sample/library", text=text, hybrid=True, **more)
            return service.query(request, Cancel()).items

        ranks, known, foreign = defaultdict(list), [], []
        for kind, text, citekey, words in KNOWN:
            hits = ask(text, top_k=10, full_text=True)
            right = (n for n, h in enumerate(hits, 1) if h.citekey == citekey and _said(words, str(h.full_text)))
            ranks[kind].append(1 / next(right, math.inf))
            known.append(hits[0].score)
        for text in FOREIGN:
            foreign.append(ask(text, top_k=1)[0].score)
        cells = [f"{statistics.mean(ranks[kind]):.2f}" for kind in kinds]
        rows.append((name, *cells, f"{_area(known, foreign):.3f}"))
    columns = ("by", *kinds, "AUC: questions with an answer")
    return table(f"The sample library: mean reciprocal rank of {len(KNOWN)} known passages", columns, rows)


def _said(words: str, text: str) -> bool:
    return " ".join(words.split()).casefold() in " ".join(text.split()).casefold()


def _ndcg(found: Sequence[str], answers: set[str]) -> float:
    gained = sum(1 / math.log2(place + 2) for place, name in enumerate(found) if name in answers)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(10, len(answers))))


def _area(above: Sequence[float], below: Sequence[float]) -> float:
    """How often something of the first has a higher score than something of the second."""
    ordered = np.sort(np.asarray(below))
    lower = np.searchsorted(ordered, above, "left") + np.searchsorted(ordered, above, "right")
    return float(lower.mean() / 2 / len(below))


def _lines(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
