"""Fixtures for tests of the real program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import SAMPLE, Editor, citeloom, done, stop_engine


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A data folder of its own; its engine ends with the test."""
    folder = tmp_path / "home"
    folder.mkdir()
    yield folder
    stop_engine(folder)


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with the sample library as project `sample/library`. Read it, do not change it."""
    folder = tmp_path_factory.mktemp("sample")
    done(
        citeloom(
            folder,
            "project",
            "add",
            "sample/library",
            "--references",
            str(SAMPLE / "library.json"),
            "--folder",
            str(SAMPLE / "papers"),
        )
    )
    done(citeloom(folder, "ingest", "sample/library"))
    yield folder
    stop_engine(folder)


@pytest.fixture(scope="session")
def sample_editor(sample_home: Path) -> Iterator[Editor]:
    """An editor connected to the sample library. Ask it, do not change anything."""
    with Editor(sample_home) as editor:
        yield editor
