"""Step 3 of the assistant: the name of the project."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

from citeloom.desktop.first_run.step import Chosen, Step
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add


class NameStep(Step):
    """Field for the name, suggested by what was chosen until the user types one."""

    def __init__(self, context: PageContext, chosen: Chosen) -> None:
        super().__init__(context, chosen)
        self.title.setText(self.tr("What is it called?"))
        self.message.setText(self.tr("Editors use this name for the project, such as thesis or thesis/chapter-2."))
        label = basics.text(self.tr("N&ame of the project"))
        self.name = basics.named(QLineEdit(), self.tr("Name of the project"))
        label.setBuddy(self.name)
        self.name.textChanged.connect(self._on_text)
        self.problem = basics.text()
        self.problem.hide()
        add(self.inside, label, self.name, self.problem, Stretch())

    def entered(self) -> None:
        if not self.name.isModified():  # typed by the user
            self.name.setText(self.chosen.suggested_name())
        self.name.setFocus()
        self.name.selectAll()

    def ready(self) -> bool:
        return bool(self.name.text().strip())

    def show_message(self, problem: str) -> None:
        """Show why the name was refused."""
        self.problem.setText(problem)
        self.problem.show()
        self.name.setFocus()

    def _on_text(self, text: str) -> None:
        self.chosen.name = text.strip()
        self.problem.hide()
        self.changed.emit()
