"""Base class of the assistant's steps, and the choices that they share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from citeloom.api.library import AddProject, ZoteroPart
from citeloom.core import paths
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column

_LONGEST_NAME = 40


@dataclass
class FirstRunChoices:
    """The choices for the first project."""

    zotero: list[ZoteroPart] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    sample: bool = False
    names: list[str] = field(default_factory=list)  # names of the chosen collections and folders
    name: str = ""

    @property
    def anything(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.zotero or self.folders or self.sample)

    def suggested_name(self) -> str:
        """Return a name for the project, derived from what it reads."""
        if self.sample and not self.zotero and not self.folders:
            return "sample"
        for name in self.names:
            plain = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()
            made = re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_NAME].strip("-")
            if made:
                return made
        return "thesis"

    def request(self) -> AddProject:
        """Return the request that creates the project."""
        folders, references = list(self.folders), None
        if self.sample:
            sample = Path(paths.sample_folder())
            folders.append(str(sample / "papers"))
            references = str(sample / "library.json")
        return AddProject(project=self.name, references=references, folders=folders, zotero=self.zotero)


class Step(QWidget):
    """Base of a step: a title, an explanation, and the controls of the subclass."""

    changed = Signal()  # `ready` may have changed

    def __init__(self, context: PageContext, choices: FirstRunChoices) -> None:
        super().__init__()
        self.context = context
        self.choices = choices
        self.title = basics.text(bold=True, bigger=1.5)
        self.message = basics.text(muted=True)
        self.inside = column(self.title, self.message, of=self, spacing=basics.GAP)

    def on_enter(self) -> None:
        """Called when the step is shown."""

    def on_leave(self) -> None:
        """Called when the step is no longer shown."""

    def ready(self) -> bool:
        """Return whether the next step may be shown."""
        return True

    def save(self, then: Callable[[], None], failed: Callable[[str], None]) -> None:
        """Save the choice, then call `then`, or `failed` with the reason."""
        then()
