"""Wording of jobs: title, stage, progress, remaining time and result. Used by all pages and the tray."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from citeloom.api.maintenance import EMBEDDED, BackupResult, CompactResult, MoveResult
from citeloom.api.verbs import decode
from citeloom.core.jobs import Progress, RunningJob
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


def stage_text(job: RunningJob) -> str:
    """Return the current stage of a job; with its counts, if it does not count papers."""
    if job.state == "paused":
        return translate("Jobs", "Paused until you resume.")
    if job.waits_for:
        return translate("Jobs", "Waiting: {what}").format(what=job.waits_for)
    text = {
        "": translate("Jobs", "Waiting in the queue …"),
        "plan": translate("Jobs", "Looking for changes …"),
        "model": translate("Jobs", "Downloading the model …"),
        "fetch": translate("Jobs", "Downloading files …"),
        "embed": translate("Jobs", "Making papers searchable by meaning …"),
        "convert": translate("Jobs", "Reading pages that need OCR or layout analysis …"),
        "search graph": translate("Jobs", "Optimising the index …"),
        "done": translate("Jobs", "Finishing …"),
        "copy": translate("Jobs", "Copying passages: {done} of {total}"),
        "wait": translate("Jobs", "Waiting for the server to come back …"),
        "check": translate("Jobs", "Comparing the copy with the original …"),
        "write": translate("Jobs", "Rewriting passages: {done} of {total}"),
        "graph": translate("Jobs", "Optimising the new index …"),
        "pack": translate("Jobs", "Packing: {done} of {total} MB"),
    }.get(job.stage, translate("Jobs", "Reading …"))
    return text.format(done=basics.number(job.done), total=basics.number(job.total))


def counts_text(progress: Progress) -> str:
    """Return the papers and pages of an import by what can be done with them; "" if there are none."""
    if not progress.total or not progress.counts_documents:
        return ""
    papers = translate("Jobs", "{searchable} of {total} papers read")
    parts = [papers.format(searchable=basics.number(progress.searchable), total=basics.number(progress.total))]
    if progress.failed:
        failed = translate("Jobs", "{count} could not be read")
        parts[0] += ", " + failed.format(count=basics.number(progress.failed))
    if progress.pages_total:
        found = translate("Jobs", "{count} of {total} pages found by words")
        counts = (
            (progress.pages_waiting, translate("Jobs", "{count} waiting for OCR")),
            (progress.pages_for_layout, translate("Jobs", "{count} for layout analysis")),
            (progress.pages_failed, translate("Jobs", "{count} not readable")),
        )
        pages = [
            found.format(count=basics.number(progress.pages_by_words), total=basics.number(progress.pages_total)),
            translate("Jobs", "{count} by meaning").format(count=basics.number(progress.pages_embedded)),
            *(text.format(count=basics.number(count)) for count, text in counts if count),
        ]
        parts.append(", ".join(pages))
    return " · ".join(parts)


def progress_text(job: RunningJob) -> str:
    """Return the stage of a job and its counts."""
    return " ".join(filter(None, (stage_text(job), counts_text(job))))


def file_text(job: RunningJob) -> str:
    """Return the current file of an import, with the current page if known."""
    name = Path(job.file).name if Path(job.file).is_absolute() else job.file
    if not name or not job.pages:
        return name
    page, pages = basics.number(job.page), basics.number(job.pages)
    return translate("Jobs", "{file}, page {page} of {pages}").format(file=name, page=page, pages=pages)


def time_left(job: RunningJob) -> str:
    """Return the estimated time until a job is done; "" if unknown."""
    return "" if job.state == "paused" else seconds_text(job)


def seconds_text(progress: Progress) -> str:
    """Return the time left in words; "" if unknown."""
    seconds = progress.seconds_left
    if seconds is None:
        return ""
    if seconds < 90:
        return translate("Jobs", "about {count} s left").format(count=basics.number(max(1, round(seconds))))
    if seconds < 5400:
        return translate("Jobs", "about {count} min left").format(count=basics.number(round(seconds / 60)))
    return translate("Jobs", "about {count} h left").format(count=basics.number(round(seconds / 3600)))


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
