"""The section Reading: OCR, the number of parallel workers, and their memory."""

from __future__ import annotations

from citeloom.api.maintenance import ListOcr, OcrSupport
from citeloom.desktop.settings.languages import Languages
from citeloom.desktop.settings.rows import Choice, ChoiceRow, NumberRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.layout import Stretch, add, leading

_LANGUAGES = "ocr.languages"
_ENGINES = {"tesseract": "Tesseract", "rapidocr": "RapidOCR"}


class ReadingSection(Section):
    """Settings of OCR and of the import workers."""

    name = "reading"

    def title(self) -> str:
        return self.tr("Reading")

    def _build(self) -> None:
        choices = [Choice(value, text) for value, text in _ENGINES.items()]
        self.engine = self.setting(ChoiceRow("ocr.engine", self.tr("&OCR engine for scanned pages"), choices=choices))
        self.languages = Languages()
        self.languages.picked.connect(lambda codes: self.pick(_LANGUAGES, codes))
        self.languages.none_left.connect(lambda: self.banner.show_message(self.tr("At least one language is needed.")))
        self.undo_button = basics.button(
            self.tr("Reset to the default languages"), lambda: self.pick(_LANGUAGES, None), icon_name="undo"
        )
        about_languages = self.tr(
            "Used where a paper’s record does not name its language. More languages can be ticked once their data for"
            " Tesseract is installed."
        )
        workers = NumberRow(
            "engine.workers",
            self.tr("Papers read at the &same time"),
            self.tr("More are faster and need more memory."),
            most=64,
            zero=self.tr("As many as this computer can handle"),
        )
        memory = NumberRow(
            "engine.worker_memory_mb",
            self.tr("&Memory limit per paper"),
            self.tr("A paper that needs more is skipped, and the list of papers says so."),
            most=1_000_000,
            step=500,
            unit=self.tr("{number} MB"),
            zero=self.tr("Depending on its pages and this computer’s memory"),
        )
        add(
            self.inside,
            self.engine,
            basics.text(self.tr("Languages of scanned pages"), bold=True),
            basics.text(about_languages, muted=True),
            self.languages,
            leading(self.undo_button),
            self.setting(workers),
            self.setting(memory),
            Stretch(1),
        )

    def shown(self) -> None:
        self.send(ListOcr(), done=self._on_ocr)

    def show_settings(self) -> None:
        super().show_settings()
        codes = list(self.settings_file.value(_LANGUAGES))
        self.languages.choose(codes)
        self.languages.setEnabled(self.settings_file.usable)
        self.undo_button.setEnabled(self.settings_file.usable)
        self.undo_button.setVisible(codes != list(self.settings_file.default(_LANGUAGES)))

    def _on_ocr(self, support: OcrSupport) -> None:
        self.engine.offer(
            [Choice(one.name, _ENGINES.get(one.name, one.name), one.installed) for one in support.engines]
        )
        self.engine.show_help(" ".join(one.problem for one in support.engines if not one.installed and one.problem))
        self.languages.offer(support.languages)
