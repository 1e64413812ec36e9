"""A settings file that changes under a running engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.core.settings import Settings
from citeloom.engine.process_state import ProcessState, SettingsFile


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    yield tmp_path / "citeloom.toml"


def top_k(of: Settings) -> int:
    return of.search.top_k


def test_a_change_counts_once_the_file_rests(file: Path) -> None:
    watched, process_state = SettingsFile(), ProcessState()
    assert watched.poll(process_state) == Settings()
    file.write_text("[search]\ntop_k = 3\n")
    assert top_k(watched.poll(process_state)) == 6, "it may be half written"
    assert top_k(watched.poll(process_state)) == 3
    assert top_k(watched.settings) == 3


def test_a_file_that_an_editor_takes_away_for_a_moment_is_not_gone(file: Path) -> None:
    file.write_text("[search]\ntop_k = 3\n")
    watched, process_state = SettingsFile(), ProcessState()
    file.unlink()
    assert top_k(watched.poll(process_state)) == 3
    file.write_text("[search]\ntop_k = 12\n")
    assert top_k(watched.poll(process_state)) == 3
    assert top_k(watched.poll(process_state)) == 12
    file.unlink()
    watched.poll(process_state)
    assert watched.poll(process_state) == Settings()


def test_a_file_that_cannot_be_used_leaves_the_settings_before_until_it_is_mended(file: Path) -> None:
    file.write_text("[search]\ntop_k = 3\n")
    watched, process_state = SettingsFile(), ProcessState()
    file.write_text("[search]\ntop_quality = 5\n")
    for _ in range(2):
        assert top_k(watched.poll(process_state)) == 3
    assert process_state.settings_problem
    assert "there is no setting search.top_quality" in process_state.settings_problem
    watched.poll(process_state)
    assert process_state.settings_problem, "it is still so"
    file.write_text("[search]\ntop_k = 3\n# as before\n")
    for _ in range(2):
        assert top_k(watched.poll(process_state)) == 3
    assert process_state.settings_problem is None
