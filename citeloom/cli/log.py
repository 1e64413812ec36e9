"""`citeloom log`."""

from __future__ import annotations

import click

from citeloom.api.activity import ShowAccessLog
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_json, json_option, table


@click.command()
@click.option("--project", help="Only this project.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many calls.")
@json_option
def log(project: str | None, limit: int, json_: bool) -> None:
    """List what went to which editor: when, which client, which project, which passages."""
    entries = ask(ShowAccessLog(project=project, limit=limit))
    if json_:
        as_json(entries)
    elif not entries:
        click.echo("No editor has called a tool yet.")
    else:
        rows = [
            (
                e.at[:19].replace("T", " "),
                e.client,
                e.project_id,
                e.tool,
                e.outcome,
                f"{len(e.passages)} passages" if e.passages else "",
                e.asked[:60],
            )
            for e in reversed(entries)
        ]
        table(("when", "editor", "project", "tool", "outcome", "passages", "asked"), rows)
