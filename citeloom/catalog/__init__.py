"""The catalog: projects, sources, documents, jobs and the access log in one SQLite file."""

from __future__ import annotations

from pathlib import Path

from citeloom.catalog.citekey_aliases import Aliases
from citeloom.catalog.database import Database
from citeloom.catalog.document_search import Listing
from citeloom.catalog.documents import Documents
from citeloom.catalog.jobs import AccessLog, Jobs
from citeloom.catalog.projects import Projects
from citeloom.catalog.replaced_passages import Refined


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
