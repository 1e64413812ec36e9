"""Makes the pictures of the app in README and docs/ from its real windows, on the sample library, light and dark."""

# ruff: noqa: E402 - Qt reads the variable when it is loaded

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from citeloom.desktop.app import STYLE_SHEET, App
from tests.support import SAMPLE, Editor, environment

QUESTION = "how often is the cited page off by one?"
SIZE = QSize(1180, 760)
SHOWN = ("search", "projects", "activity", "connect", "settings")
_SECONDS = 60


def main() -> int:
    """Read the sample library into a data folder of its own and take every picture."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "resources"
    with tempfile.TemporaryDirectory(prefix="citeloom-") as folder:
        home = Path(folder) / "home"
        sources = ("--references", str(SAMPLE / "library.json"), "--folder", str(SAMPLE / "papers"))
        for command in (("project", "add", "thesis", *sources), ("sync", "thesis")):
            subprocess.run([sys.executable, "-m", "citeloom", *command], env=environment(home), check=True)
        try:
            take(home, Path(folder) / "user", "thesis", out)
        finally:
            subprocess.run([sys.executable, "-m", "citeloom", "engine", "stop"], env=environment(home), check=True)
    return 0


def take(home: Path, user: Path, project: str, out: Path) -> list[Path]:
    """Take a picture of each page, light and dark; `user` is the home folder in which editors are looked for."""
    _editors_of(user)
    os.environ |= {"CITELOOM_HOME": str(home), "CITELOOM_WATCH": "off", "HOME": str(user)}
    os.environ.pop("XDG_CONFIG_HOME", None)
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setStyleSheet(STYLE_SHEET)
    made = []
    with Editor(home, "--project", project, name="Claude Desktop") as editor:
        for question in ("sleep spindles and memory", QUESTION):
            editor.call("query_hybrid", project=project, text=question)
        light = application.palette()
        for name, palette in (("light", light), ("dark", _dark())):
            application.setPalette(palette)
            made += _of_all_pages(project, out, name)
        application.setPalette(light)
    return made


def _dark() -> QPalette:
    """What a dark desktop gives; a screen that nobody sees has no dark mode of its own."""
    ground = QColor(50, 50, 50)
    palette = QPalette(ground, ground)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        palette.setColor(group, QPalette.ColorRole.Base, ground.darker(140))
        palette.setColor(group, QPalette.ColorRole.Mid, ground.lighter(150))
        palette.setColor(group, QPalette.ColorRole.Highlight, QColor(48, 140, 198))
        palette.setColor(group, QPalette.ColorRole.PlaceholderText, QColor(255, 255, 255, 140))
    return palette


def _of_all_pages(project: str, out: Path, scheme: str) -> list[Path]:
    app = App()
    app.app_state.setValue("first_run/done", True)
    app.window.resize(SIZE)
    app.tasks.start()
    _until(lambda: app.engine_status.current.connected, "the engine")
    made = []
    try:
        for name in SHOWN:
            app.window.open_page(name, {"project": project})
            page = app.window.pages[name]
            if name == "search":
                page.bar.box.setText(QUESTION)  # type: ignore[attr-defined]
            for _ in range(3):  # an answer may lead to the next question
                QTest.qWait(350)
                _until(lambda: app.tasks.idle, f"the page {name}")
            file = out / f"{name}-{scheme}.png"
            app.window.grab().save(str(file))
            made.append(file)
    finally:
        app.tasks.close()
        app.window.close()
        app.deleteLater()
    return made


def _editors_of(user: Path) -> None:
    """A home folder in which some editors have been at work."""
    for folder in (".config/Claude", ".cursor", ".config/Code/User", ".config/zed", ".codex"):
        (user / folder).mkdir(parents=True, exist_ok=True)


def _until(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + _SECONDS
    while not condition():
        QTest.qWait(20)
        if time.monotonic() > until:
            raise SystemExit(f"waited in vain for {what}")


if __name__ == "__main__":
    sys.exit(main())
