"""SQLite connection of the catalog: migrations, transactions, translated errors. Used by every table class."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from citeloom.core.errors import CiteLoomError, Code

log = logging.getLogger(__name__)

_Values = Sequence[Any] | dict[str, Any]


def now() -> str:
    """Return the current time as stored in the catalog."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Database:
    """One connection, shared by all threads under a lock."""

    def __init__(self, path: Path, *, version: int | None = None) -> None:
        """Open or create a catalog and migrate it, by default to the latest version."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._lock = threading.RLock()
        with self._translated():
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._migrate(version)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def check(self) -> str:
        """Return the result of SQLite's quick check: "ok" or the problem."""
        return str(self.value("PRAGMA quick_check(1)"))

    @property
    def version(self) -> int:
        """Number of applied migrations."""
        return int(self.value("PRAGMA user_version"))

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy of the file while it is in use."""
        with self._lock, self._translated(), closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)

    def rows(self, sql: str, values: _Values = ()) -> list[sqlite3.Row]:
        """Return all rows of a query."""
        with self._lock, self._translated():
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: _Values = ()) -> sqlite3.Row | None:
        """Return the first row of a query, or None."""
        with self._lock, self._translated():
            found: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
            return found

    def value(self, sql: str, values: _Values = ()) -> Any:
        """Return the first value of the first row, or None."""
        row = self.row(sql, values)
        return row[0] if row else None

    def column(self, sql: str, values: _Values = ()) -> list[Any]:
        """Return the first value of every row."""
        return [row[0] for row in self.rows(sql, values)]

    def write(self, sql: str, values: _Values = ()) -> int:
        """Run a statement; return the number of rows changed."""
        with self._lock, self._translated():
            return self._connection.execute(sql, values).rowcount

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction."""
        with self._lock, self._translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # on a full disk SQLite has rolled it back already
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _storage_error(error, self.path) from error

    def _migrate(self, version: int | None) -> None:
        steps = _migrations()[:version]
        at = self.version
        if at > len(steps):
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The catalog {self.path} was made by a newer CiteLoom (version {at}, this one knows {len(steps)}).",
                "Update CiteLoom.",
            )
        if 0 < at < len(steps):
            self.copy_to(self.path.with_name(f"{self.path.stem}.before-{at + 1}.db"))
        for number, sql in enumerate(steps[at:], start=at + 1):
            # executescript commits by itself, so the migration and its number are in one script.
            self._connection.executescript(f"BEGIN;\n{sql}\nPRAGMA user_version = {number};\nCOMMIT;")
            log.info("catalog migrated to version %d", number)


class Table:
    """A table of the catalog."""

    def __init__(self, db: Database) -> None:
        self._db = db


def _migrations() -> list[str]:
    folder = resources.files("citeloom.catalog") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [f.read_text(encoding="utf-8") for f in files]


def _storage_error(error: sqlite3.Error, path: Path) -> CiteLoomError:
    text = str(error)
    if "full" in text:
        return CiteLoomError(
            Code.STORAGE_ERROR,
            "The disk is full: the catalog could not be written.",
            "Free some disk space and try again.",
        )
    # These are permanent; other errors may be temporary.
    permanent = isinstance(error, sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError)
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"The catalog {path} cannot be read or written: {text}.",
        "Run the check-up ('citeloom doctor'); a copy from before the last update may be next to it.",
        **({"refused": str(path)} if permanent else {}),
    )
