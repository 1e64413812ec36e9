"""The catalog as it goes into a backup."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citeloom.store.database import Database


def copy_for_backup(catalog: Database, target: Path, projects: Sequence[str]) -> None:
    """Write a copy that holds these projects only, embedded, with nothing under way and nobody else's log."""
    catalog.copy_to(target)
    copy = Database(target)
    try:
        marks = ", ".join("?" * len(projects))
        with copy.transaction():
            copy.write("DELETE FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled')")
            if copy.write(f"DELETE FROM projects WHERE id NOT IN ({marks})", projects):
                copy.write(f"DELETE FROM access_log WHERE project_id IS NULL OR project_id NOT IN ({marks})", projects)
            copy.write("UPDATE projects SET server = ''")
        copy.rows("VACUUM")  # what was deleted must not be read from the file
        copy.rows("PRAGMA journal_mode = DELETE")
    finally:
        copy.close()


def projects_in(file: Path) -> dict[str, tuple[str, int]]:
    """Collection and generation of each project in a copy; one of an earlier version is brought up to date."""
    copy = Database(file)
    try:
        rows = copy.rows("SELECT id, collection, generation FROM projects")
        copy.rows("PRAGMA journal_mode = DELETE")
        return {row["id"]: (row["collection"], row["generation"]) for row in rows}
    finally:
        copy.close()
