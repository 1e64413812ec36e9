"""`citeloom backup` and `citeloom restore`."""

from __future__ import annotations

import sys
from typing import Any

import click

from citeloom.api.engine import Watch
from citeloom.cli.shared.engine_call import connected, waiting
from citeloom.cli.shared.follow_job import run_to_the_end, succeeded
from citeloom.cli.shared.output import absolute, as_json, console, size
from citeloom.ipc import launch
from citeloom.ipc.client import wait_until_stopped


@click.command()
@click.argument("file")
@click.option("--project", "projects", multiple=True, metavar="ID", help="Only this project; may be repeated.")
@click.option("--json", "json_", is_flag=True, help="Print the result for other programs.")
def backup(file: str, projects: tuple[str, ...], json_: bool) -> None:
    """Keep the catalog, the indexes and the settings in one FILE, as they are at one moment.

    Your papers, keys and converted documents are not in it: papers stay where they are, conversions are made again when
    they are needed. An index on a server is copied, so that the backup needs no server. Questions are answered
    meanwhile, and an import goes on afterwards.
    """
    with connected() as client:
        client.call(Watch())
        job = client.call("backup", file=absolute(file), projects=list(projects))
        finished = run_to_the_end(client, job["job_id"], quiet=json_)
    result = succeeded(finished, json_=json_)
    if result is None:
        click.echo("It was stopped: there is no backup.", err=True)
        sys.exit(130)
    if not json_:
        kept = f"{', '.join(result['projects'])} ({result['passages']:,} passages)"
        click.echo(f"{kept} in {result['file']}, {size(result['bytes'])}, in {result['duration_seconds']:.1f} s.")


@click.command()
@click.argument("file")
@click.option("--replace", is_flag=True, help="Put aside the projects that are here; all of them.")
@click.option("--settings", is_flag=True, help="Take the backup's privacy, Zotero and network settings too.")
@click.option("--yes", is_flag=True, help="Do not ask: agree to the folders and settings of the backup.")
@click.option("--json", "json_", is_flag=True, help="Print the result for other programs.")
def restore(file: str, replace: bool, settings: bool, yes: bool, json_: bool) -> None:
    """Begin again with what a backup FILE holds.

    Everything in it is checked before anything is changed. Where there are projects already, nothing is done without
    --replace, which puts them aside and says where. Folders, files and parts of Zotero that no project here reads yet
    are listed, and need your word: on a terminal you are asked, else --yes gives it. Settings of privacy, of Zotero
    and of where passages are sent stay as they are here, unless you say --settings. Editors connect again by
    themselves.
    """
    started_by = (launch.address() or {}).get("started_by", "cli") if launch.running() else "cli"
    with connected() as client:
        seen = client.call("restore_look", file=absolute(file))
        if not json_:
            names = ", ".join(project["id"] for project in seen["projects"])
            click.echo(f"A backup of {seen['made_at']}: {names}, {size(seen['bytes'])} unpacked.")
            _list_what_is_new(seen, settings=settings)
        shown = not json_ and console.is_terminal
        if seen["here"] and replace and not yes and console.is_terminal:
            click.confirm(f"Put aside what is here ({', '.join(seen['here'])}) and begin with it?", abort=True)
        elif shown and not yes and (seen["new_sources"] or (settings and seen["other_settings"])):
            click.confirm("Begin with it?", abort=True)
        # Where nobody has seen the list or said --yes, the engine refuses what is new.
        agreed = [source["path"] for source in seen["new_sources"]] if yes or shown else []
        with waiting("Unpacking and checking"):
            done = client.call("restore", file=absolute(file), replace=replace, accepted=agreed, all_settings=settings)
    with waiting("Starting the engine"):
        wait_until_stopped()
        launch.ensure(started_by)
    if json_:
        as_json(done)
        return
    click.echo(f"Restored: {', '.join(done['projects'])}, {done['passages']:,} passages.")
    if done["aside"]:
        click.echo(f"What was here before is in {done['aside']}; delete it when you no longer need it.")
    if done["embedded"]:
        click.echo(f"Embedded now, no longer on a server: {', '.join(done['embedded'])}.")
    if not done["settings"]:
        click.echo("The settings that are here were kept.")
    elif done["kept_settings"]:
        names = ", ".join(one["name"] for one in done["kept_settings"])
        click.echo(f"Kept as they are here: {names}. With --settings the backup's are taken.")


def _list_what_is_new(seen: dict[str, Any], *, settings: bool) -> None:
    """Say what a backup would have CiteLoom read and do that it does not now."""
    if seen["new_sources"]:
        click.echo("Its projects read these places, which no project here reads yet:")
        for source in seen["new_sources"]:
            named = f"{source['label']}, " if source["label"] else ""
            click.echo(f"  {source['project']}: {named}{source['path']} ({source['kind']})")
    if seen["other_settings"]:
        click.echo("Its settings differ in:")
        for one in seen["other_settings"]:
            chosen = "the backup's is taken" if settings else "yours stays"
            click.echo(f"  {one['name']}: {one['backup']} in the backup, {one['here']} here; {chosen}")
