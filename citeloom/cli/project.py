"""`citeloom project …`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from citeloom.api.library import (
    AddProject,
    AllowSources,
    DisallowSource,
    ListProjects,
    ProjectDetails,
    RemoveProject,
    ShowProject,
    ZoteroPart,
    project_json,
)
from citeloom.cli.shared.engine_call import ask, connected
from citeloom.cli.shared.follow_job import print_import, wait_for_job
from citeloom.cli.shared.output import absolute, as_json, coverage, json_option, print_notes, size, table
from citeloom.core.jobs import describe_job
from citeloom.core.types import Source


@click.group()
def project() -> None:
    """Projects: the sources that an editor may see."""


def _source_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for the sources of a project to a command."""
    options = (
        click.option("--folder", "folders", metavar="DIR", multiple=True, help="Folder of documents (repeatable)."),
        click.option(
            "--zotero",
            metavar="COLLECTION",
            multiple=True,
            help='Zotero collection, such as "Thesis/Chapter 2" (repeatable); search:NAME for a saved search; "*" for'
            " everything.",
        ),
        click.option("--recursive", is_flag=True, help="Include the collections inside the collection."),
        click.option(
            "--tag", "tags", metavar="T", multiple=True, help="Only items with this tag (repeatable: with all of them)."
        ),
        click.option("--library", metavar="GROUP", help="The group library, by name or number; else My Library."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _sources(
    folders: tuple[str, ...], zotero: tuple[str, ...], recursive: bool, tags: tuple[str, ...], library: str | None
) -> tuple[list[str], list[ZoteroPart]]:
    """Return the folders and the parts of Zotero given by the options."""
    if not zotero and (tags or library):
        zotero = ("*",)
    parts = [ZoteroPart(name=name, library=library, recursive=recursive, tags=tags) for name in zotero]
    return [absolute(folder) for folder in folders], parts


def _source_line(source: Source) -> str:
    if source.kind == "zotero":
        return f"Zotero: {source.label}" + ("" if source.recursive else ", without the collections in it")
    return source.path + ("" if source.recursive else " (not its subfolders)")


def _print_zotero_sources(project: ProjectDetails) -> None:
    """Print which parts of Zotero were found, as only a name was given."""
    for source in (s for s in project.sources if s.kind == "zotero"):
        click.echo(f"It reads {_source_line(source)}.")


@project.command()
@click.argument("id")
@click.option("--references", metavar="FILE", help="CSL-JSON or .bib file with the works' records and citekeys.")
@_source_options
def add(id: str, references: str | None, **reads: Any) -> None:
    """Create a project. ID is a name such as thesis or thesis/chapter-2.

    \b
    citeloom project add thesis --zotero "Thesis/Chapter 2"
    citeloom project add lab --zotero "*" --library "Lab Group" --tag methods
    citeloom project add notes --references library.bib --folder ~/papers
    """
    folders, zotero = _sources(**reads)
    references = absolute(references) if references else None
    request = AddProject(project=id, references=references, folders=folders, zotero=zotero)
    made = ask(request, "Creating the project")
    records = f", with {made.records} records" if made.records is not None else ""
    click.echo(f"Project {made.id} was created{records}.")
    print_notes(made.warnings)
    _print_zotero_sources(made)
    click.echo(f"Next: citeloom sync {made.id}" if made.sources else f"Next: citeloom ingest {made.id} FOLDER")


@project.command()
@click.argument("id")
@_source_options
def allow(id: str, **reads: Any) -> None:
    """Add sources to project ID: folders, or parts of Zotero."""
    folders, zotero = _sources(**reads)
    if not folders and not zotero:
        raise click.UsageError("Name a --folder or a part of --zotero.")
    _print_zotero_sources(ask(AllowSources(project=id, folders=folders, zotero=zotero), "Adding the sources"))
    click.echo(f"Next: citeloom sync {id}")


@project.command()
@click.argument("id")
@click.argument("source")
def disallow(id: str, source: str) -> None:
    """Remove SOURCE from project ID; its documents leave the project, your files stay.

    SOURCE is a folder or a name as shown by 'citeloom project show'.
    """
    folder = absolute(source)
    known = {s.path for s in ask(ShowProject(project=id)).sources}
    with connected(events=True) as client:
        done = client.call(DisallowSource(project=id, source=folder if folder in known else source))
        finished = wait_for_job(client, done.job_id, quiet=False)
    click.echo(f"Project {id} no longer reads {done.disallowed}.")
    sys.exit(print_import(id, finished, json_=False))


@project.command("list")
@json_option
def list_(json_: bool) -> None:
    """List the projects and how much of each can be searched."""
    projects = ask(ListProjects())
    if json_:
        as_json([project_json(one) for one in projects])
    elif not projects:
        click.echo("There is no project yet. Create one: citeloom project add ID --zotero COLLECTION")
    else:
        table(
            ("project", "passages", "coverage"),
            [(p.id, p.chunk_count, p.problem or coverage(p.coverage)) for p in projects],
        )


@project.command()
@click.argument("id")
@json_option
def show(id: str, json_: bool) -> None:
    """Show a project: its folders, references, models, size and running imports."""
    shown = ask(ShowProject(project=id))
    if json_:
        as_json(project_json(shown))
        return
    rows = [
        ("project", shown.id),
        ("collection", shown.collection),
        ("references", shown.references or "none"),
        *(("reads", _source_line(source)) for source in shown.sources),
        ("coverage", coverage(shown.coverage)),
        ("passages", shown.chunk_count),
        ("models", f"{shown.dense_model}, {shown.sparse_model or 'no sparse model'}"),
        ("on disk", size(shown.bytes)),
        *(("import", describe_job(job)) for job in shown.jobs),
    ]
    table(("", ""), rows)


@project.command()
@click.argument("id")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(id: str, yes: bool) -> None:
    """Remove a project's index and records. Your own files are not changed."""
    shown = ask(ShowProject(project=id))
    click.echo(
        f"This removes project {shown.id}: {shown.document_count} documents, {shown.chunk_count} passages,"
        f" {size(shown.bytes)} of index. Your files and the access log stay."
    )
    if not yes:
        click.confirm("Remove it?", abort=True)
    removed = ask(RemoveProject(project=id), "Removing it")
    click.echo(f"Project {id} was removed.")
    if removed.note:  # an unreachable server still has its passages
        click.echo(f"Note: {removed.note}", err=True)
