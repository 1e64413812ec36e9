"""`citeloom show`."""

from __future__ import annotations

import click
from rich.text import Text

from citeloom.api.search import GetPassage
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_json, citation, console, json_option


@click.command()
@click.argument("chunk")
@json_option
def show(chunk: str, json_: bool) -> None:
    """Show a passage by its id (the last line of a hit), with the passages before and after it."""
    result = ask(GetPassage(chunk_id=chunk))
    if json_:
        as_json(result)
        return
    passage = result.passage
    if result.refined_from:
        click.echo(f"Its document has been converted again: this passage replaces {result.refined_from}.")
    section = " > ".join(passage.section_path)
    console.print(Text.assemble((citation(passage), "bold"), f"  {section}  ({result.project})"))
    for neighbour in result.before:
        console.print(Text(f"{neighbour.render_text}\n", "dim"))
    console.print(Text(f"{passage.full_text}\n"))
    for neighbour in result.after:
        console.print(Text(f"{neighbour.render_text}\n", "dim"))
    if passage.open_uri:
        click.echo(passage.open_uri)
