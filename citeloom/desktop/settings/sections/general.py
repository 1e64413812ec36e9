"""The section General: start at log-in, the default project of editors, what is watched for changes."""

from __future__ import annotations

from citeloom.api.library import ListProjects, ProjectSummaries
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.settings.choices import Choice
from citeloom.desktop.settings.fields import Field
from citeloom.desktop.settings.rows import ChoiceRow, YesNoRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell import autostart
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics


class GeneralSection(Section):
    """Settings of the app as a whole."""

    name = "general"

    def __init__(self, context: PageContext, settings_file: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__(context, settings_file, banner)
        text = self.tr("CiteLoom waits in the tray, and your projects stay in step.")
        # Stored in the system's autostart entries, not in the settings file.
        self.log_in = YesNoRow(Field("log_in", "yes_no", self.tr("&Start CiteLoom when I log in"), text))
        self.log_in.setEnabled(False)
        self.log_in.picked.connect(self._set_log_in)
        self.inside.addWidget(self.log_in)
        for row in self.rows.values():
            self.inside.addWidget(row)
        self.inside.addStretch(1)

    def title(self) -> str:
        return self.tr("General")

    def shown(self) -> None:
        self.send(ListProjects(), done=self._on_projects)
        self.context.tasks.run(self, lambda report: autostart.enabled(), done=self._on_log_in)

    def _on_projects(self, answer: ProjectSummaries) -> None:
        row = self.rows["default_project"]
        assert isinstance(row, ChoiceRow)
        names = sorted((project.id for project in answer.projects), key=str.casefold)
        none = [Choice(value, text) for value, text in row.field.choices]
        row.offer([*none, *(Choice(name, name) for name in names)])

    def _on_log_in(self, on: bool) -> None:
        self.log_in.setEnabled(True)
        self.log_in.show_value(on, on)

    def _set_log_in(self, _: str, on: bool) -> None:
        def work(report: object) -> bool:
            (autostart.enable if on else autostart.disable)()
            return autostart.enabled()

        def done(is_on: bool) -> None:
            self._on_log_in(is_on)
            self.log_in.show_saved()

        def failed(error: CiteLoomError) -> None:
            self._on_log_in(not on)
            self.banner.show_error(error)

        self.log_in.setEnabled(False)
        self.context.tasks.run(self, work, done=done, failed=failed)
