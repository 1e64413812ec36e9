"""What was done: jobs, and the log of what went to which editor."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any

from citeloom.catalog.database import Database, now
from citeloom.core import fault_injection as faults
from citeloom.core.jobs import Job

_ENDED = "state IN ('done', 'failed', 'cancelled')"
_KEPT = 500  # jobs that have ended
_LONGEST_DAYS = 36_500  # a setting may be larger than a date can be far away


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    return Job(**{**values, "request": json.loads(values["request"]), "result": json.loads(values["result"])})


class Jobs:
    """The jobs table."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save(self, job: Job) -> None:
        """Write a job's row."""
        faults.point("catalog.job_saving", job.state)
        job.created_at = job.created_at or now()
        self._db.write(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            " state = excluded.state, result = excluded.result, finished_at = excluded.finished_at",
            (
                job.id,
                job.project_id,
                job.kind,
                json.dumps(job.request),
                job.state,
                json.dumps(job.result),
                job.created_at,
                job.finished_at,
            ),
        )

    def unfinished(self) -> list[Job]:
        """Jobs that an ended engine left behind, oldest first."""
        sql = "SELECT * FROM jobs WHERE state IN ('queued', 'running', 'parked') ORDER BY created_at"
        return [_job(r) for r in self._db.rows(sql)]

    def past(self, project_id: str | None, limit: int) -> list[Job]:
        """Jobs that have ended, of one project or of all, the last one first."""
        where, values = (" AND project_id = ?", [project_id]) if project_id else ("", [])
        sql = f"SELECT * FROM jobs WHERE {_ENDED}{where} ORDER BY finished_at DESC, rowid DESC LIMIT ?"
        return [_job(r) for r in self._db.rows(sql, [*values, limit])]

    def forget_old(self) -> int:
        """Keep the last jobs that have ended, and forget those before."""
        last = f"SELECT id FROM jobs WHERE {_ENDED} ORDER BY finished_at DESC, rowid DESC LIMIT {_KEPT}"
        return self._db.write(f"DELETE FROM jobs WHERE {_ENDED} AND id NOT IN ({last})")

    def latest(self, project_id: str, limit: int = 20) -> list[Job]:
        """The last jobs of a project."""
        sql = "SELECT * FROM jobs WHERE project_id = ? ORDER BY created_at DESC LIMIT ?"
        return [_job(r) for r in self._db.rows(sql, (project_id, limit))]


class AccessLog:
    """When, which editor, which project, which passages."""

    def __init__(self, db: Database) -> None:
        self._db = db

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
        """Note one call."""
        self._db.write(
            "INSERT INTO access_log (at, correlation_id, client, project_id, tool, asked, passages, outcome,"
            " milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                now(),
                correlation_id,
                client,
                project_id,
                tool,
                asked[:500],
                json.dumps(passages),
                outcome,
                milliseconds,
            ),
        )

    def latest(
        self, project_id: str | None, limit: int, *, client: str | None = None, before: int | None = None
    ) -> list[dict[str, Any]]:
        """The last calls, newest first; of a project, of an editor by name and version, or before that entry."""
        wanted = {"project_id = ?": project_id or None, "client = ?": client or None, "id < ?": before}
        wanted = {condition: value for condition, value in wanted.items() if value is not None}
        where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
        rows = self._db.rows(f"SELECT * FROM access_log {where} ORDER BY id DESC LIMIT ?", [*wanted.values(), limit])
        return [{**dict(r), "passages": json.loads(r["passages"])} for r in rows]

    def forget(self, days: int = 0) -> int:
        """Delete what is older than so many days, or everything, so that it is not left on the disk either."""
        before = datetime.now(UTC) - timedelta(days=min(days, _LONGEST_DAYS))
        where, values = ("WHERE at < ?", [before.isoformat(timespec="milliseconds")]) if days else ("", [])
        if not self._db.row(f"SELECT 1 FROM access_log {where} LIMIT 1", values):
            return 0
        self._db.rows("PRAGMA secure_delete = ON")
        try:
            removed = self._db.write(f"DELETE FROM access_log {where}", values)
        finally:
            self._db.rows("PRAGMA secure_delete = OFF")
        self._db.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed
