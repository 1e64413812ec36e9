"""What editors did, and what imports came to, in a researcher's words."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication

from citeloom.clients import CLIENTS
from citeloom.desktop.connect.names import client_id
from citeloom.desktop.kit import number


def editor_words(said: str, version: str = "") -> str:
    """An editor by the name that people know it by, and by the one that it gives."""
    whole = f"{said} {version}".strip()
    known = CLIENTS.get(client_id(whole) or "")
    if known is None or f"{whole} ".casefold().startswith(f"{known.name} ".casefold()):
        return whole
    words = QCoreApplication.translate("Activity", "{editor} ({name})")
    return words.format(editor=known.name, name=whole)


def tool_words(tool: str) -> str:
    """What an editor did by calling a tool."""
    say = QCoreApplication.translate
    known = {
        "query": say("Activity", "Search by meaning"),
        "query_hybrid": say("Activity", "Search"),
        "get_passage": say("Activity", "Read a passage"),
        "get_document": say("Activity", "Read a paper"),
        "list_documents": say("Activity", "List papers"),
        "list_projects": say("Activity", "List projects"),
        "inspect_collection": say("Activity", "Look at a project"),
        "verify_quote": say("Activity", "Check a quotation"),
        "check_citations": say("Activity", "Check citations"),
        "format_citations": say("Activity", "Make citations"),
        "help": say("Activity", "Ask for help"),
        "ingest_from_source": say("Activity", "Add papers"),
        "store_chunks": say("Activity", "Store passages"),
        "delete_document": say("Activity", "Remove a paper"),
    }
    return known.get(tool, tool)


def outcome_words(outcome: str) -> str:
    """What came of a call."""
    say = QCoreApplication.translate
    if outcome == "ok":
        return say("Activity", "Answered")
    if outcome.endswith("_NOT_FOUND"):
        return say("Activity", "Not found")
    known = {
        "INVALID_PROJECT": say("Activity", "No such project"),
        "INVALID_INPUT": say("Activity", "Not understood"),
        "PERMISSION_DENIED": say("Activity", "Not allowed"),
        "TIMEOUT": say("Activity", "Took too long"),
    }
    return known.get(outcome, say("Activity", "Failed"))


def toolset_words(toolsets: list[str]) -> str:
    """What an editor may do."""
    say = QCoreApplication.translate
    return say("Activity", "Read and write") if "write" in toolsets else say("Activity", "Read")


def source_words(source: str | None) -> str:
    """What an import was to read."""
    return source or QCoreApplication.translate("Activity", "All its sources")


def end_words(job: dict[str, Any]) -> str:
    """How an import ended."""
    say = QCoreApplication.translate
    result = job.get("result") or {}
    if job["state"] == "failed":
        return say("Activity", "Failed")
    if job["state"] == "cancelled":
        return say("Activity", "Stopped")
    if result.get("held_back"):
        return say("Activity", "Done, needs you")
    if result.get("failed"):
        return say("Activity", "Done, not everything")
    return say("Activity", "Done")


def stage_words(job: dict[str, Any]) -> str:
    """What a job under way does right now."""
    say = QCoreApplication.translate
    if job.get("state") == "paused":
        return say("Activity", "Paused")
    stages = {
        "plan": say("Activity", "Looking for what is new"),
        "fetch": say("Activity", "Fetching files"),
        "read": say("Activity", "Making papers searchable"),
        "convert": say("Activity", "Reading whole papers"),
        "model": say("Activity", "Fetching the language model"),
        "done": say("Activity", "Finishing"),
    }
    return stages.get(job.get("stage", ""), say("Activity", "Waiting"))


def progress_words(job: dict[str, Any]) -> str:
    """How far a job has come; nothing while that is not known."""
    say = QCoreApplication.translate
    if not job.get("total"):
        return ""
    parts = [
        say("Activity", "{searchable} of {total} papers searchable").format(
            searchable=number(job.get("searchable") or 0), total=number(job["total"])
        )
    ]
    if job.get("failed"):
        parts.append(say("Activity", "{count} could not be read").format(count=number(job["failed"])))
    seconds = job.get("eta_seconds")
    if seconds and job.get("state") != "paused":
        minutes = max(1, round(seconds / 60))
        parts.append(say("Activity", "about {minutes} min for this step").format(minutes=number(minutes)))
    return ", ".join(parts)


def file_words(job: dict[str, Any]) -> str:
    """The file that is being read, and its page where it takes long."""
    if not job.get("file"):
        return ""
    if job.get("pages"):
        words = QCoreApplication.translate("Activity", "{file}, page {page} of {pages}")
        return words.format(file=job["file"], page=number(job.get("page") or 0), pages=number(job["pages"]))
    return str(job["file"])
