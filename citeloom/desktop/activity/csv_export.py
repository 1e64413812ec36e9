"""The access log as a table for a spreadsheet: fetched in blocks, written in one step."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLocale, QObject, Signal

from citeloom.core import atomic_file
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task

_BLOCK = 2000
# A spreadsheet takes a cell that begins like this for a formula, and would carry out what an editor asked.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
HEAD = ("time", "editor", "project", "tool", "asked", "passages", "passage ids", "outcome", "milliseconds")


def as_csv(rows: Iterable[dict[str, Any]], separator: str) -> bytes:
    """Entries of the log as a file that spreadsheets open as a table, whatever is in it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(HEAD)
    for row in rows:
        ids: Sequence[str] = row["passages"]
        cells = (row["at"], row["client"], row["project_id"] or "", row["tool"], row["asked"])
        outcome = (row["outcome"], row["milliseconds"])
        writer.writerow([_harmless(cell) for cell in (*cells, len(ids), " ".join(ids), *outcome)])
    # Excel takes a file for UTF-8 only with the mark at its beginning.
    return text.getvalue().encode("utf-8-sig", errors="backslashreplace")


def _harmless(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def spreadsheet_separator() -> str:
    """What parts the cells in this country: where numbers have a comma in them, it cannot be a comma."""
    return ";" if QLocale.system().decimalPoint() == "," else ","


def write_whole(file: Path, content: bytes) -> None:
    """Write a file in one step: what was there stays as it is until all of the new is written."""
    try:
        atomic_file.write(file, content)
    except OSError as error:
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"{file} could not be written ({error.strerror or error}).",
            "Choose another place, or close the file where it is open, and try again.",
        ) from error


class Export(QObject):
    """One export under way."""

    counted = Signal(int)  # entries fetched so far
    writing = Signal()  # everything is there; from now on it cannot be stopped
    finished = Signal(int)
    failed = Signal(object)  # a CiteLoomError

    def __init__(self, tasks: EngineTasks, file: Path, filters: dict[str, str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = tasks
        self._file = file
        self._filters = filters
        self._rows: list[dict[str, Any]] = []
        self._task: Task | None = None

    def start(self) -> None:
        """Fetch the first block; the rest follows."""
        before = {"before": self._rows[-1]["id"]} if self._rows else {}
        asked = {**self._filters, **before, "limit": _BLOCK}
        self._task = self._link.ask(self, "log", asked, done=self._on_block, failed=self.failed.emit)

    def stop(self) -> None:
        """Leave it; nothing is written."""
        if self._task:
            self._task.drop()

    def _on_block(self, rows: list[dict[str, Any]]) -> None:
        self._rows += rows
        self.counted.emit(len(self._rows))
        if len(rows) == _BLOCK:
            self.start()
            return
        self.writing.emit()
        separator = spreadsheet_separator()
        self._task = self._link.run(
            self,
            lambda tell: write_whole(self._file, as_csv(self._rows, separator)),
            done=lambda _: self.finished.emit(len(self._rows)),
            failed=self.failed.emit,
        )
