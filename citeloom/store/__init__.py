"""The catalog: projects, sources, documents, jobs and the access log in one SQLite file."""

from __future__ import annotations

from pathlib import Path

from citeloom.store.activity import AccessLog, Job, Jobs
from citeloom.store.aliases import Aliases
from citeloom.store.database import Database
from citeloom.store.documents import Document, Documents, State
from citeloom.store.listing import Listing
from citeloom.store.projects import Project, Projects, Source, collection_name
from citeloom.store.refined import Refined

__all__ = [
    "AccessLog", "Aliases", "Catalog", "Document", "Documents", "Job", "Jobs", "Listing", "Project", "Projects",
    "Refined", "Source", "State", "collection_name",
]  # fmt: skip


class Catalog:
    """Everything the engine remembers, by table."""

    def __init__(self, path: Path) -> None:
        self.db = Database(path)
        self.projects = Projects(self.db)
        self.documents = Documents(self.db)
        self.listing = Listing(self.db)
        self.refined = Refined(self.db)
        self.aliases = Aliases(self.db)
        self.jobs = Jobs(self.db)
        self.access = AccessLog(self.db)

    def close(self) -> None:
        """Close the file."""
        self.db.close()
