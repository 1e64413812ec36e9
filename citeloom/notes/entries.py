"""Rules for notes that several services share: types, lookup by a prefix of the id, visibility."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeloom.catalog.notes import NoteRow, Notes
from citeloom.core.errors import CiteLoomError, Code

TYPES = (
    "claim", "finding", "method", "question", "decision", "idea", "reference",
    "bug", "pattern", "pitfall", "config",  # of the dialect `rekall`
)  # fmt: skip
EPISODIC, SEMANTIC = "episodic", "semantic"
MAX_TITLE = 100
_MIN_PREFIX = 5
_ID = re.compile(rf"[0-9A-Z]{{{_MIN_PREFIX},26}}")

Visible = frozenset[str] | None  # the projects whose notes a client may access; None: all notes


def visible_projects(names: Sequence[str] | None) -> Visible:
    """Return the projects that a client may access; None for all."""
    return None if names is None else frozenset(names)


def check_type(type_: str) -> str:
    """Return the type of a note, or raise INVALID_ENTRY_TYPE."""
    if type_ in TYPES:
        return type_
    raise CiteLoomError(
        Code.INVALID_ENTRY_TYPE, f"There is no type '{type_[:40]}'.", f"Types: {', '.join(TYPES)}.", valid=list(TYPES)
    )


def find_note(notes: Notes, id_: str, visible: Visible) -> NoteRow:
    """Return a note by its id or a prefix of it, or raise ENTRY_NOT_FOUND."""
    wanted = id_.strip().upper()
    if not _ID.fullmatch(wanted):
        raise CiteLoomError(
            Code.ENTRY_NOT_FOUND,
            f"'{id_[:40]}' is not the id of a note.",
            f"Give the whole id, or its first {_MIN_PREFIX} characters or more.",
        )
    found = notes.find(wanted, visible)
    if len(found) == 1:
        return found[0]
    if not found:
        raise CiteLoomError(
            Code.ENTRY_NOT_FOUND, f"Entry with ID '{wanted}' not found.", "Search for it, to see its id."
        )
    raise CiteLoomError(
        Code.ENTRY_NOT_FOUND,
        f"The ids of several notes begin with '{wanted}'.",
        f"Give more of it: {', '.join(note.id for note in found[:5])}.",
        choices=[{"id": note.id, "title": note.title} for note in found],
    )
