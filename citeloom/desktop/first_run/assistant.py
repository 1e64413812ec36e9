"""The assistant for the first project: a dialog with five steps."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from citeloom.desktop.first_run.choice_step import ChoiceStep
from citeloom.desktop.first_run.language_step import LanguageStep
from citeloom.desktop.first_run.name_step import NameStep
from citeloom.desktop.first_run.reading_step import ReadingStep
from citeloom.desktop.first_run.step import Chosen, Step
from citeloom.desktop.first_run.zotero_step import ZoteroStep
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics


class FirstRun(QDialog):
    """Leads to the first project. What was chosen stays while the app runs."""

    finished_with = Signal(str)  # the project, or "" where it was skipped

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Your first project"))
        self.chosen = Chosen()
        self.zotero = ZoteroStep(context, self.chosen)
        self.choice = ChoiceStep(context, self.chosen)
        self.name = NameStep(context, self.chosen)
        self.languages = LanguageStep(context, self.chosen)
        self.reading = ReadingStep(context, self.chosen)
        self.steps: list[Step] = [self.zotero, self.choice, self.name, self.languages, self.reading]
        self.stack = QStackedWidget()
        for step in self.steps:
            self.stack.addWidget(_scrolling(step))
            step.changed.connect(self._show_buttons)
        self.zotero.folder_wanted.connect(self._folder_first)
        self.zotero.sample_wanted.connect(self._sample_first)
        self.reading.name_refused.connect(self._name_refused)
        self.reading.away.connect(self.close)
        self.problem = basics.Banner()
        self.where = basics.text(muted=True)
        self.where.setWordWrap(False)
        self.skip_button = basics.button(self.tr("Sk&ip"), self.close)
        self.back_button = basics.button(self.tr("&Back"), self.back)
        self.next_button = basics.button("", self.next)
        self.next_button.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addWidget(self.where, 1)
        for one in (self.skip_button, self.back_button, self.next_button):
            buttons.addWidget(one)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * basics.GAP, 2 * basics.GAP, 2 * basics.GAP, basics.GAP)
        layout.addWidget(self.stack, 1)
        layout.addWidget(self.problem)
        layout.addLayout(buttons)
        letter = self.fontMetrics()
        self.resize(min(letter.horizontalAdvance("0") * 90, 760), min(letter.height() * 34, 620))
        self._number = -1

    @property
    def over(self) -> bool:
        """Whether it made its project and was closed: who wants another begins anew."""
        return bool(self.reading.made) and not self.isVisible()

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self._number]

    def next(self) -> None:
        """Keep what this step has, and go to the next; from the last one, close."""
        if self._number == len(self.steps) - 1:
            self.close()
            return
        if not self.step.ready():
            return
        number = self._number
        self.next_button.setEnabled(False)
        self.step.keep(lambda: self._kept(number), self._not_kept)

    def back(self) -> None:
        """To the step before."""
        if self._number > 0:
            self._go_to(self._number - 1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._go_to(max(self._number, 0))

    def done(self, result: int) -> None:
        # However it is closed, Qt comes through here; an own closeEvent that meets reject() would leave it open.
        self.step.left()
        super().done(result)
        self.finished_with.emit(self.reading.made)

    def _go_to(self, number: int) -> None:
        if self._number >= 0:
            self.step.left()
        self._number = number
        self.problem.hide()
        if self.step is self.choice:
            self.choice.with_zotero = self.zotero.found
        self.stack.setCurrentIndex(number)
        self.step.entered()
        self._show_buttons()

    def _show_buttons(self) -> None:
        last = self._number == len(self.steps) - 1
        self.where.setText(self.tr("Step {number} of {count}").format(number=self._number + 1, count=len(self.steps)))
        self.back_button.setEnabled(self._number > 0 and not (last and bool(self.reading.made)))
        self.skip_button.setVisible(not last)
        before_last = self._number == len(self.steps) - 2
        text = self.tr("&Done") if last else self.tr("&Start") if before_last else self.tr("&Next")
        self.next_button.setText(text)
        self.next_button.setAccessibleName(text.replace("&", ""))
        self.next_button.setEnabled(self.step.ready())

    def _folder_first(self) -> None:
        self._go_to(self.steps.index(self.choice))
        self.choice.add_folder()

    def _sample_first(self) -> None:
        self.chosen.sample = True
        self._go_to(self.steps.index(self.choice))

    def _name_refused(self, problem: str) -> None:
        self._go_to(self.steps.index(self.name))
        self.name.show_message(problem)

    def _kept(self, number: int) -> None:
        """Whoever went back or closed the window meanwhile does not want to go on."""
        if self._number == number and self.isVisible():
            self._go_to(number + 1)

    def _not_kept(self, problem: str) -> None:
        self.next_button.setEnabled(True)
        self.problem.show_message(problem, wrong=True)


def _scrolling(step: Step) -> QScrollArea:
    """Room for a step at any size of letters."""
    area = QScrollArea()
    area.setWidget(step)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area
