"""Follows a job until it ends, and prints its progress and result."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TypeVar

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from citeloom.api.engine import CancelJob, Status
from citeloom.api.events import EngineStopping, Event, JobFinished, JobProgress, Paused
from citeloom.api.importing import import_result
from citeloom.api.maintenance import JobOutcome
from citeloom.api.verbs import decode
from citeloom.cli.shared.output import about, as_json, console, print_line, print_notes
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import STAGES, Stage, describe_progress
from citeloom.ipc.client import Client

# Without a terminal, between two lines of progress: steps (a document is searchable, is finished), or seconds.
_LINES_EVERY = 50
_PASSAGE_LINES_EVERY = 100_000  # for jobs that count passages
_LINE_AFTER = 15.0

_Outcome = TypeVar("_Outcome", bound=JobOutcome)


def wait_for_job(client: Client, job_id: str, *, quiet: bool) -> JobFinished:
    """Follow a job until it ends, on a connection with events; Ctrl-C ends it soon, keeping what it has done."""
    try:
        if any(job.job_id == job_id and job.state == "paused" for job in client.call(Status()).jobs):
            _print_paused()
        return _follow(client, job_id, quiet=quiet)
    except KeyboardInterrupt:
        click.echo("\nStopping …", err=True)
        client.call(CancelJob(job_id=job_id))
        return _follow(client, job_id, quiet=True)


def _follow(client: Client, job_id: str, *, quiet: bool) -> JobFinished:
    finished: JobFinished | None = None
    bar = _Bar() if console.is_terminal and not quiet else None
    lines = _Lines()
    waited_at: int | None = None  # progress when it was last said what the job waits for

    def on_event(event: Event) -> bool:
        nonlocal finished, waited_at
        match event:
            case EngineStopping():
                raise CiteLoomError(
                    Code.ENGINE_UNAVAILABLE,
                    "The engine was stopped.",
                    "It continues when the engine starts again.",
                )
            case Paused(paused=True):
                _print_paused()
            case JobFinished() if event.job_id == job_id:
                finished = event
            case JobProgress() if event.job_id == job_id:
                steps = event.searchable + event.done
                if event.waits_for and waited_at != steps:
                    waited_at = steps
                    click.echo(f"Waiting: {event.waits_for} Ctrl-C stops it.", err=True)
                if bar:
                    bar.update(event)
                elif not quiet:
                    lines.update(event)
        return finished is not None

    try:
        client.receive_events(on_event)
    finally:
        if bar:
            bar.close()
    assert finished is not None
    return finished


def _print_paused() -> None:
    click.echo("Imports are paused; this one continues after 'citeloom engine resume'.", err=True)


class _Lines:
    """Prints a line of progress from time to time, without a terminal."""

    def __init__(self) -> None:
        self._printed, self._at = 0, time.monotonic()

    def update(self, event: JobProgress) -> None:
        steps = event.searchable + event.done
        waited = time.monotonic() - self._at
        is_import = not _stage(event).counted
        every = _LINES_EVERY if is_import else _PASSAGE_LINES_EVERY
        if steps - self._printed >= every or (steps > self._printed and waited > _LINE_AFTER):
            click.echo(describe_progress(event) + (f", {event.chunks_written} passages" if is_import else ""))
            self._printed, self._at = steps, time.monotonic()


class _Bar:
    """Progress bar with the remaining time: one half for the first pass, one for the second."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),  # a file name may look like markup
            BarColumn(),
            TextColumn("{task.fields[reached]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._progress = Progress(*columns, console=console, transient=True)
        self._progress.start()
        self._task = self._progress.add_task("planning", total=None, reached="", left="")

    def update(self, event: JobProgress) -> None:
        name = Path(event.file).name if Path(event.file).is_absolute() else event.file
        name = name or ("waiting" if event.stage == "wait" else event.stage)
        page = f" (page {event.page} of {event.pages})" if event.pages else ""
        parts = 1 if _stage(event).counted else 2  # an import has two passes
        self._progress.update(
            self._task,
            total=parts * event.total or None,
            completed=event.searchable + event.done,
            description=name[:40] + page,
            reached=describe_progress(event) if event.total else "",
            left=_time_left(event),
        )

    def close(self) -> None:
        self._progress.stop()


def _stage(event: JobProgress) -> Stage:
    return STAGES.get(event.stage, Stage())


def _time_left(event: JobProgress) -> str:
    if event.eta_seconds is None or not _stage(event).timed:
        return ""
    return about(event.eta_seconds) + (" until all can be searched" if event.stage == "read" else " left")


def job_result(finished: JobFinished, kind: type[_Outcome], if_stopped: str, *, json_: bool = False) -> _Outcome:
    """Return the result of a move, a compaction or a backup; exit if it was stopped, raise if it failed."""
    if finished.error:
        raise finished.error
    if json_:
        as_json({"state": finished.state, **finished.result})
    else:
        print_notes(finished.result.get("warnings", []))
    if finished.state != "done":
        click.echo(f"Stopped: {if_stopped}", err=True)
        sys.exit(130)
    return decode(finished.result, kind)


def print_import(project: str, finished: JobFinished, *, json_: bool) -> int:
    """Print the result of an import, and return the exit code."""
    result = import_result(finished)
    if json_:
        as_json({"state": finished.state, **finished.result})
        return 1 if result.failed else 0
    labels = ("new", "replaced", "skipped", "updated", "removed", "failed")
    counts = ", ".join(f"{count} {word}" for word in labels if (count := getattr(result, word))) or "nothing to do"
    if result.without_file:
        counts += f", {result.without_file} without a file"
    if result.recognised:
        counts += f", {result.recognised} recognised by OCR"
    click.echo(f"{counts}; {result.chunks_written} passages written in {result.duration_seconds:.1f} s.")
    print_notes(result.warnings)
    for error in result.errors:
        print_line(f"Failed: {error['source']}: {error['reason']} [{error['code']}]", err=True)
    if finished.state != "done":
        click.echo(f"Stopped before the end. Continue with: citeloom ingest {project}", err=True)
        return 130
    return 1 if result.failed else 0
