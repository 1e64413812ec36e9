"""Safe reading of a catalog file from a backup, which may have been manipulated.

Only rows of known tables with values of the right type are read. The file is opened read-only, and nothing that it
defines is executed: no trigger, view, virtual table or index. Rows go into a new catalog. Used by restore.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.catalog.database import Database
from citeloom.catalog.documents import State

_MAX_SECONDS = 300.0  # for reading the file
_STEPS = 100_000  # SQLite instructions between two checks of the time
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 64_000_000,  # bytes of a value or a row
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_KINDS: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int), "BLOB": (bytes,)}
_JSON_TYPES: dict[str | None, type] = {"'{}'": dict, "'[]'": list}  # by the default of the column
_LOCATION = re.compile(r"[^\x00-\x1f\x7f]{1,4096}")
# Values that become part of a path or are looked up by name.
_FORMS = {
    ("projects", "id"): re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,79}"),
    ("projects", "collection"): re.compile(r"proj-[a-z0-9_-]{1,80}"),
    ("projects", "references_path"): _LOCATION,
    ("sources", "kind"): re.compile("folder|file|zotero"),
    ("sources", "path"): _LOCATION,
    ("documents", "state"): re.compile("|".join(State)),
    ("documents", "content_hash"): re.compile(r"[0-9a-f]{64}"),
    ("documents", "converter"): re.compile(r"[A-Za-z0-9._-]{0,60}"),
}


class InvalidCatalog(Exception):
    """Raised for a file that is no valid catalog; the message says why."""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    kind: str
    optional: bool
    json: type | None  # the type that its JSON must have


def sources_of(file: Path) -> list[dict[str, str]]:
    """Return the sources of a catalog's projects: folders, files, parts of Zotero, references files."""
    with _opened(file) as (source, tables):
        found = [
            {"project": row["project_id"], "kind": row["kind"], "path": row["path"], "label": row.get("label", "")}
            for row in _rows(source, "sources", tables["sources"])
        ]
        for row in _rows(source, "projects", tables["projects"]):
            if row["references_path"]:
                reference = {"kind": "references", "path": row["references_path"], "label": ""}
                found.append({"project": row["id"], **reference})
        return found


def copy_rows(file: Path, target: Path) -> None:
    """Create a catalog of the same version with the rows of an untrusted one. The target must not exist."""
    with (
        _opened(file) as (source, tables),
        closing(Database(target, version=_version(source))) as fresh,
        fresh.transaction(),
    ):
        for table, columns in tables.items():
            names = ", ".join(column.name for column in columns)
            values = ", ".join(f":{column.name}" for column in columns)
            for row in _rows(source, table, columns):
                fresh.write(f"INSERT INTO {table} ({names}) VALUES ({values})", row)


@contextmanager
def _opened(file: Path) -> Iterator[tuple[sqlite3.Connection, dict[str, list[_Column]]]]:
    """Open an untrusted catalog; yield the connection and the columns that each table must have."""
    # Immutable: no journal beside it is read or written.
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as source:
        for limit, most in _LIMITS.items():
            source.setlimit(limit, most)
        until = time.monotonic() + _MAX_SECONDS
        source.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        source.row_factory = sqlite3.Row
        try:
            for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
                source.execute(f"PRAGMA {pragma}")
            tables = _schema(_version(source))
            for table, columns in tables.items():
                _check_table(source, table, columns)
            result = str(source.execute("PRAGMA quick_check(1)").fetchone()[0])
            if result != "ok":
                raise InvalidCatalog(f"its catalog is damaged ({result[:200]})")
            yield source, tables
        except (sqlite3.Error, UnicodeError) as error:
            raise InvalidCatalog(f"its catalog cannot be read ({str(error)[:200]})") from error


def _version(source: sqlite3.Connection) -> int:
    return int(source.execute("PRAGMA user_version").fetchone()[0])


def _schema(version: int) -> dict[str, list[_Column]]:
    """Return the tables of a catalog of this version, referenced ones first."""
    with closing(Database(Path(":memory:"), version=max(0, version))) as own:
        if version != own.version or not version:
            raise InvalidCatalog(f"its catalog is of version {version}")
        tables = own.column("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        return {
            table: [
                # The request of a job has no default.
                _Column(name, kind, not (required or key), dict if name == "request" else _JSON_TYPES.get(default))
                for _, name, kind, required, default, key in own.rows(f"PRAGMA table_info({table})")
            ]
            for table in tables
        }


def _check_table(source: sqlite3.Connection, table: str, columns: list[_Column]) -> None:
    """Raise InvalidCatalog unless it is a plain table with plain columns: a view or generated column would run code."""
    # Views and virtual tables have no root page.
    found = source.execute("SELECT type, rootpage FROM sqlite_schema WHERE name = ? COLLATE NOCASE", (table,))
    if [(row["type"], row["rootpage"] > 0) for row in found] != [("table", True)]:
        raise InvalidCatalog(f"its catalog has no table {table}")
    plain = {row["name"] for row in source.execute(f"PRAGMA main.table_xinfo({table})") if not row["hidden"]}
    missing = [column.name for column in columns if column.name not in plain]
    if missing:
        raise InvalidCatalog(f"its catalog has no {table}.{missing[0]}")


def _rows(source: sqlite3.Connection, table: str, columns: list[_Column]) -> Iterator[dict[str, Any]]:
    names = ", ".join(f'"{column.name}"' for column in columns)
    for row in source.execute(f"SELECT {names} FROM main.{table} NOT INDEXED"):
        for column, value in zip(columns, row, strict=True):
            if not _fits(table, column, value):
                raise InvalidCatalog(f"its catalog has a value in {table}.{column.name} that is not allowed there")
        yield dict(row)


def _fits(table: str, column: _Column, value: Any) -> bool:
    if value is None:
        return column.optional
    if not isinstance(value, _KINDS[column.kind]):
        return False
    form = _FORMS.get((table, column.name))
    if form is not None and not form.fullmatch(str(value)):
        return False
    if column.json is None:
        return True
    try:
        return isinstance(json.loads(str(value)), column.json)
    except (ValueError, RecursionError):
        return False
