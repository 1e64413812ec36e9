"""Projects table, with the sources that each project may read. Used by the library verbs, imports and search."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from citeloom.catalog.database import Table, now
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import IndexLocation, Source

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:[./][A-Za-z0-9][A-Za-z0-9_-]*)*")
_MAX_ID_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Project:
    """A project: an allow-list of sources, with the models its passages were embedded by."""

    id: str
    collection: str
    references_path: str | None
    references_hash: str | None  # of the references that the documents were last matched with
    dense_model: str
    dense_fingerprint: str
    dense_size: int
    sparse_model: str
    generation: int
    without_graph: int  # passages written or deleted since the search graph was last built over all of them
    created_at: str
    own_model: bool = False  # its model was chosen explicitly: the setting does not apply
    server: str = ""  # the address of the Qdrant server that has its index; "": embedded

    @property
    def hybrid_enabled(self) -> bool:
        """Return whether hybrid search is enabled: by words besides meaning."""
        return bool(self.sparse_model)

    @property
    def index_location(self) -> IndexLocation:
        """Location of its index."""
        # Two users with a project of the same name may share a server; one of them may remove and create it again.
        tag = hashlib.sha256(f"{self.id}{self.created_at}".encode()).hexdigest()[:8]
        return IndexLocation(self.collection, self.generation, self.server, tag)


_MAX_NAMED = 100  # projects in one error


def collection_name(project_id: str) -> str:
    """Return the collection name for a project id. Raises INVALID_PROJECT for ids that are no safe folder name."""
    if len(project_id) > _MAX_ID_LENGTH or not _ID.fullmatch(project_id):
        raise CiteLoomError(
            Code.INVALID_PROJECT,
            f"{project_id[:100]!r} cannot be a project id.",
            f"Use letters, digits, '-' and '_', with '/' or '.' between parts, such as thesis/chapter-2:"
            f" {_MAX_ID_LENGTH} characters at most.",
        )
    return "proj-" + re.sub(r"[/.]", "-", project_id).lower()


class Projects(Table):
    """The projects table and its sources."""

    def add(
        self,
        project_id: str,
        references: str | None,
        model: dict[str, Any],
        server: str = "",
        sources: Sequence[Source] = (),
    ) -> Project:
        """Add a project with its sources. Raises INVALID_PROJECT where the id or its collection name is taken."""
        collection = collection_name(project_id)
        with self._db.transaction():
            other = self._db.value("SELECT id FROM projects WHERE collection = ?", (collection,))
            if other:
                message = f"'{project_id}' would share the collection {collection} with project '{other}'."
                if other == project_id:
                    message = f"Project '{project_id}' exists already."
                raise CiteLoomError(Code.INVALID_PROJECT, message, "Choose another id.")
            self._db.write(
                "INSERT INTO projects (id, collection, references_path, dense_model, dense_fingerprint, dense_size,"
                " sparse_model, created_at) VALUES (:id, :collection, :references, :dense_model, :dense_fingerprint,"
                " :dense_size, :sparse_model, :now)",
                {"id": project_id, "collection": collection, "references": references, "now": now(), **model},
            )
            if server:
                self._db.write("UPDATE projects SET server = ? WHERE id = ?", (server, project_id))
            for source in sources:
                self.add_source(project_id, source)
        return self.get(project_id)

    def get(self, project_id: str, visible: frozenset[str] | None = None) -> Project:
        """Return a project; `visible` limits the ids that the client may know."""
        row = None
        if visible is None or project_id in visible:
            row = self._db.row("SELECT * FROM projects WHERE id = ?", (project_id,))
        if row is None:
            ids = [p.id for p in self.all() if visible is None or p.id in visible]
            near = difflib.get_close_matches(project_id, ids, 3) or ids[:10]
            hint = "Create one; on the command line: citeloom project add ID --zotero COLLECTION."
            if near:
                hint = f"Choose one of: {', '.join(near)}."
            # The answer for an id outside the client's list is the same as for one that does not exist.
            name = f"There is no project '{project_id[:80]}'." if visible is None else "There is no such project here."
            raise CiteLoomError(
                Code.INVALID_PROJECT,
                name,
                hint,
                choices=near,
                available_projects=ids[:_MAX_NAMED],
                **({"project_id": project_id[:80]} if visible is None else {}),
            )
        return Project(**dict(row))

    def all(self) -> list[Project]:
        """Return all projects, ordered by id."""
        return [Project(**dict(r)) for r in self._db.rows("SELECT * FROM projects ORDER BY id")]

    def save(self, project: Project) -> None:
        """Update the index and models of a project; its references, which may change meanwhile, stay."""
        self._db.write(
            "UPDATE projects SET dense_model = :dense_model, dense_fingerprint = :dense_fingerprint,"
            " dense_size = :dense_size,"
            " sparse_model = :sparse_model, own_model = :own_model, generation = :generation,"
            " without_graph = :without_graph, server = :server WHERE id = :id",
            asdict(project),
        )

    def mark_model_chosen(self, project_id: str) -> None:
        """Mark the model of a project as chosen explicitly."""
        self._db.write("UPDATE projects SET own_model = 1 WHERE id = ?", (project_id,))

    def set_references_path(self, project_id: str, path: str) -> None:
        """Set the references file of a project."""
        self._db.write("UPDATE projects SET references_path = ? WHERE id = ?", (path, project_id))

    def set_references_hash(self, project_id: str, content_hash: str | None) -> None:
        """Record the hash of the references that the documents were matched with."""
        self._db.write("UPDATE projects SET references_hash = ? WHERE id = ?", (content_hash, project_id))

    def add_without_graph(self, project_id: str, passages: int) -> None:
        """Add to the passages that were written or deleted since the search graph was built."""
        self._db.write("UPDATE projects SET without_graph = without_graph + ? WHERE id = ?", (passages, project_id))

    def remove(self, project_id: str) -> None:
        """Delete a project with its sources, documents and jobs; the access log stays."""
        self._db.write("DELETE FROM projects WHERE id = ?", (project_id,))

    def add_source(self, project_id: str, source: Source) -> None:
        """Add a source to a project."""
        self._db.write(
            "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (project_id, path) DO UPDATE SET recursive = excluded.recursive, label = excluded.label",
            (project_id, source.kind, source.path, source.recursive, now(), source.label),
        )

    def remove_source(self, project_id: str, path: str) -> None:
        """Remove a source from a project."""
        self._db.write("DELETE FROM sources WHERE project_id = ? AND path = ?", (project_id, path))

    def with_zotero_source(self) -> list[str]:
        """Return the ids of projects with a Zotero source."""
        return self._db.column("SELECT DISTINCT project_id FROM sources WHERE kind = 'zotero' ORDER BY project_id")

    def sources(self, project_id: str) -> list[Source]:
        """Return the sources of a project."""
        rows = self._db.rows(
            "SELECT kind, path, recursive, label FROM sources WHERE project_id = ? ORDER BY added_at, path",
            (project_id,),
        )
        return [Source(r["kind"], r["path"], bool(r["recursive"]), r["label"]) for r in rows]
