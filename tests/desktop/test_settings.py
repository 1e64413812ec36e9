"""The settings page: each field is the one in the file, whoever changes it."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from citeloom.core import settings
from citeloom.core.files import open_file
from citeloom.desktop.settings.page import SettingsPage
from citeloom.desktop.settings.rows import ChoiceRow, FolderRow, NumberRow, YesNoRow
from citeloom.desktop.settings.section import Section
from citeloom.desktop.settings.sections.data import DataSection
from citeloom.desktop.settings.sections.general import GeneralSection
from citeloom.desktop.settings.sections.logs import LogsSection
from citeloom.desktop.settings.sections.models import ModelsSection
from citeloom.desktop.settings.sections.privacy import PrivacySection
from citeloom.desktop.settings.sections.reading import ReadingSection
from citeloom.desktop.settings.sections.zotero import ZoteroSection
from citeloom.desktop.shell.autostart import Machine, enabled
from citeloom.desktop.shell.page import PageContext
from tests.desktop.fake_engine_tasks import fake_context
from tests.desktop.naming import nameless
from tests.desktop.sample_results import projects as list_of_projects

_S = TypeVar("_S", bound=Section)
LEFT = Qt.MouseButton.LeftButton
BY_HAND = "# mine\n[privacy]\nlog_days = 30  # a month\n"


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of this test alone, in which log-ins are prepared."""
    home = tmp_path / "person"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    return home


@pytest.fixture
def page(own_home: Path, person: Path, qtbot: QtBot) -> SettingsPage:
    """The page over a real file, without an engine."""
    context, _ = fake_context(
        library_list_projects=list_of_projects(), maintenance_ocr={"engines": [], "languages": []}
    )
    return _shown(SettingsPage(context), qtbot)


@pytest.fixture
def file(own_home: Path) -> Path:
    """The settings file, as a person has written it."""
    file = own_home / "citeloom.toml"
    file.write_text(BY_HAND)
    return file


# -- with the real engine ----------------------------------------------------------------------------------------------


def test_the_sections_show_what_the_engine_has(
    library_home: Path, person: Path, context: PageContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _shown(SettingsPage(context), qtbot)
    general = page.sections["general"]
    default = general.rows["default_project"]
    assert isinstance(default, ChoiceRow)
    _wait(qtbot, lambda: default.control.findData("sample/library") > 0)

    models = _go(page, "models", ModelsSection)
    _wait(qtbot, lambda: len(models.models.rows) > 5)
    assert [row.id for row in models.projects.rows] == ["sample/library"]
    qtbot.keyClicks(models.find_field, "multilingual e5")
    assert [row.name for row in models.models.rows] == ["intfloat/multilingual-e5-large"]
    assert not models.use_button.isEnabled()
    models.models_table.selectRow(0)
    assert models.use_button.isEnabled() and "intfloat/multilingual-e5-large" in models.hint.text()

    reading = _go(page, "reading", ReadingSection)
    _wait(qtbot, lambda: reading.languages.list.count() > 50)
    assert _ticked(reading) == ["English", "German"]

    data = _go(page, "data", DataSection)
    _wait(qtbot, lambda: len(data.parts.rows) >= 6)
    assert str(library_home) in data.where.text()
    sizes = {row.name: row.bytes for row in data.parts.rows}
    assert sizes["index"] > 0 and sizes["conversions"] > 0 and data.prune_all_button.isEnabled()
    opened: list[str] = []
    monkeypatch.setattr(open_file, "_open", opened.append)
    qtbot.mouseClick(data.open_button, LEFT)
    _wait(qtbot, lambda: opened == [str(library_home)])

    logs = _go(page, "logs", LogsSection)
    _wait(qtbot, lambda: " INFO " in logs.view.toPlainText())
    qtbot.mouseClick(logs.check_button, LEFT)
    _wait(qtbot, lambda: bool(logs.findings.rows) and logs.check_button.isEnabled())
    assert "project sample/library" in [row.part for row in logs.findings.rows]
    assert logs.finding.text()

    zotero = _go(page, "zotero", ZoteroSection)
    _wait(qtbot, zotero.check_button.isEnabled)
    assert zotero.login.message.text() and zotero.connection.state.text() != "Looking for Zotero …"
    assert nameless(page) == []


def test_the_engine_follows_what_is_changed_here(
    own_home: Path, person: Path, context: PageContext, qtbot: QtBot
) -> None:
    page = _shown(SettingsPage(context), qtbot)
    workers = page.sections["reading"].rows["engine.workers"]
    assert isinstance(workers, NumberRow)
    _go(page, "reading", ReadingSection)
    _wait(qtbot, workers.isEnabled)
    again: list[object] = []
    _wait(qtbot, lambda: context.engine_status.current.connected)
    context.tasks.connected.connect(again.append)
    workers.control.setFocus()
    qtbot.keyClick(workers.control, Qt.Key.Key_Up)
    qtbot.keyClick(workers.control, Qt.Key.Key_Up)
    qtbot.keyClick(workers.control, Qt.Key.Key_Up)
    _wait(qtbot, lambda: settings.load().engine.workers == 3)
    _wait(qtbot, lambda: bool(again))
    logs = _go(page, "logs", LogsSection)
    qtbot.mouseClick(logs.check_button, LEFT)
    _wait(qtbot, lambda: bool(logs.findings.rows))
    (converter,) = [row.seen for row in logs.findings.rows if row.part == "converter"]
    assert converter.endswith("3 at a time")


# -- the file ----------------------------------------------------------------------------------------------------------


def test_a_change_is_written_at_once_and_everything_else_in_the_file_stays(
    file: Path, page: SettingsPage, qtbot: QtBot
) -> None:
    privacy = _go(page, "privacy", PrivacySection)
    days, log = privacy.rows["privacy.log_days"], privacy.rows["privacy.access_log"]
    assert isinstance(days, NumberRow) and isinstance(log, YesNoRow)
    _wait(qtbot, lambda: days.control.value() == 30)
    assert days.undo_button.isVisible() and not log.undo_button.isVisible()

    qtbot.mouseClick(log.control, LEFT, pos=QPoint(8, log.control.height() // 2))
    _wait(qtbot, lambda: "access_log = false" in file.read_text())
    assert "# mine\n" in file.read_text() and "log_days = 30  # a month" in file.read_text()
    _wait(qtbot, log.saved_label.isVisible)
    assert log.undo_button.isVisible() and not days.saved_label.isVisible()

    days.control.setFocus()
    days.control.selectAll()
    qtbot.keyClicks(days.control, "90")
    qtbot.keyClick(days.control, Qt.Key.Key_Return)
    _wait(qtbot, lambda: settings.load().privacy.log_days == 90)

    qtbot.mouseClick(days.undo_button, LEFT)
    _wait(qtbot, lambda: "log_days" not in file.read_text())
    _wait(qtbot, lambda: not days.undo_button.isVisible())
    assert days.control.text() == "Until you clear it"
    assert settings.load().privacy.access_log is False


def test_a_number_is_kept_by_whoever_leaves_right_after_it(file: Path, page: SettingsPage, qtbot: QtBot) -> None:
    days = _go(page, "privacy", PrivacySection).rows["privacy.log_days"]
    assert isinstance(days, NumberRow)
    _wait(qtbot, lambda: days.control.value() == 30)
    written: list[object] = []
    days.picked.connect(lambda name, value: written.append(value))
    qtbot.keyClick(days.control, Qt.Key.Key_Up)
    assert written == [], "more may come"
    page.hide()
    assert written == [60]
    _wait(qtbot, lambda: settings.load().privacy.log_days == 60)


def test_a_change_by_hand_is_seen_but_not_in_the_field_that_is_typed_in(
    file: Path, page: SettingsPage, qtbot: QtBot
) -> None:
    zotero = _go(page, "zotero", ZoteroSection)
    folder, source = zotero.rows["zotero.data_folder"], zotero.rows["zotero.source"]
    assert isinstance(folder, FolderRow) and isinstance(source, ChoiceRow)
    _wait(qtbot, lambda: page.settings_file.loaded)
    page.activateWindow()
    folder.control.setFocus()
    _wait(qtbot, folder.control.hasFocus)
    qtbot.keyClicks(folder.control, "/half")
    beside = file.with_name("beside")
    beside.write_text('[zotero]\nsource = "sqlite"\ndata_folder = "/other"\n')
    beside.replace(file)
    _wait(qtbot, lambda: source.control.currentData() == "sqlite")
    assert folder.control.text() == "/half"
    qtbot.keyClicks(folder.control, "-typed")
    qtbot.keyClick(folder.control, Qt.Key.Key_Return)
    _wait(qtbot, lambda: settings.load().zotero.data_folder == "/half-typed")

    file.unlink()
    _wait(qtbot, lambda: source.control.currentData() == "auto")
    file.write_text('[zotero]\nsource = "web"\n')
    _wait(qtbot, lambda: source.control.currentData() == "web")


def test_a_file_that_cannot_be_used_is_said_and_nothing_is_written_until_it_is_mended(
    file: Path, page: SettingsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(open_file, "_open", opened.append)
    days = _go(page, "privacy", PrivacySection).rows["privacy.log_days"]
    assert isinstance(days, NumberRow)
    _wait(qtbot, lambda: days.control.value() == 30)
    file.write_text("[privacy]\nlog_days = <b>soon</b>\n")
    _wait(qtbot, page.file_banner.isVisible)
    assert str(file) in page.file_banner.message.text() and not days.isEnabled()
    assert days.control.value() == 30, "what is in force is what it said before"
    assert not any(row.isEnabled() for section in page.sections.values() for row in section.rows.values())
    qtbot.mouseClick(page.file_banner.button, LEFT)
    _wait(qtbot, lambda: opened == [str(file)])
    file.write_text("[privacy]\nlog_days = 7\n")
    _wait(qtbot, lambda: not page.file_banner.isVisible())
    assert days.isEnabled() and days.control.value() == 7


def test_a_file_that_cannot_be_written_leaves_the_field_as_it_was(file: Path, page: SettingsPage, qtbot: QtBot) -> None:
    log = _go(page, "privacy", PrivacySection).rows["privacy.access_log"]
    assert isinstance(log, YesNoRow)
    _wait(qtbot, lambda: page.settings_file.loaded)
    file.chmod(stat.S_IRUSR)
    qtbot.mouseClick(log.control, LEFT, pos=QPoint(8, log.control.height() // 2))
    _wait(qtbot, page.banner.isVisible)
    assert "read-only" in page.banner.message.text()
    assert log.control.isChecked() and not log.saved_label.isVisible()
    assert file.read_text() == BY_HAND


def test_what_is_not_on_offer_is_shown_as_it_stands_in_the_file(file: Path, page: SettingsPage, qtbot: QtBot) -> None:
    file.write_text('default_project = "<b>gone</b>"\n[engine]\nworkers = 200\n[ocr]\nlanguages = ["xx", "en"]\n')
    general = page.sections["general"]
    default, workers = general.rows["default_project"], page.sections["reading"].rows["engine.workers"]
    assert isinstance(default, ChoiceRow) and isinstance(workers, NumberRow)
    _wait(qtbot, lambda: default.control.currentData() == "<b>gone</b>")
    assert workers.control.value() == 200
    reading = _go(page, "reading", ReadingSection)
    assert _ticked(reading) == ["xx (no data on this computer)", "en (no data on this computer)"]


def test_a_file_is_made_for_whoever_wants_to_open_it(
    own_home: Path, page: SettingsPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(open_file, "_open", opened.append)
    qtbot.mouseClick(page.open_button, LEFT)
    _wait(qtbot, lambda: opened == [str(own_home / "citeloom.toml")])
    assert settings.load() == settings.Settings()


def test_the_wheel_over_a_field_scrolls_the_page_and_changes_nothing(
    file: Path, page: SettingsPage, qtbot: QtBot
) -> None:
    days = _go(page, "privacy", PrivacySection).rows["privacy.log_days"]
    assert isinstance(days, NumberRow)
    _wait(qtbot, lambda: days.control.value() == 30)
    turn = QWheelEvent(
        QPointF(5, 5),
        days.control.mapToGlobal(QPointF(5, 5)),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    page.list.setFocus()
    QApplication.sendEvent(days.control, turn)
    assert days.control.value() == 30


# -- languages ---------------------------------------------------------------------------------------------------------


def test_languages_are_found_ticked_and_never_all_taken_off(own_home: Path, person: Path, qtbot: QtBot) -> None:
    languages = [
        {"code": "fr", "name": "French", "installed": True},
        {"code": "en", "name": "English", "installed": True},
        {"code": "de", "name": "German", "installed": True},
        {"code": "cy", "name": "Welsh", "installed": False},
    ]
    engines = [
        {"name": "tesseract", "installed": True, "problem": None},
        {"name": "rapidocr", "installed": False, "problem": "RapidOCR is not installed."},
    ]
    context, _ = fake_context(
        library_list_projects=list_of_projects(), maintenance_ocr={"engines": engines, "languages": languages}
    )
    page = _shown(SettingsPage(context), qtbot)
    reading = _go(page, "reading", ReadingSection)
    _wait(qtbot, lambda: reading.languages.list.count() == 4)
    engine = reading.rows["ocr.engine"]
    assert isinstance(engine, ChoiceRow)
    assert engine.help.text() == "RapidOCR is not installed."
    assert not engine.control.model().index(1, 0).flags() & Qt.ItemFlag.ItemIsEnabled

    qtbot.keyClicks(reading.languages.find_field, "fren")
    assert _listed(reading) == ["French"]
    _tick(reading, "French")
    _wait(qtbot, lambda: settings.load().ocr.languages == ("en", "de", "fr"))
    _wait(qtbot, reading.undo_button.isVisible)
    reading.languages.find_field.clear()
    assert _listed(reading) == ["English", "German", "French"], "what cannot be read here is not in the way"
    qtbot.keyClicks(reading.languages.find_field, "welsh")
    assert _listed(reading) == ["Welsh (no data on this computer)"]
    reading.languages.find_field.clear()
    _tick(reading, "English")
    _tick(reading, "German")  # before the other one can be written
    _wait(qtbot, lambda: settings.load().ocr.languages == ("fr",))
    _wait(qtbot, lambda: _ticked(reading) == ["French"])
    _tick(reading, "French")
    assert page.banner.message.text() == "At least one language is needed."
    assert _ticked(reading) == ["French"]
    qtbot.mouseClick(reading.undo_button, LEFT)
    _wait(qtbot, lambda: settings.load().ocr.languages == ("en", "de"))


# -- start at log-in ---------------------------------------------------------------------------------------------------


def test_start_at_log_in_is_written_where_the_system_looks_for_it(
    page: SettingsPage, person: Path, qtbot: QtBot
) -> None:
    general = page.sections["general"]
    assert isinstance(general, GeneralSection)
    box = general.log_in.control
    _wait(qtbot, box.isEnabled)
    assert not box.isChecked()
    qtbot.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))
    _wait(qtbot, lambda: enabled() and box.isEnabled())
    assert box.isChecked() and general.log_in.saved_label.isVisible()
    assert enabled(Machine(home=person))
    qtbot.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))
    _wait(qtbot, lambda: not enabled() and box.isEnabled())

    (person / ".config" / "autostart").rmdir()
    (person / ".config" / "autostart").write_text("a file where a folder should be")
    qtbot.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))
    _wait(qtbot, page.banner.isVisible)
    assert not box.isChecked() and "log-in" in page.banner.message.text()


# -- steps -------------------------------------------------------------------------------------------------------------


def _shown(page: SettingsPage, qtbot: QtBot) -> SettingsPage:
    qtbot.addWidget(page)
    page.resize(900, 900)
    page.show()
    page.shown({})
    return page


def _go(page: SettingsPage, name: str, kind: type[_S]) -> _S:
    page.shown({"section": name})
    section = page.current
    assert section is page.sections[name] and isinstance(section, kind)
    return section


def _wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=60_000)


def _ticked(reading: ReadingSection) -> list[str]:
    items = [reading.languages.list.item(row) for row in range(reading.languages.list.count())]
    return [item.text() for item in items if item.checkState() == Qt.CheckState.Checked]


def _listed(reading: ReadingSection) -> list[str]:
    items = [reading.languages.list.item(row) for row in range(reading.languages.list.count())]
    return [item.text() for item in items if not item.isHidden()]


def _tick(reading: ReadingSection, name: str) -> None:
    (item,) = reading.languages.list.findItems(name, Qt.MatchFlag.MatchExactly)
    ticked = item.checkState() == Qt.CheckState.Checked
    item.setCheckState(Qt.CheckState.Unchecked if ticked else Qt.CheckState.Checked)
