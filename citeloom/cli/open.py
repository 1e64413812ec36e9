"""`citeloom open`."""

from __future__ import annotations

import click

from citeloom.api.search import GetPassage
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import citation
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.open_file import open_uri


@click.command()
@click.argument("chunk")
@click.option("--print", "print_", is_flag=True, help="Only print its location.")
def open(chunk: str, print_: bool) -> None:
    """Open a passage by its id (the last line of a hit) on its page, in Zotero if it is from there."""
    passage = ask(GetPassage(chunk_id=chunk)).passage
    uri = passage.open_uri
    if not uri:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND,
            f"{citation(passage)} has neither a file nor an address to open.",
            f"Read it in the terminal: citeloom show {chunk}.",
        )
    if print_:
        click.echo(uri)
        return
    place, page = open_uri(uri)
    click.echo(f"Opened {place}" + (f" – see page {page}." if page else ""))
