"""`citeloom restore`."""

from __future__ import annotations

import click

from citeloom.api.maintenance import BackupContents, ReadBackup, Restore
from citeloom.cli.shared.engine_call import connected, waiting
from citeloom.cli.shared.output import absolute, as_json, console, json_option, size
from citeloom.ipc import launch
from citeloom.ipc.client import wait_until_stopped


@click.command()
@click.argument("file")
@click.option("--replace", is_flag=True, help="Replace all existing projects; they are moved to another folder.")
@click.option("--settings", is_flag=True, help="Also restore the settings of privacy, Zotero and network.")
@click.option("--yes", is_flag=True, help="Do not ask: accept the sources and settings of the backup.")
@json_option
def restore(file: str, replace: bool, settings: bool, yes: bool, json_: bool) -> None:
    """Replace the current data by a backup FILE.

    Everything in it is checked before anything is changed. Existing projects are only replaced with --replace,
    which moves them to another folder and prints its name. Folders, files and parts of Zotero that no current project
    reads are listed and have to be confirmed: on a terminal you are asked, elsewhere --yes confirms them. Settings of
    privacy, of Zotero and of where passages are sent are only restored with --settings. Editors reconnect by
    themselves.
    """
    started_by = (launch.address() or {}).get("started_by", "cli") if launch.is_running() else "cli"
    with connected() as client:
        backup = client.call(ReadBackup(file=absolute(file)))
        if not json_:
            names = ", ".join(project.id for project in backup.projects)
            click.echo(f"A backup of {backup.made_at}: {names}, {size(backup.bytes)} unpacked.")
            _print_changes(backup, settings=settings)
        is_asked = not json_ and console.is_terminal
        if backup.present and replace and not yes and console.is_terminal:
            click.confirm(
                f"Move the existing projects ({', '.join(backup.present)}) to another folder and restore the backup?",
                abort=True,
            )
        elif is_asked and not yes and (backup.new_sources or (settings and backup.other_settings)):
            click.confirm("Restore it?", abort=True)
        # Unless a person has seen the list or given --yes, the engine refuses new sources and settings.
        accepted = [source.path for source in backup.new_sources] if yes or is_asked else []
        with waiting("Unpacking and checking"):
            done = client.call(Restore(file=absolute(file), replace=replace, accepted=accepted, all_settings=settings))
    with waiting("Starting the engine"):
        wait_until_stopped()
        launch.ensure_running(started_by)
    if json_:
        as_json(done)
        return
    click.echo(f"Restored: {', '.join(done.projects)}, {done.passages:,} passages.")
    if done.replaced_data:
        click.echo(f"The previous data is in {done.replaced_data}; delete it when you no longer need it.")
    if done.embedded:
        click.echo(f"Embedded now, no longer on a server: {', '.join(done.embedded)}.")
    if not done.settings:
        click.echo("The current settings were kept.")
    elif done.kept_settings:
        names = ", ".join(setting.name for setting in done.kept_settings)
        click.echo(f"Not restored: {names}. Use --settings to restore them too.")


def _print_changes(backup: BackupContents, *, settings: bool) -> None:
    """Print the sources and settings that a backup would add or change."""
    if backup.new_sources:
        click.echo("Its projects read these sources, which no current project reads:")
        for source in backup.new_sources:
            label = f"{source.label}, " if source.label else ""
            click.echo(f"  {source.project}: {label}{source.path} ({source.kind})")
    if backup.other_settings:
        click.echo("Its settings differ in:")
        for setting in backup.other_settings:
            chosen = "the backup's is used" if settings else "yours is kept"
            click.echo(f"  {setting.name}: {setting.backup} in the backup, {setting.current} now; {chosen}")
