"""`citeloom backup`."""

from __future__ import annotations

import click

from citeloom.api.maintenance import BackupResult, StartBackup
from citeloom.cli.shared.engine_call import connected
from citeloom.cli.shared.follow_job import job_result, wait_for_job
from citeloom.cli.shared.output import absolute, json_option, size


@click.command()
@click.argument("file")
@click.option("--project", "projects", multiple=True, metavar="ID", help="Only this project; may be repeated.")
@json_option
def backup(file: str, projects: tuple[str, ...], json_: bool) -> None:
    """Back up the catalog, the indexes and the settings to one FILE.

    Papers, keys and converted documents are not included: papers stay where they are, conversions are repeated when
    they are needed. An index on a server is copied, so that restoring it needs no server. Searches work meanwhile, and
    a running import continues afterwards.
    """
    with connected(events=True) as client:
        job = client.call(StartBackup(file=absolute(file), projects=list(projects)))
        finished = wait_for_job(client, job.job_id, quiet=json_)
    result = job_result(finished, BackupResult, "no backup was written.", json_=json_)
    if not json_:
        contents = f"{', '.join(result.projects)} ({result.passages:,} passages)"
        click.echo(f"{contents} in {result.file}, {size(result.bytes)}, in {result.duration_seconds:.1f} s.")
