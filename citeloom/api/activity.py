"""Requests about what was done and asked: past jobs, and the log of what went to which editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.api.verbs import Request
from citeloom.core.jobs import RunningJob
from citeloom.core.types import AccessEntry


@dataclass(frozen=True, kw_only=True)
class PastJob:
    """A job that has ended."""

    job_id: str
    project: str
    kind: str  # ingest, move, compact or backup
    state: str  # done, failed or cancelled
    source: str | None
    created_at: str
    finished_at: str | None
    result: dict[str, Any]  # as its kind reports it
    error: dict[str, Any] | None  # a CiteLoomError as JSON


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """The jobs that wait and run, and those that have ended, the last one first."""

    running: list[RunningJob]
    past: list[PastJob]


@dataclass(frozen=True, kw_only=True)
class ListJobs(Request[Jobs], verb="activity.list_jobs"):
    """List the jobs of a project, or of all."""

    project: str | None = None
    limit: int = 50  # of those that have ended


@dataclass(frozen=True, kw_only=True)
class AccessLog:
    """Calls of editors, the last one first."""

    entries: list[AccessEntry]


@dataclass(frozen=True, kw_only=True)
class ShowAccessLog(Request[AccessLog], verb="activity.access_log"):
    """List what editors asked; `before` is the id of the entry that a page of the log begins after."""

    project: str | None = None
    client: str | None = None
    limit: int = 50
    before: int | None = None


@dataclass(frozen=True, kw_only=True)
class LoggedPassage:
    """A passage that went to an editor, as it is now."""

    chunk_id: str
    cite: str | None
    by_agent: bool
    title: str | None
    section_path: list[str]
    text: str | None
    gone: bool


@dataclass(frozen=True, kw_only=True)
class LoggedPassages:
    """Passages in the order in which they were asked for."""

    passages: list[LoggedPassage]


@dataclass(frozen=True, kw_only=True)
class GetLoggedPassages(Request[LoggedPassages], verb="activity.logged_passages"):
    """Read passages that are named in the access log."""

    project: str | None
    chunk_ids: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class ClearedLog:
    """How many entries of the access log were deleted."""

    removed: int


@dataclass(frozen=True, kw_only=True)
class ClearAccessLog(Request[ClearedLog], verb="activity.clear_access_log", read_only=False):
    """Delete all entries of the access log."""
