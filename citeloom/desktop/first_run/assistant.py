"""The dialog of the first-run assistant. Opened by the app when there is no project."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget

from citeloom.desktop.first_run.choice_step import ChoiceStep, NameStep
from citeloom.desktop.first_run.language_step import LanguageStep
from citeloom.desktop.first_run.reading_step import ReadingStep
from citeloom.desktop.first_run.step import FirstRunChoices, Step
from citeloom.desktop.first_run.zotero_step import ZoteroStep
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column, row


class FirstRun(QDialog):
    """Assistant for the first project. The choices are kept while the app runs."""

    finished_with = Signal(str)  # the project, or "" if it was skipped

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Your first project"))
        self.choices = FirstRunChoices()
        self.zotero = ZoteroStep(context, self.choices)
        self.choice = ChoiceStep(context, self.choices)
        self.name = NameStep(context, self.choices)
        self.languages = LanguageStep(context, self.choices)
        self.reading = ReadingStep(context, self.choices)
        self.steps: list[Step] = [self.zotero, self.choice, self.name, self.languages, self.reading]
        self.stack = QStackedWidget()
        for step in self.steps:
            area = basics.scroll_area(step)  # for large fonts
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self.stack.addWidget(area)
            step.changed.connect(self._show_buttons)
        self.zotero.folder_wanted.connect(self._start_with_folder)
        self.zotero.sample_wanted.connect(self._start_with_sample)
        self.reading.name_rejected.connect(self._name_rejected)
        self.reading.page_requested.connect(self.close)
        self.problem = basics.Banner()
        self.where = basics.text(muted=True)
        self.where.setWordWrap(False)
        self.skip_button = basics.button(self.tr("Sk&ip"), self.close)
        self.back_button = basics.button(self.tr("&Back"), self.back)
        self.next_button = basics.button("", self.next)
        self.next_button.setDefault(True)
        buttons = row((self.where, 1), self.skip_button, self.back_button, self.next_button)
        margins = (2 * basics.GAP, 2 * basics.GAP, 2 * basics.GAP, basics.GAP)
        column((self.stack, 1), self.problem, buttons, of=self, margins=margins)
        letter = self.fontMetrics()
        self.resize(min(letter.horizontalAdvance("0") * 90, 760), min(letter.height() * 34, 620))
        self._number = -1

    @property
    def completed(self) -> bool:
        """Whether the project was created and the dialog closed; the next one starts from the first step."""
        return bool(self.reading.project) and not self.isVisible()

    @property
    def step(self) -> Step:
        """The current step."""
        return self.steps[self._number]

    def next(self) -> None:
        """Save the current step and go to the next; the last one closes the dialog."""
        if self._number == len(self.steps) - 1:
            self.close()
            return
        if not self.step.ready():
            return
        number = self._number
        self.next_button.setEnabled(False)
        self.step.save(lambda: self._on_saved(number), self._on_not_saved)

    def back(self) -> None:
        """Go to the previous step."""
        if self._number > 0:
            self._go_to(self._number - 1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._go_to(max(self._number, 0))

    def done(self, result: int) -> None:
        # Qt calls this however the dialog is closed; a closeEvent that calls reject() would leave it open.
        self.step.on_leave()
        super().done(result)
        self.finished_with.emit(self.reading.project)

    def _go_to(self, number: int) -> None:
        if self._number >= 0:
            self.step.on_leave()
        self._number = number
        self.problem.hide()
        if self.step is self.choice:
            self.choice.zotero_found = self.zotero.found
        self.stack.setCurrentIndex(number)
        self.step.on_enter()
        self._show_buttons()

    def _show_buttons(self) -> None:
        last = self._number == len(self.steps) - 1
        self.where.setText(self.tr("Step {number} of {count}").format(number=self._number + 1, count=len(self.steps)))
        self.back_button.setEnabled(self._number > 0 and not (last and bool(self.reading.project)))
        self.skip_button.setVisible(not last)
        before_last = self._number == len(self.steps) - 2
        text = self.tr("&Done") if last else self.tr("&Start") if before_last else self.tr("&Next")
        self.next_button.setText(text)
        self.next_button.setAccessibleName(text.replace("&", ""))
        self.next_button.setEnabled(self.step.ready())

    def _start_with_folder(self) -> None:
        self._go_to(self.steps.index(self.choice))
        self.choice.browse()

    def _start_with_sample(self) -> None:
        self.choices.sample = True
        self._go_to(self.steps.index(self.choice))

    def _name_rejected(self, problem: str) -> None:
        self._go_to(self.steps.index(self.name))
        self.name.show_message(problem)

    def _on_saved(self, number: int) -> None:
        """Go to the next step, unless the user went back or closed the dialog meanwhile."""
        if self._number == number and self.isVisible():
            self._go_to(number + 1)

    def _on_not_saved(self, problem: str) -> None:
        self.next_button.setEnabled(True)
        self.problem.show_message(problem, warning=True)
