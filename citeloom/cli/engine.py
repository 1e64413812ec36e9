"""`citeloom engine …` and `citeloom doctor`."""

from __future__ import annotations

import sys
from typing import Any

import click
from rich.text import Text

from citeloom.api.engine import Pause, Resume, Status
from citeloom.api.verbs import encode
from citeloom.cli.shared.engine_call import ask, connected, waiting
from citeloom.cli.shared.output import as_json, console, coverage
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import describe_progress
from citeloom.ipc import launch
from citeloom.ipc.client import Client, stop_engine

_OK, _NOTE, _BAD = ("ok   ", "green"), ("note ", "yellow"), ("BAD  ", "red")
_JOBS = {"move": "Move of {project}", "compact": "Compaction of {project}", "backup": "Backup"}


@click.group()
def engine() -> None:
    """Start, stop or look at the engine. Other commands start it when they need it."""


@engine.command()
def start() -> None:
    """Start the engine and leave it running until 'citeloom engine stop'."""
    if launch.ensure("person"):
        click.echo("The engine is running.")
    else:
        click.echo("The engine was running already.")
    with Client(start=False) as client:
        if lost := client.call(Status()).lost:
            click.echo(lost, err=True)


@engine.command()
def stop() -> None:
    """Stop the engine; a running import goes on at the next start."""
    click.echo("The engine has stopped." if stop_engine() else "The engine is not running.")


@engine.command()
def pause() -> None:
    """Import nothing until 'citeloom engine resume'; questions are answered as ever."""
    ask(Pause())
    click.echo("Imports are paused. Go on with: citeloom engine resume")


@engine.command()
def resume() -> None:
    """Go on importing, also what has changed in the meantime."""
    ask(Resume())
    click.echo("Imports go on.")


@engine.command()
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def status(json_: bool) -> None:
    """Say whether the engine runs, and what it does. Exit code 3 when it does not."""
    if not launch.running():
        if json_:
            as_json({"running": False, "data_folder": paths.folders().data})
        else:
            click.echo(f"The engine is not running (data folder {paths.folders().data}).")
        sys.exit(3)
    with Client(start=False) as client:
        state = client.call(Status())
    if json_:
        as_json({"running": True, **encode(state)})
        return
    click.echo(f"The engine is running (version {state.version}, process {state.pid}).")
    click.echo(f"Data folder: {state.data_folder}")
    click.echo(f"Projects: {state.projects}, {coverage(encode(state.coverage))}")
    if state.editors:
        click.echo(f"Editors connected: {state.editors}")
    if state.paused:
        click.echo("Imports are paused. Go on with: citeloom engine resume")
    if state.settings_problem:
        click.echo(f"The settings of before are in force. {state.settings_problem}")
    if state.lost:
        click.echo(state.lost)
    for job in state.jobs:
        what = _JOBS.get(job.kind, "Import of {project}").format(project=job.project)
        click.echo(f"{what}: {job.state}, {describe_progress(job)}")


@click.command()
def doctor() -> None:
    """Check every part and say how to mend what is not well.

    Exit code 1 when a part does not work. Documents that could not be read are named, and change no exit code.
    """
    version = ".".join(map(str, sys.version_info[:3]))
    findings: list[dict[str, Any]] = [
        {
            "part": "Python",
            "ok": sys.version_info >= (3, 11),
            "seen": version,
            "next_step": "Install Python 3.11.",
        }
    ]
    log = paths.engine_log()
    try:
        with connected() as client, waiting("Looking"):
            findings.append({"part": "engine", "ok": True, "seen": f"answers; its log is {log}", "next_step": ""})
            findings += client.call("doctor")
    except CiteLoomError as error:
        next_step = error.next_step or f"Its log: {log}."
        findings.append({"part": "engine", "ok": False, "seen": error.message, "next_step": next_step})
    for one in findings:
        mark = _NOTE if one.get("note") else _OK if one["ok"] else _BAD
        console.print(Text.assemble(mark, f"{one['part']}: {one['seen']}"), soft_wrap=True)
        if mark is not _OK and one["next_step"]:
            console.print(Text(f"     {one['next_step']}"), soft_wrap=True)
    bad = [one for one in findings if not one["ok"]]
    notes = any(one.get("note") for one in findings)
    well = "Every part works, but some documents could not be read." if notes else "Everything is well."
    click.echo(f"{len(bad)} of {len(findings)} parts need attention." if bad else well)
    sys.exit(1 if bad else 0)
