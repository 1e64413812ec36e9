"""`citeloom ingest` and `citeloom documents`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from citeloom.cli.asking import connected
from citeloom.cli.output import absolute, as_json, console, coverage, table
from citeloom.engine.client import Client
from citeloom.errors import CiteLoomError, Code

_LINES_EVERY = 25  # files between two lines of progress where there is no terminal


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
@click.option("--remove-missing", is_flag=True, help="Remove documents whose files are gone, however many they are.")
@click.option("--json", "json_", is_flag=True, help="Print the result for other programs.")
def ingest(
    project: str,
    source: str | None,
    references: str | None,
    no_recursive: bool,
    force_rebuild: bool,
    remove_missing: bool,
    json_: bool,
) -> None:
    """Read a file or folder into PROJECT; without SOURCE, everything the project reads.

    Unchanged files are skipped, changed ones replaced, vanished ones removed. It can be stopped at any time
    (Ctrl-C) and goes on where it was.
    """
    options = {
        "recursive": not no_recursive,
        "force_rebuild": force_rebuild,
        "remove_missing": remove_missing,
        "references_path": absolute(references) if references else None,
    }
    with connected() as client:
        client.call("watch")
        job = client.call("ingest", project=project, source=absolute(source) if source else None, options=options)
        try:
            finished = _follow(client, job["job_id"], quiet=json_)
        except KeyboardInterrupt:
            click.echo("\nStopping after the document at hand …", err=True)
            client.call("cancel", job_id=job["job_id"])
            finished = _follow(client, job["job_id"], quiet=True)
    _print_result(project, finished, json_=json_)


def _follow(client: Client, job_id: str, *, quiet: bool) -> dict[str, Any]:
    finished: dict[str, Any] = {}
    bar = _Bar() if console.is_terminal and not quiet else None

    def tell(event: dict[str, Any]) -> bool:
        nonlocal finished
        if event["type"] == "EngineStopping":
            raise CiteLoomError(
                Code.ENGINE_UNAVAILABLE,
                "The engine was stopped.",
                "The import goes on when the engine starts again.",
            )
        if event.get("job_id") != job_id:
            return False
        if event["type"] == "JobFinished":
            finished = event
            return True
        if bar:
            bar.update(event)
        elif not quiet and event["stage"] == "convert" and event["done"] % _LINES_EVERY == 0:
            click.echo(f"{event['done']} of {event['total']} files, {event['chunks_written']} passages")
        return False

    try:
        client.watch(tell)
    finally:
        if bar:
            bar.close()
    return finished


class _Bar:
    """A live bar with the time left."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._progress = Progress(*columns, console=console, transient=True)
        self._progress.start()
        self._task = self._progress.add_task("planning", total=None, left="")

    def update(self, event: dict[str, Any]) -> None:
        eta = event.get("eta_seconds")
        left = "" if eta is None else f"about {eta:.0f} s left" if eta < 90 else f"about {eta / 60:.0f} min left"
        name = Path(event["file"]).name or event["stage"]
        self._progress.update(
            self._task,
            total=event["total"] or None,
            completed=event["done"],
            description=name[:40],
            left=left,
        )

    def close(self) -> None:
        self._progress.stop()


def _print_result(project: str, finished: dict[str, Any], *, json_: bool) -> None:
    state, result = finished["state"], finished["result"]
    if "error" in result:
        raise CiteLoomError.from_dict(result["error"])
    if json_:
        as_json({"state": state, **result})
        sys.exit(1 if result.get("failed") else 0)
    words = ("new", "replaced", "skipped", "updated", "removed", "failed")
    counts = ", ".join(f"{result[w]} {w}" for w in words if result.get(w)) or "nothing to do"
    click.echo(
        f"{counts}; {result.get('chunks_written', 0)} passages written in {result.get('duration_seconds', 0):.1f} s."
    )
    for warning in result.get("warnings", []):
        click.echo(f"Note: {warning}")
    for error in result.get("errors", []):
        click.echo(f"Failed: {error['source']}: {error['reason']} [{error['code']}]", err=True)
    if state != "done":
        click.echo(f"It was stopped before the end. Go on with: citeloom ingest {project}", err=True)
        sys.exit(130)
    sys.exit(1 if result.get("failed") else 0)


@click.command()
@click.argument("project")
@click.option("--status", help="Only these: ready, pending, failed, duplicate or without_file.")
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def documents(project: str, status: str | None, json_: bool) -> None:
    """List the documents of PROJECT with citekey, pages and status, and why one failed."""
    found: list[dict[str, Any]] = []
    with connected() as client:
        offset: int | None = 0
        while offset is not None:
            page = client.call("documents", project=project, status=status, limit=1000, offset=offset)
            found += page["documents"]
            offset = page["next_offset"]
    if json_:
        as_json(found)
        return
    rows = [
        (
            d["citekey"] + (" (made)" if d["citekey_made"] else ""),
            d["status"],
            d["pages"],
            d["chunk_count"],
            "" if d["word_coverage"] is None else f"{d['word_coverage']:.2f}",
            d["source"],
            d["reason"] or "; ".join(d["warnings"]),
        )
        for d in found
    ]
    table(("citekey", "status", "pages", "passages", "words kept", "file", "note"), rows)
    click.echo(coverage(page["coverage"]) + ".")
