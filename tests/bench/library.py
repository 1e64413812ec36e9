"""A made library of any size: the sample's passages with their words in other order, its vectors in other mixtures."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import convert
from citeloom.conversion.tokens import TokenCounter
from citeloom.core.ids import document_id, passage_id, passage_set_id
from citeloom.core.settings import BUNDLED_DENSE, BUNDLED_SPARSE
from citeloom.core.text.sentences import sentences
from citeloom.core.types import Passage, Record
from citeloom.importing.stages.payloads import payload
from citeloom.index.base import Point
from citeloom.index.models.embedding import DenseModel
from tests.bench.figures import say
from tests.support import ROOT, SAMPLE

PASSAGES_A_DOCUMENT = 40
YEARS = range(1980, 2025)
QUESTIONS = 200
_WORDS_ASKED = 10
_AUTHORS = 700
_RARE_WORDS = 0.15  # of a passage's words; the sample alone has far fewer words than a library
_SENTENCE = 40  # characters; what is shorter is a heading or a number
_WAYS, _AWAY = 64, 0.5  # directions in which a vector may lie away from its mixture, and how far
_VOCABULARY = ROOT / "citeloom" / "index" / "models" / "data" / "tokenizer.json"


@dataclass(frozen=True)
class Seeds:
    """What a library is made from."""

    passages: list[Passage]
    vectors: np.ndarray  # of the passages' sentences
    words: list[str]  # words of the language, whatever they mean

    def mixtures(self, count: int, seed: int) -> np.ndarray:
        """Vectors such as a library has: each near a few sentences of the sample, and away from them as they differ.

        As many directions lead away from a vector as with real passages (a local dimension of 16), so that a search
        graph finds it as easily or hardly. Noise in all directions alike would make neighbours of everything.
        """
        chance = np.random.default_rng(seed)
        _, spread, axes = np.linalg.svd(self.vectors - self.vectors.mean(axis=0), full_matrices=False)
        ways = (spread[:_WAYS, None] * axes[:_WAYS]).astype(np.float32)
        made = np.empty((count, self.vectors.shape[1]), np.float32)
        for start in range(0, count, 10_000):
            here = min(10_000, count - start)
            weights = chance.dirichlet((0.6,) * 3, here).astype(np.float32)
            near = self.vectors[chance.integers(0, len(self.vectors), (here, 3))]
            away = chance.normal(size=(here, len(ways))).astype(np.float32) @ ways
            mixed = _unit(np.einsum("nk,nkd->nd", weights, near)) + _AWAY * _unit(away)
            made[start : start + here] = _unit(mixed)
        return made

    def text(self, chance: random.Random) -> tuple[Passage, str]:
        """A passage of the sample, and its words in other order with rare ones among them."""
        seed = chance.choice(self.passages)
        words = seed.text.split()
        chance.shuffle(words)
        for place in range(len(words)):
            if chance.random() < _RARE_WORDS:
                # The square makes some of them frequent and most of them rare, as words are.
                words[place] = self.words[int(len(self.words) * chance.random() ** 2)]
        return seed, " ".join(words)


def seeds(dense: DenseModel) -> Seeds:
    """The sample's passages and the vectors of their sentences."""
    count = TokenCounter(dense.info.tokenizer)
    papers = sorted((SAMPLE / "papers").glob("*.pdf"))
    passages = [p for paper in papers for p in chunk(convert(paper), count, dense.info.max_tokens)]
    texts = sorted({p.text[a:b] for p in passages for a, b in sentences(p.text) if b - a > _SENTENCE})
    return Seeds(passages, np.array(dense.embed(texts), np.float32), vocabulary())


@functools.cache
def vocabulary() -> list[str]:
    """Words of the language."""
    pieces = json.loads(_VOCABULARY.read_text(encoding="utf-8"))["model"]["vocab"]
    return [piece for piece in pieces if piece.isalpha() and len(piece) > 3]


def documents(project: Project, size: int, made_from: Seeds) -> Iterator[tuple[Document, list[Point]]]:
    """Works with their passages, `size` of them together; always the same ones. They have no vectors yet."""
    chance = random.Random(1)
    for number in range(-(-size // PASSAGES_A_DOCUMENT)):
        source = f"/bench/{number}.pdf"
        count = min(PASSAGES_A_DOCUMENT, size - number * PASSAGES_A_DOCUMENT)
        passage_set = passage_set_id(project.id, str(number), "bench", 256)
        record = Record(
            citekey(number),
            f"Paper {number}",
            (f"Author {number % _AUTHORS}",),
            YEARS[number % len(YEARS)],
            f"10.5555/{number}",
        )
        document = Document(
            project.id,
            document_id(project.id, source),
            source,
            "pdf",
            State.READY,
            version=passage_set,
            chunks=count,
            citekey=record.citekey,
        )
        points = []
        for index in range(count):
            seed, text = made_from.text(chance)
            page = 1 + index // 3
            passage = Passage(index, text, seed.section_path, page, page, (str(page + 100),))
            values = payload(project, document, record, passage, passage_set)
            points.append(Point(passage_id(passage_set, index), [], None, values))
        yield document, points


def write(folder: Path, size: int, made_from: Seeds | None = None) -> None:
    """The library as files, for processes that cannot make it: payloads, vectors, and questions to ask."""
    say(f"a library of {size:,} passages")
    made_from = made_from or seeds(DenseModel(BUNDLED_DENSE))
    folder.mkdir()
    np.save(folder / "vectors.npy", made_from.mixtures(size, seed=1))
    np.save(folder / "questions.npy", made_from.mixtures(QUESTIONS, seed=2))
    chance = random.Random(2)
    texts = [" ".join(chance.sample(made_from.text(chance)[1].split(), _WORDS_ASKED)) for _ in range(QUESTIONS)]
    (folder / "questions.json").write_text(json.dumps(texts), encoding="utf-8")
    catalog = Catalog(folder / "catalog.db")
    project = add_project(catalog, made_from.vectors.shape[1])
    catalog.close()
    with (folder / "passages.jsonl").open("w", encoding="utf-8") as file:
        for _, points in documents(project, size, made_from):
            file.writelines(json.dumps(point.payload) + "\n" for point in points)


def nearest(folder: Path, size: int, count: int) -> list[set[str]]:
    """The ids of the passages nearest to each question, found by looking at every one of the first `size`."""
    questions, vectors = np.load(folder / "questions.npy"), np.load(folder / "vectors.npy", mmap_mode="r")[:size]
    found = np.concatenate([np.argpartition(-(part @ vectors.T), count)[:, :count] for part in questions[:, None]])
    wanted, ids = {int(n) for n in found.flat}, {}
    with (folder / "passages.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number in wanted:
                ids[number] = json.loads(line)["chunk_id"]
    return [{ids[int(n)] for n in row} for row in found]


def add_project(catalog: Catalog, dense_size: int, fingerprint: str = "") -> Project:
    """The project that the passages belong to."""
    models = {"dense_model": BUNDLED_DENSE, "dense_fingerprint": fingerprint, "dense_size": dense_size}
    return catalog.projects.add("bench", None, {**models, "sparse_model": BUNDLED_SPARSE})


def citekey(number: int) -> str:
    """The citekey of a work."""
    return f"author{number}"


def _unit(vectors: np.ndarray) -> np.ndarray:
    unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
