"""`citeloom cache …`."""

from __future__ import annotations

import click

from citeloom.api.maintenance import PruneCache, ShowCache
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_json, json_option, size


@click.group(invoke_without_command=True)
@click.pass_context
def cache(context: click.Context) -> None:
    """Converted documents on this disk. They save time, and can be deleted at any time."""
    if context.invoked_subcommand is None:
        context.invoke(show)


@cache.command()
@json_option
def show(json_: bool = False) -> None:
    """Show the size of the cache, and how much of it no document needs."""
    usage = ask(ShowCache())
    if json_:
        as_json(usage)
        return
    click.echo(f"{usage.conversions} conversions, {size(usage.bytes)}, in {usage.folder}.")
    left_over = f"{usage.left_over} are left over ({size(usage.left_over_bytes)})"
    click.echo(f"{usage.in_use} belong to a document; {left_over if usage.left_over else 'nothing is left over'}.")
    if usage.left_over:
        click.echo("Delete what is left over: citeloom cache prune")


@cache.command()
@click.option("--all", "everything", is_flag=True, help="Delete all conversions; needed ones are made again.")
@json_option
def prune(everything: bool, json_: bool) -> None:
    """Delete conversions that no document needs: of changed files, removed projects and earlier versions."""
    pruned = ask(PruneCache(everything=everything), "Deleting")
    if json_:
        as_json(pruned)
        return
    click.echo(f"{pruned.removed} conversions deleted, {size(pruned.freed_bytes)} freed.")
