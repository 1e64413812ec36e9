"""Citekeys that documents had before: what cites by them is still understood."""

from __future__ import annotations

from citeloom.store.database import Database, now


class Aliases:
    """The citekey_aliases table. A document that goes takes its rows along."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def note(self, project_id: str, doc_id: str, old_key: str) -> None:
        """Remember a key that a document no longer has."""
        sql = "INSERT OR REPLACE INTO citekey_aliases VALUES (?, ?, ?, ?)"
        self._db.write(sql, (project_id, old_key, doc_id, now()))

    def of(self, project_id: str, doc_id: str, key: str) -> list[str]:
        """The keys that a document had before `key`, the latest first."""
        rows = self._db.rows(
            "SELECT old_key FROM citekey_aliases WHERE project_id = ? AND doc_id = ? AND old_key != ?"
            " ORDER BY renamed_at DESC, old_key",
            (project_id, doc_id, key),
        )
        return [row[0] for row in rows]

    def current(self, project_id: str, key: str) -> str | None:
        """The key that an old one became; None where it is a key of today, or never was one."""
        sql = "SELECT 1 FROM documents WHERE project_id = ? AND citekey = ? LIMIT 1"
        if self._db.row(sql, (project_id, key)):
            return None
        row = self._db.row(
            "SELECT citekey FROM citekey_aliases JOIN documents USING (project_id, doc_id)"
            " WHERE project_id = ? AND old_key = ? ORDER BY renamed_at DESC, citekey",
            (project_id, key),
        )
        return str(row[0]) if row else None
