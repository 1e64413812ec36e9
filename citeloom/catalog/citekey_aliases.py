"""Former citekeys of works, so that citations by them still resolve."""

from __future__ import annotations

from citeloom.catalog.database import Table


class CitekeyAliases(Table):
    """The citekey_aliases table: maps each old key to its successor, possibly in several steps."""

    def add(self, project_id: str, old_key: str, new_key: str) -> None:
        """Record that a key was renamed; the new key is removed from the aliases."""
        with self._db.transaction():
            self._db.write("DELETE FROM citekey_aliases WHERE project_id = ? AND old_key = ?", (project_id, new_key))
            self._db.write("INSERT OR REPLACE INTO citekey_aliases VALUES (?, ?, ?)", (project_id, old_key, new_key))

    def former_keys(self, project_id: str, key: str) -> list[str]:
        """Return the former keys of a key that no work has now, sorted."""
        sql = "SELECT old_key FROM citekey_aliases WHERE project_id = ? AND new_key = ?"
        found: set[str] = set()
        pending = [key]
        while pending:
            older = set(self._db.column(sql, (project_id, pending.pop()))) - found - {key}
            found |= older
            pending += older
        return sorted(old for old in found if not self._in_use(project_id, old))

    def current(self, project_id: str, key: str) -> str | None:
        """Return the current key for an old one; None if the old one is in use or unknown."""
        sql = "SELECT new_key FROM citekey_aliases WHERE project_id = ? AND old_key = ?"
        at: str | None = key
        visited: set[str] = set()
        while at is not None and not self._in_use(project_id, at):
            visited.add(at)
            at = self._db.value(sql, (project_id, at))
            if at in visited:
                return None
        return at if at != key else None

    def _in_use(self, project_id: str, key: str) -> bool:
        sql = "SELECT 1 FROM documents WHERE project_id = ? AND citekey = ? LIMIT 1"
        return self._db.value(sql, (project_id, key)) is not None
