"""The last changes, so that one made yesterday or in another window can be taken back as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from citeloom.core import atomic_file, paths
from citeloom.core.errors import CiteLoomError
from citeloom.editors.types import Change

_MOST = 50


def remember(change: Change) -> None:
    """Note a change."""
    _store([*_noted(), _note(change)])


def forget(change: Change) -> None:
    """A change was taken back."""
    noted = _noted()
    if _note(change) in noted:
        noted.reverse()
        noted.remove(_note(change))
        noted.reverse()
        _store(noted)


def last(client_id: str, file: Path) -> Change | None:
    """The last change of an editor's file."""
    for one in reversed(_noted()):
        if one.get("client_id") == client_id and one.get("file") == str(file):
            backup = one.get("backup")
            return Change(
                client_id, file, Path(backup) if backup else None, bool(one.get("created")), "", one.get("written")
            )
    return None


def created(client_id: str, file: Path) -> bool:
    """Whether an editor's file came from CiteLoom."""
    made = ({"client_id": client_id, "file": str(file), "created": True}.items() <= one.items() for one in _noted())
    return any(made)


def _note(change: Change) -> dict[str, Any]:
    return {
        "client_id": change.client_id,
        "file": str(change.file),
        "backup": str(change.backup) if change.backup else None,
        "created": change.created,
        "written": change.written,
    }


def _place() -> Path:
    return Path(paths.folders().data) / "editor-changes.json"


def _noted() -> list[dict[str, Any]]:
    try:
        noted = json.loads(_place().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [one for one in noted if isinstance(one, dict)] if isinstance(noted, list) else []


def _store(changes: list[dict[str, Any]]) -> None:
    try:
        paths.make_private(paths.folders().data)
        atomic_file.replace(_place(), atomic_file.read(_place()), json.dumps(changes[-_MOST:], indent=1).encode())
    except (OSError, CiteLoomError):
        # The change itself is done and backed up: a note that cannot be kept is no reason to call it failed.
        pass
