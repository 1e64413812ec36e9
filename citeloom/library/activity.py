"""What was done and what was asked: past jobs, and the log of what went to which editor."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job, JobQueue
from citeloom.core.types import TextSource
from citeloom.search.hits import as_hit
from citeloom.search.query import SearchService

log = logging.getLogger(__name__)

_MOST = 10_000  # entries in one answer


class ActivityService:
    """Looks back."""

    def __init__(self, catalog: Catalog, jobs: JobQueue, questions: SearchService, log_days: int) -> None:
        self._catalog = catalog
        self._jobs = jobs
        self._questions = questions
        self._log_days = log_days

    def jobs(self, project_id: str | None, limit: int) -> dict[str, Any]:
        """What waits and runs, and what has ended, the last one first."""
        past = self._catalog.jobs.past(project_id, _within(limit))
        return {"running": self._jobs.busy(project_id), "past": [_past(job) for job in past]}

    def log(
        self, project_id: str | None, client: str | None, limit: int, before: int | None = None
    ) -> list[dict[str, Any]]:
        """What editors asked, the last call first; `before` is the id of an entry that is known already."""
        return self._catalog.access_log.latest(project_id, _within(limit), client=client, before=before)

    def passages(self, project_id: str | None, chunk_ids: Sequence[str]) -> dict[str, Any]:
        """Passages that went out, as they are now; those that are no more are said."""
        project = next((p for p in self._catalog.projects.all() if p.id == project_id), None)
        return {"passages": [self._passage(project, chunk_id) for chunk_id in chunk_ids]}

    def clear_log(self) -> int:
        """Forget what editors asked; gives how many entries that were."""
        return self._catalog.access_log.forget()

    def forget_old(self) -> None:
        """Forget what editors asked longer ago than the settings keep it."""
        try:
            if self._log_days:
                self._catalog.access_log.forget(self._log_days)
        except CiteLoomError as error:  # nobody waits for it, and it is tried again
            log.error("old entries of the access log could not be deleted: %s", error)

    def _passage(self, project: Project | None, chunk_id: str) -> dict[str, Any]:
        found = self._questions.find_passage(project, chunk_id) if project else None
        hit = as_hit(found, max_chars=1, full_text=True) if found else {}
        return {
            "chunk_id": chunk_id,
            "cite": hit.get("cite"),
            "by_agent": hit.get("text_source") == TextSource.AGENT,
            "title": hit.get("title"),
            "section_path": hit.get("section_path", []),
            "text": hit.get("full_text"),
            "gone": found is None,
        }


def _past(job: Job) -> dict[str, Any]:
    result = dict(job.result)
    error = result.pop("error", None)
    return {
        "job_id": job.id,
        "project": job.project_id,
        "kind": job.kind,
        "state": job.state,
        "source": job.request.get("source"),
        "created_at": job.created_at,
        "finished_at": job.finished_at,
        "result": result,
        "error": error,
    }


def _within(limit: int) -> int:
    if not 1 <= limit <= _MOST:
        raise CiteLoomError(Code.INVALID_INPUT, f"limit is {limit}.", f"Ask for 1 to {_MOST} entries.")
    return limit
