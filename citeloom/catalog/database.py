"""The SQLite file: opening, numbered migrations, one lock around one connection."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from citeloom.core.errors import CiteLoomError, Code

log = logging.getLogger(__name__)


def now() -> str:
    """This moment as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Database:
    """One connection, used by one thread at a time."""

    def __init__(self, path: Path, *, version: int | None = None) -> None:
        """Open or make a catalog, and bring it up to date; or to an earlier version."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._lock = threading.RLock()
        try:
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._migrate(version)
        except sqlite3.Error as error:
            raise storage_error(error, path) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def check(self) -> str:
        """SQLite's own word on the file: "ok" or what is wrong."""
        return str(self.rows("PRAGMA quick_check(1)")[0][0])

    @property
    def version(self) -> int:
        """How many migrations it has seen."""
        return int(self.rows("PRAGMA user_version")[0][0])

    def copy_to(self, path: Path) -> None:
        """Write a copy of the file as it is now, while others use it."""
        with self._lock, self._translated():
            copy = sqlite3.connect(path)
            try:
                self._connection.backup(copy)
            finally:
                copy.close()

    def rows(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[sqlite3.Row]:
        """All rows of a query."""
        with self._lock, self._translated():
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> sqlite3.Row | None:
        """The first row of a query."""
        with self._lock, self._translated():
            found: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
            return found

    def write(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> int:
        """Change something; gives the number of rows changed."""
        with self._lock, self._translated():
            return self._connection.execute(sql, values).rowcount

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing."""
        with self._lock, self._translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # on a full disk SQLite has given it up by itself
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise storage_error(error, self.path) from error

    def _migrate(self, version: int | None) -> None:
        steps = _migrations()[:version]
        at = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
        if at > len(steps):
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The catalog {self.path} was made by a newer CiteLoom (version {at}, this one knows {len(steps)}).",
                "Update CiteLoom.",
            )
        if 0 < at < len(steps):
            self.copy_to(self.path.with_name(f"{self.path.stem}.before-{at + 1}.db"))
        for number, sql in enumerate(steps[at:], start=at + 1):
            # executescript would commit on its own, so the step and its number go in one script.
            self._connection.executescript(f"BEGIN;\n{sql}\nPRAGMA user_version = {number};\nCOMMIT;")
            log.info("catalog migrated to version %d", number)


def _migrations() -> list[str]:
    folder = resources.files("citeloom.catalog") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [f.read_text(encoding="utf-8") for f in files]


def storage_error(error: sqlite3.Error, path: Path) -> CiteLoomError:
    """What SQLite said, as an error a person can act on."""
    text = str(error)
    if "full" in text:
        return CiteLoomError(
            Code.STORAGE_ERROR,
            "The disk is full: the catalog could not be written.",
            "Free some space and try again.",
        )
    # What SQLite will not take at any time, where anything else may pass.
    ours = isinstance(error, sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError)
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"The catalog {path} cannot be read or written: {text}.",
        "Run the check-up ('citeloom doctor'); a copy from before the last update may lie beside it.",
        **({"refused": str(path)} if ours else {}),
    )
