"""Ids: of documents and passages derived from what they identify, the same in every run; of notes by time."""

from __future__ import annotations

import secrets
import time
import uuid

_NAMESPACE = uuid.UUID("6f1d0c6e-3a55-5f0e-9a0b-6c1f8c1e7a10")  # of every id that CiteLoom derives


def document_id(project_id: str, source: str) -> str:
    """Return the id of a document, derived from its project and source."""
    return str(uuid.uuid5(_NAMESPACE, f"document\n{project_id}\n{source}"))


def passage_set_id(project_id: str, content_hash: str, converter: str, max_tokens: int) -> str:
    """Return the id of the set of passages that a converter version makes from a content."""
    return str(uuid.uuid5(_NAMESPACE, f"passages\n{project_id}\n{content_hash}\n{converter}\n{max_tokens}"))


def passage_id(passage_set: str, index: int) -> str:
    """Return the id of a passage, derived from project, content and position so that writing is idempotent."""
    return str(uuid.uuid5(uuid.UUID(passage_set), str(index)))


def stored_passage_id(project_id: str, given: str) -> str:
    """Return the id of a passage that an agent stored under its own id."""
    return str(uuid.uuid5(_NAMESPACE, f"stored\n{project_id}\n{given}"))


_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def new_ulid() -> str:
    """Return a new ULID: 26 characters that sort by time (48 bits of milliseconds, 80 random ones)."""
    number = (time.time_ns() // 1_000_000 << 80) | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> 5 * place & 31] for place in reversed(range(26)))
