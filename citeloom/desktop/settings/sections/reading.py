"""The section Reading: OCR and its languages, the number of parallel workers, and their memory."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from citeloom.api.models import ListOcr, OcrLanguage, OcrSupport
from citeloom.desktop.settings.rows import ChoiceRow, NumberRow, Option
from citeloom.desktop.settings.section import Section
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics
from citeloom.desktop.widgets.basics import named, search_field
from citeloom.desktop.widgets.layout import Stretch, add, column, leading

LANGUAGE_CODE = Qt.ItemDataRole.UserRole
_ROWS = 7
_LANGUAGES = "ocr.languages"
_ENGINES = {"tesseract": "Tesseract", "rapidocr": "RapidOCR"}


def language_item(language: OcrLanguage, *, ticked: bool) -> QListWidgetItem:
    """Create the list item of a language, with a check box and its code."""
    text = language.name
    if not language.installed:
        text = translate("Languages", "{name} (no data on this computer)").format(name=language.name)
    item = QListWidgetItem(text)
    item.setData(LANGUAGE_CODE, language.code)
    item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
    return item


class Languages(QWidget):
    """Emits the checked codes; previously checked ones come first, in their order."""

    picked = Signal(list)
    none_left = Signal()  # the last one was unchecked

    def __init__(self) -> None:
        super().__init__()
        self._offered: list[OcrLanguage] = []
        self._chosen: list[str] = []
        self.find_field = search_field(self.tr("Find a language"), lambda _: self._filter())
        self.list = named(QListWidget(), self.tr("Languages of scanned pages"))
        self.list.setUniformItemSizes(True)
        self.list.setFixedHeight(round(self.fontMetrics().height() * 1.6) * _ROWS)
        self.list.itemChanged.connect(self._on_ticked)
        column(self.find_field, (self.list, 1), of=self)

    def set_languages(self, languages: Sequence[OcrLanguage]) -> None:
        """Set the languages."""
        self._offered = list(languages)
        self._fill()

    def choose(self, codes: Sequence[str]) -> None:
        """Set the checked languages."""
        if list(codes) != self._chosen:
            self._chosen = list(codes)
            self._fill()

    def _fill(self) -> None:
        """Fill the list: checked languages first, then installed ones, then the rest."""
        at = self.list.currentItem().data(LANGUAGE_CODE) if self.list.currentItem() else None
        scrolled = self.list.verticalScrollBar().value()
        known = {one.code for one in self._offered}
        unknown = [OcrLanguage(code, code, installed=False) for code in self._chosen if code not in known]
        with QSignalBlocker(self.list):
            self.list.clear()
            for one in sorted([*self._offered, *unknown], key=self._order):
                ticked = one.code in self._chosen
                item = language_item(one, ticked=ticked)
                if not one.installed and not ticked:
                    item.setFlags(Qt.ItemFlag.NoItemFlags)
                self.list.addItem(item)
                if one.code == at:
                    self.list.setCurrentItem(item)
        self.list.verticalScrollBar().setValue(scrolled)
        self._filter()

    def _order(self, one: OcrLanguage) -> tuple[int, int, str]:
        if one.code in self._chosen:
            return 0, self._chosen.index(one.code), ""
        return 1 if one.installed else 2, 0, one.name.casefold()

    def _filter(self) -> None:
        wanted = self.find_field.text().strip().casefold()
        for row in range(self.list.count()):
            item = self.list.item(row)
            fits = wanted in item.text().casefold() or wanted == str(item.data(LANGUAGE_CODE)).casefold()
            # The many languages that are not installed are only shown by a search.
            item.setHidden(not (fits if wanted else item.flags()))

    def _on_ticked(self, item: QListWidgetItem) -> None:
        code = str(item.data(LANGUAGE_CODE))
        others = [one for one in self._chosen if one != code]
        chosen = [*others, code] if item.checkState() == Qt.CheckState.Checked else others
        if not chosen:
            with QSignalBlocker(self.list):
                item.setCheckState(Qt.CheckState.Checked)
            self.none_left.emit()
        elif chosen != self._chosen:
            self._chosen = chosen  # at once: the next change may come before this one is written
            self.picked.emit(chosen)


class ReadingSection(Section):
    """Settings of OCR and of the import workers."""

    name = "reading"

    def title(self) -> str:
        return self.tr("Reading")

    def _build(self) -> None:
        choices = [Option(value, text) for value, text in _ENGINES.items()]
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
        self.engine.set_options(
            [Option(one.name, _ENGINES.get(one.name, one.name), one.installed) for one in support.engines]
        )
        self.engine.show_help(" ".join(one.problem for one in support.engines if not one.installed and one.problem))
        self.languages.set_languages(support.languages)
