"""How much of a project can be searched, by words and by meaning: counts over the documents table."""

from __future__ import annotations

from enum import StrEnum

from citeloom.catalog.database import Database
from citeloom.core.types import Coverage

# The index holds few documents, in most projects none; SQLite would choose the one of all states.
_WAITING = "documents INDEXED BY documents_without_vectors"
_NOT_EMBEDDED = "without_vector > 0 AND state = 'ready'"


class EmbeddingState(StrEnum):
    """How many of a project's searchable passages have a dense vector."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


def coverage(db: Database, project_id: str | None) -> Coverage:
    """Return how much of a project, or of all projects, can be searched."""
    where, values = ("project_id = ?", [project_id]) if project_id is not None else ("true", [])
    rows = db.rows(f"SELECT state, count(*) FROM documents WHERE {where} GROUP BY state", values)
    counts: dict[str, int] = {row[0]: row[1] for row in rows}
    # The text of a duplicate is found under the original document.
    searchable = counts.get("ready", 0) + counts.get("duplicate", 0)
    return Coverage(
        documents=sum(counts.values()),
        searchable=searchable,
        by_meaning=searchable - _by_words_only(db, where, values),
        pending=counts.get("pending", 0),
        failed=counts.get("failed", 0),
        without_file=counts.get("without_file", 0),
    )


def _by_words_only(db: Database, where: str, values: list[str]) -> int:
    """Return the number of searchable documents that have passages without a vector, with their duplicates."""
    waiting = f"FROM {_WAITING} WHERE {where} AND {_NOT_EMBEDDED}"
    count = int(db.value(f"SELECT count(*) {waiting}", values))
    if not count:
        return 0
    duplicates = (
        f"SELECT count(*) FROM documents WHERE {where} AND state = 'duplicate'"
        f" AND (project_id, content_hash) IN (SELECT project_id, content_hash {waiting})"
    )
    return count + int(db.value(duplicates, [*values, *values]))


def embedding_state(db: Database, project_id: str) -> EmbeddingState:
    """Return how many of the searchable passages of a project are embedded."""
    missing = db.value(
        f"SELECT sum(without_vector) FROM {_WAITING} WHERE project_id = ? AND {_NOT_EMBEDDED}", (project_id,)
    )
    if not missing:
        return EmbeddingState.ALL
    total = db.value("SELECT sum(chunks) FROM documents WHERE project_id = ? AND state = 'ready'", (project_id,))
    return EmbeddingState.SOME if missing < total else EmbeddingState.NONE
