"""Windows on a screen that nobody sees, and the real engine behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

from citeloom.desktop.shell.engine_status import EngineStatus
from citeloom.desktop.shell.engine_tasks import EngineTasks
from citeloom.desktop.shell.page import PageContext


@pytest.fixture
def library_home(sample_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample library, read as project `sample/library`, as the home of this test. Look at it, do not change it."""
    _live_in(sample_home, monkeypatch)
    return sample_home


@pytest.fixture
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder of this test alone; its engine ends with it."""
    _live_in(home, monkeypatch)
    return home


def _live_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(home))
    monkeypatch.setenv("CITELOOM_WATCH", "off")


@pytest.fixture
def context(qapp: object) -> Iterator[PageContext]:
    """The way to the real engine of the test's home; ask for `library_home` or `own_home` before it."""
    assert "CITELOOM_HOME" in os.environ, "ask for library_home or own_home: this would be a person's own library"
    tasks = EngineTasks()
    made = PageContext(tasks, EngineStatus(tasks))
    tasks.start()
    yield made
    tasks.close()
