"""Result types shared by several verbs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StartedJob:
    """A queued job, or the one for the same task that is queued or running already."""

    job_id: str
    state: str  # queued, running, paused or parked
