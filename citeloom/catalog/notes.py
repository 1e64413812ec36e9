"""Tables of the notebook: notes, their vectors, their links to notes and passages, and suggestions.

Written and read by the feature `notes`; `get_passage` lists the notes on a passage.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from citeloom.catalog.database import Table

SUMMARY, CONTEXT = "summary", "context"  # kinds of vectors
# States of a suggestion; it is replaced by one of more notes.
PENDING, ACCEPTED, REJECTED, REPLACED = "pending", "accepted", "rejected", "replaced"
_AT_ONCE = 500  # values of one SQL statement


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """A row of the notes table."""

    id: str
    project_id: str | None
    type: str
    title: str
    content: str = ""
    context: str = ""
    tags: list[str] = field(default_factory=list)
    confidence: int = 3
    memory_type: str = "episodic"
    created_at: str
    updated_at: str
    last_accessed: str | None = None
    access_count: int = 0

    @property
    def fingerprint(self) -> str:
        """Hash by which the same note is recognised."""
        same = json.dumps([self.project_id, self.type, self.title, self.content], ensure_ascii=False)
        return hashlib.sha256(same.encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteVector:
    """A vector of a note."""

    note_id: str
    kind: str
    position: int
    model: str
    vector: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteLink:
    """A link from a note to another."""

    id: str
    source_id: str
    target_id: str
    relation: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotePassage:
    """A passage that a note refers to, with a copy of its words."""

    id: str
    note_id: str
    relation: str
    from_passage: bool = False
    project_id: str
    chunk_id: str
    doc_id: str
    citekey: str
    cite: str | None
    title: str
    text: str
    page_span: list[int] = field(default_factory=list)
    page_labels: list[str] = field(default_factory=list)
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A suggestion to link notes or to generalize them."""

    id: str
    kind: str
    note_ids: list[str]
    score: float
    reason: str
    state: str = PENDING
    created_at: str


_Row = NoteRow | NoteVector | NoteLink | NotePassage | Suggestion
_JSON_COLUMNS = ("tags", "page_span", "page_labels", "note_ids")


class Notes(Table):
    """The tables of the notebook. `visible` limits what is read to notes of these projects; None: all notes."""

    # -- notes -------------------------------------------------------------------------------------------------

    def add(self, note: NoteRow, vectors: Sequence[NoteVector], passages: Sequence[NotePassage]) -> NoteRow | None:
        """Insert a note with its vectors and passages; if the same note is there already, return that one."""
        with self._db.transaction():
            if known := self._db.row("SELECT * FROM notes WHERE fingerprint = ?", (note.fingerprint,)):
                return _note(known)
            self._insert("notes", note, fingerprint=note.fingerprint)
            for vector in vectors:
                self._insert("note_vectors", vector)
            for passage in passages:
                self._insert("note_passages", passage)
        return None

    def find(self, prefix: str, visible: frozenset[str] | None, most: int = 10) -> list[NoteRow]:
        """Return the notes whose id begins so, the oldest first."""
        sql, values = _within("SELECT * FROM notes WHERE id >= ? AND id < ?", visible)
        bounds = (prefix, prefix + "\x7f")
        return [_note(row) for row in self._db.rows(f"{sql} ORDER BY id LIMIT ?", [*bounds, *values, most])]

    def some(self, ids: Iterable[str]) -> dict[str, NoteRow]:
        """Return notes by id; unknown ids are left out."""
        wanted, found = list(dict.fromkeys(ids)), dict[str, NoteRow]()
        for at in range(0, len(wanted), _AT_ONCE):
            part = wanted[at : at + _AT_ONCE]
            for row in self._db.rows(f"SELECT * FROM notes WHERE id IN ({_marks(part)})", part):
                found[row["id"]] = _note(row)
        return found

    def page(
        self,
        visible: frozenset[str] | None,
        *,
        type_: str | None = None,
        tag: str | None = None,
        limit: int,
        offset: int,
    ) -> tuple[list[NoteRow], int]:
        """Return one page of notes, the newest first, and their total number."""
        where, values = _within("true", visible)
        if type_ is not None:
            where, values = f"{where} AND type = ?", [*values, type_]
        if tag is not None:
            where = f"{where} AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)"
            values = [*values, tag]
        total = self._db.value(f"SELECT count(*) FROM notes WHERE {where}", values)
        rows = self._db.rows(
            f"SELECT * FROM notes WHERE {where} ORDER BY id DESC LIMIT ? OFFSET ?", [*values, limit, offset]
        )
        return [_note(row) for row in rows], int(total)

    def count(self, project_id: str) -> int:
        """Return the number of notes of a project."""
        return int(self._db.value("SELECT count(*) FROM notes WHERE project_id = ?", (project_id,)))

    def count_access(self, note_id: str, at: str) -> None:
        """Record that a note was shown."""
        self._db.write(
            "UPDATE notes SET access_count = access_count + 1, last_accessed = ? WHERE id = ?", (at, note_id)
        )

    def delete(self, note_id: str) -> None:
        """Delete a note with its vectors and links, and the suggestions that name it."""
        with self._db.transaction():
            self._db.write("DELETE FROM notes WHERE id = ?", (note_id,))
            self._db.write(
                "DELETE FROM note_suggestions WHERE EXISTS (SELECT 1 FROM json_each(note_ids) WHERE value = ?)",
                (note_id,),
            )

    # -- vectors -----------------------------------------------------------------------------------------------

    def any(self) -> bool:
        """Return whether there are notes."""
        return self._db.value("SELECT 1 FROM notes LIMIT 1") is not None

    def texts(self) -> list[sqlite3.Row]:
        """Return id, project, type and all texts of every note."""
        return self._db.rows("SELECT id, project_id, type, title, content, context, tags FROM notes ORDER BY id")

    def vectors(self, model: str) -> list[sqlite3.Row]:
        """Return note id, kind and vector of all vectors of a model."""
        return self._db.rows(
            "SELECT note_id, kind, vector FROM note_vectors WHERE model = ? ORDER BY note_id", (model,)
        )

    def vector_kinds(self, note_id: str) -> set[str]:
        """Return the kinds of vectors that a note has."""
        return set(self._db.column("SELECT DISTINCT kind FROM note_vectors WHERE note_id = ?", (note_id,)))

    def without_vectors(self, model: str, most: int) -> list[NoteRow]:
        """Return notes that have no vectors of a model, such as after the model was changed."""
        sql = "SELECT * FROM notes WHERE id NOT IN (SELECT note_id FROM note_vectors WHERE model = ?) LIMIT ?"
        return [_note(row) for row in self._db.rows(sql, (model, most))]

    def replace_vectors(self, note_id: str, vectors: Sequence[NoteVector]) -> None:
        """Replace the vectors of a note."""
        with self._db.transaction():
            self._db.write("DELETE FROM note_vectors WHERE note_id = ?", (note_id,))
            if self._db.value("SELECT 1 FROM notes WHERE id = ?", (note_id,)):  # it may have been deleted meanwhile
                for vector in vectors:
                    self._insert("note_vectors", vector)

    # -- links -------------------------------------------------------------------------------------------------

    def add_link(self, link: NoteLink) -> bool:
        """Insert a link; return False if it exists."""
        return self._insert("note_links", link, or_ignore=True)

    def links(self, note_id: str) -> list[NoteLink]:
        """Return the links from and to a note."""
        sql = "SELECT * FROM note_links WHERE source_id = ? OR target_id = ? ORDER BY id"
        return [NoteLink(**dict(row)) for row in self._db.rows(sql, (note_id, note_id))]

    def are_linked(self, one: str, other: str) -> bool:
        """Return whether two notes are linked, in either direction."""
        sql = "SELECT 1 FROM note_links WHERE (source_id = ? AND target_id = ?) OR (source_id = ? AND target_id = ?)"
        return self._db.value(sql, (one, other, other, one)) is not None

    def add_passage(self, passage: NotePassage) -> bool:
        """Insert a link between a note and a passage; return False if it exists."""
        return self._insert("note_passages", passage, or_ignore=True)

    def passages(self, note_id: str) -> list[NotePassage]:
        """Return the passages that a note refers to."""
        rows = self._db.rows("SELECT * FROM note_passages WHERE note_id = ? ORDER BY id", (note_id,))
        return [_passage(row) for row in rows]

    def on_document(
        self, project_id: str, doc_id: str, visible: frozenset[str] | None
    ) -> list[tuple[NotePassage, NoteRow]]:
        """Return the links to passages of a document, with their notes."""
        sql = "SELECT * FROM note_passages WHERE project_id = ? AND doc_id = ? ORDER BY id"
        found = [_passage(row) for row in self._db.rows(sql, (project_id, doc_id))]
        notes = self.some(one.note_id for one in found)
        return [
            (one, note)
            for one in found
            if (note := notes.get(one.note_id)) and (visible is None or note.project_id in visible)
        ]

    def move_passage(self, id_: str, chunk_id: str) -> None:
        """Update the passage of a link after its document was read again."""
        self._db.write("UPDATE OR IGNORE note_passages SET chunk_id = ? WHERE id = ?", (chunk_id, id_))

    # -- suggestions -------------------------------------------------------------------------------------------

    def suggest(self, suggestion: Suggestion) -> bool:
        """Insert a suggestion; return False if the same one was made before, whatever became of it."""
        return self._insert("note_suggestions", suggestion, or_ignore=True)

    def suggestions(self, kind: str | None = None, state: str | None = None) -> list[Suggestion]:
        """Return suggestions, the best first."""
        conditions = {"kind = ?": kind, "state = ?": state}
        conditions = {condition: value for condition, value in conditions.items() if value is not None}
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        sql = f"SELECT * FROM note_suggestions {where} ORDER BY score DESC, id"
        return [_suggestion(row) for row in self._db.rows(sql, list(conditions.values()))]

    def suggestion(self, id_: str) -> Suggestion | None:
        """Return a suggestion by its id."""
        row = self._db.row("SELECT * FROM note_suggestions WHERE id = ?", (id_,))
        return _suggestion(row) if row else None

    def decide(self, id_: str, state: str) -> bool:
        """Change the state of a pending suggestion; return False if it is no longer pending."""
        sql = "UPDATE note_suggestions SET state = ? WHERE id = ? AND state = 'pending'"
        return self._db.write(sql, (state, id_)) > 0

    def _insert(self, table: str, row: _Row, *, or_ignore: bool = False, **more: Any) -> bool:
        values: dict[str, Any] = {one.name: getattr(row, one.name) for one in fields(row)} | more
        values |= {name: json.dumps(values[name], ensure_ascii=False) for name in _JSON_COLUMNS if name in values}
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        verb = "INSERT OR IGNORE" if or_ignore else "INSERT"
        return self._db.write(f"{verb} INTO {table} ({names}) VALUES ({marks})", values) > 0


def _within(sql: str, visible: frozenset[str] | None) -> tuple[str, list[Any]]:
    """Limit a statement to notes of these projects."""
    if visible is None:
        return sql, []
    return f"{sql} AND project_id IN ({_marks(visible)})", sorted(visible)


def _marks(values: Iterable[str]) -> str:
    return ", ".join("?" for _ in values)


def _decoded(row: sqlite3.Row) -> dict[str, Any]:
    return {name: json.loads(value) if name in _JSON_COLUMNS else value for name, value in dict(row).items()}


def _note(row: sqlite3.Row) -> NoteRow:
    values = _decoded(row)
    return NoteRow(**{one.name: values[one.name] for one in fields(NoteRow)})


def _passage(row: sqlite3.Row) -> NotePassage:
    values = _decoded(row)
    return NotePassage(**{**values, "from_passage": bool(values["from_passage"])})


def _suggestion(row: sqlite3.Row) -> Suggestion:
    return Suggestion(**_decoded(row))
