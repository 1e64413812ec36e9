"""Jobs table: queued, running and ended jobs. Used by the engine's queue and the activity list."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict

from citeloom.catalog.database import Table, now
from citeloom.core import fault_injection as faults
from citeloom.core.jobs import Job

_ENDED = "state IN ('done', 'failed', 'cancelled')"
_MAX_ENDED = 500  # ended jobs that are stored


def _job(row: sqlite3.Row) -> Job:
    values = dict(row)
    return Job(**{**values, "request": json.loads(values["request"]), "result": json.loads(values["result"])})


class Jobs(Table):
    """The jobs table."""

    def save(self, job: Job) -> None:
        """Insert or update the row of a job."""
        faults.point("catalog.job_saving", job.state)
        job.created_at = job.created_at or now()
        self._db.write(
            "INSERT INTO jobs VALUES (:id, :project_id, :kind, :request, :state, :result, :created_at, :finished_at)"
            " ON CONFLICT (id) DO UPDATE SET"
            " state = excluded.state, result = excluded.result, finished_at = excluded.finished_at",
            {**asdict(job), "request": json.dumps(job.request), "result": json.dumps(job.result)},
        )

    def unfinished(self) -> list[Job]:
        """Return the jobs that had not ended when the engine stopped, oldest first."""
        sql = "SELECT * FROM jobs WHERE state IN ('queued', 'running', 'parked') ORDER BY created_at"
        return [_job(r) for r in self._db.rows(sql)]

    def past(self, project_id: str | None, limit: int) -> list[Job]:
        """Return ended jobs of one project or of all, latest first."""
        where, values = (" AND project_id = ?", [project_id]) if project_id else ("", [])
        sql = f"SELECT * FROM jobs WHERE {_ENDED}{where} ORDER BY finished_at DESC, rowid DESC LIMIT ?"
        return [_job(r) for r in self._db.rows(sql, [*values, limit])]

    def delete_old(self) -> int:
        """Delete all but the latest ended jobs; return how many were deleted."""
        last = f"SELECT id FROM jobs WHERE {_ENDED} ORDER BY finished_at DESC, rowid DESC LIMIT {_MAX_ENDED}"
        return self._db.write(f"DELETE FROM jobs WHERE {_ENDED} AND id NOT IN ({last})")

    def latest(self, project_id: str, limit: int = 20) -> list[Job]:
        """Return the latest jobs of a project, whatever their state."""
        sql = "SELECT * FROM jobs WHERE project_id = ? ORDER BY created_at DESC LIMIT ?"
        return [_job(r) for r in self._db.rows(sql, (project_id, limit))]
