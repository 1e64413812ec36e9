"""Result types that several features share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StartedJob:
    """A job that was queued, or the one for the same that is queued or running already."""

    job_id: str
    state: str  # queued, running, paused or parked
