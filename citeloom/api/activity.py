"""Verbs of the activity log: jobs, and the access log of what was sent to which editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.api.verbs import Request
from citeloom.core.jobs import RunningJob
from citeloom.core.types import AccessEntry


@dataclass(frozen=True)
class StartedJob:
    """A queued job, or the one for the same task that is queued or running already."""

    job_id: str
    state: str  # queued, running, paused or parked


@dataclass(frozen=True, kw_only=True)
class PastJob:
    """A finished job."""

    job_id: str
    project: str
    kind: str  # ingest, move, compact or backup
    state: str  # done, failed or cancelled
    source: str | None
    created_at: str
    finished_at: str | None
    result: dict[str, Any]  # depends on the kind
    error: dict[str, Any] | None  # a CiteLoomError as JSON


@dataclass(frozen=True, kw_only=True)
class JobList:
    """The queued and running jobs, and the finished ones, newest first."""

    running: list[RunningJob]
    past: list[PastJob]


class ListJobs(Request[JobList], verb="activity.list_jobs"):
    """List the jobs of a project, or of all projects."""

    project: str | None = None
    limit: int = 50  # of finished jobs


class ShowAccessLog(Request[list[AccessEntry]], verb="activity.access_log"):
    """List the tool calls of editors, newest first; `before` is the id of the last entry of the previous page."""

    project: str | None = None
    client: str | None = None
    limit: int = 50
    before: int | None = None


@dataclass(frozen=True, kw_only=True)
class LoggedPassage:
    """A passage that was sent to an editor, with its current text."""

    chunk_id: str
    cite: str | None
    by_agent: bool
    title: str | None
    section_path: list[str]
    text: str | None
    deleted: bool


class GetLoggedPassages(Request[list[LoggedPassage]], verb="activity.logged_passages"):
    """Get passages that are named in the access log, in the order of the request."""

    project: str | None
    chunk_ids: Sequence[str]


class ClearAccessLog(Request[int], verb="activity.clear_access_log", read_only=False):
    """Delete all entries of the access log. The result is their number."""
