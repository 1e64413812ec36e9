"""`citeloom project …`."""

from __future__ import annotations

import click

from citeloom.cli.asking import ask
from citeloom.cli.output import absolute, as_json, coverage, reached, size, table


@click.group()
def project() -> None:
    """Projects: what an editor may see, and nothing else."""


@project.command()
@click.argument("id")
@click.option("--references", metavar="FILE", help="CSL-JSON or .bib file with the works' records and citekeys.")
@click.option("--folder", "folders", metavar="DIR", multiple=True, help="Folder of documents (repeatable).")
def add(id: str, references: str | None, folders: tuple[str, ...]) -> None:
    """Make a project. ID is a name such as thesis or thesis/chapter-2."""
    made = ask(
        "project_add",
        "Making the project",
        id=id,
        references=absolute(references) if references else None,
        folders=[absolute(f) for f in folders],
    )
    click.echo(
        f"Project {made['id']} is made" + (f", with {made['records']} records." if made["records"] is not None else ".")
    )
    for warning in made["warnings"]:
        click.echo(f"Note: {warning}")
    click.echo(f"Next: citeloom ingest {made['id']}" + ("" if folders else " FOLDER"))


@project.command("list")
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def list_(json_: bool) -> None:
    """List the projects and how much of each can be searched."""
    projects = ask("project_list")
    if json_:
        as_json(projects)
    elif not projects:
        click.echo("There is no project yet. Make one: citeloom project add ID --references FILE --folder DIR")
    else:
        table(
            ("project", "passages", "coverage"),
            [(p["id"], p["chunk_count"], coverage(p["coverage"])) for p in projects],
        )


@project.command()
@click.argument("id")
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def show(id: str, json_: bool) -> None:
    """Show a project: its folders, references, models, size and running imports."""
    shown = ask("project_show", id=id)
    if json_:
        as_json(shown)
        return
    rows = [
        ("project", shown["id"]),
        ("collection", shown["collection"]),
        ("references", shown["references"] or "none"),
        *(("reads", f"{s['path']}" + ("" if s["recursive"] else " (not its subfolders)")) for s in shown["sources"]),
        ("coverage", coverage(shown["coverage"])),
        ("passages", shown["chunk_count"]),
        ("models", f"{shown['dense_model']}, {shown['sparse_model'] or 'no sparse model'}"),
        ("on disk", size(shown["bytes"])),
        *(("import", f"{j['state']}: {reached(j)}") for j in shown["jobs"]),
    ]
    table(("", ""), rows)


@project.command()
@click.argument("id")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(id: str, yes: bool) -> None:
    """Remove a project's index and records. Your own files are not touched."""
    shown = ask("project_show", id=id)
    click.echo(
        f"This removes project {shown['id']}: {shown['document_count']} documents, {shown['chunk_count']} passages,"
        f" {size(shown['bytes'])} of index. Your files and the access log stay."
    )
    if not yes:
        click.confirm("Remove it?", abort=True)
    ask("project_remove", "Removing it", id=id)
    click.echo(f"Project {id} is removed.")
