"""The catalog as it goes into a backup, and as it comes out of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citeloom.catalog.database import Database, now
from citeloom.catalog.untrusted_catalog import copy_rows


def copy_for_backup(catalog: Database, target: Path, projects: Sequence[str]) -> None:
    """Write a copy that holds these projects only, embedded, with nothing under way and nobody else's log."""
    catalog.copy_to(target)
    copy = Database(target)
    try:
        marks = ", ".join("?" * len(projects))
        with copy.transaction():
            _drop_unfinished(copy)
            if copy.write(f"DELETE FROM projects WHERE id NOT IN ({marks})", projects):
                copy.write(f"DELETE FROM access_log WHERE project_id IS NULL OR project_id NOT IN ({marks})", projects)
        copy.rows("VACUUM")  # what was deleted must not be read from the file
        copy.rows("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()


def adopt_catalog(file: Path) -> dict[str, tuple[str, int]]:
    """Put a catalog of this machine in the place of that of a backup; gives collection and generation of each project.

    One of an earlier version is brought up to date. Of the backup's own nothing stays but the rows of known tables.
    """
    fresh = file.with_name(f"own-{file.name}")
    copy_rows(file, fresh)
    copy = Database(fresh)
    try:
        with copy.transaction():
            _drop_unfinished(copy)  # once more: who has changed the file must not have us reach for a server of theirs
            # The catalog that was copied may be in use elsewhere: on a server, the two must not meet (see place_of).
            copy.write("UPDATE projects SET created_at = ?", (now(),))
        rows = copy.rows("SELECT id, collection, generation FROM projects")
        copy.rows("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()
    fresh.replace(file)
    return {row["id"]: (row["collection"], row["generation"]) for row in rows}


def _drop_unfinished(copy: Database) -> None:
    copy.write("DELETE FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled')")
    # What was on a server is copied for the backup into an index of which only a part has a search graph.
    copy.write(
        "UPDATE projects SET server = '', without_graph ="
        " (SELECT COALESCE(SUM(chunks), 0) FROM documents WHERE project_id = projects.id) WHERE server != ''"
    )
