"""Request handlers for past jobs and the access log, which records what was sent to which editor."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from citeloom.api.activity import (
    ClearAccessLog,
    GetLoggedPassages,
    JobList,
    ListJobs,
    LoggedPassage,
    PastJob,
    ShowAccessLog,
)
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job, JobQueue
from citeloom.core.types import AccessEntry, TextSource
from citeloom.search.hits import found_passage
from citeloom.search.passages import PassageService

log = logging.getLogger(__name__)

_MAX_ENTRIES = 10_000  # entries in one answer


@dataclass
class ActivityService:
    """Lists jobs and the access log, and deletes entries of the log."""

    _catalog: Catalog
    _jobs: JobQueue
    _passages: PassageService
    _log_days: int

    @handles(ListJobs)
    def list_jobs(self, request: ListJobs) -> JobList:
        """List queued, running and past jobs, the latest first."""
        past = self._catalog.jobs.past(request.project, _checked(request.limit))
        return JobList(running=list(self._jobs.unfinished(request.project)), past=[_past_job(job) for job in past])

    @handles(ShowAccessLog)
    def access_log(self, request: ShowAccessLog) -> list[AccessEntry]:
        """Return the calls of editors, the latest first."""
        return self._catalog.access_log.latest(
            request.project, _checked(request.limit), client=request.client, before=request.before
        )

    @handles(GetLoggedPassages)
    def logged_passages(self, request: GetLoggedPassages) -> list[LoggedPassage]:
        """Return logged passages in their current form, or that they no longer exist."""
        project = next((p for p in self._catalog.projects.all() if p.id == request.project), None)
        return [self._passage(project, chunk_id) for chunk_id in request.chunk_ids]

    @handles(ClearAccessLog)
    def clear_access_log(self, request: ClearAccessLog) -> int:
        """Delete all entries of the access log."""
        return self._catalog.access_log.delete()

    def delete_old_entries(self) -> None:
        """Delete entries of the access log that are older than the settings allow."""
        try:
            if self._log_days:
                self._catalog.access_log.delete(self._log_days)
        except CiteLoomError as error:  # a background task, which is tried again
            log.error("old entries of the access log could not be deleted: %s", error)

    def _passage(self, project: Project | None, chunk_id: str) -> LoggedPassage:
        hit = self._passages.find(project, chunk_id) if project else None
        found = found_passage(hit) if hit else None
        return LoggedPassage(
            chunk_id=chunk_id,
            cite=found.cite if found else None,
            by_agent=found is not None and found.text_source == TextSource.AGENT,
            title=found.title if found else None,
            section_path=list(found.section_path) if found else [],
            text=found.render_text if found else None,
            deleted=found is None,
        )


def _past_job(job: Job) -> PastJob:
    result = dict(job.result)
    error = result.pop("error", None)
    return PastJob(
        job_id=job.id,
        project=job.project_id,
        kind=job.kind,
        state=job.state,
        source=job.request.get("source"),
        created_at=job.created_at,
        finished_at=job.finished_at,
        result=result,
        error=error,
    )


def _checked(limit: int) -> int:
    if not 1 <= limit <= _MAX_ENTRIES:
        raise CiteLoomError(Code.INVALID_INPUT, f"limit is {limit}.", f"Ask for 1 to {_MAX_ENTRIES} entries.")
    return limit
