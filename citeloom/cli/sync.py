"""`citeloom sync`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from citeloom.api.events import JobFinished
from citeloom.api.importing import (
    DocumentWithoutFile,
    Ingest,
    PlannedDocument,
    PreviewSync,
    SyncPreview,
    UpdatedDocument,
    import_result,
)
from citeloom.api.library import ListProjects
from citeloom.cli.shared.engine_call import connected, waiting
from citeloom.cli.shared.follow_job import print_import, wait_for_job
from citeloom.cli.shared.output import as_json, console, json_option, print_line, print_notes, table
from citeloom.core.errors import CiteLoomError
from citeloom.ipc.client import Client


@click.command()
@click.argument("project", required=False)
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--yes", is_flag=True, help="Remove documents that have left their source, however many.")
@click.option("--retry", is_flag=True, help="Also retry unchanged documents that failed before.")
@json_option
def sync(project: str | None, dry_run: bool, yes: bool, retry: bool, json_: bool) -> None:
    """Update PROJECT, or every project, from Zotero, its folders and its references.

    New works are imported, changed files replaced. If only a record has changed, the file is not read again. Documents
    that have left their collection or were trashed are removed: many at once only after a confirmation, and none if the
    library cannot be read. If an index server, the disk or a model is unavailable, the sync waits for it.
    """
    with connected(events=not dry_run) as client:
        ids = [project] if project else [p.id for p in client.call(ListProjects())]
        if not ids:
            click.echo("There is no project yet. Create one: citeloom project add ID --zotero COLLECTION")
            return
        if dry_run:
            with waiting("Looking for changes"):
                previews = [client.call(PreviewSync(project=project_id, retry_failed=retry)) for project_id in ids]
            _print_previews(previews, json_=json_)
            sys.exit(1 if any(preview.problems for preview in previews) else 0)
        results: dict[str, dict[str, Any]] = {}
        for project_id in ids:
            results[project_id] = _sync_one(client, project_id, yes=yes, retry=retry, quiet=json_, named=len(ids) > 1)
            if results[project_id]["state"] == "cancelled":  # Ctrl-C applies to all projects
                break
    if json_:
        as_json(
            results[project]
            if project
            else [{"project": project_id, **result} for project_id, result in results.items()]
        )
    sys.exit(max(_code(result) for result in results.values()))


def _sync_one(client: Client, project: str, *, yes: bool, retry: bool, quiet: bool, named: bool) -> dict[str, Any]:
    """Sync a project; an error becomes its result."""
    if named and not quiet:
        click.echo(f"{project}:")

    def run(*, remove: bool) -> JobFinished:
        job = client.call(Ingest(project=project, remove_missing=remove, retry_failed=retry))
        return wait_for_job(client, job.job_id, quiet=quiet)

    try:
        finished = run(remove=yes)
        held_back = import_result(finished).held_back
        if held_back and not quiet and console.is_terminal:
            click.echo(f"{held_back} documents of {project} have left their source: trashed, erased or moved.")
            if click.confirm("Remove them from the project too?"):
                finished = run(remove=True)
        import_result(finished)
    except CiteLoomError as error:
        if not named:
            raise
        print_line(f"citeloom: {error}", err=True)
        return {"state": "failed", "error": error.as_dict()}
    if not quiet:
        print_import(project, finished, json_=False)
    return {"state": finished.state, **finished.result}


def _code(result: dict[str, Any]) -> int:
    if result["state"] == "cancelled":
        return 130
    return 1 if "error" in result or result.get("failed") else 0


_LABELS = {
    "added": "to be read",
    "changed": "to be read again",
    "updated": "other record",
    "without_file": "without a file",
    "removed": "to be removed",
}


def _print_previews(previews: Sequence[SyncPreview], *, json_: bool) -> None:
    if json_:
        as_json(previews)
        return
    for preview in previews:
        documents: dict[str, Sequence[PlannedDocument]] = {kind: getattr(preview, kind) for kind in _LABELS}
        rows = [
            (label, document.citekey, document.title or document.source, _note(document))
            for kind, label in _LABELS.items()
            for document in documents[kind]
        ]
        counts = ", ".join(f"{len(documents[kind])} {label}" for kind, label in _LABELS.items() if documents[kind])
        click.echo(f"{preview.project}: {counts or 'nothing to do'}; {preview.unchanged} unchanged.")
        if rows:
            table(("what", "citekey", "title", "note"), rows)
        if preview.needs_confirmation:
            click.echo(f"So many are removed only after a confirmation, or with: citeloom sync {preview.project} --yes")
        print_notes(preview.warnings)
        for problem in preview.problems:
            print_line(f"Failed: {problem.source}: {problem.reason}", err=True)


def _note(document: PlannedDocument) -> str:
    match document:
        case UpdatedDocument(was=was):
            return f"was {was}" if was else ""
        case DocumentWithoutFile(why=why):
            return why
    return ""
