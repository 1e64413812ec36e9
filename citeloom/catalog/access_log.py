"""Access log table: tool calls of editors and the passages that were returned to them.

Written by the MCP session for every tool call; read and cleared by the activity verbs.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from citeloom.catalog.database import Table, now
from citeloom.core.types import AccessEntry

_MAX_DAYS = 36_500  # a setting may have more days than a date can be moved back


class AccessLog(Table):
    """Tool calls of editors: when, which editor, which project, which passages."""

    def add(
        self,
        *,
        correlation_id: str,
        client: str,
        project_id: str | None,
        tool: str,
        asked: str,
        passages: list[str],
        outcome: str,
        milliseconds: float,
    ) -> None:
        """Record one call."""
        text, ids = asked[:500], json.dumps(passages)
        self._db.write(
            "INSERT INTO access_log (at, correlation_id, client, project_id, tool, asked, passages, outcome,"
            " milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (now(), correlation_id, client, project_id, tool, text, ids, outcome, milliseconds),
        )

    def latest(
        self, project_id: str | None, limit: int, *, client: str | None = None, before: int | None = None
    ) -> list[AccessEntry]:
        """Return the latest calls, newest first: of a project, of an editor by name and version, or before an entry."""
        conditions = {"project_id = ?": project_id or None, "client = ?": client or None, "id < ?": before}
        conditions = {condition: value for condition, value in conditions.items() if value is not None}
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self._db.rows(
            f"SELECT * FROM access_log {where} ORDER BY id DESC LIMIT ?", [*conditions.values(), limit]
        )
        return [AccessEntry(**{**dict(r), "passages": json.loads(r["passages"])}) for r in rows]

    def delete(self, days: int = 0) -> int:
        """Delete entries older than `days`, or all of them, and overwrite them on the disk."""
        before = datetime.now(UTC) - timedelta(days=min(days, _MAX_DAYS))
        where, values = ("WHERE at < ?", [before.isoformat(timespec="milliseconds")]) if days else ("", [])
        if not self._db.value(f"SELECT 1 FROM access_log {where} LIMIT 1", values):
            return 0
        self._db.rows("PRAGMA secure_delete = ON")
        try:
            removed = self._db.write(f"DELETE FROM access_log {where}", values)
        finally:
            self._db.rows("PRAGMA secure_delete = OFF")
        self._db.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed
