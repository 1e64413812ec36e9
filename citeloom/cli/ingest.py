"""`citeloom ingest` and `citeloom sync`."""

from __future__ import annotations

import sys
from typing import Any

import click

from citeloom.api.library import ListProjects
from citeloom.cli.shared.engine_call import connected, waiting
from citeloom.cli.shared.follow_job import print_result, run_to_the_end
from citeloom.cli.shared.output import absolute, as_json, console, say, table
from citeloom.core.errors import CiteLoomError
from citeloom.ipc.client import Client


@click.command()
@click.argument("project")
@click.argument("source", required=False)
@click.option("--references", metavar="FILE", help="Use these references from now on.")
@click.option("--no-recursive", is_flag=True, help="Leave subfolders out.")
@click.option(
    "--force-rebuild",
    is_flag=True,
    help="Build the index anew beside the old one, with the models of the settings.",
)
@click.option(
    "--embedded", is_flag=True, help="With --force-rebuild: on this disk, for when a server is gone for good."
)
@click.option("--ocr-languages", metavar="CODES", help="Read pictures of pages in these, such as fr,en.")
@click.option("--remove-missing", is_flag=True, help="Remove documents whose files are gone, however many they are.")
@click.option("--json", "json_", is_flag=True, help="Print the result for other programs.")
def ingest(
    project: str,
    source: str | None,
    references: str | None,
    no_recursive: bool,
    force_rebuild: bool,
    embedded: bool,
    ocr_languages: str | None,
    remove_missing: bool,
    json_: bool,
) -> None:
    """Read a file, a folder or a part of Zotero into PROJECT; without SOURCE, everything the project reads.

    A part of Zotero is written zotero:collection/NAME, zotero:search/NAME or zotero:tag/TAG.

    Unchanged files are skipped, changed ones replaced, vanished ones removed. Documents are searchable early, and
    get better sections, tables and recognised text when they have been read whole. It can be stopped at any time
    (Ctrl-C) and goes on where it was.
    """
    if embedded and not force_rebuild:
        raise click.UsageError("--embedded goes with --force-rebuild; 'citeloom index move' moves an index as it is.")
    options = {
        "recursive": not no_recursive,
        "force_rebuild": force_rebuild,
        "embedded": embedded,
        "remove_missing": remove_missing,
        "ocr_languages": (ocr_languages or "").replace(",", " ").split(),
        "references_path": absolute(references) if references else None,
    }
    with connected() as client:
        client.call("watch")
        job = client.call("ingest", project=project, source=absolute(source) if source else None, options=options)
        finished = run_to_the_end(client, job["job_id"], quiet=json_)
    sys.exit(print_result(project, finished, json_=json_))


@click.command()
@click.argument("project", required=False)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--yes", is_flag=True, help="Remove what has left its source, however much it is.")
@click.option("--retry", is_flag=True, help="Try again also what failed before and has not changed since.")
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def sync(project: str | None, dry_run: bool, yes: bool, retry: bool, json_: bool) -> None:
    """Bring PROJECT, or every project, in step with Zotero, its folders and its references.

    New works are read, changed files replaced; what only has another record is updated without being read again; what
    was taken out of its collection, or trashed, is removed. Nothing is removed from a library that cannot be read, and
    many documents at once only after asking. Where an index server, the disk or a model is away, it waits for that.
    """
    with connected() as client:
        ids = [project] if project else [p.id for p in client.call(ListProjects()).projects]
        if not ids:
            click.echo("There is no project yet. Make one: citeloom project add ID --zotero COLLECTION")
            return
        if dry_run:
            with waiting("Looking"):
                plans = [client.call("plan", project=one, retry_failed=retry) for one in ids]
            _print_plans(plans, json_=json_)
            sys.exit(1 if any(plan["problems"] for plan in plans) else 0)
        client.call("watch")
        results: dict[str, dict[str, Any]] = {}
        for one in ids:
            results[one] = _sync_one(client, one, yes=yes, retry=retry, quiet=json_, named=len(ids) > 1)
            if results[one]["state"] == "cancelled":  # Ctrl-C is meant for all of them
                break
    if json_:
        as_json(results[project] if project else [{"project": one, **result} for one, result in results.items()])
    sys.exit(max(_code(result) for result in results.values()))


def _sync_one(client: Client, project: str, *, yes: bool, retry: bool, quiet: bool, named: bool) -> dict[str, Any]:
    """Sync a project; an error is that project's result."""
    if named and not quiet:
        click.echo(f"{project}:")

    def run(*, remove: bool) -> dict[str, Any]:
        options = {"remove_missing": remove, "retry_failed": retry}
        job = client.call("ingest", project=project, source=None, options=options)
        return run_to_the_end(client, job["job_id"], quiet=quiet)

    try:
        finished = run(remove=yes)
        held_back = finished["result"].get("held_back")
        if held_back and not quiet and console.is_terminal:
            click.echo(f"{held_back} documents of {project} have left their source: trashed, erased or moved.")
            if click.confirm("Remove them from the project too?"):
                finished = run(remove=True)
        if "error" in finished["result"]:
            raise CiteLoomError.from_dict(finished["result"]["error"])
    except CiteLoomError as error:
        if not named:
            raise
        say(f"citeloom: {error}", err=True)
        return {"state": "failed", "error": error.as_dict()}
    if not quiet:
        print_result(project, finished, json_=False)
    return {"state": finished["state"], **finished["result"]}


def _code(result: dict[str, Any]) -> int:
    if result["state"] == "cancelled":
        return 130
    return 1 if "error" in result or result.get("failed") else 0


_WORDS = {
    "added": "to be read",
    "changed": "to be read again",
    "updated": "other record",
    "without_file": "without a file",
    "removed": "to be removed",
}


def _print_plans(plans: list[dict[str, Any]], *, json_: bool) -> None:
    if json_:
        as_json(plans)
        return
    for plan in plans:
        rows = [
            (word, one["citekey"], one["title"] or one["source"], _note(kind, one))
            for kind, word in _WORDS.items()
            for one in plan[kind]
        ]
        counts = ", ".join(f"{len(plan[kind])} {word}" for kind, word in _WORDS.items() if plan[kind])
        click.echo(f"{plan['project']}: {counts or 'nothing to do'}; {plan['unchanged']} unchanged.")
        if rows:
            table(("what", "citekey", "title", "note"), rows)
        if plan["asks"]:
            click.echo(f"So many are removed only after asking, or with: citeloom sync {plan['project']} --yes")
        for warning in plan["warnings"]:
            say(f"Note: {warning}")
        for problem in plan["problems"]:
            say(f"Failed: {problem['source']}: {problem['reason']}", err=True)


def _note(kind: str, one: dict[str, Any]) -> str:
    if kind == "updated":
        return f"was {one['was']}" if one["was"] else ""
    return str(one.get("why", ""))
