"""The pictures in the documents can be made anew at any time, from the real windows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from tests.support import ROOT


def test_every_page_gives_a_picture_light_and_dark(
    library_home: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "resources"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    import make_pictures

    monkeypatch.delitem(sys.modules, "make_pictures")
    made = make_pictures.take(library_home, tmp_path / "user", "sample/library", tmp_path)
    assert len(made) == 2 * len(make_pictures.SHOWN)
    for file in made:
        picture = QImage(str(file))
        colours = {picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)}
        assert len(colours) > 20, f"{file.name} is blank"
    marked = QImage(str(tmp_path / "search-light.png"))
    yellow = sum(
        marked.pixelColor(x, y).saturation() > 100 and 30 < marked.pixelColor(x, y).hue() < 65
        for x in range(0, marked.width(), 3)
        for y in range(0, marked.height(), 3)
    )
    assert yellow > 500, "the passage is marked on its page"
