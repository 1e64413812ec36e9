"""`citeloom index …`."""

from __future__ import annotations

import sys

import click

from citeloom.api.library import ListProjects
from citeloom.api.maintenance import (
    EMBEDDED,
    CheckServer,
    CompactIndex,
    CompactResult,
    IndexInfo,
    ListIndexes,
    LogInServer,
    LogOutServers,
    MoveIndex,
    MoveResult,
)
from citeloom.cli.shared.engine_call import ask, connected
from citeloom.cli.shared.follow_job import job_result, wait_for_job
from citeloom.cli.shared.keys import read_key, warn_of_environment_key
from citeloom.cli.shared.output import as_json, console, json_option, size, table
from citeloom.core import credentials

_KEY = "qdrant"
_KEYS = {"keyring": "in the keyring", "environment": f"from {credentials.variable_name(_KEY)}"}


@click.group(invoke_without_command=True)
@click.pass_context
def index(context: click.Context) -> None:
    """Where passages are stored: on this disk, or on a Qdrant server when one machine is not enough."""
    if context.invoked_subcommand is None:
        context.invoke(show)


@index.command()
@click.argument("project", required=False)
@json_option
def show(project: str | None = None, json_: bool = False) -> None:
    """Show the location of the index of PROJECT, or of every project. Exit code 1 if one cannot be reached."""
    shown = ask(ListIndexes(project=project), "Checking the indexes")
    if json_:
        as_json(shown)
    else:
        table(("project", "place", "passages", "size", "state"), [_row(info) for info in shown.projects])
        if shown.new_projects != EMBEDDED:
            click.echo(f"New projects go to {shown.new_projects}.")
        if shown.key or any(info.place != EMBEDDED for info in shown.projects):
            click.echo(f"Key: {_KEYS.get(shown.key or '', shown.key or 'none is stored')}.")
    sys.exit(0 if all(info.reachable for info in shown.projects) else 1)


def _row(info: IndexInfo) -> tuple[object, ...]:
    state = info.problem or (f"Qdrant {info.version}" if info.version else "ready")
    if any(job.kind == "move" for job in info.jobs):
        state = f"is being moved; {state}"
    return info.project, info.place, info.passages, size(info.bytes) if info.bytes is not None else "", state


@index.command()
@click.argument("project")
@click.option("--to", required=True, metavar="PLACE", help="http://host:6333, https://host:6333, or embedded.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def move(project: str, to: str, yes: bool, json_: bool) -> None:
    """Move the index of PROJECT to a Qdrant server, or back into CiteLoom's own folder.

    Searches use the old index until the copy is complete and has been compared with it; only then is the old one
    deleted. Ctrl-C stops it at any time; an engine that ends or a server that is unavailable only delays it.
    """
    if to != EMBEDDED and not yes and console.is_terminal:
        click.confirm(f"Whoever runs {to} can read the passages of {project}. Move them there?", abort=True)
    with connected(events=True) as client:
        job = client.call(MoveIndex(project=project, to=to))
        if job.job_id is None:
            if json_:
                as_json(job)
            else:
                click.echo(f"The index of {project} is there already: {job.place}.")
            return
        finished = wait_for_job(client, job.job_id, quiet=json_)
    result = job_result(finished, MoveResult, f"the index of {project} stays where it was.", json_=json_)
    if not json_:
        room = f", {size(result.bytes)}" if result.bytes is not None else ""
        click.echo(
            f"{result.passages:,} passages of {project} moved from {result.origin} to {result.to}"
            f" in {result.duration_seconds:.1f} s{room}. Counts are equal, and a sample was compared."
        )


@index.command()
@click.argument("project", required=False)
@json_option
def compact(project: str | None, json_: bool) -> None:
    """Compact the index of PROJECT, or of every project: smaller, faster, and without deleted passages.

    Searches work meanwhile. The engine also does it by itself, when it is idle and there is much to gain.
    """
    results: list[CompactResult | dict[str, object]] = []
    with connected(events=True) as client:
        for project_id in [project] if project else [p.id for p in client.call(ListProjects())]:
            job = client.call(CompactIndex(project=project_id))
            if job.job_id is None:
                results.append({"project": project_id, "by_server": True, "place": job.place})
                if not json_:
                    click.echo(f"{project_id} is on {job.place}: the server does it by itself.")
                continue
            finished = wait_for_job(client, job.job_id, quiet=json_)
            result = job_result(finished, CompactResult, f"the index of {project_id} stays as it was.")
            results.append(result)
            if not json_:
                sizes = f"{size(result.bytes_before)} before, {size(result.bytes)} now"
                click.echo(f"{project_id}: {result.passages:,} passages, {sizes}, in {result.duration_seconds:.1f} s.")
    if json_:
        as_json(results[0] if project else results)


@index.command("test")
@click.argument("address")
@json_option
def test_(address: str, json_: bool) -> None:
    """Check whether the Qdrant server at ADDRESS can be used with the stored key."""
    server = ask(CheckServer(address=address), f"Asking {address}")
    if json_:
        as_json(server)
        return
    key = f"with the key {_KEYS.get(server.key, '')}" if server.key else "without a key"
    click.echo(f"{server.address} answers: Qdrant {server.version}, {key}.")


@index.command()
@click.argument("address", required=False)
def login(address: str | None) -> None:
    """Store the key of a Qdrant server in the system's keyring. Paste it when asked, or pipe it in.

    The key is for the server at ADDRESS, else for the servers in use. It is stored if they accept it.
    """
    key = read_key("Paste it when asked, or pipe it in.")
    done = ask(LogInServer(key=key, address=address), "Asking the server")
    for server, version in done.servers.items():
        click.echo(f"{server} accepts it: Qdrant {version}.")
    if not done.servers:
        click.echo("No server is in use yet, so the key was not tested: citeloom index test ADDRESS")
    click.echo("The key is in the keyring; citeloom index logout deletes it.")
    warn_of_environment_key(_KEY, done.key)


@index.command()
def logout() -> None:
    """Delete the stored keys of Qdrant servers."""
    done = ask(LogOutServers())
    click.echo("The key was deleted." if done.forgotten else "There was no key in the keyring.")
    if done.forgotten and not done.key and done.projects:
        click.echo(f"Note: these projects are on a server: {', '.join(done.projects)}.")
    warn_of_environment_key(_KEY, done.key)
