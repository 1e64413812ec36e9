"""Step 4 of the assistant: the OCR languages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QListWidget

from citeloom.api.models import ListOcr, OcrSupport
from citeloom.core import settings
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.first_run.step import FirstRunChoices, Step
from citeloom.desktop.settings.sections.reading import LANGUAGE_CODE, language_item
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_RESTART_MS = 10_000  # timeout for the engine to restart with the new settings


class LanguageStep(Step):
    """List of languages with check boxes; saved in the settings file if changed."""

    def __init__(self, context: PageContext, choices: FirstRunChoices) -> None:
        super().__init__(context, choices)
        self.title.setText(self.tr("Which languages are your scanned papers in?"))
        self.message.setText(
            self.tr("Text on scanned pages is recognised by OCR. Where a record names a language, that one is used.")
        )
        self.list = basics.named(QListWidget(), self.tr("Languages of scanned pages"))
        self.list.itemChanged.connect(lambda _: self.changed.emit())
        self.inside.addWidget(self.list, 1)
        self.status = basics.text(self.tr("Saving the settings …"), muted=True)
        self.inside.addWidget(self.status)
        self._saved: tuple[str, ...] = ()

    def on_enter(self) -> None:
        self.status.hide()
        if not self.list.count():
            self.context.tasks.run(self, lambda: settings.load().ocr.languages, done=self._on_settings)

    def ready(self) -> bool:
        return not self.list.count() or bool(self.languages())

    def languages(self) -> tuple[str, ...]:
        """Return the ticked codes, those of the settings first."""
        items = [self.list.item(row) for row in range(self.list.count())]
        ticked = [str(item.data(LANGUAGE_CODE)) for item in items if item.checkState() == Qt.CheckState.Checked]
        return tuple(
            sorted(ticked, key=lambda code: self._saved.index(code) if code in self._saved else len(self._saved))
        )

    def save(self, then: Callable[[], None], failed: Callable[[str], None]) -> None:
        wanted = self.languages()
        if not wanted or wanted == self._saved:
            then()
            return

        def on_failed(error: CiteLoomError) -> None:
            self.status.hide()
            failed(str(error))

        def saved(_: object) -> None:
            self._saved = wanted
            self._when_restarted(then)

        self.status.show()
        change = {"ocr.languages": list(wanted)}
        self.context.tasks.run(self, lambda: settings.change(change), done=saved, failed=on_failed)

    def _when_restarted(self, then: Callable[[], None]) -> None:
        """Call `then` when the engine has restarted with the new settings, so that the next requests go to it."""
        wait = QTimer(self, singleShot=True, interval=_RESTART_MS)

        def proceed() -> None:
            self.context.tasks.connected.disconnect(proceed)
            wait.stop()
            then()

        self.context.tasks.connected.connect(proceed)
        wait.timeout.connect(proceed)
        wait.start()

    def _on_settings(self, languages: tuple[str, ...]) -> None:
        self._saved = languages
        self.context.tasks.send(self, ListOcr(), done=self._show)

    def _show(self, support: OcrSupport) -> None:
        if self.list.count():
            return
        usable = [one for one in support.languages if one.installed or one.code in self._saved]
        for one in sorted(usable, key=lambda one: (one.code not in self._saved, one.name)):
            self.list.addItem(language_item(one, ticked=one.code in self._saved))
        self.changed.emit()
