"""Copies of the catalog for a backup, and catalogs taken over from one. Used by maintenance backup and restore."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from citeloom.catalog.database import Database, now
from citeloom.catalog.untrusted_catalog import copy_rows


def copy_for_backup(catalog: Database, target: Path, projects: Sequence[str], *, selected: bool) -> None:
    """Write a copy with these projects only: embedded, without unfinished jobs.

    If somebody `selected` the projects, the access log and the notes of others are left out too.
    """
    catalog.copy_to(target)
    with closing(Database(target)) as copy:
        marks = ", ".join("?" * len(projects))
        with copy.transaction():
            _drop_unfinished(copy)
            copy.write(f"DELETE FROM projects WHERE id NOT IN ({marks})", projects)
            if selected:
                for table in ("access_log", "notes"):
                    copy.write(f"DELETE FROM {table} WHERE project_id IS NULL OR project_id NOT IN ({marks})", projects)
                copy.write(
                    "DELETE FROM note_suggestions WHERE EXISTS"
                    " (SELECT 1 FROM json_each(note_ids) WHERE value NOT IN (SELECT id FROM notes))"
                )
                copy.write(f"DELETE FROM note_passages WHERE project_id NOT IN ({marks})", projects)
        copy.rows("VACUUM")  # deleted rows must not be readable in the file
        copy.rows("PRAGMA journal_mode = DELETE")


def adopt_catalog(file: Path) -> dict[str, tuple[str, int]]:
    """Replace the catalog file of a backup by a new one with its rows; return collection and generation by project.

    A catalog of an earlier version is migrated. Nothing of the backup's file stays but the rows of known tables.
    """
    fresh = file.with_name(f"own-{file.name}")
    copy_rows(file, fresh)
    with closing(Database(fresh)) as copy:
        with copy.transaction():
            _drop_unfinished(copy)  # again: a manipulated file must not name a server to connect to
            # The original catalog may still be in use: on a server, the collections of both must differ
            # (see `Project.index_location`).
            copy.write("UPDATE projects SET created_at = ?", (now(),))
        rows = copy.rows("SELECT id, collection, generation FROM projects")
        copy.rows("PRAGMA journal_mode = DELETE")
    fresh.replace(file)
    return {row["id"]: (row["collection"], row["generation"]) for row in rows}


def _drop_unfinished(copy: Database) -> None:
    copy.write("DELETE FROM jobs WHERE state NOT IN ('done', 'failed', 'cancelled')")
    # An index on a server is backed up as an embedded one, of which only a part has a search graph.
    copy.write(
        "UPDATE projects SET server = '', without_graph ="
        " (SELECT COALESCE(SUM(chunks), 0) FROM documents WHERE project_id = projects.id) WHERE server != ''"
    )
