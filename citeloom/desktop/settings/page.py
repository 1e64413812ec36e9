"""The settings page: edits the settings file, and follows changes made by other programs."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QListWidget, QWidget

from citeloom.core import settings
from citeloom.core.errors import CiteLoomError
from citeloom.core.files.open_file import open_uri
from citeloom.desktop.settings.section import Section
from citeloom.desktop.settings.sections.data import DataSection
from citeloom.desktop.settings.sections.general import GeneralSection
from citeloom.desktop.settings.sections.index import IndexSection
from citeloom.desktop.settings.sections.logs import LogsSection
from citeloom.desktop.settings.sections.models import ModelsSection
from citeloom.desktop.settings.sections.privacy import PrivacySection
from citeloom.desktop.settings.sections.reading import ReadingSection
from citeloom.desktop.settings.sections.zotero import ZoteroSection
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.page import Page, PageContext
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import column, row, stack


class SettingsPage(Page):
    """Page with a list of sections and the chosen section."""

    name = "settings"
    icon_name = "settings"

    def __init__(self, context: PageContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.settings_file = SettingsFileModel(context.tasks, self)
        self.banner = basics.Banner()
        self.file_banner = basics.Banner()
        kinds = (
            GeneralSection,
            ZoteroSection,
            ModelsSection,
            ReadingSection,
            IndexSection,
            DataSection,
            PrivacySection,
            LogsSection,
        )
        made: list[Section] = [kind(context, self.settings_file, self.banner) for kind in kinds]
        self.sections = {section.name: section for section in made}
        self.list = basics.named(QListWidget(), self.tr("Sections of the settings"))
        self.list.setObjectName("pages")  # styled like the list of pages
        self.list.addItems([section.title() for section in made])
        self.stack = stack(*made)
        self.list.setFixedWidth(self.list.sizeHintForColumn(0) + 3 * basics.GAP)
        self.open_button = basics.button(
            self.tr("Op&en the file"), self._open_file, icon_name="file", tip=basics.tip(str(self.settings_file.file))
        )
        column(
            row((basics.heading(self.title()), 1), self.open_button),
            self.file_banner,
            self.banner,
            (row(self.list, (self.stack, 1), spacing=2 * basics.GAP), 1),
            of=self,
            margins=basics.PAGE_MARGINS,
            spacing=basics.GAP,
        )
        self.list.setCurrentRow(0)
        self.list.currentRowChanged.connect(self._on_section)
        self.settings_file.changed.connect(self._on_settings)
        self.settings_file.saved.connect(self._on_saved)
        self.settings_file.refused.connect(self._on_refused)
        context.tasks.connected.connect(lambda _: self.current.shown() if self.isVisible() else None)
        self._on_settings()

    def title(self) -> str:
        return self.tr("Settings")

    def shown(self, target: dict[str, str]) -> None:
        section = target.get("section", "")
        self.settings_file.reload()
        if section in self.sections and self.current is not self.sections[section]:
            self.list.setCurrentRow(list(self.sections).index(section))
        else:
            self.current.shown()

    def event(self, event: QEvent) -> bool:
        # Not every file system reports changes: reload also when the window becomes active.
        if event.type() == QEvent.Type.WindowActivate and self.isVisible():
            self.settings_file.reload()
        return super().event(event)

    @property
    def current(self) -> Section:
        """Return the current section."""
        return list(self.sections.values())[self.stack.currentIndex()]

    def _on_section(self, row: int) -> None:
        self.banner.hide()  # its message belongs to another section
        self.stack.setCurrentIndex(row)
        self.current.shown()

    # -- the file --------------------------------------------------------------------------------------------------

    def _on_settings(self) -> None:
        if problem := self.settings_file.problem:
            action = (self.tr("Open the file"), self._open_file)
            self.file_banner.show_message(str(problem), warning=True, action=action, closable=False)
        else:
            self.file_banner.hide()
        for section in self.sections.values():
            section.show_settings()

    def _on_saved(self, name: str) -> None:
        for section in self.sections.values():
            if row := section.rows.get(name):
                row.show_saved()

    def _on_refused(self, name: str, error: CiteLoomError) -> None:
        if self.settings_file.problem is None:
            self.banner.show_error(error)

    def _open_file(self) -> None:
        self.context.tasks.run(self, self._open, failed=self.banner.show_error)

    def _open(self) -> None:
        """Open the settings file, in a thread; one that does not exist yet is created."""
        if not self.settings_file.file.exists():
            settings.change({}, self.settings_file.file)
        open_uri(self.settings_file.file.as_uri())
