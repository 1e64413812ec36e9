"""Record of the last changes to editors' files, so that an earlier one or one of another window can be undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError
from citeloom.core.files import atomic_file
from citeloom.editors.types import Change

_MAX_RECORDS = 50


def record(change: Change) -> None:
    """Add a change."""
    _save([*_load(), _as_record(change)])


def discard(change: Change) -> None:
    """Remove a change that was undone."""
    newest_first, undone = _load()[::-1], _as_record(change)
    if undone in newest_first:
        newest_first.remove(undone)
        _save(newest_first[::-1])


def last_change(editor_id: str, file: Path) -> Change | None:
    """Return the last change of an editor's file."""
    records = _records_of(editor_id, file)
    if not records:
        return None
    last, backup = records[-1], records[-1].get("backup")
    return Change(editor_id, file, Path(backup) if backup else None, bool(last.get("created")), "", last.get("written"))


def was_created(editor_id: str, file: Path) -> bool:
    """Return whether CiteLoom created an editor's file."""
    return any(one.get("created") is True for one in _records_of(editor_id, file))


def _records_of(editor_id: str, file: Path) -> list[dict[str, Any]]:
    return [one for one in _load() if (one.get("client_id"), one.get("file")) == (editor_id, str(file))]


def _as_record(change: Change) -> dict[str, Any]:
    return {
        "client_id": change.editor_id,
        "file": str(change.file),
        "backup": str(change.backup) if change.backup else None,
        "created": change.created,
        "written": change.written,
    }


def _file() -> Path:
    return Path(paths.folders().data) / "editor-changes.json"


def _load() -> list[dict[str, Any]]:
    try:
        records = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [one for one in records if isinstance(one, dict)] if isinstance(records, list) else []


def _save(records: list[dict[str, Any]]) -> None:
    try:
        paths.make_private(paths.folders().data)
        atomic_file.replace(_file(), atomic_file.read(_file()), json.dumps(records[-_MAX_RECORDS:], indent=1).encode())
    except (OSError, CiteLoomError):
        # The change itself is done and backed up: a record that cannot be written is no reason to call it failed.
        pass
