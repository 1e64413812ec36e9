"""The section Models: the embedding model of each project, and changing it."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QLocale, QObject
from PySide6.QtWidgets import QMessageBox

from citeloom.api.events import Event, JobFinished
from citeloom.api.models import ListModels, ModelInfo, ModelList, ProjectModels, UseModel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.library.job_strip import JobStrip
from citeloom.desktop.settings.rows import ChoiceRow, Option
from citeloom.desktop.settings.section import Section
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import add, row
from citeloom.desktop.widgets.table import Column, RowsModel, Table

_GIGABYTE = 1_000_000_000
_MAX_LANGUAGES = 5  # shown at most


class ModelsSection(Section):
    """Lists projects and models, and changes the model of a project or the default."""

    name = "models"
    wide = True

    def title(self) -> str:
        return self.tr("Models")

    def _build(self) -> None:
        self._all: list[ModelInfo] = []
        self._building: dict[str, tuple[str, str]] = {}  # started on this page: id → project and model
        self.question: QMessageBox | None = None
        self.projects = RowsModel[ProjectModels](
            "id",
            Column(self.tr("Project"), lambda project: project.id, 0),
            Column(self.tr("Model"), lambda project: project.dense_model, 42),
        )
        self.models = RowsModel[ModelInfo](
            "name",
            Column(self.tr("Model"), lambda model: model.name, 0),
            Column(self.tr("Description"), lambda model: model.description, 46),
            Column(self.tr("Recommended"), lambda model: self.tr("yes") if model.recommended else "", 14, fixed=True),
            Column(self.tr("Size"), _size, 10, number=True, fixed=True),
            Column(self.tr("Installed"), self._installed_text, 10, fixed=True),
        )
        self.projects_table = Table(self.projects, self.tr("Projects and their models"))
        self.models_table = Table(self.models, self.tr("Models"))
        self.find_field = basics.search_field(self.tr("Find a model or a language"), lambda _: self._show_models())
        self.use_button = basics.button(self.tr("&Use it…"), self._confirm_change, icon_name="check")
        self.hint = basics.text(muted=True)
        self.library = basics.text()
        self.library.hide()
        self.strip = JobStrip(self.context)
        self.default = self.setting(
            ChoiceRow(
                "models.dense",
                self.tr("Model for &new projects"),
                self.tr("Existing projects keep the model they were built with."),
            )
        )
        self._lay_out()
        for table in (self.projects_table, self.models_table):
            table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())
        self.context.tasks.event_received.connect(self._on_event)
        self._on_selection()

    def shown(self) -> None:
        self.send(ListModels(), done=self._on_models)

    def _lay_out(self) -> None:
        text = self.tr(
            "A model turns passages into numbers, so that a question finds what means the same in other words."
            " The one that comes with CiteLoom is made for English; for other languages choose a multilingual one."
        )
        for table, rows in ((self.projects_table, 3), (self.models_table, 6)):
            # A header, the rows, and a scroll bar that must not cover the last one.
            table.setMinimumHeight(table.verticalHeader().defaultSectionSize() * (rows + 1) + basics.GAP)
        add(
            self.inside,
            basics.text(text, muted=True),
            self.library,
            self.default,
            basics.text(self.tr("Change the model of a project"), bold=True),
            (self.projects_table, 1),
            self.find_field,
            (self.models_table, 3),
            row(self.use_button, (self.hint, 1)),
            self.strip,
        )
        basics.tab_order(
            self.projects_table, self.find_field, self.models_table, self.use_button, self.strip.stop_button
        )

    # -- loading ---------------------------------------------------------------------------------------------------

    def _on_models(self, known: ModelList) -> None:
        self._all = sorted(known.models, key=lambda one: not one.recommended)
        names = ", ".join(_language(code) for code in list(known.languages)[:_MAX_LANGUAGES])
        text = self.tr("Languages of your library: {names}. Recommended models come first.")
        self.library.setText(text.format(names=names))
        self.library.setVisible(bool(names))
        self.projects.set_rows(known.projects)
        if known.projects and self.projects_table.chosen() is None:
            self.projects_table.selectRow(0)
        self._show_models()
        self.default.set_options([Option(one.name, self._choice_text(one)) for one in self._all if one.installed])
        self._on_selection()

    def _show_models(self) -> None:
        terms = self.find_field.text().casefold().split()
        self.models.set_rows(
            [one for one in self._all if all(word in f"{one.name} {one.description}".casefold() for word in terms)]
        )

    def _installed_text(self, model: ModelInfo) -> str:
        if model.bundled:
            return self.tr("built in")
        return self.tr("yes") if model.installed else self.tr("no")

    def _choice_text(self, model: ModelInfo) -> str:
        return self.tr("{model} (built in)").format(model=model.name) if model.bundled else model.name

    def _on_selection(self) -> None:
        project, model = self.projects_table.chosen(), self.models_table.chosen()
        self.strip.follow(project.id if project else None)
        if not self.projects.rows:
            text = self.tr("There is no project yet.")
        elif project is None or model is None:
            text = self.tr("Choose a project and a model.")
        elif project.dense_model == model.name:
            text = self.tr("“{project}” already uses this model.").format(project=project.id)
        else:
            text = self.tr("For “{project}”: {model}. {about}").format(
                project=project.id, model=model.name, about=model.description
            )
        self.hint.setText(text)
        self.use_button.setEnabled(bool(project and model and project.dense_model != model.name))

    # -- changing a project's model --------------------------------------------------------------------------------

    def _confirm_change(self) -> None:
        project, model = self.projects_table.chosen(), self.models_table.chosen()
        if project is None or model is None:
            return
        text = [
            self.tr(
                "The index of “{project}” is rebuilt beside the old one, which is used until then."
                " Papers are not read again, but it can take a while."
            ).format(project=project.id)
        ]
        if not model.installed:
            text.append(
                self.tr("The model is downloaded first: {size}, from huggingface.co.").format(size=_size(model))
            )
        self.question = basics.ask_confirmation(
            self,
            self.tr("Use {model}?").format(model=model.name),
            "\n\n".join(text),
            self.tr("Rebuild") if model.installed else self.tr("Download and rebuild"),
            partial(self._use, project.id, model.name, not model.installed),
        )

    def _use(self, project: str, model: str, download: bool) -> None:
        def done(job_id: str | None) -> None:
            if job_id is None:
                self.shown()
                return
            self._building[job_id] = project, model
            text = self.tr("The index of “{project}” is being rebuilt. You can keep working meanwhile.")
            self.banner.show_message(text.format(project=project))

        request = UseModel(project=project, model=model, download=download)
        self.send(request, done=done, failed=self.banner.show_error)

    def _on_event(self, event: Event) -> None:
        if not isinstance(event, JobFinished):
            return
        project, model = self._building.pop(event.job_id, ("", ""))
        if project and event.state == "done":
            self.banner.show_message(
                self.tr("“{project}” now uses the model {model}.").format(project=project, model=model)
            )
        elif project and event.error:
            self.banner.show_error(event.error)
        elif project and event.state == "cancelled":
            self.banner.show_message(self.tr("Stopped: “{project}” keeps its previous model.").format(project=project))
        if self.isVisible():
            self.shown()

    # -- changing the default --------------------------------------------------------------------------------------

    def pick(self, name: str, value: Any) -> None:
        """Change the default model, after pinning the model of every project: a sync would refuse another one."""
        waiting = {row.id: row.dense_model for row in self.projects.rows}
        if not waiting:
            super().pick(name, value)
            return
        holder = QObject(self)  # the owner of all requests: once one fails, the results of the others are dropped

        def done(project: str, _: object = None) -> None:
            waiting.pop(project, None)
            if not waiting:
                holder.deleteLater()
                super(ModelsSection, self).pick(name, value)

        def failed(project: str, error: CiteLoomError) -> None:
            if error.code == Code.INVALID_PROJECT:  # removed meanwhile
                done(project)
                return
            holder.deleteLater()
            self.show_settings()
            self.banner.show_error(error)

        for project, model in list(waiting.items()):
            self.context.tasks.send(
                holder,
                UseModel(project=project, model=model),
                done=partial(done, project),
                failed=partial(failed, project),
            )


def _size(model: ModelInfo) -> str:
    return basics.size_text(round(model.size_gb * _GIGABYTE))


def _language(code: str) -> str:
    """Return the native name of a language. For the territory World: Qt would call plain "en" American English."""
    return QLocale(f"{code}_001").nativeLanguageName() or code
