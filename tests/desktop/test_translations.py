"""The app speaks the language of the system: every word of it, and the words of today."""

from __future__ import annotations

import ast
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.app import all_pages
from citeloom.desktop.first_run.assistant import FirstRun
from citeloom.desktop.library.source_dialogs import NewProjectDialog
from citeloom.desktop.settings.page import SettingsPage
from citeloom.desktop.settings.rows import NumberRow
from citeloom.desktop.shell import translations
from citeloom.desktop.shell.main_window import MainWindow
from citeloom.desktop.shell.tray import Tray
from citeloom.desktop.widgets import basics
from resources import make_translations
from tests.desktop.fake_engine_tasks import fake_context
from tests.desktop.sample_results import projects
from tests.desktop.test_engine_status import STATUS

FILES = make_translations.files(make_translations.DATA)
FILES_BY_NAME = pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
GERMAN = QLocale("de_DE")


def words_of(file: Path) -> dict[tuple[str, str], str]:
    """A translation: what is said for which words of which context."""
    return {
        (context.findtext("name") or "", message.findtext("source") or ""): message.findtext("translation") or ""
        for context in ET.parse(file).iter("context")
        for message in context.iter("message")
    }


def calls() -> Iterator[tuple[str, ast.expr]]:
    """Every place in the code where words are translated: the context, and what is put there."""

    def within(node: ast.AST, name: str) -> Iterator[tuple[str, ast.expr]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                if isinstance(child.func, ast.Attribute) and child.func.attr == "tr":
                    yield name, child.args[0]
                elif isinstance(child.func, ast.Name) and child.func.id == "translate":
                    yield ast.literal_eval(child.args[0]), child.args[1]
            yield from within(child, child.name if isinstance(child, ast.ClassDef) else name)

    for file in sorted(make_translations.CODE.rglob("*.py")):
        yield from within(ast.parse(file.read_text(encoding="utf-8")), "")


@FILES_BY_NAME
def test_a_translation_has_the_words_of_the_code_and_the_app_loads_it(file: Path, tmp_path: Path) -> None:
    for one in FILES:
        shutil.copy(one, tmp_path)
    make_translations.make(tmp_path)
    again = "run resources/make_translations.py"
    assert words_of(tmp_path / file.name) == words_of(file), again
    assert make_translations.unfinished(file) == []
    packed = file.with_suffix(".qm")
    assert (tmp_path / packed.name).read_bytes() == packed.read_bytes(), again


def test_all_words_in_the_code_are_found_by_the_tool() -> None:
    known = set(words_of(FILES[0]))
    found = {(context, put.value) for context, put in calls() if isinstance(put, ast.Constant)}
    assert found - known == set()
    assert {context for context, _ in known - found} == {"Clients"}
    # The tool passes silently over anything but plain words; the clients' own are the one exception.
    assert [ast.unparse(put) for _, put in calls() if not isinstance(put, ast.Constant)] == ["found.editor.next_step"]


def test_no_words_go_to_the_screen_untranslated() -> None:
    shown = "QLabel QPushButton QAction text heading button EmptyState show_message setText setToolTip"
    shown += " setPlaceholderText setAccessibleName setWindowTitle setStatusTip addTab addAction addMenu addRow addItem"
    shown += " Column ask_confirmation label_for search_field busy_line StateBox Choice"
    bare = []
    for file in sorted(make_translations.CODE.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in shown.split():
                for put in [*call.args, *(keyword.value for keyword in call.keywords)]:
                    parts = put.values if isinstance(put, ast.JoinedStr) else [put]
                    bare += [str(part.value) for part in parts if isinstance(part, ast.Constant)]
    words = {one.strip(" –") for one in bare if re.search(r"^&?[A-Z]|\w \w", one)}
    assert words - {"CiteLoom", "True", "False", "None"} == set()


@FILES_BY_NAME
def test_placeholders_and_keys_of_a_translation_agree_with_the_words(file: Path) -> None:
    def marks(words: str) -> tuple[list[str], int, bool]:
        return sorted(re.findall(r"\{\w*\}", words)), len(re.findall("&(?!&)", words)), "…" in words

    said = words_of(file)
    assert {words: put for (_, words), put in said.items() if marks(words) != marks(put)} == {}
    assert {put for put in said.values() if put != put.strip() or re.search("[\"“]\\w|'| …", put)} == set()
    # English would need a file of its own for its plurals, and PySide does not look for them in base classes.
    assert not any("%n" in words for _, words in said)


def test_the_first_language_of_the_system_that_the_app_knows_is_spoken(qapp: QApplication) -> None:
    class System(QLocale):
        def __init__(self, *languages: str) -> None:
            super().__init__()
            self.languages = languages

        def uiLanguages(self, *_: object) -> list[str]:  # noqa: N802 - Qt's name
            return list(self.languages)

    spoken = {
        ("de-AT", "de", "en-US"): "Schließen",
        ("fr-FR", "de-DE"): "Schließen",
        ("en-US", "en", "de-DE"): "Close",
        ("fr-FR",): "Close",  # Qt's own buttons do not speak another language than the app
        ("C",): "Close",
    }
    for languages, word in spoken.items():
        made = translations.install(qapp, System(*languages))
        try:
            buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
            said = buttons.button(QDialogButtonBox.StandardButton.Close).text().replace("&", "")
            close = basics.Banner().close_button.toolTip()
            assert (said, close) == (word, {"Close": "Close this message"}.get(word, "Diese Meldung schließen"))
        finally:
            for translator in made:
                qapp.removeTranslator(translator)


@pytest.fixture
def german(qapp: QApplication) -> Iterator[None]:
    spoken = translations.install(qapp, GERMAN)
    yield
    for translator in spoken:
        qapp.removeTranslator(translator)


def the_app(qtbot: QtBot, tmp_path: Path) -> list[QWidget]:
    """All windows, on a made-up engine with one empty project."""
    refused = CiteLoomError(Code.TIMEOUT, "-")
    context, tasks = fake_context(
        engine_status=STATUS,
        library_list_projects=projects(),
        engine_list_editors=[],
        importing_zotero_status=refused,
    )
    pages = all_pages(context)
    window = MainWindow(context, pages, QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    for page in pages:
        window.open_page(page.name)
        qtbot.waitUntil(lambda: tasks.idle)
    settings = next(page for page in pages if isinstance(page, SettingsPage))
    assert settings.findChildren(NumberRow)  # whose words are those of its base class
    first_run, dialog, tray = FirstRun(context), NewProjectDialog(context, window), Tray(context, pages, window)
    tasks.connected.emit(STATUS)
    qtbot.addWidget(first_run)
    return [window, first_run, dialog, tray.menu]


def shown_in(window: QWidget) -> Iterator[str]:
    """Every word that a window shows or a screen reader reads out."""
    for part in [window, *window.findChildren(QWidget)]:
        yield from (part.windowTitle(), part.toolTip(), part.accessibleName(), part.accessibleDescription())
        if isinstance(part, QLineEdit):
            yield part.placeholderText()
        elif isinstance(part, QLabel | QAbstractButton):
            yield part.text()
        elif isinstance(part, QTabBar):
            yield from (part.tabText(n) for n in range(part.count()))
        elif isinstance(part, QComboBox):
            yield from (part.itemText(n) for n in range(part.count()))
        elif isinstance(part, QListWidget):
            yield from (part.item(n).text() for n in range(part.count()))
        elif isinstance(part, QHeaderView) and part.model() is not None:
            yield from (str(part.model().headerData(n, Qt.Orientation.Horizontal)) for n in range(part.count()))
    for action in window.findChildren(QAction):
        yield from (action.text(), action.toolTip())


def test_every_window_speaks_german(own_home: Path, german: None, qtbot: QtBot, tmp_path: Path) -> None:
    said = words_of(FILES[0])
    patterns = {
        words: re.compile(re.sub(r"\\\{\w+\\\}", ".*", re.escape(words)).replace("&", "&?"), re.DOTALL)
        for (_, words), put in said.items()
        if words != put and re.search(r"[^\W\d_]{2}", re.sub(r"\{\w+\}", "", words))
    }
    for window in the_app(qtbot, tmp_path):
        shown = {words for words in shown_in(window) if words}
        assert {words: text for words, like in patterns.items() for text in shown if like.fullmatch(text)} == {}
        assert len(shown & set(said.values())) >= 5


def test_without_a_translation_every_window_speaks_english(own_home: Path, qtbot: QtBot, tmp_path: Path) -> None:
    said = words_of(FILES[0])
    here = {words for words, put in {(words, put) for (_, words), put in said.items()} if words != put}
    for window in the_app(qtbot, tmp_path):
        assert len({words for words in shown_in(window) if words} & here) >= 5
