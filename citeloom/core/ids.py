"""Ids that several features derive in the same way."""

from __future__ import annotations

import uuid

NAMESPACE = uuid.UUID("6f1d0c6e-3a55-5f0e-9a0b-6c1f8c1e7a10")  # of every id that CiteLoom derives


def stored_passage_id(project_id: str, given: str) -> str:
    """Return the id of a passage that an agent stored under its own id."""
    return str(uuid.uuid5(NAMESPACE, f"stored\n{project_id}\n{given}"))
