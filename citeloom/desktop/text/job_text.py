"""Wording of jobs: title, stage, progress, remaining time and result. Used by all pages and the tray."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from citeloom.api.maintenance import EMBEDDED, BackupResult, CompactResult, MoveResult
from citeloom.api.verbs import decode
from citeloom.core.jobs import STAGES, RunningJob, Stage
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics

IMPORT = "ingest"


def title(kind: str, project: str) -> str:
    """Return the title of a job."""
    text = {
        "move": translate("Jobs", "Moving the index of {project}"),
        "compact": translate("Jobs", "Compacting the index of {project}"),
        "backup": translate("Jobs", "Making a backup"),
    }.get(kind, "{project}")
    return text.format(project=project)


def share(job: RunningJob) -> float | None:
    """Return the progress of a job, 0 to 1; None if unknown."""
    if not job.total or not _stage(job).measured:
        return None
    # A paper that is searchable, but not fully converted, counts as half done.
    steps = (job.done + job.searchable) / 2 if counts_papers(job) else job.done
    return min(1.0, steps / job.total)


def counts_papers(job: RunningJob) -> bool:
    """Return whether a job counts papers, rather than passages or megabytes."""
    return job.kind == IMPORT and (bool(job.waits_for) or not _stage(job).counted)


def stage_text(job: RunningJob) -> str:
    """Return the current stage of a job with its counts."""
    if job.state == "paused":
        return translate("Jobs", "Paused until you resume.")
    if job.waits_for:
        return translate("Jobs", "Waiting: {what}").format(what=job.waits_for)
    text = {
        "": translate("Jobs", "Waiting in the queue …"),
        "plan": translate("Jobs", "Looking for changes …"),
        "model": translate("Jobs", "Downloading the model …"),
        "fetch": translate("Jobs", "Downloading files …"),
        "read": translate("Jobs", "Making papers searchable: {searchable} of {total}"),
        "convert": translate("Jobs", "Reading full papers: {done} of {total}"),
        "search graph": translate("Jobs", "Optimising the index …"),
        "done": translate("Jobs", "Finishing …"),
        "copy": translate("Jobs", "Copying passages: {done} of {total}"),
        "wait": translate("Jobs", "Waiting for the server to come back …"),
        "check": translate("Jobs", "Comparing the copy with the original …"),
        "write": translate("Jobs", "Rewriting passages: {done} of {total}"),
        "graph": translate("Jobs", "Optimising the new index …"),
        "pack": translate("Jobs", "Packing: {done} of {total} MB"),
    }.get(job.stage, translate("Jobs", "Reading …"))
    counts = {"searchable": job.searchable, "done": job.done, "total": job.total}
    return text.format(**{name: basics.number(count) for name, count in counts.items()})


def progress_text(job: RunningJob) -> str:
    """Return the numbers of searchable and failed papers, and the remaining time."""
    parts = []
    if job.total and counts_papers(job) and not job.waits_for and job.stage != "read":
        text = translate("Jobs", "{searchable} of {total} papers searchable")
        parts.append(text.format(searchable=basics.number(job.searchable), total=basics.number(job.total)))
    if job.failed:
        parts.append(translate("Jobs", "{count} could not be read").format(count=basics.number(job.failed)))
    return ", ".join([*parts, *filter(None, [time_left(job)])])


def file_text(job: RunningJob) -> str:
    """Return the current file of an import, with the current page if known."""
    name = Path(job.file).name if Path(job.file).is_absolute() else job.file
    if not name or not job.pages:
        return name
    page, pages = basics.number(job.page), basics.number(job.pages)
    return translate("Jobs", "{file}, page {page} of {pages}").format(file=name, page=page, pages=pages)


def time_left(job: RunningJob) -> str:
    """Return the estimated time until the stage is done; "" if unknown."""
    seconds = job.eta_seconds
    if seconds is None or not _stage(job).timed or job.state == "paused":
        return ""
    if seconds < 90:
        return translate("Jobs", "about {count} s").format(count=basics.number(max(1, round(seconds))))
    if seconds < 5400:
        return translate("Jobs", "about {count} min").format(count=basics.number(round(seconds / 60)))
    return translate("Jobs", "about {count} h").format(count=basics.number(round(seconds / 3600)))


def stop_text(kind: str) -> str:
    """Return what happens if a job is stopped."""
    return {
        "move": translate("Jobs", "The index stays where it is; the partial copy is deleted."),
        "compact": translate("Jobs", "The index is not changed."),
        "backup": translate("Jobs", "No backup is made."),
    }.get(kind, translate("Jobs", "What has been read is kept; the next sync continues from there."))


def result_text(kind: str, result: dict[str, Any]) -> str:
    """Return the result of a move, a compaction or a backup; "" for an import."""
    if kind == "move":
        move = decode(result, MoveResult)
        text = translate("Jobs", "Its {passages} passages are now in CiteLoom’s own folder on this computer.")
        if move.to != EMBEDDED:
            text = translate("Jobs", "Its {passages} passages are now on the Qdrant server at {place}.")
        return text.format(passages=basics.number(move.passages), place=move.to)
    if kind == "compact":
        compact = decode(result, CompactResult)
        before, after = basics.size_text(compact.bytes_before), basics.size_text(compact.bytes)
        return translate("Jobs", "Its size went from {before} to {after}.").format(before=before, after=after)
    if kind == "backup":
        backup = decode(result, BackupResult)
        text = translate("Jobs", "{file} contains {passages} passages ({size}).")
        size, passages = basics.size_text(backup.bytes), basics.number(backup.passages)
        return text.format(file=backup.file, passages=passages, size=size)
    return ""


def _stage(job: RunningJob) -> Stage:
    return STAGES.get(job.stage, Stage())
