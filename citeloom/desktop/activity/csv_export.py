"""Export of the access log as CSV: fetched in blocks, written in one step."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLocale, QObject, Signal

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file
from citeloom.core.types import AccessEntry
from citeloom.desktop.activity.log_model import LogFilters
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task

_BLOCK = 2000
# Spreadsheets evaluate a cell that begins like this as a formula, which an editor's question must not become.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
HEADER = ("time", "editor", "project", "tool", "asked", "passages", "passage ids", "outcome", "milliseconds")


def as_csv(rows: Iterable[AccessEntry], separator: str) -> bytes:
    """Return log entries as CSV for spreadsheets, with formulas disabled."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(HEADER)
    for row in rows:
        cells = (row.at, row.client, row.project_id or "", row.tool, row.asked)
        ids = (len(row.passages), " ".join(row.passages))
        writer.writerow([_without_formula(cell) for cell in (*cells, *ids, row.outcome, row.milliseconds)])
    # Excel reads a file as UTF-8 only with a byte order mark.
    return text.getvalue().encode("utf-8-sig", errors="backslashreplace")


def _without_formula(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def spreadsheet_separator() -> str:
    """Return the cell separator of this locale: a semicolon if numbers have a decimal comma."""
    return ";" if QLocale.system().decimalPoint() == "," else ","


def _write_file(file: Path, content: bytes) -> None:
    """Write a file atomically: the old content stays until the new one is complete."""
    try:
        atomic_file.write(file, content)
    except OSError as error:
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"{file} could not be written ({error.strerror or error}).",
            "Choose another place, or close the file where it is open, and try again.",
        ) from error


class Export(QObject):
    """A running export."""

    counted = Signal(int)  # entries fetched so far
    writing = Signal()  # everything was fetched; it can no longer be stopped
    finished = Signal(int)
    failed = Signal(object)  # a CiteLoomError

    def __init__(self, tasks: EngineTasks, file: Path, filters: LogFilters, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._file = file
        self._filters = filters
        self._rows: list[AccessEntry] = []
        self._task: Task | None = None

    def start(self) -> None:
        """Fetch the first block; the rest follows."""
        request = self._filters.request(_BLOCK, self._rows[-1].id if self._rows else None)
        self._task = self._tasks.send(self, request, done=self._on_block, failed=self.failed.emit)

    def stop(self) -> None:
        """Stop the export; nothing is written."""
        if self._task:
            self._task.drop()

    def _on_block(self, entries: list[AccessEntry]) -> None:
        self._rows += entries
        self.counted.emit(len(self._rows))
        if len(entries) == _BLOCK:
            self.start()
            return
        self.writing.emit()
        separator = spreadsheet_separator()
        self._task = self._tasks.run(
            self,
            lambda: _write_file(self._file, as_csv(self._rows, separator)),
            done=lambda _: self.finished.emit(len(self._rows)),
            failed=self.failed.emit,
        )
