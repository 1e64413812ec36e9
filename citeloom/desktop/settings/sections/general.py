"""The section General: start at log-in, the default project of editors, what is watched for changes."""

from __future__ import annotations

from citeloom.api.library import ListProjects, ProjectSummary
from citeloom.core.errors import CiteLoomError
from citeloom.desktop.settings.rows import ChoiceRow, Option, YesNoRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.shell import autostart
from citeloom.desktop.widgets.layout import Stretch, add


class GeneralSection(Section):
    """Settings of the app as a whole."""

    name = "general"

    def title(self) -> str:
        return self.tr("General")

    def _build(self) -> None:
        # Stored in the system's autostart entries, not in the settings file.
        self.log_in = YesNoRow(
            "log_in",
            self.tr("&Start CiteLoom when I log in"),
            self.tr("CiteLoom waits in the tray and keeps your projects up to date."),
        )
        self.log_in.setEnabled(False)
        self.log_in.picked.connect(self._set_log_in)
        self._no_project = Option("", self.tr("None: the editor has to name one"))
        self.default_project = ChoiceRow(
            "default_project",
            self.tr("Project for editors that name &none"),
            self.tr("Used when an editor that may see several projects does not say which one it means."),
            [self._no_project],
        )
        watch_zotero = YesNoRow(
            "watch.zotero",
            self.tr("Follow changes in &Zotero"),
            self.tr("What you add, rename or remove there is updated after a moment, without a sync."),
        )
        watch_files = YesNoRow(
            "watch.files",
            self.tr("Follow changes in &folders"),
            self.tr("The folders and the reference files of your projects."),
        )
        settings = map(self.setting, (self.default_project, watch_zotero, watch_files))
        add(self.inside, self.log_in, *settings, Stretch(1))

    def shown(self) -> None:
        self.send(ListProjects(), done=self._on_projects)
        self.context.tasks.run(self, autostart.enabled, done=self._on_log_in)

    def _on_projects(self, projects: list[ProjectSummary]) -> None:
        names = sorted((project.id for project in projects), key=str.casefold)
        self.default_project.set_options([self._no_project, *(Option(name, name) for name in names)])

    def _on_log_in(self, on: bool) -> None:
        self.log_in.setEnabled(True)
        self.log_in.show_value(on, on)

    def _set_log_in(self, _: str, on: bool) -> None:
        def work() -> bool:
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
