"""Following a job to its end, and saying what it did."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from citeloom.cli.shared.output import CHORES, as_json, console, reached, say
from citeloom.core.errors import CiteLoomError, Code
from citeloom.ipc.client import Client

# Between two lines of progress where there is no terminal: steps (a document is searchable, is finished), or seconds.
_LINES_EVERY = 50
_CHORE_LINES_EVERY = 100_000
_LINE_AFTER = 15.0
_STAGES = {"wait": "waiting"}


def run_to_the_end(client: Client, job_id: str, *, quiet: bool) -> dict[str, Any]:
    """Follow a job until it ends; Ctrl-C ends it soon, and what it has done stays."""
    try:
        if any(job["job_id"] == job_id and job["state"] == "paused" for job in client.call("status")["jobs"]):
            _say_paused()
        return _follow(client, job_id, quiet=quiet)
    except KeyboardInterrupt:
        click.echo("\nStopping …", err=True)
        client.call("cancel", job_id=job_id)
        return _follow(client, job_id, quiet=True)


def _follow(client: Client, job_id: str, *, quiet: bool) -> dict[str, Any]:
    finished: dict[str, Any] = {}
    bar = _Bar() if console.is_terminal and not quiet else None
    lines, waits = _Lines(), _Waits()

    def tell(event: dict[str, Any]) -> bool:
        nonlocal finished
        if event["type"] == "EngineStopping":
            raise CiteLoomError(
                Code.ENGINE_UNAVAILABLE,
                "The engine was stopped.",
                "It goes on when the engine starts again.",
            )
        if event["type"] == "Paused" and event["paused"]:
            _say_paused()
        if event.get("job_id") != job_id:
            return False
        if event["type"] == "JobFinished":
            finished = event
            return True
        if event["type"] == "JobProgress":
            waits.update(event)
        if event["type"] == "JobProgress" and bar:
            bar.update(event)
        elif event["type"] == "JobProgress" and not quiet:
            lines.update(event)
        return False

    try:
        client.watch(tell)
    finally:
        if bar:
            bar.close()
    return finished


def _say_paused() -> None:
    click.echo("Imports are paused; this one goes on after 'citeloom engine resume'.", err=True)


class _Waits:
    """Says what a job waits for, once for each time that it is held up."""

    def __init__(self) -> None:
        self._said_at: int | None = None  # how far it was then

    def update(self, event: dict[str, Any]) -> None:
        steps = event["searchable"] + event["done"]
        if event["waits_for"] and self._said_at != steps:
            self._said_at = steps
            click.echo(f"Waiting: {event['waits_for']} Ctrl-C ends it.", err=True)


class _Lines:
    """A line now and then, where there is no terminal."""

    def __init__(self) -> None:
        self._shown, self._at = 0, time.monotonic()

    def update(self, event: dict[str, Any]) -> None:
        steps = event["searchable"] + event["done"]
        waited = time.monotonic() - self._at
        chore = event["stage"] in CHORES
        every = _LINES_EVERY if not chore else _CHORE_LINES_EVERY
        if steps - self._shown >= every or (steps > self._shown and waited > _LINE_AFTER):
            click.echo(reached(event) if chore else f"{reached(event)}, {event['chunks_written']} passages")
            self._shown, self._at = steps, time.monotonic()


class _Bar:
    """A live bar with the time left: half of it is that everything can be searched, half that all is read whole."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),  # a file name may hold what looks like it
            BarColumn(),
            TextColumn("{task.fields[reached]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._progress = Progress(*columns, console=console, transient=True)
        self._progress.start()
        self._task = self._progress.add_task("planning", total=None, reached="", left="")

    def update(self, event: dict[str, Any]) -> None:
        file = event["file"]
        name = (Path(file).name if Path(file).is_absolute() else file) or _STAGES.get(event["stage"], event["stage"])
        page = f" (page {event['page']} of {event['pages']})" if event["pages"] else ""
        chore = event["stage"] in CHORES  # it has one half only
        self._progress.update(
            self._task,
            total=(1 if chore else 2) * event["total"] or None,
            completed=event["searchable"] + event["done"],
            description=name[:40] + page,
            reached=reached(event) if event["total"] else "",
            left=_left(event["eta_seconds"], event["stage"]),
        )

    def close(self) -> None:
        self._progress.stop()


def _left(eta: float | None, stage: str) -> str:
    if eta is None or stage not in ("read", "convert", "copy", "write", "pack"):
        return ""
    time_left = f"about {eta:.0f} s" if eta < 90 else f"about {eta / 60:.0f} min"
    return f"{time_left} until all can be searched" if stage == "read" else f"{time_left} left"


def succeeded(finished: dict[str, Any], *, json_: bool = False) -> dict[str, Any] | None:
    """What a move, a compaction or a backup did; None if it was stopped. A failure is raised."""
    result: dict[str, Any] = finished["result"]
    if "error" in result:
        raise CiteLoomError.from_dict(result["error"])
    if json_:
        as_json({"state": finished["state"], **result})
    else:
        for warning in result.get("warnings", []):
            say(f"Note: {warning}")
    return result if finished["state"] == "done" else None


def print_result(project: str, finished: dict[str, Any], *, json_: bool) -> int:
    """Say what an import did; gives the exit code."""
    state, result = finished["state"], finished["result"]
    if "error" in result:
        raise CiteLoomError.from_dict(result["error"])
    if json_:
        as_json({"state": state, **result})
        return 1 if result.get("failed") else 0
    words = ("new", "replaced", "skipped", "updated", "removed", "failed")
    counts = ", ".join(f"{result[w]} {w}" for w in words if result.get(w)) or "nothing to do"
    if result.get("without_file"):
        counts += f", {result['without_file']} without a file"
    if result.get("recognised"):
        counts += f", {result['recognised']} recognised by OCR"
    click.echo(
        f"{counts}; {result.get('chunks_written', 0)} passages written in {result.get('duration_seconds', 0):.1f} s."
    )
    for warning in result.get("warnings", []):
        say(f"Note: {warning}")
    for error in result.get("errors", []):
        say(f"Failed: {error['source']}: {error['reason']} [{error['code']}]", err=True)
    if state != "done":
        click.echo(f"It was stopped before the end. Go on with: citeloom ingest {project}", err=True)
        return 130
    return 1 if result.get("failed") else 0
