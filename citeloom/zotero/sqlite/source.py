"""Source that reads a copy of zotero.sqlite: works while Zotero is closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from citeloom.core.errors import CiteLoomError, Code
from citeloom.zotero.profile import DATABASE
from citeloom.zotero.saved_search import evaluate
from citeloom.zotero.sqlite.copy import Fingerprint, fingerprint, private_copy
from citeloom.zotero.sqlite.items import Rows, read_libraries, read_snapshots
from citeloom.zotero.types import MY_LIBRARY, Library, SavedSearch, Snapshot

# Supported schema versions, and the Zotero versions that write them.
SCHEMAS = {123: "7 or 8", 125: "9", 129: "10"}

_TRIES = 3  # inconsistent copies are repeated
_FULL_TEXT = ".zotero-ft-cache"
_BETTER_BIBTEX = "better-bibtex.sqlite"
_USER_LIBRARY = 1  # library id of My Library in every Zotero

_T = TypeVar("_T")


@dataclass(frozen=True)
class _Reading:
    copied_state: Fingerprint
    schema: int
    snapshots: dict[str, Snapshot]  # by the library's id


class SqliteSource:
    """Reads zotero.sqlite; the result is cached until the file changes."""

    kind = "sqlite"

    def __init__(self, database: Path) -> None:
        self._database = database
        self._last: _Reading | None = None

    def libraries(self) -> list[Library]:
        """Return My Library, then the groups."""
        return [snapshot.library for snapshot in self._read().snapshots.values()]

    def read(self, library: Library) -> Snapshot:
        """Return a library as it is now."""
        snapshot = self._read().snapshots.get(library.id)
        if snapshot is None:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                f'The library "{library.name}" ({library.id}) is not in {self._database}.',
                "Open Zotero and sync, so that it has the group; or remove the library from the project.",
                library=library.id,
            )
        return snapshot

    def run_search(self, snapshot: Snapshot, search: SavedSearch) -> set[str]:
        """Return the keys of the top-level items that a saved search finds."""
        return evaluate(snapshot, search)

    def full_text(self, library: Library, attachment: str) -> str | None:
        """Return the text that Zotero extracted from an attachment, or None."""
        if attachment not in self.read(library).items:
            return None
        cache = self._database.parent / "storage" / attachment / _FULL_TEXT
        try:
            return cache.read_text(encoding="utf-8", errors="replace") or None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise CiteLoomError(
                Code.ZOTERO_UNAVAILABLE,
                f"The text that Zotero stored in {cache} cannot be read ({error.strerror or error}).",
                "Give your user the right to read Zotero's data folder.",
            ) from error

    def about(self) -> dict[str, Any]:
        """Return Zotero version, schema, path and time of the last change."""
        reading = self._read()
        changed = max(part[1] for part in reading.copied_state if part) / 1e9
        return {
            "zotero": SCHEMAS[reading.schema],
            "schema": reading.schema,
            "database": str(self._database),
            "changed": datetime.fromtimestamp(changed, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

    def _read(self) -> _Reading:
        if self._last is None or self._last.copied_state != fingerprint(self._database):
            self._last = _from_copy(self._database, self._reading)
        return self._last

    def _reading(self, rows: Rows, copied_state: Fingerprint) -> _Reading:
        schema = _check_schema(rows, self._database)
        return _Reading(copied_state, schema, {snapshot.library.id: snapshot for snapshot in read_snapshots(rows)})


def legacy_citekeys(data_folder: Path) -> dict[tuple[str, str], str]:
    """Return the citekeys that an older Better BibTeX stores in its own database, by library id and item key."""
    database = data_folder / _BETTER_BIBTEX
    if not database.is_file():
        return {}
    try:
        found = _from_copy(
            database, lambda rows, _: list(rows("SELECT libraryID, itemKey, citationKey FROM citationkey"))
        )
        ids = {_USER_LIBRARY: MY_LIBRARY}
        if any(number != _USER_LIBRARY for number, *_ in found):
            libraries = _from_copy(data_folder / DATABASE, lambda rows, _: read_libraries(rows))
            ids = {number: library.id for number, library in libraries.items()}
    except CiteLoomError:
        return {}
    return {(ids[number], key): citekey for number, key, citekey in found if number in ids and key and citekey}


def _from_copy(database: Path, read: Callable[[Rows, Fingerprint], _T]) -> _T:
    damage: sqlite3.Error | None = None
    for _ in range(_TRIES):
        with private_copy(database) as (copy, copied_state):
            try:
                with closing(sqlite3.connect(copy)) as connection:
                    connection.text_factory = _decoded
                    return read(connection.execute, copied_state)
            except sqlite3.Error as error:
                damage = error
    raise CiteLoomError(
        Code.ZOTERO_UNAVAILABLE,
        f"Zotero's database {database} is damaged ({damage}).",
        "Start Zotero, which repairs its database or restores a backup of it.",
        path=str(database),
    ) from damage


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _check_schema(rows: Rows, database: Path) -> int:
    if not list(rows("SELECT 1 FROM sqlite_master WHERE name = 'version'")):
        raise CiteLoomError(
            Code.ZOTERO_UNAVAILABLE,
            f"{database} is not a Zotero database.",
            "Set zotero.data_folder to the folder that contains zotero.sqlite.",
            path=str(database),
        )
    found = [version for (version,) in rows("SELECT version FROM version WHERE schema = 'userdata'")]
    schema = found[0] if found else None
    if not isinstance(schema, int) or schema not in SCHEMAS:
        known = ", ".join(f"{number} (Zotero {zotero})" for number, zotero in SCHEMAS.items())
        raise CiteLoomError(
            Code.ZOTERO_UNAVAILABLE,
            f"Zotero's database {database} has the schema version {schema}; CiteLoom reads {known}.",
            "Start Zotero, through which every version is read; or update whichever of the two is older.",
            path=str(database),
            schema=schema,
        )
    return schema
