"""Search index of all notes in memory: vectors and BM25 words. Filled from the catalog at its first use.

Ten thousand notes take about 40 MB, and a search of them a few milliseconds. Used by the notebook.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from citeloom.catalog.notes import CONTEXT, NoteRow, Notes, NoteVector
from citeloom.core.settings import BUNDLED_SPARSE
from citeloom.index.base import Fusion
from citeloom.index.fusion import fuse
from citeloom.index.models.embedding import ModelRegistry
from citeloom.index.models.stemming import detect

_CONTEXT_WEIGHT = 0.8  # of the conversation that a note comes from, relative to the note itself
_MIN_BLOCK = 1024

Floats = Sequence[float] | NDArray[np.float32]
_Number = TypeVar("_Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class _Entry:
    id: str
    project_id: str | None
    type: str


class _GrowingArray(Generic[_Number]):
    """An array with room for more rows, so that appending one does not copy all."""

    def __init__(self, kind: type[_Number], *row: int) -> None:
        self._rows: NDArray[_Number] = np.zeros((_MIN_BLOCK, *row), dtype=kind)
        self._count = 0

    def append(self, rows: Any) -> None:
        end = self._count + len(rows)
        if end > len(self._rows):
            grown = np.zeros((max(end, 2 * len(self._rows)), *self._rows.shape[1:]), dtype=self._rows.dtype)
            grown[: self._count] = self._rows[: self._count]
            self._rows = grown
        self._rows[self._count : end] = rows
        self._count = end

    @property
    def rows(self) -> NDArray[_Number]:
        return self._rows[: self._count]


class NoteIndex:
    """Finds notes by meaning and words. One instance for the engine, which is the only writer of the catalog."""

    def __init__(self, notes: Notes, models: ModelRegistry) -> None:
        self._notes = notes
        self._models = models
        self._lock = threading.RLock()
        self._model = ""  # fingerprint of the vectors in memory; "": nothing is loaded
        self._languages: set[str] = set()

    def clear(self) -> None:
        """Forget everything: the next search loads the notes again."""
        with self._lock:
            self._model = ""

    def add(self, note: NoteRow, vectors: Sequence[NoteVector]) -> None:
        """Add a note, if the index is loaded."""
        with self._lock:
            if self._model and note.id not in self._numbers:
                self._append(note.id, note.project_id, note.type, search_text(note.title, note.content, note.tags))
                self._append_vectors(len(self._entries) - 1, [(one.kind, one.vector) for one in vectors])

    def search(
        self,
        text: str,
        question: Floats | None,
        model: str,
        *,
        visible: frozenset[str] | None,
        type_: str | None = None,
        project: str | None = None,
        limit: int,
    ) -> list[tuple[str, float]]:
        """Return the best notes with scores from 0 to 1; without a vector of the question, by words alone."""
        with self._lock:
            self._load(model)
            allowed = self._allowed(visible, type_, project)
            by_words = self._by_words(text, allowed)
            by_meaning = self._by_meaning(question, allowed) if question is not None else {}
        if question is None:
            by_meaning = dict.fromkeys(by_words, 0.0)
        found = fuse(by_meaning, by_words, Fusion(), len(by_meaning) + len(by_words) + 1)
        return [(id_, score) for id_, score in found if score > 0][:limit]

    def similar(
        self, vector: Floats, model: str, *, visible: frozenset[str] | None, least: float, most: int
    ) -> list[tuple[str, float]]:
        """Return the notes whose summary is this similar to a vector, the most similar first."""
        with self._lock:
            self._load(model)
            scores = self._by_meaning(vector, self._allowed(visible, None, None), summaries_only=True)
        near = sorted(((id_, round(score, 4)) for id_, score in scores.items() if score >= least), key=_best_first)
        return near[:most]

    def summary(self, note_id: str, model: str) -> NDArray[np.float32] | None:
        """Return the vector of a note's title and content."""
        with self._lock:
            self._load(model)
            number = self._numbers.get(note_id)
            if number is None or self._vectors is None:
                return None
            rows = self._vectors.rows[(self._owners.rows == number) & ~self._of_context.rows]
            return rows[0] if len(rows) else None

    def count(self, model: str, visible: frozenset[str] | None) -> int:
        """Return how many notes can be found."""
        with self._lock:
            self._load(model)
            return int(self._allowed(visible, None, None).sum())

    def _load(self, model: str) -> None:
        if self._model == model:
            return
        self._model = ""  # until all is loaded
        self._entries: list[_Entry] = []
        self._numbers: dict[str, int] = {}
        self._vectors: _GrowingArray[np.float32] | None = None
        self._owners, self._of_context = _GrowingArray(np.int32), _GrowingArray(np.bool_)
        self._terms, self._weights = _GrowingArray(np.uint32), _GrowingArray(np.float32)
        self._term_owners = _GrowingArray(np.int32)
        self._languages = set()
        for row in self._notes.texts():
            tags = json.loads(row["tags"])
            self._append(row["id"], row["project_id"], row["type"], search_text(row["title"], row["content"], tags))
        for row in self._notes.vectors(model):
            if row["note_id"] in self._numbers:  # a note that is being added comes with its vectors
                self._append_vectors(self._numbers[row["note_id"]], [(row["kind"], row["vector"])])
        self._model = model

    def _append(self, note_id: str, project_id: str | None, type_: str, text: str) -> None:
        number = self._numbers[note_id] = len(self._entries)
        self._entries.append(_Entry(note_id, project_id, type_))
        language = detect(text)
        self._languages.add(language)
        (words,) = self._models.sparse(BUNDLED_SPARSE).embed([text], language)
        self._terms.append(words.indices)
        self._weights.append(words.values)
        self._term_owners.append([number] * len(words.indices))

    def _append_vectors(self, number: int, vectors: Sequence[tuple[str, bytes]]) -> None:
        for kind, packed in vectors:
            vector = unpacked(packed)
            if not len(vector):
                continue
            if self._vectors is None:
                self._vectors = _GrowingArray(np.float32, len(vector))
            if vector.shape == self._vectors.rows.shape[1:]:  # one from a manipulated backup may have another length
                self._vectors.append([vector])
                self._owners.append([number])
                self._of_context.append([kind == CONTEXT])

    def _allowed(self, visible: frozenset[str] | None, type_: str | None, project: str | None) -> NDArray[np.bool_]:
        return np.fromiter(
            (
                (visible is None or one.project_id in visible)
                and type_ in (None, one.type)
                and project in (None, one.project_id)
                for one in self._entries
            ),
            dtype=np.bool_,
            count=len(self._entries),
        )

    def _by_meaning(
        self, question: Floats, allowed: NDArray[np.bool_], *, summaries_only: bool = False
    ) -> dict[str, float]:
        """Return the cosine of each note's best vector."""
        if self._vectors is None or not len(self._entries):
            return {}
        asked = np.asarray(question, dtype=np.float32)
        if asked.shape != self._vectors.rows.shape[1:]:
            return {}
        cosines = self._vectors.rows @ (asked / max(float(np.linalg.norm(asked)), 1e-9))
        of_context = self._of_context.rows
        cosines = np.where(of_context, -1.0 if summaries_only else _CONTEXT_WEIGHT * cosines, cosines)
        best = np.full(len(self._entries), -1.0, dtype=np.float32)
        np.maximum.at(best, self._owners.rows, cosines)
        return {self._entries[n].id: float(best[n]) for n in np.nonzero(allowed & (best > 0))[0]}

    def _by_words(self, text: str, allowed: NDArray[np.bool_]) -> dict[str, float]:
        """Return the BM25 score of each note that has a word of the question."""
        asked = self._models.sparse(BUNDLED_SPARSE).embed_query(text, sorted(self._languages))
        terms, owners, weights = self._terms.rows, self._term_owners.rows, self._weights.rows
        scores, total = np.zeros(len(self._entries), dtype=np.float32), int(allowed.sum())
        for term in set(asked.indices):
            at = np.nonzero(terms == term)[0]
            at = at[allowed[owners[at]]]
            if len(at):
                rarity = math.log(1 + (total - len(at) + 0.5) / (len(at) + 0.5))
                np.add.at(scores, owners[at], rarity * weights[at])
        return {self._entries[n].id: float(scores[n]) for n in np.nonzero(scores > 0)[0]}


def search_text(title: str, content: str, tags: Sequence[str]) -> str:
    """Return the text by whose words a note is found."""
    return "\n".join((title, content, " ".join(tags)))


def packed(vector: Sequence[float]) -> bytes:
    """Return a vector of length 1 as stored in the catalog."""
    values = np.asarray(vector, dtype="<f4")
    unit: bytes = (values / max(float(np.linalg.norm(values)), 1e-9)).astype("<f4").tobytes()
    return unit


def unpacked(stored: bytes) -> NDArray[np.float32]:
    """Return a vector from the catalog; an empty one if it is damaged."""
    if len(stored) % 4:
        return np.zeros(0, dtype=np.float32)
    vector = np.frombuffer(stored, dtype="<f4").astype(np.float32)
    return vector if np.isfinite(vector).all() else np.zeros(0, dtype=np.float32)


def _best_first(found: tuple[str, float]) -> tuple[float, str]:
    return -found[1], found[0]
