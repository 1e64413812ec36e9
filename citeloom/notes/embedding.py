"""Embeds notes and questions, and finds similar notes. Used by the notebook and the suggestions."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from citeloom.catalog.notes import CONTEXT, SUMMARY, NoteRow, Notes, NoteVector
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.models.embedding import DenseModel, ModelRegistry
from citeloom.notes.entries import Visible

if TYPE_CHECKING:
    from citeloom.notes.note_index import NoteIndex

log = logging.getLogger(__name__)

_CONTEXT_SHARE = 0.3  # of the conversation in the vector of a question
_PIECE, _MAX_PIECES = 900, 10  # characters that the bundled model reads at once; pieces of a text that are embedded
_AT_ONCE = 20  # notes that are embedded when the engine is idle
_WITHOUT_MODEL = "none"  # fingerprint where no model is available: notes are found by their words


@dataclass
class NoteEmbedder:
    """Vectors of notes by the dense model of the settings; without it, notes have none and are found by words."""

    _notes: Notes
    _models: ModelRegistry
    _model_name: str
    _refused: set[str] = field(default_factory=set)  # ids of notes on which the model failed; tried by the next engine

    @cached_property
    def index(self) -> NoteIndex:
        """The index of all notes; numpy is imported when it is first used."""
        from citeloom.notes.note_index import NoteIndex

        return NoteIndex(self._notes, self._models)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the model."""
        model = self._model()
        return model.info.fingerprint if model else _WITHOUT_MODEL

    @property
    def configured(self) -> bool:
        """Whether the settings name a model."""
        return bool(self._model_name)

    @property
    def available(self) -> bool:
        """Whether the model can be loaded."""
        return self._model() is not None

    def embed(self, note: NoteRow) -> list[NoteVector]:
        """Return the vectors of a note; none without a model."""
        from citeloom.notes.note_index import packed

        if (model := self._model()) is None:
            return []
        texts = {SUMMARY: pieces(f"{note.title}\n{note.content}"), CONTEXT: pieces(note.context)}
        return [
            NoteVector(
                note_id=note.id, kind=kind, position=position, model=model.info.fingerprint, vector=packed(vector)
            )
            for kind, parts in texts.items()
            for position, vector in enumerate(model.embed(parts))
        ]

    def question(self, query: str, context: str) -> list[float] | None:
        """Return the vector of a question within a conversation; None without a model."""
        if (model := self._model()) is None:
            return None
        asked = model.embed_query(query)
        if not context:
            return asked
        around = model.embed_query(context)
        return [(1 - _CONTEXT_SHARE) * a + _CONTEXT_SHARE * b for a, b in zip(asked, around, strict=True)]

    def similar(self, note: NoteRow, visible: Visible, least: float, most: int) -> list[tuple[str, float]]:
        """Return the notes similar to one, with their cosines, the most similar first."""
        model = self.fingerprint
        vector = self.index.summary(note.id, model)
        if vector is None:
            return []
        near = self.index.similar(vector, model, visible=visible, least=least, most=most + 1)
        return [(id_, score) for id_, score in near if id_ != note.id][:most]

    def embed_missing(self) -> None:
        """Embed some notes that have no vectors of the present model. Called when the engine is idle."""
        if not self._notes.any() or not self.configured:
            return
        known = self._models.known_info(self._model_name)
        if known and not self._missing(known.fingerprint, 1):
            return  # without loading the model
        if not self.available:
            return
        missing = self._missing(self.fingerprint, _AT_ONCE)
        for note in missing:
            try:
                self._notes.replace_vectors(note.id, self.embed(note))
            except CiteLoomError as error:
                if error.code != Code.EMBEDDING_FAILED:
                    raise
                log.warning("note %s is found by its words only: %s", note.id, error)
                self._refused.add(note.id)
        if missing:
            self.index.clear()

    def _missing(self, fingerprint: str, most: int) -> list[NoteRow]:
        notes = self._notes.without_vectors(fingerprint, most + len(self._refused))
        return [note for note in notes if note.id not in self._refused][:most]

    def _model(self) -> DenseModel | None:
        if not self.configured:
            return None
        try:
            return self._models.dense(self._model_name)
        except CiteLoomError as error:
            if error.code not in (Code.MODEL_NOT_AVAILABLE, Code.EMBEDDING_FAILED):
                raise
            return None


def pieces(text: str) -> list[str]:
    """Divide a text at spaces into pieces that a model reads whole; what is beyond the last one is not embedded."""
    parts, rest = list[str](), text.strip()
    while rest and len(parts) < _MAX_PIECES:
        end = len(rest) if len(rest) <= _PIECE else (rest.rfind(" ", _PIECE // 2, _PIECE) + 1 or _PIECE)
        parts.append(rest[:end].strip())
        rest = rest[end:].strip()
    return parts
