"""The engine's jobs at a glance: what each is, how far it has come, and what it does where it is no import."""

from __future__ import annotations

from typing import Any

from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics

IMPORT = "ingest"
_UNCOUNTED = ("check", "graph")  # stages that do not say how far they have come


def kind_of(job: dict[str, Any]) -> str:
    """What a job is: an import, unless the engine says otherwise."""
    return str(job.get("kind") or IMPORT)


def title(job: dict[str, Any]) -> str:
    """What a job is for."""
    words = {
        "move": translate("Jobs", "Moving the index of {project}"),
        "compact": translate("Jobs", "Compacting the index of {project}"),
        "backup": translate("Jobs", "Making a backup"),
    }.get(kind_of(job), "{project}")
    return words.format(project=job["project"])


def share(job: dict[str, Any]) -> float | None:
    """How much of a job is done, 0 to 1; None where that is not known."""
    total = int(job.get("total") or 0)
    if not total or job.get("stage") in _UNCOUNTED:
        return None
    done, searchable = int(job.get("done") or 0), int(job.get("searchable") or 0)
    # Half of a paper's way is that it can be searched.
    reads = kind_of(job) == IMPORT and (not stage_words(job) or job.get("waits_for"))
    steps = (done + searchable) / 2 if reads else done
    return min(1.0, steps / total)


def stage_words(job: dict[str, Any]) -> str:
    """What a job does now; nothing where it reads papers, or waits for its turn."""
    if waits_for := job.get("waits_for"):
        return translate("Jobs", "Waiting: {what}").format(what=waits_for)
    words = {
        "copy": translate("Jobs", "Copying passages: {done} of {total}"),
        "wait": translate("Jobs", "Waiting for the server to come back …"),
        "check": translate("Jobs", "Comparing the copy with what was there …"),
        "write": translate("Jobs", "Writing passages anew: {done} of {total}"),
        "graph": translate("Jobs", "Making the new index fast …"),
        "pack": translate("Jobs", "Packing: {done} of {total} MB"),
    }.get(str(job.get("stage") or ""), "")
    done, total = (basics.number(int(job.get(key) or 0)) for key in ("done", "total"))
    return words.format(done=done, total=total)


def stop_words(job: dict[str, Any]) -> str:
    """What stopping a job leaves behind."""
    return {
        "move": translate("Jobs", "The index stays where it is; what was copied is deleted."),
        "compact": translate("Jobs", "The index stays as it is."),
        "backup": translate("Jobs", "No file is left."),
    }.get(kind_of(job), translate("Jobs", "What has been read stays; the next sync goes on from there."))


def end_words(kind: str, result: dict[str, Any]) -> str:
    """What came of a job that is no import; nothing of one that is."""
    if kind == "move":
        words = translate("Jobs", "Its {passages} passages are in CiteLoom’s own folder on this computer now.")
        if result["to"] != "embedded":
            words = translate("Jobs", "Its {passages} passages are on the Qdrant server at {place} now.")
        return words.format(passages=basics.number(result["passages"]), place=result["to"])
    if kind == "compact":
        before, after = basics.size_words(result["bytes_before"]), basics.size_words(result["bytes"])
        return translate("Jobs", "It took {before}; now it takes {after}.").format(before=before, after=after)
    if kind == "backup":
        words = translate("Jobs", "{file} holds {passages} passages and takes {size}.")
        size, passages = basics.size_words(result["bytes"]), basics.number(result["passages"])
        return words.format(file=result["file"], passages=passages, size=size)
    return ""
