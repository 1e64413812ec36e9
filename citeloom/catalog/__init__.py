"""Catalog: projects, sources, documents, notes, jobs and the access log in one SQLite file."""

from __future__ import annotations

from pathlib import Path

from citeloom.catalog.access_log import AccessLog
from citeloom.catalog.citekey_aliases import CitekeyAliases
from citeloom.catalog.database import Database
from citeloom.catalog.documents import Documents
from citeloom.catalog.jobs import Jobs
from citeloom.catalog.notes import Notes
from citeloom.catalog.projects import Projects
from citeloom.catalog.replaced_passages import ReplacedPassages


class Catalog:
    """Open catalog file, with one attribute per table."""

    def __init__(self, path: Path) -> None:
        self.db = Database(path)
        self.projects = Projects(self.db)
        self.documents = Documents(self.db)
        self.replaced_passages = ReplacedPassages(self.db)
        self.citekey_aliases = CitekeyAliases(self.db)
        self.jobs = Jobs(self.db)
        self.notes = Notes(self.db)
        self.access_log = AccessLog(self.db)

    def close(self) -> None:
        """Close the file."""
        self.db.close()
