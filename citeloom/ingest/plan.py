"""What has to be done, worked out from what is there and what is known. Pure: no disk, no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citeloom.errors import Code
from citeloom.ingest.scan import FoundFile

# Failures that say nothing about the file itself: trying again may help.
PASSING = {
    Code.PERMISSION_DENIED, Code.FILE_NOT_FOUND, Code.STORAGE_ERROR, Code.EMBEDDING_FAILED, Code.INTERNAL_ERROR,
    Code.TIMEOUT, Code.MODEL_NOT_AVAILABLE,
}  # fmt: skip

MASS_REMOVAL_SHARE = 0.2
MASS_REMOVAL_COUNT = 10


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of one import."""

    to_read: tuple[FoundFile, ...] = ()  # new, or perhaps changed: their content decides
    unchanged: tuple[str, ...] = ()  # ids of documents to leave alone
    still_failed: tuple[str, ...] = ()  # ids of documents that failed before and have not changed since
    gone: tuple[str, ...] = ()  # ids of documents whose file left the source
    removes_many: bool = field(default=False)  # so many that a person should be asked


def plan(
    found: Sequence[FoundFile],
    known: Iterable[Mapping[str, Any]],
    *,
    in_scope: Callable[[str], bool],
    converter: str,
    again: bool = False,
) -> Plan:
    """Compare what was found with the documents known; `in_scope` says which known paths the scan covered."""
    known = list(known)
    here = {file.source for file in found}
    gone = [row for row in known if row["source"] not in here and in_scope(row["source"])]
    gone_ids = {row["doc_id"] for row in gone}
    by_source = {row["source"]: row for row in known}
    searchable = {row["content_hash"] for row in known if row["state"] == "ready" and row["doc_id"] not in gone_ids}

    to_read, unchanged, still_failed = [], [], []
    for file in found:
        row = by_source.get(file.source)
        same = row is not None and (row["size"], row["mtime_ns"]) == (file.size, file.mtime_ns)
        if row is None or not same or again or row["converter"] != converter:
            to_read.append(file)
        elif row["state"] == "ready" or (row["state"] == "duplicate" and row["content_hash"] in searchable):
            unchanged.append(row["doc_id"])
        elif row["state"] == "failed" and row["reason_code"] not in PASSING:
            still_failed.append(row["doc_id"])
        else:
            to_read.append(file)
    many = len(gone) > MASS_REMOVAL_COUNT and len(gone) > MASS_REMOVAL_SHARE * len(known)
    return Plan(tuple(to_read), tuple(unchanged), tuple(still_failed), tuple(sorted(gone_ids)), many)
