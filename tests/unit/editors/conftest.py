"""A home of its own for every test: nothing of the person who runs them is looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom import editors
from citeloom.editors import DetectedEditor
from citeloom.editors.entry import DATA_VARIABLES

PYTHON = "/opt/citeloom/bin/python"
Look = Callable[[str], DetectedEditor]


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and an installation at a place that every machine has in common."""
    home = tmp_path / "ada"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in DATA_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "executable", PYTHON)
    return home


@pytest.fixture
def look(own_home: Path) -> Look:
    """What is seen of one editor in that home, on Linux."""

    def seen(editor_id: str) -> DetectedEditor:
        return next(f for f in editors.detect_editors(own_home, "linux", {}) if f.editor.id == editor_id)

    return seen
