"""Follows a job until it ends, and prints its progress and result."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TypeVar

import click
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column

from citeloom.api.engine import CancelJob, Status
from citeloom.api.events import EngineStopping, Event, JobFinished, JobProgress, Paused
from citeloom.api.importing import import_result
from citeloom.api.maintenance import JobOutcome
from citeloom.api.verbs import decode
from citeloom.cli.shared.import_summary import import_failures, import_summary
from citeloom.cli.shared.output import as_json, console, print_line, print_notes
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import describe_progress
from citeloom.ipc.client import Client

# Without a terminal, between two lines of progress: seconds, and how much was done meanwhile.
_LINE_AFTER, _LINE_AFTER_MOST = 5.0, 60.0
_LINE_SHARE = 0.05
_BAR_WIDTH = 16

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
        self._share, self._text, self._at = 0.0, "", time.monotonic()

    def update(self, event: JobProgress) -> None:
        waited, share, text = time.monotonic() - self._at, event.share or 0.0, describe_progress(event)
        if waited > _LINE_AFTER_MOST or (waited > _LINE_AFTER and share - self._share >= _LINE_SHARE):
            if text != self._text:
                print_line(text)
            self._share, self._text, self._at = share, text, time.monotonic()


class _Bar:
    """Live progress on a terminal."""

    def __init__(self) -> None:
        # A file name may look like markup.
        text = TextColumn("{task.description}", markup=False, table_column=Column(overflow="fold"))
        self._progress = Progress(BarColumn(_BAR_WIDTH), text, console=console, transient=True)
        self._progress.start()
        self._task = self._progress.add_task("planning", total=None)

    def update(self, event: JobProgress) -> None:
        share = event.share
        name = Path(event.file).name if Path(event.file).is_absolute() else event.file
        page = f", page {event.page} of {event.pages}" if event.pages else ""
        shown = name if page or event.stage == "fetch" or not event.counts_documents else ""
        self._progress.update(
            self._task,
            total=None if share is None else 1.0,
            completed=share or 0.0,
            description=" · ".join(filter(None, (describe_progress(event), f"{shown[:40]}{page}"))),
        )

    def close(self) -> None:
        self._progress.stop()


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
    for line in import_summary(project, result):
        print_line(line)
    for line in import_failures(project, result):
        print_line(line, err=True)
    if finished.state != "done":
        click.echo(f"Stopped before the end. Continue with: citeloom ingest {project}", err=True)
        return 130
    return 1 if result.failed else 0
