"""Filter values of a project's documents: years, authors, tags and Zotero collections, most frequent first."""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import dataclass

from citeloom.catalog.database import Database

MAX_VALUES = 500  # of each kind; others can still be typed

_SLICE = 1000  # documents read at a time, so that others can use the catalog in between
_SELECT = (
    "SELECT rowid, json_extract(record, '$.year', '$.authors', '$.tags', '$.collections') FROM documents"
    " WHERE project_id = ? AND state = 'ready' AND rowid > ? ORDER BY rowid LIMIT ?"
)
# Counts the changes of each project while the file is open. Values come from searchable documents only, so a change of
# state counts as well.
_COUNT_CHANGES = (
    "CREATE TEMP TABLE document_changes (project_id TEXT PRIMARY KEY, changes INTEGER NOT NULL)",
    *(
        f"CREATE TEMP TRIGGER document_{event.lower()} AFTER {event}{columns} ON main.documents BEGIN"
        f" INSERT INTO document_changes VALUES ({row}.project_id, 1)"
        " ON CONFLICT (project_id) DO UPDATE SET changes = changes + 1; END"
        for event, columns, row in (
            ("INSERT", "", "NEW"),
            ("UPDATE", " OF record, state", "NEW"),
            ("DELETE", "", "OLD"),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class ProjectFacets:
    """Filter values of the searchable documents of a project."""

    years: tuple[int, int] | None  # the first and the last
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    collections: tuple[str, ...]


class Facets:
    """Filter values by project, cached until one of its documents changes."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._cache: dict[str, tuple[int, ProjectFacets]] = {}
        self._reading = threading.Lock()  # concurrent callers share one read
        with db.transaction():
            for statement in _COUNT_CHANGES:
                db.write(statement)

    def of(self, project_id: str) -> ProjectFacets:
        """Return the filter values of a project."""
        with self._reading:
            changes = self._db.value("SELECT changes FROM document_changes WHERE project_id = ?", (project_id,)) or 0
            cached = self._cache.get(project_id)
            if cached is None or cached[0] != changes:
                cached = self._cache[project_id] = (changes, self._read(project_id))
            return cached[1]

    def _read(self, project_id: str) -> ProjectFacets:
        years: set[int] = set()
        counts: tuple[Counter[str], ...] = (Counter(), Counter(), Counter())
        last = 0
        while rows := self._db.rows(_SELECT, (project_id, last, _SLICE)):
            last = rows[-1][0]
            for _, values in rows:
                year, *lists = json.loads(values)
                if year is not None:
                    years.add(year)
                for counter, found in zip(counts, lists, strict=True):
                    counter.update(set(found or ()))
        authors, tags, collections = (_most_frequent(counter) for counter in counts)
        return ProjectFacets((min(years), max(years)) if years else None, authors, tags, collections)


def _most_frequent(counter: Counter[str]) -> tuple[str, ...]:
    ordered = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0].casefold(), pair[0]))
    return tuple(value for value, _ in ordered[:MAX_VALUES])
