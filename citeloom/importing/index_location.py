"""Names the collection of a project's index, for everyone who opens it."""

from __future__ import annotations

import hashlib

from citeloom.catalog.projects import Project
from citeloom.index.registry import IndexLocation


def place_of(project: Project) -> IndexLocation:
    """Return the location of the generation that a project's row names."""
    # Two people with a project of the same name may share a server; one of them may remove and make it again.
    tag = hashlib.sha256(f"{project.id}{project.created_at}".encode()).hexdigest()[:8]
    return IndexLocation(project.collection, project.generation, project.server, tag)
