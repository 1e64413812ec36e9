"""Steps 2 and 3 of the assistant: what the project reads, and its name."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QLineEdit, QListWidget

from citeloom.desktop.first_run.step import FirstRunChoices, Step
from citeloom.desktop.library.source_dialogs import ZoteroChoice
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.file_dialogs import choose_folder
from citeloom.desktop.widgets.layout import Stretch, add, row


class ChoiceStep(Step):
    """Choice of Zotero collections, folders and the sample library."""

    def __init__(self, context: PageContext, choices: FirstRunChoices) -> None:
        super().__init__(context, choices)
        self.title.setText(self.tr("What should the project read?"))
        self.message.setText(self.tr("An editor sees what you choose here, and nothing else. You can change it later."))
        self.zotero = ZoteroChoice(context)
        self.zotero.changed.connect(self._on_change)
        self.folders = basics.named(QListWidget(), self.tr("Folders to read"))
        self.folders.setMaximumHeight(self.fontMetrics().height() * 5)
        self.add_button = basics.button(self.tr("Add a &folder…"), self.browse, icon_name="folder")
        self.remove_button = basics.button(self.tr("&Remove it"), self._remove_folder)
        self.sample = QCheckBox(self.tr("The &sample library (ten short papers to try things with)"))
        self.sample.toggled.connect(self._on_change)
        buttons = row(self.add_button, self.remove_button, Stretch(), self.sample)
        add(self.inside, (self.zotero, 1), self.folders, buttons, Stretch())
        self.zotero_found = True
        self._show_folders()

    def on_enter(self) -> None:
        self.zotero.setVisible(self.zotero_found)
        self.sample.setChecked(self.choices.sample)
        if self.zotero_found and self.zotero.currentWidget() is not self.zotero.tree:
            self.zotero.load()

    def ready(self) -> bool:
        return self.choices.anything

    def browse(self) -> None:
        """Open a dialog to choose a folder."""
        choose_folder(self, self.tr("A folder with papers"), self.add_folder)

    def add_folder(self, folder: str) -> None:
        """Add a folder to the choice."""
        if folder not in self.choices.folders:
            self.choices.folders.append(folder)
        self._show_folders()
        self._on_change()

    def _remove_folder(self) -> None:
        row = self.folders.currentRow()
        if row >= 0:
            del self.choices.folders[row]
            self._show_folders()
            self._on_change()

    def _show_folders(self) -> None:
        self.folders.clear()
        self.folders.addItems(self.choices.folders)
        self.folders.setVisible(bool(self.choices.folders))
        self.remove_button.setVisible(bool(self.choices.folders))

    def _on_change(self) -> None:
        self.choices.sample = self.sample.isChecked()
        self.choices.zotero = self.zotero.tree.chosen()
        self.choices.names = [*self.zotero.tree.chosen_names(), *(Path(f).name for f in self.choices.folders)]
        self.changed.emit()


class NameStep(Step):
    """Field for the name, suggested by what was chosen until the user types one."""

    def __init__(self, context: PageContext, choices: FirstRunChoices) -> None:
        super().__init__(context, choices)
        self.title.setText(self.tr("What is it called?"))
        self.message.setText(self.tr("Editors use this name for the project, such as thesis or thesis/chapter-2."))
        label = basics.text(self.tr("N&ame of the project"))
        self.name = basics.named(QLineEdit(), self.tr("Name of the project"))
        label.setBuddy(self.name)
        self.name.textChanged.connect(self._on_text)
        self.problem = basics.text()
        self.problem.hide()
        add(self.inside, label, self.name, self.problem, Stretch())

    def on_enter(self) -> None:
        if not self.name.isModified():  # typed by the user
            self.name.setText(self.choices.suggested_name())
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
        self.choices.name = text.strip()
        self.problem.hide()
        self.changed.emit()
