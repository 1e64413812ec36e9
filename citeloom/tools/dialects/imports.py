"""Finished imports, for dialects that know no answer "still running"."""

from __future__ import annotations

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job
from citeloom.tools.table import raise_failure
from citeloom.tools.tool import ImportOutcome


def finished_import(outcome: ImportOutcome) -> Job:
    """Return the job of an import that is done; raise an error for one that failed, is paused, or goes on."""
    job = outcome.finished
    if job is None:
        problem, next_step = "The import takes longer than the time limit and goes on.", "for its result"
        if outcome.paused:
            problem, next_step = "The researcher has paused imports.", "when they are resumed"
        raise CiteLoomError(Code.TIMEOUT, problem, f"Call again {next_step}.", job_id=outcome.job_id)
    raise_failure(job)
    if job.state != "done":
        raise CiteLoomError(Code.TIMEOUT, "The import was cancelled.", "Call again to start it anew.", job_id=job.id)
    return job
