"""The section Reading: OCR, the number of parallel workers, and their memory."""

from __future__ import annotations

from PySide6.QtCore import Qt

from citeloom.api.maintenance import ListOcr, OcrSupport
from citeloom.desktop.settings.choices import Choice
from citeloom.desktop.settings.languages import Languages
from citeloom.desktop.settings.rows import ChoiceRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.settings.settings_model import SettingsFileModel
from citeloom.desktop.shell.page import PageContext
from citeloom.desktop.widgets import basics

_LANGUAGES = "ocr.languages"


class ReadingSection(Section):
    """Settings of OCR and of the import workers."""

    name = "reading"

    def __init__(self, context: PageContext, settings_file: SettingsFileModel, banner: basics.Banner) -> None:
        super().__init__(context, settings_file, banner)
        self.languages = Languages()
        self.languages.picked.connect(lambda codes: self.pick(_LANGUAGES, codes))
        self.languages.none_left.connect(lambda: banner.show_message(self.tr("At least one language is needed.")))
        self.undo_button = basics.button(
            self.tr("Back to the default languages"), lambda: self.pick(_LANGUAGES, None), icon_name="undo"
        )
        self.inside.addWidget(self.rows["ocr.engine"])
        self.inside.addWidget(basics.text(self.tr("Languages of scanned pages"), bold=True))
        self.inside.addWidget(
            basics.text(
                self.tr(
                    "They count where a paper’s record does not name its language. More languages can be ticked once"
                    " their data for Tesseract is installed."
                ),
                muted=True,
            )
        )
        self.inside.addWidget(self.languages)
        self.inside.addWidget(self.undo_button, 0, Qt.AlignmentFlag.AlignLeading)
        for name in ("engine.workers", "engine.worker_memory_mb"):
            self.inside.addWidget(self.rows[name])
        self.inside.addStretch(1)

    def title(self) -> str:
        return self.tr("Reading")

    def shown(self) -> None:
        self.send(ListOcr(), done=self._on_ocr)

    def show_settings(self) -> None:
        super().show_settings()
        codes = list(self.settings_file.value(_LANGUAGES))
        default = list(self.settings_file.default(_LANGUAGES))
        self.languages.choose(codes)
        usable = self.settings_file.loaded and self.settings_file.problem is None
        self.languages.setEnabled(usable)
        self.undo_button.setEnabled(usable)
        self.undo_button.setVisible(codes != default)

    def _on_ocr(self, support: OcrSupport) -> None:
        row = self.rows["ocr.engine"]
        assert isinstance(row, ChoiceRow)
        names = dict(row.field.choices)
        row.offer([Choice(one.name, names.get(one.name, one.name), one.installed) for one in support.engines])
        reasons = [one.problem for one in support.engines if not one.installed and one.problem]
        row.help.setText(" ".join(reasons))
        row.help.setVisible(bool(reasons))
        self.languages.offer(support.languages)
