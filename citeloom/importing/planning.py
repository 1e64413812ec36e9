"""Plans an import by comparing the files found with the documents known. Pure: no disk, no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citeloom.core.errors import RETRIED_CODES
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.stages.match import QUICK

MASS_REMOVAL_SHARE = 0.2
MASS_REMOVAL_COUNT = 10


@dataclass(slots=True)
class Plan:
    """What one import has to do."""

    to_read: list[FoundFile] = field(default_factory=list)  # new, or possibly changed: their content decides
    unchanged: list[str] = field(default_factory=list)  # ids of documents whose text is unchanged
    other_record: list[FoundFile] = field(default_factory=list)  # unchanged text, but Zotero's record has changed
    without_file: list[FoundFile] = field(default_factory=list)  # works to record as having nothing to read
    still_without: list[str] = field(default_factory=list)  # ids of documents that have nothing to read, as before
    still_failed: list[str] = field(default_factory=list)  # ids of documents that failed before and are unchanged
    removed: list[str] = field(default_factory=list)  # ids of documents that are no longer in their source
    disallowed: list[str] = field(default_factory=list)  # ids of documents whose source may no longer be read
    removes_many: bool = False  # the plan removes so many documents that a person should confirm it


def plan(
    found: Sequence[FoundFile],
    known: Iterable[Mapping[str, Any]],
    *,
    in_scope: Callable[[str], bool],
    converter: str,
    disallowed: Callable[[str], bool] = lambda source: False,
    again: bool = False,
    retry: bool = True,
    retry_failed: bool = False,
    quick: str = "",
) -> Plan:
    """Compare what was found with the documents known; `in_scope` tells which sources were scanned.

    `again` reads everything again. Without `retry`, files that were unavailable before are skipped until they change,
    and so are texts of the converter `quick`, whose whole conversion somebody may have stopped. With `retry_failed`,
    documents that failed or could be read only in part are read again too.
    """
    known = list(known)
    found_sources = {file.source for file in found}
    absent = [row for row in known if row["source"] not in found_sources]
    outside = {row["doc_id"] for row in absent if disallowed(row["source"])}
    removed = [row for row in absent if row["doc_id"] not in outside and in_scope(row["source"])]
    result = Plan(removed=sorted(row["doc_id"] for row in removed), disallowed=sorted(outside))
    done = {converter} if retry else {converter, quick}
    by_source = {row["source"]: row for row in known}
    removed_ids = {*result.removed, *result.disallowed}
    searchable = {row["content_hash"] for row in known if row["state"] == "ready" and row["doc_id"] not in removed_ids}
    for file in found:
        row = by_source.get(file.source)
        original_stays = row is not None and row["state"] == "duplicate" and row["content_hash"] in searchable
        if file.missing and row is not None and (row["state"] == "ready" or original_stays):
            if _should_fetch(row, file, retry=retry):
                result.to_read.append(file)
                continue
            # Text that was read is kept: a drive that is not connected removes nothing.
            result.unchanged.append(row["doc_id"])
        elif file.missing and file.fetch is None:
            if row is None or (row["state"], row["reason"]) != ("without_file", file.missing):
                result.without_file.append(file)
                continue
            result.still_without.append(row["doc_id"])
        elif (
            row is None
            or not _is_same_file(row, file)
            or again
            or row["converter"] not in done
            or (retry_failed and (row["state"] == "failed" or row["converter_engine"] == QUICK))
        ):
            result.to_read.append(file)
            continue
        elif row["state"] == "ready" or original_stays:
            result.unchanged.append(row["doc_id"])
        elif row["state"] == "pending" and row["converter"] == quick and not retry:
            result.unchanged.append(row["doc_id"])  # its conversion is in progress, or was stopped
        elif row["state"] == "failed" and not (retry and (file.missing or row["reason_code"] in RETRIED_CODES)):
            result.still_failed.append(row["doc_id"])
        elif row["state"] == "without_file" and not retry:
            result.still_without.append(row["doc_id"])
        else:
            result.to_read.append(file)
            continue
        if file.item and file.item.fingerprint != row["record_hash"]:
            result.other_record.append(file)
    # Documents without a file do not count as removals: they disappear when their work gets a file.
    count = sum(row["state"] != "without_file" for row in removed)
    readable = sum(row["state"] != "without_file" for row in known)
    result.removes_many = count > MASS_REMOVAL_COUNT and count > MASS_REMOVAL_SHARE * readable
    return result


def _should_fetch(row: Mapping[str, Any], file: FoundFile, *, retry: bool) -> bool:
    """Whether to fetch a missing file although its text is known: only for a better or newer text."""
    can_change = file.fetch is not None and not row["size"]  # fetched, or the text that Zotero extracted
    return can_change and (row["mtime_ns"] != file.mtime_ns or (retry and row["file_type"] == "fulltext"))


def _is_same_file(row: Mapping[str, Any], file: FoundFile) -> bool:
    """Whether size, time and path of a file are the same as when it was last read."""
    path = file.path if file.known_as else ""
    return (row["size"], row["mtime_ns"], row["path"]) == (file.size, file.mtime_ns, path)
