"""Former citekeys of works, so that citations by them still resolve."""

from __future__ import annotations

from citeloom.catalog.database import Database


class CitekeyAliases:
    """The citekey_aliases table: maps each old key to its successor, possibly in several steps."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def note(self, project_id: str, old_key: str, new_key: str) -> None:
        """Record that a key was renamed; the new key is removed from the aliases."""
        with self._db.transaction():
            self._db.write("DELETE FROM citekey_aliases WHERE project_id = ? AND old_key = ?", (project_id, new_key))
            self._db.write("INSERT OR REPLACE INTO citekey_aliases VALUES (?, ?, ?)", (project_id, old_key, new_key))

    def of(self, project_id: str, key: str) -> list[str]:
        """Return the former keys of a key that no work has now, sorted."""
        found: set[str] = set()
        waiting = [key]
        while waiting:
            rows = self._db.rows(
                "SELECT old_key FROM citekey_aliases WHERE project_id = ? AND new_key = ?", (project_id, waiting.pop())
            )
            older = {str(row[0]) for row in rows} - found - {key}
            found |= older
            waiting += older
        return sorted(old for old in found if not self._in_use(project_id, old))

    def current(self, project_id: str, key: str) -> str | None:
        """Return the current key for an old one; None if the old one is in use or unknown."""
        at, seen = key, {key}
        while not self._in_use(project_id, at):
            row = self._db.row(
                "SELECT new_key FROM citekey_aliases WHERE project_id = ? AND old_key = ?", (project_id, at)
            )
            if row is None or row[0] in seen:
                return None
            at = str(row[0])
            seen.add(at)
        return at if at != key else None

    def _in_use(self, project_id: str, key: str) -> bool:
        sql = "SELECT 1 FROM documents WHERE project_id = ? AND citekey = ? LIMIT 1"
        return self._db.row(sql, (project_id, key)) is not None
