"""What the sections of the page have in common."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.open_file import open_uri
from citeloom.desktop.settings.fields import fields
from citeloom.desktop.settings.rows import Row, row_of
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.engine_tasks import Done, Failed, Task
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_LETTERS = 92  # longer lines are hard to read


class Section(QScrollArea):
    """A part of the settings: its plain fields, and what it shows beside them."""

    name = ""
    wide = False  # whether it takes all the room: it has tables

    def __init__(self, context: PageContext, kept: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__()
        self.context, self.kept, self.banner = context, kept, banner
        self._asked: dict[str, Task] = {}
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

    def let_words_wrap(self) -> None:
        """A word of any length must not make the section wider than the window."""
        for label in self.findChildren(QLabel):
            if label.wordWrap():
                label.setMinimumWidth(1)

    def title(self) -> str:
        """Its name in the list of sections."""
        raise NotImplementedError

    def shown(self) -> None:
        """It came to the front, or the engine is there again: ask for what it shows."""

    def show_settings(self) -> None:
        """Show what is in the file."""
        for name, row in self.rows.items():
            row.show_value(self.kept.value(name), self.kept.default(name))
            row.setEnabled(self.kept.loaded and self.kept.problem is None)

    def pick(self, name: str, value: Any) -> None:
        """A person chose something; None means the default."""
        self.kept.change(name, value)

    def ask(
        self,
        verb: str,
        args: Mapping[str, Any] | None = None,
        *,
        done: Done | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Ask the engine; a newer question takes the place of an older one."""
        if before := self._asked.get(verb):
            before.drop()
        self._asked[verb] = self.context.tasks.ask(self, verb, args, done=done, failed=failed or self.in_vain)

    def in_vain(self, error: CiteLoomError) -> None:
        """What is shown could not be had. That the engine is away is said by the window, once for all pages."""
        if error.code != Code.ENGINE_UNAVAILABLE:
            self.banner.say_error(error)

    def open_place(self, place: Path | str) -> None:
        """Open a file, a folder or an address with the system's own program."""
        uri = place.as_uri() if isinstance(place, Path) else place
        self.context.tasks.run(self, lambda tell: open_uri(uri), failed=self.banner.say_error)
