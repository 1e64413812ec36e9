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
@click.option("--no-recursive", is_flag=True, help="Leave subfolders out.")
@click.option(
    "--force-rebuild",
    is_flag=True,
    help="Rebuild the index beside the old one, with the models of the settings.",
)
@click.option(
    "--embedded", is_flag=True, help="With --force-rebuild: on this disk, for when a server is gone for good."
)
@click.option("--ocr-languages", metavar="CODES", help="Read pictures of pages in these, such as fr,en.")
@click.option("--remove-missing", is_flag=True, help="Remove documents whose files are gone, however many they are.")
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
    """Read a file, a folder or a part of Zotero into PROJECT; without SOURCE, everything the project reads.

    A part of Zotero is written zotero:collection/NAME, zotero:search/NAME or zotero:tag/TAG.

    Unchanged files are skipped, changed ones replaced, vanished ones removed. Documents are searchable early, and
    get better sections, tables and recognised text when they have been read whole. It can be stopped at any time
    (Ctrl-C) and goes on where it was.
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
