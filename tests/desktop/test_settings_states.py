"""The settings page where the engine says what a real one seldom does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from citeloom.api.importing import ZoteroAccount, ZoteroStatus
from citeloom.api.verbs import decode
from citeloom.core import settings
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.settings.page import SettingsPage
from citeloom.desktop.settings.rows import ChoiceRow
from citeloom.desktop.settings.sections.data import DataSection
from citeloom.desktop.settings.sections.logs import LogsSection, last_lines
from citeloom.desktop.settings.sections.models import ModelsSection
from citeloom.desktop.settings.sections.zotero import ZoteroSection
from citeloom.desktop.text.zotero_text import account_text, connection_text
from tests.desktop.fake_engine_tasks import FakeEngineTasks, a_status, fake_context
from tests.desktop.sample_results import projects as list_of_projects

LEFT = Qt.MouseButton.LeftButton
GONE = CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine ended.")
LONG = "تاريخ 🐦 <b>" + "x" * 2000
BUNDLED = settings.BUNDLED_DENSE


def library(id_: str, items: int) -> dict[str, Any]:
    """A library of Zotero."""
    return {"id": id_, "name": f"Library {id_}", "items": items, "collections": 0}


def seen(in_use: str | None = None, **changed: Any) -> ZoteroStatus:
    """What the engine says of Zotero."""
    values = {
        "in_use": in_use,
        "why": "Zotero is not running.",
        "local": {"running": in_use == "local", "api": "on", "version": "7.0.1", "better_bibtex": None, "url": ""},
        "sqlite": {"database": None, "schema": None, "problem": None},
        "web": {"key": None, "user": None, "problem": None},
        "libraries": [library("1", 1200), library("2", 34)] if in_use else [],
        "data_folder": "/home/ada/Zotero",
        "base_folder": None,
        "next_step": "" if in_use else "Start Zotero.",
        **changed,
    }
    return decode(values, ZoteroStatus)


def model(name: str, *, here: bool = False, bundled: bool = False) -> dict[str, Any]:
    """A model to choose."""
    about = "Multilingual, made in 2024." if "multi" in name else "English."
    return {
        "name": name,
        "dimensions": 384,
        "description": about,
        "size_gb": 0.5,
        "bundled": bundled,
        "here": here,
        "languages": ["en"],
        "tokens": 512,
        "recommended": False,
    }


MODELS = [model(BUNDLED, here=True, bundled=True), model("multi/one", here=True), model("multi/far")]


def projects(*names: str) -> dict[str, Any]:
    """What there is to choose from, for these projects."""
    return {
        "models": MODELS,
        "rerankers": [],
        "languages": {},
        "projects": [{"id": name, "dense_model": BUNDLED, "sparse_model": "citeloom/bm25"} for name in names],
    }


# -- Zotero ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "well", "words"),
    [
        (seen("local"), True, "Zotero 7.0.1 is running"),
        (seen("sqlite"), True, "Zotero is closed; its library can still be read"),
        (seen("web", web={"key": "keyring", "user": "ada", "problem": None}), True, "zotero.org, as ada"),
        (seen(), False, "Zotero cannot be reached"),
        (
            seen("sqlite", local={"running": True, "api": "off", "version": None, "better_bibtex": None, "url": ""}),
            False,
            "does not allow access by other programs",
        ),
    ],
    ids=["local", "sqlite", "web", "none", "closed door"],
)
def test_the_way_to_zotero_is_said_in_words(said: ZoteroStatus, well: bool, words: str) -> None:
    found, state, more = connection_text(said)
    assert found is well and words in state and more


def test_the_account_says_where_the_key_is_kept() -> None:
    assert "keyring" in account_text(ZoteroAccount("keyring", "ada", None))
    assert "CITELOOM_ZOTERO_API_KEY" in account_text(ZoteroAccount("environment", None, None))
    assert account_text(ZoteroAccount("keyring", None, "No answer.")) == "No answer."


def test_one_logs_in_with_a_hidden_key_and_out_again(own_home: Path, qtbot: QtBot) -> None:
    refused = CiteLoomError(Code.PERMISSION_DENIED, "zotero.org does not know this key.", "Make a new one.")
    page, tasks = _page(qtbot, importing_zotero_status=seen("local"), importing_zotero_login=refused)
    section = _go(page, "zotero", ZoteroSection)
    _wait(qtbot, lambda: section.connection.state.text() == "Zotero 7.0.1 is running" and section.login.key.isEnabled())
    assert section.login.key.echoMode() == QLineEdit.EchoMode.Password and not section.login.log_out_button.isVisible()
    placeholder = section.rows["zotero.data_folder"].control
    assert isinstance(placeholder, QLineEdit) and placeholder.placeholderText() == "/home/ada/Zotero"
    qtbot.keyClicks(section.login.key, " s3cret ")
    qtbot.mouseClick(section.login.log_in_button, LEFT)
    _wait(qtbot, lambda: section.login.message.text() == str(refused))
    assert section.login.log_in_button.isEnabled() and section.login.key.text(), "it can be corrected and sent again"

    tasks.answers["importing_zotero_login"] = {"user": "ada", "key": "keyring"}
    tasks.answers["importing_zotero_status"] = seen("local", web={"key": "keyring", "user": "ada", "problem": None})
    qtbot.keyClick(section.login.key, Qt.Key.Key_Return)
    _wait(qtbot, section.login.log_out_button.isVisible)
    assert ("importing_zotero_login", {"key": "s3cret"}) in tasks.asked
    assert section.login.key.text() == "" and "ada" in section.login.message.text()

    tasks.answers |= {
        "importing_zotero_logout": {"forgotten": True, "key": None},
        "importing_zotero_status": seen("local"),
    }
    qtbot.mouseClick(section.login.log_out_button, LEFT)
    assert ("importing_zotero_logout", {}) not in tasks.asked, "it asks first"
    _agree(section.findChild(QMessageBox))
    _wait(qtbot, section.login.key.isVisible)
    assert "not logged in" in section.login.message.text()


# -- models ------------------------------------------------------------------------------------------------------------


def test_another_model_is_asked_for_fetched_and_followed(own_home: Path, qtbot: QtBot) -> None:
    page, tasks = _page(qtbot, maintenance_models=projects("thesis", "other"), maintenance_use_model="7")
    section = _go(page, "models", ModelsSection)
    _wait(qtbot, lambda: len(section.models.rows) == 3)
    section.projects_table.selectRow(0)
    section.models_table.selectRow(0)
    assert not section.use_button.isEnabled() and section.hint.text() == "“thesis” already uses this model."
    section.models_table.selectRow(2)
    qtbot.mouseClick(section.use_button, LEFT)
    assert section.question is not None
    assert "beside the old one" in section.question.text() and "500.0 MB" in section.question.text()
    _agree(section.question)
    _wait(qtbot, lambda: "being rebuilt" in page.banner.message.text())
    assert tasks.asked[-1] == ("maintenance_use_model", {"project": "thesis", "model": "multi/far", "download": True})

    progress = {"type": "JobProgress", "job_id": "7", "project_id": "thesis", "total": 0, "stage": "model"}
    tasks.publish({**progress, "file": "multi/far: 20 of 500 MB", "page": 20, "pages": 500})
    assert section.strip.isVisible() and section.strip.stage.text() == "Downloading the model …"
    now = projects("thesis", "other")
    now["projects"][0]["dense_model"] = "multi/far"
    tasks.answers["maintenance_models"] = now
    tasks.publish({"type": "JobFinished", "job_id": "7", "project_id": "thesis", "state": "done", "result": {}})
    assert page.banner.message.text() == "“thesis” now uses the model multi/far."
    _wait(qtbot, lambda: section.projects.rows[0].dense_model == "multi/far")
    assert not section.strip.isVisible()


def test_the_models_that_suit_the_library_stand_first(own_home: Path, qtbot: QtBot) -> None:
    known = projects("thesis")
    known |= {"languages": {"de": 70, "en": 3}, "models": [*MODELS[:2], {**MODELS[2], "recommended": True}]}
    page, _ = _page(qtbot, maintenance_models=known)
    section = _go(page, "models", ModelsSection)
    _wait(qtbot, lambda: [row.name for row in section.models.rows] == ["multi/far", BUNDLED, "multi/one"])
    assert "Deutsch" in section.library.text() and section.library.isVisible()


def test_a_model_that_cannot_be_had_leaves_the_project_as_it_is(own_home: Path, qtbot: QtBot) -> None:
    page, tasks = _page(qtbot, maintenance_models=projects("thesis"), maintenance_use_model="7")
    section = _go(page, "models", ModelsSection)
    _wait(qtbot, lambda: len(section.models.rows) == 3)
    section.models_table.selectRow(1)
    qtbot.mouseClick(section.use_button, LEFT)
    assert section.question is not None
    assert "download" not in section.question.text().casefold()
    _agree(section.question)
    _wait(
        qtbot,
        lambda: (
            tasks.asked[-1] == ("maintenance_use_model", {"project": "thesis", "model": "multi/one", "download": False})
        ),
    )
    _wait(qtbot, lambda: "being rebuilt" in page.banner.message.text())
    error = CiteLoomError(Code.MODEL_NOT_AVAILABLE, "It could not be fetched.", "Try again.").as_dict()
    failed = {"type": "JobFinished", "job_id": "7", "project_id": "thesis", "state": "failed"}
    tasks.publish({**failed, "result": {"error": error}})
    assert page.banner.message.text() == "It could not be fetched. Try again."


def test_projects_keep_their_model_when_new_ones_shall_have_another(own_home: Path, qtbot: QtBot) -> None:
    gone = CiteLoomError(Code.INVALID_PROJECT, "There is no project 'gone'.")
    page, tasks = _page(
        qtbot,
        maintenance_models=projects("thesis", "gone"),
        maintenance_use_model=lambda args: gone if args["project"] == "gone" else None,
    )
    section = _go(page, "models", ModelsSection)
    row = section.rows["models.dense"]
    assert isinstance(row, ChoiceRow)
    _wait(qtbot, lambda: row.control.count() == 2 and row.isEnabled())
    assert [row.control.itemData(n) for n in range(2)] == [BUNDLED, "multi/one"], "only those that are here"
    row.control.setCurrentIndex(1)
    row.control.activated.emit(1)
    _wait(qtbot, lambda: settings.load().models.dense == "multi/one")
    assert ("maintenance_use_model", {"project": "thesis", "model": BUNDLED, "download": False}) in tasks.asked

    tasks.answers["maintenance_use_model"] = GONE
    row.control.setCurrentIndex(0)
    row.control.activated.emit(0)
    _wait(qtbot, page.banner.isVisible)
    assert row.control.currentData() == "multi/one" and settings.load().models.dense == "multi/one"


# -- data, logs --------------------------------------------------------------------------------------------------------


def test_all_conversions_are_deleted_only_after_a_question(own_home: Path, qtbot: QtBot) -> None:
    parts = [{"name": "index", "path": "/x/index", "bytes": 5_000_000}]
    cache = {"folder": "/x", "conversions": 3, "bytes": 9, "in_use": 3, "left_over": 0, "left_over_bytes": 0}
    page, tasks = _page(
        qtbot,
        maintenance_disk_usage={"data_folder": "/x", "total": 5_000_000, "parts": parts, "free": 10**9},
        maintenance_show_cache=cache,
        maintenance_prune_cache={"removed": 3, "freed_bytes": 9_000_000, **cache},
    )
    section = _go(page, "data", DataSection)
    _wait(qtbot, lambda: section.prune_all_button.isEnabled() and not section.prune_button.isEnabled())
    assert section.total.text() == "5.0 MB in total; the disk has 1.0 GB left."
    qtbot.mouseClick(section.prune_all_button, LEFT)
    assert section.question is not None and not any(verb == "maintenance_prune_cache" for verb, _ in tasks.asked)
    _agree(section.question)
    _wait(qtbot, lambda: page.banner.message.text() == "3 conversions were deleted; that freed 9.0 MB.")
    assert ("maintenance_prune_cache", {"everything": True}) in tasks.asked


def test_the_check_up_shows_first_what_needs_somebody(own_home: Path, qtbot: QtBot) -> None:
    findings = [
        {"part": "catalog", "ok": True, "note": False, "seen": "1 projects", "next_step": ""},
        {
            "part": f"project {LONG}",
            "ok": False,
            "note": False,
            "seen": "not there: /x",
            "next_step": "Connect the drive.",
        },
    ]
    page, tasks = _page(qtbot, maintenance_doctor=GONE)
    section = _go(page, "logs", LogsSection)
    qtbot.mouseClick(section.check_button, LEFT)
    _wait(qtbot, lambda: section.status.text().startswith("The engine ended.") and section.check_button.isEnabled())
    tasks.answers["maintenance_doctor"] = findings
    qtbot.mouseClick(section.check_button, LEFT)
    _wait(qtbot, section.table.isVisible)
    assert section.status.text() == "1 of 2 parts need attention."
    assert section.finding.text() == "not there: /x\nConnect the drive."
    assert page.minimumSizeHint().width() < 900
    note = {"part": "documents of p", "ok": True, "note": True, "seen": "2 not read", "next_step": "Try again."}
    tasks.answers["maintenance_doctor"] = [findings[0], note]
    qtbot.mouseClick(section.check_button, LEFT)
    _wait(qtbot, lambda: section.status.text() == "Every part works, but some papers could not be read.")
    assert section.finding.text() == "2 not read\nTry again."


def test_only_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    file = tmp_path / "engine.log"
    assert last_lines(file) == ""
    file.write_bytes(b"\xff" + b"".join(b"line %d\n" % number for number in range(100_000)))
    assert last_lines(file).splitlines() == [f"line {number}" for number in range(99_700, 100_000)]
    file.write_text("".join(f"{number}: {'x' * 30_000}\n" for number in range(9)))
    assert [line.partition(":")[0] for line in last_lines(file).splitlines()] == ["6", "7", "8"], "no half line"
    with pytest.raises(CiteLoomError, match="cannot be read"):
        last_lines(tmp_path)


# -- an engine that comes and goes, and very many projects -------------------------------------------------------------


@pytest.mark.parametrize("name", ["general", "zotero", "models", "reading", "index", "data", "privacy", "logs"])
def test_a_section_without_an_engine_asks_again_when_there_is_one(own_home: Path, qtbot: QtBot, name: str) -> None:
    maintenance = ("models", "ocr", "indexes", "disk_usage", "show_cache")
    verbs = ("library_list_projects", "importing_zotero_status", *(f"maintenance_{verb}" for verb in maintenance))
    page, tasks = _page(qtbot, **dict.fromkeys(verbs, GONE))
    page.shown({"section": name})
    _wait(qtbot, lambda: page.settings_file.loaded and tasks.idle)
    qtbot.wait(50)
    assert not page.banner.isVisible(), "the window says it, once for all pages"
    before = len(tasks.asked)
    tasks.connected.emit(a_status())
    asks = name not in ("privacy", "logs")
    _wait(qtbot, lambda: len(tasks.asked) > before or not asks)
    assert all(row.isEnabled() for row in page.current.rows.values()), "the file can be changed all the same"


def test_ten_thousand_projects_and_names_of_any_kind_are_borne(own_home: Path, qtbot: QtBot) -> None:
    names = [LONG, *(f"project {number}" for number in range(10_000))]
    page, _ = _page(qtbot, library_list_projects=list_of_projects(*names), maintenance_models=projects(*names))
    default = page.sections["general"].rows["default_project"]
    assert isinstance(default, ChoiceRow)
    _wait(qtbot, lambda: default.control.count() == 10_002)
    assert default.control.itemText(10_001) == LONG
    section = _go(page, "models", ModelsSection)
    _wait(qtbot, lambda: len(section.projects.rows) == 10_001)
    assert page.minimumSizeHint().width() < 900


# -- steps -------------------------------------------------------------------------------------------------------------


def _page(qtbot: QtBot, **answers: Any) -> tuple[SettingsPage, FakeEngineTasks]:
    context, tasks = fake_context(
        **{"library_list_projects": list_of_projects(), "maintenance_ocr": {"engines": [], "languages": []}, **answers}
    )
    page = SettingsPage(context)
    qtbot.addWidget(page)
    page.resize(900, 900)
    page.show()
    page.shown({})
    return page, tasks


def _go(page: SettingsPage, name: str, kind: type) -> Any:
    page.shown({"section": name})
    assert isinstance(page.current, kind)
    return page.current


def _agree(box: object) -> None:
    assert isinstance(box, QMessageBox)
    (agreed,) = [one for one in box.buttons() if box.buttonRole(one) == QMessageBox.ButtonRole.AcceptRole]
    agreed.click()


def _wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition, timeout=60_000)
