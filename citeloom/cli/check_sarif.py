"""Converts findings to SARIF 2.1.0, which editors and code hosts read. Used by `citeloom check --sarif`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from citeloom import __version__
from citeloom.api.evidence import Finding, ManuscriptEdit
from citeloom.cli.check_run import CheckedManuscript

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

# Level, description and help of each rule.
RULES = {
    "unknown-key": (
        "error",
        "No work in your library has this citekey.",
        "Correct the key; similar ones are named. If the work is new, add it in Zotero and sync.",
    ),
    "renamed-key": (
        "error",
        "The work has another citekey now.",
        "Write the new key, or let 'citeloom check --fix' do it.",
    ),
    "not-in-project": (
        "error",
        "The work is in your library, but not in this project.",
        "Add it to the project's collection, or check against the project that has it.",
    ),
    "quote-absent": (
        "error",
        "The cited work does not contain the quotation.",
        "Look for its real source, or remove it. Another work of the project that has it is named.",
    ),
    "quote-changed": (
        "error",
        "The quotation differs from the words of the cited work.",
        "Quote it as the work has it; mark what you leave out with … and what you add with [ ].",
    ),
    "wrong-page": (
        "error",
        "The quotation is on another page of the cited work.",
        "Write the right page, or let 'citeloom check --fix' do it.",
    ),
    "page-outside-work": (
        "error",
        "The cited work has no such page.",
        "Look the page up in the work.",
    ),
    "no-text": (
        "warning",
        "There is no text of the cited work, so nothing could be checked.",
        "Add its file in Zotero and sync, or look it up yourself.",
    ),
    "quote-too-short": (
        "note",
        "The quotation is too short or too common to prove anything.",
        "Look it up yourself, or quote more of it.",
    ),
    "no-near-passage": (
        "note",
        "No passage of the cited work is near to this sentence. This is a hint, never a verdict.",
        "Reread the passage that you mean.",
    ),
}


def as_sarif(manuscripts: Sequence[CheckedManuscript]) -> dict[str, Any]:
    """Return the results of a run as a SARIF log."""
    results = [
        _result(manuscript, finding)
        for manuscript in manuscripts
        if manuscript.report
        for finding in manuscript.report.findings
    ]
    failed = [manuscript for manuscript in manuscripts if manuscript.problem]
    invocation: dict[str, Any] = {"executionSuccessful": not failed}
    if failed:
        invocation["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": str(manuscript.problem)}, "locations": [_location(manuscript)]}
            for manuscript in failed
        ]
    rules = [
        {
            "id": id_,
            "shortDescription": {"text": says},
            "help": {"text": help_},
            "defaultConfiguration": {"level": level},
        }
        for id_, (level, says, help_) in RULES.items()
    ]
    run = {
        "tool": {"driver": {"name": "CiteLoom", "version": __version__, "rules": rules}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(manuscript: CheckedManuscript, finding: Finding) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": finding.level,
        "message": {"text": finding.message},
        "locations": [_location(manuscript, finding)],
        "properties": {"citekey": finding.citekey},
    }
    if finding.edit is not None and manuscript.report and manuscript.report.fixable:
        edit = manuscript.report.edits[finding.edit]
        replacement = {
            "deletedRegion": _region(edit),
            "insertedContent": {"text": edit.new},
        }
        changes = [{"artifactLocation": _artifact(manuscript), "replacements": [replacement]}]
        result["fixes"] = [{"description": {"text": edit.why}, "artifactChanges": changes}]
    return result


def _region(edit: ManuscriptEdit) -> dict[str, int]:
    """Return the region of an edit by line and column: programs disagree on offsets after a byte order mark."""
    *lines, last = edit.old.split("\n")
    return {
        "startLine": edit.line,
        "startColumn": edit.column,
        "endLine": edit.line + len(lines),
        "endColumn": len(last) + (1 if lines else edit.column),
    }


def _location(manuscript: CheckedManuscript, finding: Finding | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(manuscript)}
    if finding is None:
        return {"physicalLocation": place}
    if manuscript.report and manuscript.report.format == "docx":  # it has no line numbers
        return {"physicalLocation": place, "logicalLocations": [{"name": f"paragraph {finding.line}"}]}
    place["region"] = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    return {"physicalLocation": place}


def _artifact(manuscript: CheckedManuscript) -> dict[str, str]:
    path = Path(manuscript.path)
    try:
        return {"uri": quote(path.relative_to(Path.cwd()).as_posix())}
    except ValueError:  # outside the working folder
        return {"uri": path.as_uri()}
