"""Wording of the activity page: editors, their calls, and the results of jobs."""

from __future__ import annotations

from citeloom.api.activity import PastJob
from citeloom.core.text.sanitize import one_line
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.text import job_text
from citeloom.editors import EDITORS

# Beginnings of the sent names by editor id, in lower case and without punctuation.
_NAME_PREFIXES = {
    "claude-desktop": ("claudeai", "claudedesktop"),
    "claude-code": ("claudecode",),
    "cursor": ("cursor",),
    "vscode": ("visualstudiocode", "vscode"),
    "vscode-insiders": ("visualstudiocodeinsiders", "vscodeinsiders"),
    "windsurf": ("windsurf",),
    "zed": ("zed",),
    "cline": ("cline",),
    "continue": ("continue",),
    "codex": ("codex",),
    "gemini": ("geminicli",),
    "lm-studio": ("lmstudio",),
}


def client_id(name: str) -> str | None:
    """Return the id of the known editor that sends this name, with or without its version; None for any other."""
    plain = "".join(character for character in name.casefold() if character.isalnum())
    matches = [
        (len(start), known) for known, starts in _NAME_PREFIXES.items() for start in starts if plain.startswith(start)
    ]
    return max(matches)[1] if matches else None


def editor_text(name: str, version: str = "") -> str:
    """Return the display name of an editor with the name that it sent; only the latter if it is unknown."""
    whole = one_line(f"{name} {version}".strip())
    known = EDITORS.get(client_id(whole) or "")
    if known is None or f"{whole} ".casefold().startswith(f"{known.name} ".casefold()):
        return whole
    text = translate("Activity", "{editor} ({name})")
    return text.format(editor=known.name, name=whole)


def tool_text(tool: str) -> str:
    """Return the name of a tool."""
    known = {
        "query": translate("Activity", "Search by meaning"),
        "query_hybrid": translate("Activity", "Search"),
        "get_passage": translate("Activity", "Read a passage"),
        "get_document": translate("Activity", "Read a paper"),
        "list_documents": translate("Activity", "List papers"),
        "list_projects": translate("Activity", "List projects"),
        "inspect_collection": translate("Activity", "Inspect a project"),
        "verify_quote": translate("Activity", "Check a quotation"),
        "check_citations": translate("Activity", "Check citations"),
        "format_citations": translate("Activity", "Format citations"),
        "help": translate("Activity", "Ask for help"),
        "ingest_from_source": translate("Activity", "Add papers"),
        "store_chunks": translate("Activity", "Store passages"),
        "delete_document": translate("Activity", "Remove a paper"),
    }
    return known.get(tool, tool)


def outcome_text(outcome: str) -> str:
    """Return the outcome of a call."""
    if outcome == "ok":
        return translate("Activity", "Answered")
    if outcome.endswith("_NOT_FOUND"):
        return translate("Activity", "Not found")
    known = {
        "INVALID_PROJECT": translate("Activity", "No such project"),
        "INVALID_INPUT": translate("Activity", "Invalid request"),
        "PERMISSION_DENIED": translate("Activity", "Not allowed"),
        "TIMEOUT": translate("Activity", "Timed out"),
    }
    return known.get(outcome, translate("Activity", "Failed"))


def toolset_text(toolsets: list[str]) -> str:
    """Return what the toolsets of an editor allow."""
    return translate("Activity", "Read and write") if "write" in toolsets else translate("Activity", "Read")


def source_text(job: PastJob) -> str:
    """Return the source of an import, or the title of another job."""
    if job.kind != job_text.IMPORT:
        return job_text.title(job.kind, job.project)
    return job.source or translate("Activity", "All its sources")


def result_text(job: PastJob) -> str:
    """Return the result of a job."""
    if job.state == "failed":
        return translate("Activity", "Failed")
    if job.state == "cancelled":
        return translate("Activity", "Stopped")
    if job.result.get("held_back"):
        return translate("Activity", "Done, needs attention")
    if job.result.get("failed"):
        return translate("Activity", "Done, with failures")
    return translate("Activity", "Done")
