"""Base class of the sections of the settings page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from citeloom.api.verbs import R, Request
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.open_file import open_uri
from citeloom.desktop.settings.fields import fields
from citeloom.desktop.settings.rows import Row, row_of
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.engine_tasks import Failed, Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_LETTERS = 92  # longer lines are hard to read


class Section(QScrollArea):
    """Base of a section: a row for each of its plain settings; a subclass adds what it shows beside them."""

    name = ""
    wide = False  # whether it uses the full width, for tables

    def __init__(self, context: PageContext, settings_file: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__()
        self.context, self.settings_file, self.banner = context, settings_file, banner
        self._sent: dict[str, Task] = {}  # the last request of each verb
        self.rows: dict[str, Row] = {}
        for field in fields().get(self.name, ()):
            self.rows[field.name] = row_of(field)
            self.rows[field.name].picked.connect(self.pick)
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

    def allow_wrapping(self) -> None:
        """Give wrapping labels a small minimum width, so that a long word does not widen the window."""
        for label in self.findChildren(QLabel):
            if label.wordWrap():
                label.setMinimumWidth(1)

    def title(self) -> str:
        """Return the title in the list of sections."""
        raise NotImplementedError

    def shown(self) -> None:
        """Load the data of the section; called when it is shown or the engine is reached again."""

    def show_settings(self) -> None:
        """Show the values of the settings file."""
        for name, row in self.rows.items():
            row.show_value(self.settings_file.value(name), self.settings_file.default(name))
            row.setEnabled(self.settings_file.loaded and self.settings_file.problem is None)

    def pick(self, name: str, value: Any) -> None:
        """Write a setting that the user has chosen; None means the default."""
        self.settings_file.change(name, value)

    def send(
        self, request: Request[R], *, done: Callable[[R], None] | None = None, failed: Failed | None = None
    ) -> None:
        """Send a request to the engine; a newer one replaces an older one of the same verb."""
        if before := self._sent.get(request.verb):
            before.drop()
        self._sent[request.verb] = self.context.tasks.send(self, request, done=done, failed=failed or self.show_failure)

    def show_failure(self, error: CiteLoomError) -> None:
        """Show why a request failed. That the engine cannot be reached is shown by the window, once for all pages."""
        if error.code != Code.ENGINE_UNAVAILABLE:
            self.banner.show_error(error)

    def open_place(self, place: Path | str) -> None:
        """Open a file, a folder or an address with the system's own program."""
        uri = place.as_uri() if isinstance(place, Path) else place
        self.context.tasks.run(self, lambda report: open_uri(uri), failed=self.banner.show_error)
