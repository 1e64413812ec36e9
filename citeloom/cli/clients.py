"""`citeloom clients …`."""

from __future__ import annotations

from typing import Any

import click

from citeloom import editors
from citeloom.api.library import ListProjects
from citeloom.cli.shared.engine_call import ask, waiting
from citeloom.cli.shared.output import as_json, json_option, table
from citeloom.core.errors import CiteLoomError, Code
from citeloom.editors import DetectedEditor

_projects = click.option(
    "--project", "projects", metavar="ID", multiple=True, help="Let it see only this project (repeatable); else all."
)
_toolsets = click.option(
    "--toolsets", metavar="LIST", help="Tools to offer, separated by commas: read (the default), write, notes."
)


@click.group()
def clients() -> None:
    """Editors: which are installed, and which are connected.

    \b
    Connect one:
      citeloom clients list
      citeloom clients install cursor --project thesis
    Its file is backed up first, and only CiteLoom's entry in it is changed.
    """


@clients.command("list")
@json_option
def list_(json_: bool) -> None:
    """List the known editors: whether they are installed and connected, and their settings files."""
    found = editors.detect_editors()
    if json_:
        as_json([_as_dict(editor) for editor in found])
        return
    rows = [(f.editor.id, "yes" if f.installed else "no", _connected(f), f.file) for f in found]
    table(("editor", "found", "connected to", "file"), rows)
    for detected in found:
        if detected.problem:
            click.echo(f"{detected.editor.name}: {detected.problem}")


def _as_dict(found: DetectedEditor) -> dict[str, Any]:
    entry = found.connected
    connected = None
    if entry:
        connected = {
            "projects": list(entry.projects) or None,
            "toolsets": list(entry.toolsets),
            "command": list(entry.command),
        }
    return {
        "id": found.editor.id,
        "name": found.editor.name,
        "installed": found.installed,
        "file": str(found.file),
        "connected": connected,
        "problem": found.problem.as_dict() if found.problem else None,
    }


def _connected(found: DetectedEditor) -> str:
    entry = found.connected
    if entry is None:
        return ""
    only = "" if len(entry.toolsets) > 1 else f" ({entry.toolsets[0]} only)"
    return (", ".join(entry.projects) or "all projects") + only


@clients.command()
@click.argument("client")
@_projects
@_toolsets
@click.option("--dry-run", is_flag=True, help="Only show what would be changed.")
@click.option("--no-test", is_flag=True, help="Do not test the connection afterwards.")
def install(client: str, projects: tuple[str, ...], toolsets: str | None, dry_run: bool, no_test: bool) -> None:
    """Connect an editor: add CiteLoom's entry to its settings file, and test it.

    It may search, read, cite and check; --toolsets read,write also lets it add and remove documents. An editor that is
    already connected keeps its tools.

    \b
    Which editors there are:   citeloom clients list
    For any other program:     citeloom clients snippet
    To undo it:                citeloom clients undo CLIENT
    """
    found = editors.detect_editor(client)
    offered = found.connected.toolsets if found.connected else editors.DEFAULT_TOOLSETS
    chosen = _list(toolsets) if toolsets is not None else offered
    _check_projects(projects)
    if dry_run:
        click.echo(editors.preview(found, projects, chosen).rstrip() or "Nothing would change.")
        return
    change = editors.install(found, projects, chosen)
    if not change.diff:
        click.echo(f"{found.editor.name} is already connected like this: {change.file}")
    else:
        click.echo(f"Written: {change.file}")
        _print_backup(change.backup)
    if not found.installed:
        click.echo(f"Note: {found.editor.name} itself was not found on this machine.")
    if not no_test:
        _run_test(editors.detect_editor(client))
    click.echo(f"{found.editor.name}: {found.editor.next_step}")


@clients.command()
@click.argument("client")
def remove(client: str) -> None:
    """Disconnect an editor: remove CiteLoom's entry from its file, and nothing else."""
    change = editors.remove(editors.detect_editor(client))
    click.echo(f"The entry was removed: {change.file}")
    _print_backup(change.backup)


@clients.command()
@click.argument("client")
def test(client: str) -> None:
    """Launch the command in an editor's file as the editor does, and list its tools."""
    _run_test(editors.detect_editor(client))


@clients.command()
@click.argument("client")
def undo(client: str) -> None:
    """Undo the last change: restore the editor's file exactly as it was before."""
    change = editors.last_change(editors.detect_editor(client))
    editors.undo(change)
    click.echo(f"{change.file} was removed again." if change.created else f"{change.file} was restored.")


@clients.command()
@click.argument("client", required=False)
@_projects
@_toolsets
def snippet(client: str | None, projects: tuple[str, ...], toolsets: str | None) -> None:
    """Show the entry to copy by hand: for an editor, or for any other program."""
    chosen = _list(toolsets) if toolsets is not None else editors.DEFAULT_TOOLSETS
    click.echo(editors.snippet(client or editors.OTHER, projects, chosen), nl=False)


def _list(names: str) -> list[str]:
    return [word.strip() for word in names.split(",") if word.strip()]


def _check_projects(projects: tuple[str, ...]) -> None:
    if not projects:
        return
    known = [project.id for project in ask(ListProjects(), "Listing the projects")]
    for project in projects:
        if project not in known:
            choices = f"There are: {', '.join(known)}." if known else "Add one first: citeloom project add"
            raise CiteLoomError(Code.INVALID_PROJECT, f"There is no project {project}.", choices)


def _print_backup(backup: object) -> None:
    if backup:
        click.echo(f"Backup: {backup}")


def _run_test(found: DetectedEditor) -> None:
    with waiting(f"Launching it as {found.editor.name} does"):
        result = editors.check_launch(found)
    if result.problem:
        raise result.problem
    click.echo(f"It works: {len(result.tools)} tools in {result.seconds:.1f} s ({', '.join(result.tools)}).")
