"""`citeloom ingest` and `citeloom documents`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from citeloom.cli.asking import connected
from citeloom.cli.output import absolute, as_json, console, coverage, reached, table
from citeloom.engine.client import Client
from citeloom.errors import CiteLoomError, Code

# Between two lines of progress where there is no terminal: steps (a document is searchable, is finished), or seconds.
_LINES_EVERY = 50
_LINE_AFTER = 15.0


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
@click.option("--ocr-languages", metavar="CODES", help="Read pictures of pages in these, such as fr,en.")
@click.option("--remove-missing", is_flag=True, help="Remove documents whose files are gone, however many they are.")
@click.option("--json", "json_", is_flag=True, help="Print the result for other programs.")
def ingest(
    project: str,
    source: str | None,
    references: str | None,
    no_recursive: bool,
    force_rebuild: bool,
    ocr_languages: str | None,
    remove_missing: bool,
    json_: bool,
) -> None:
    """Read a file or folder into PROJECT; without SOURCE, everything the project reads.

    Unchanged files are skipped, changed ones replaced, vanished ones removed. Documents are searchable early, and
    get better sections, tables and recognised text when they have been read whole. It can be stopped at any time
    (Ctrl-C) and goes on where it was.
    """
    options = {
        "recursive": not no_recursive,
        "force_rebuild": force_rebuild,
        "remove_missing": remove_missing,
        "ocr_languages": (ocr_languages or "").replace(",", " ").split(),
        "references_path": absolute(references) if references else None,
    }
    with connected() as client:
        client.call("watch")
        job = client.call("ingest", project=project, source=absolute(source) if source else None, options=options)
        try:
            finished = _follow(client, job["job_id"], quiet=json_)
        except KeyboardInterrupt:
            click.echo("\nStopping …", err=True)
            client.call("cancel", job_id=job["job_id"])
            finished = _follow(client, job["job_id"], quiet=True)
    _print_result(project, finished, json_=json_)


def _follow(client: Client, job_id: str, *, quiet: bool) -> dict[str, Any]:
    finished: dict[str, Any] = {}
    bar = _Bar() if console.is_terminal and not quiet else None
    lines = _Lines()

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
        elif not quiet:
            lines.update(event)
        return False

    try:
        client.watch(tell)
    finally:
        if bar:
            bar.close()
    return finished


class _Lines:
    """A line now and then, where there is no terminal."""

    def __init__(self) -> None:
        self._shown, self._at = 0, time.monotonic()

    def update(self, event: dict[str, Any]) -> None:
        steps = event["searchable"] + event["done"]
        waited = time.monotonic() - self._at
        if steps - self._shown >= _LINES_EVERY or (steps > self._shown and waited > _LINE_AFTER):
            click.echo(f"{reached(event)}, {event['chunks_written']} passages")
            self._shown, self._at = steps, time.monotonic()


class _Bar:
    """A live bar with the time left: half of it is that everything can be searched, half that all is read whole."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[reached]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._progress = Progress(*columns, console=console, transient=True)
        self._progress.start()
        self._task = self._progress.add_task("planning", total=None, reached="", left="")

    def update(self, event: dict[str, Any]) -> None:
        name = Path(event["file"]).name or event["stage"]
        page = f" (page {event['page']} of {event['pages']})" if event["pages"] else ""
        self._progress.update(
            self._task,
            total=2 * event["total"] or None,
            completed=event["searchable"] + event["done"],
            description=name[:40] + page,
            reached=reached(event) if event["total"] else "",
            left=_left(event["eta_seconds"], event["stage"]),
        )

    def close(self) -> None:
        self._progress.stop()


def _left(eta: float | None, stage: str) -> str:
    if eta is None or stage not in ("read", "convert"):
        return ""
    time_left = f"about {eta:.0f} s" if eta < 90 else f"about {eta / 60:.0f} min"
    return f"{time_left} until all can be searched" if stage == "read" else f"{time_left} left"


def _print_result(project: str, finished: dict[str, Any], *, json_: bool) -> None:
    state, result = finished["state"], finished["result"]
    if "error" in result:
        raise CiteLoomError.from_dict(result["error"])
    if json_:
        as_json({"state": state, **result})
        sys.exit(1 if result.get("failed") else 0)
    words = ("new", "replaced", "skipped", "updated", "removed", "failed")
    counts = ", ".join(f"{result[w]} {w}" for w in words if result.get(w)) or "nothing to do"
    if result.get("recognised"):
        counts += f", {result['recognised']} recognised by OCR"
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


def _reading(document: dict[str, Any]) -> tuple[str, str, str]:
    """Where a document's text comes from, what found its structure, and how many of its words were kept."""
    kept = document["word_coverage"]
    return document["text_source"], document["converter_engine"], "" if kept is None else f"{kept:.2f}"


@click.command()
@click.argument("project")
@click.option("--status", help="Only these: ready, pending, failed, duplicate or without_file.")
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def documents(project: str, status: str | None, json_: bool) -> None:
    """List the documents of PROJECT with citekey, pages and status, how each was read, and why one failed.

    \b
    text        native, ocr (recognised in pictures) or mixed
    read by     quick (the whole conversion is still to come), docling, or plain
    words kept  how much of a PDF's own words the conversion holds, from 0 to 1
    """
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
            *(_reading(d) if d["chunk_count"] else ("", "", "")),
            d["source"],
            "; ".join(filter(None, (d["reason"], d["fallback_reason"], *d["warnings"]))),
        )
        for d in found
    ]
    table(("citekey", "status", "pages", "passages", "text", "read by", "words kept", "file", "note"), rows)
    click.echo(coverage(page["coverage"]) + ".")
