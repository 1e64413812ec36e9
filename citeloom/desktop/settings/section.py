"""Base class of the sections of the settings page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from citeloom.api.verbs import R, Request
from citeloom.desktop.settings.rows import Row
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.engine_tasks import Failed, Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_LETTERS = 92  # longer lines are hard to read
RowT = TypeVar("RowT", bound=Row)


class Section(QScrollArea):
    """Base of a section: rows for its plain settings, and what a subclass shows beside them."""

    name = ""
    wide = False  # whether it uses the full width, for tables

    def __init__(self, context: PageContext, settings_file: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__()
        self.context, self.settings_file, self.banner = context, settings_file, banner
        self._sent: dict[str, Task] = {}  # the last request of each verb
        self.rows: dict[str, Row] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        body = QWidget()
        if not self.wide:
            body.setMaximumWidth(self.fontMetrics().averageCharWidth() * _LETTERS)
        self.inside = QVBoxLayout(body)
        self.inside.setContentsMargins(0, 0, basics.GAP, basics.GAP)
        self.inside.setSpacing(basics.GAP + basics.GAP // 2)
        self.inside.addWidget(basics.heading(self.title()))
        self.setWidget(body)
        self.setAccessibleName(self.title())
        self._build()
        for label in self.findChildren(QLabel):
            if label.wordWrap():
                label.setMinimumWidth(1)  # a long word must not widen the window

    def title(self) -> str:
        """Return the title in the list of sections."""
        raise NotImplementedError

    def _build(self) -> None:
        """Create the widgets of the section and lay them out in `inside`."""
        raise NotImplementedError

    def setting(self, row: RowT) -> RowT:
        """Connect the row of a setting to the settings file."""
        self.rows[row.name] = row
        row.picked.connect(self.pick)
        return row

    def shown(self) -> None:
        """Load the data of the section; called when it is shown or the engine is reached again."""

    def show_settings(self) -> None:
        """Show the values of the settings file."""
        for name, row in self.rows.items():
            row.show_value(self.settings_file.value(name), self.settings_file.default(name))
            row.setEnabled(self.settings_file.usable)

    def pick(self, name: str, value: Any) -> None:
        """Write a setting that the user has chosen; None means the default."""
        self.settings_file.change(name, value)

    def send(
        self, request: Request[R], *, done: Callable[[R], None] | None = None, failed: Failed | None = None
    ) -> None:
        """Send a request to the engine; a newer one replaces an older one of the same verb."""
        failed, before = failed or self.banner.load_failed, self._sent.get(request.verb)
        self._sent[request.verb] = self.context.tasks.send(self, request, done=done, failed=failed, replaces=before)

    def open_folder(self, folder: Path) -> None:
        """Open a folder with the system's own program."""
        self.context.tasks.open(self, folder.as_uri(), failed=self.banner.show_error)
