"""`citeloom backup`."""

from __future__ import annotations

import sys

import click

from citeloom.api.engine import Watch
from citeloom.api.maintenance import BackupResult, StartBackup
from citeloom.cli.shared.engine_call import connected
from citeloom.cli.shared.follow_job import run_to_the_end, succeeded
from citeloom.cli.shared.output import absolute, size


@click.command()
@click.argument("file")
@click.option("--project", "projects", multiple=True, metavar="ID", help="Only this project; may be repeated.")
@click.option("--json", "json_", is_flag=True, help="Print the result for other programs.")
def backup(file: str, projects: tuple[str, ...], json_: bool) -> None:
    """Keep the catalog, the indexes and the settings in one FILE, as they are at one moment.

    Your papers, keys and converted documents are not in it: papers stay where they are, conversions are made again when
    they are needed. An index on a server is copied, so that the backup needs no server. Questions are answered
    meanwhile, and an import goes on afterwards.
    """
    with connected() as client:
        client.call(Watch())
        job = client.call(StartBackup(file=absolute(file), projects=list(projects)))
        finished = run_to_the_end(client, job.job_id, quiet=json_)
    result = succeeded(finished, BackupResult, json_=json_)
    if result is None:
        click.echo("It was stopped: there is no backup.", err=True)
        sys.exit(130)
    if not json_:
        contents = f"{', '.join(result.projects)} ({result.passages:,} passages)"
        click.echo(f"{contents} in {result.file}, {size(result.bytes)}, in {result.duration_seconds:.1f} s.")
