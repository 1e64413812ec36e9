"""Fixtures of the contract tests: editors that check what they get, and small libraries of Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.strict_editor import StrictEditor
from tests.support import WRITING, stop_engine


@pytest.fixture(scope="session")
def reader(sample_home: Path) -> Iterator[StrictEditor]:
    """An editor on the sample library. Ask it, do not change anything."""
    with StrictEditor(sample_home, *WRITING) as editor:
        yield editor


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder for all tests of a module; each makes projects of its own."""
    folder = tmp_path_factory.mktemp("home")
    yield folder
    stop_engine(folder)
