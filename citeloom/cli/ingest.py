"""`citeloom ingest`."""

from __future__ import annotations

import sys

import click

from citeloom.api.importing import Ingest
from citeloom.cli.shared.engine_call import connected
from citeloom.cli.shared.follow_job import print_import, wait_for_job
from citeloom.cli.shared.output import absolute, json_option


@click.command()
@click.argument("project")
@click.argument("source", required=False)
@click.option("--references", metavar="FILE", help="Use these references from now on.")
@click.option("--no-recursive", is_flag=True, help="Skip subfolders.")
@click.option(
    "--force-rebuild",
    is_flag=True,
    help="Rebuild the index beside the old one, with the models of the settings.",
)
@click.option("--embedded", is_flag=True, help="With --force-rebuild: on this disk, if the server no longer exists.")
@click.option("--ocr-languages", metavar="CODES", help="Languages of scanned pages, such as fr,en.")
@click.option("--remove-missing", is_flag=True, help="Remove documents whose files no longer exist, however many.")
@json_option
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
    """Import a file, a folder or a part of Zotero into PROJECT; without SOURCE, all of its sources.

    A part of Zotero is written zotero:collection/NAME, zotero:search/NAME or zotero:tag/TAG.

    Unchanged files are skipped, changed ones replaced, missing ones removed. Documents are searchable early; their
    sections, tables and recognised text improve when they have been read completely. Ctrl-C stops it at any time, and
    the next import continues there.
    """
    if embedded and not force_rebuild:
        raise click.UsageError("--embedded goes with --force-rebuild; 'citeloom index move' moves an index as it is.")
    request = Ingest(
        project=project,
        source=absolute(source) if source else None,
        recursive=not no_recursive,
        force_rebuild=force_rebuild,
        embedded=embedded,
        remove_missing=remove_missing,
        ocr_languages=(ocr_languages or "").replace(",", " ").split(),
        references_path=absolute(references) if references else None,
    )
    with connected(events=True) as client:
        finished = wait_for_job(client, client.call(request).job_id, quiet=json_)
    sys.exit(print_import(project, finished, json_=json_))
