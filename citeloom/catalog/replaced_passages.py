"""Successors of passages that were replaced when a document was read again, so that earlier ids still resolve."""

from __future__ import annotations

from collections.abc import Mapping

from citeloom.catalog.database import Table


class ReplacedPassages(Table):
    """The refined_passages table; rows are deleted with their document."""

    def find(self, project_id: str, old_id: str) -> str | None:
        """Return the id of the passage that replaced an older one, or None."""
        sql = "SELECT new_id FROM refined_passages WHERE project_id = ? AND old_id = ?"
        found: str | None = self._db.value(sql, (project_id, old_id))
        return found

    def record(self, project_id: str, doc_id: str, successors: Mapping[str, str]) -> None:
        """Record the successors of a document's passages; earlier rows are updated to them, or deleted."""
        sql = "SELECT old_id, new_id FROM refined_passages WHERE project_id = ? AND doc_id = ?"
        earlier = {row["old_id"]: row["new_id"] for row in self._db.rows(sql, (project_id, doc_id))}
        if earlier:
            self._db.write("DELETE FROM refined_passages WHERE project_id = ? AND doc_id = ?", (project_id, doc_id))
        updated = {old: successors[new] for old, new in earlier.items() if new in successors}
        for old, new in {**updated, **successors}.items():
            self._db.write(
                "INSERT OR REPLACE INTO refined_passages VALUES (?, ?, ?, ?)", (project_id, old, new, doc_id)
            )
