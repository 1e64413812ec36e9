"""Deterministic ids of documents and passages."""

from __future__ import annotations

import uuid

from citeloom.core.ids import NAMESPACE


def document_id(project_id: str, source: str) -> str:
    """Return the id of a document, derived from its project and source."""
    return str(uuid.uuid5(NAMESPACE, f"document\n{project_id}\n{source}"))


def passage_set_id(project_id: str, content_hash: str, converter: str, max_tokens: int) -> str:
    """Return the id of the set of passages that a converter version makes from a content."""
    return str(uuid.uuid5(NAMESPACE, f"passages\n{project_id}\n{content_hash}\n{converter}\n{max_tokens}"))


def passage_id(passage_set: str, index: int) -> str:
    """Return the id of a passage, derived from project, content and position so that writing is idempotent."""
    return str(uuid.uuid5(uuid.UUID(passage_set), str(index)))
