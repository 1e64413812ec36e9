"""`citeloom documents`."""

from __future__ import annotations

from typing import Any

import click

from citeloom.cli.asking import connected
from citeloom.cli.output import as_json, coverage, table


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
