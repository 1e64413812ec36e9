"""Base class of the assistant's steps, and the choices made so far."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from citeloom.api.library import AddProject, ZoteroPart
from citeloom.core import paths
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_LONGEST_NAME = 40


@dataclass
class Chosen:
    """The choices for the first project."""

    zotero: list[ZoteroPart] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    sample: bool = False
    names: list[str] = field(default_factory=list)  # what the chosen things are called
    name: str = ""

    @property
    def anything(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.zotero or self.folders or self.sample)

    def suggested_name(self) -> str:
        """A name for the project, after what it reads."""
        if self.sample and not self.zotero and not self.folders:
            return "sample"
        for name in self.names:
            plain = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()
            made = re.sub(r"[^a-z0-9]+", "-", plain)[:_LONGEST_NAME].strip("-")
            if made:
                return made
        return "thesis"

    def request(self) -> AddProject:
        """Return the request that makes the project."""
        folders, references = list(self.folders), None
        if self.sample:
            sample = Path(paths.sample_folder())
            folders.append(str(sample / "papers"))
            references = str(sample / "library.json")
        return AddProject(project=self.name, references=references, folders=folders, zotero=self.zotero)


class Step(QWidget):
    """One step: a title, a sentence, and what there is to choose."""

    changed = Signal()  # whether one may go on may have changed

    def __init__(self, context: PageContext, chosen: Chosen) -> None:
        super().__init__()
        self.context = context
        self.chosen = chosen
        self.title = basics.text(bold=True, bigger=1.5)
        self.message = basics.text(muted=True)
        self.inside = QVBoxLayout(self)
        self.inside.setContentsMargins(0, 0, 0, 0)
        self.inside.setSpacing(basics.GAP)
        self.inside.addWidget(self.title)
        self.inside.addWidget(self.message)

    def entered(self) -> None:
        """It is being shown."""

    def left(self) -> None:
        """It is no longer shown."""

    def ready(self) -> bool:
        """Whether one may go on."""
        return True

    def keep(self, then: Callable[[], None], failed: Callable[[str], None]) -> None:
        """Keep what was chosen, and go on."""
        then()
