"""`citeloom engine …`."""

from __future__ import annotations

import sys

import click

from citeloom.api.engine import Pause, Resume, Status
from citeloom.api.verbs import encode
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_json, coverage, json_option, print_line
from citeloom.core import paths
from citeloom.core.jobs import describe_job
from citeloom.ipc import launch
from citeloom.ipc.client import Client, stop_engine

_JOBS = {"move": "Move of {project}", "compact": "Compaction of {project}", "backup": "Backup"}


@click.group()
def engine() -> None:
    """Start, stop or inspect the engine. Other commands start it when they need it."""


@engine.command()
def start() -> None:
    """Start the engine and leave it running until 'citeloom engine stop'."""
    if launch.ensure_running("person"):
        click.echo("The engine is running.")
    else:
        click.echo("The engine is already running.")
    with Client(start=False) as client:
        if orphaned := client.call(Status()).orphaned_indexes:
            click.echo(orphaned, err=True)


@engine.command()
def stop() -> None:
    """Stop the engine; a running import continues at the next start."""
    click.echo("The engine has stopped." if stop_engine() else "The engine is not running.")


@engine.command()
def pause() -> None:
    """Pause imports until 'citeloom engine resume'; searches keep working."""
    ask(Pause())
    click.echo("Imports are paused. Continue with: citeloom engine resume")


@engine.command()
def resume() -> None:
    """Resume imports, including what has changed in the meantime."""
    ask(Resume())
    click.echo("Imports continue.")


@engine.command()
@json_option
def status(json_: bool) -> None:
    """Show whether the engine is running, and what it does. Exit code 3 if it is not running."""
    if not launch.is_running():
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
    click.echo(f"Projects: {state.projects}, {coverage(state.coverage)}")
    if state.editors:
        click.echo(f"Editors connected: {state.editors}")
    if state.paused:
        click.echo("Imports are paused. Continue with: citeloom engine resume")
    if state.settings_problem:
        click.echo(f"The previous settings are still used. {state.settings_problem}")
    if state.orphaned_indexes:
        click.echo(state.orphaned_indexes)
    for job in state.jobs:
        what = _JOBS.get(job.kind, "Import of {project}").format(project=job.project)
        print_line(f"{what}: {describe_job(job)}")
