"""Where things are kept: one folder of one's own, or the system's usual places."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs.windows
import pytest
from platformdirs.api import PlatformDirsABC
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows, get_win_folder_from_env_vars

from citeloom.core import paths

XDG = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


@pytest.fixture(autouse=True)
def usual_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CITELOOM_HOME", *XDG):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "AppData" / "Local"))
    # The registry, which it asks first, is there on Windows only.
    monkeypatch.setattr(platformdirs.windows, "get_win_folder", get_win_folder_from_env_vars)


@pytest.mark.parametrize(
    ("platform", "usual"),
    [
        ("linux", Unix("citeloom")),
        ("darwin", MacOS("citeloom")),
        ("win32", Windows("citeloom", appauthor=False)),
    ],
)
def test_the_usual_places_are_those_of_the_system(
    monkeypatch: pytest.MonkeyPatch, platform: str, usual: PlatformDirsABC
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    expected = (usual.user_data_dir, usual.user_config_dir, usual.user_cache_dir, usual.user_log_dir)
    assert tuple(paths.folders()) == expected


def test_xdg_folders_are_followed_where_they_are_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in XDG:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    usual = Unix("citeloom")
    assert paths.folders().data == str(tmp_path / "xdg_data_home" / "citeloom")
    assert tuple(paths.folders()) == (
        usual.user_data_dir,
        usual.user_config_dir,
        usual.user_cache_dir,
        usual.user_log_dir,
    )


def test_a_relative_xdg_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    expected = paths.folders()
    for name in XDG:
        monkeypatch.setenv(name, "somewhere/here")
    assert paths.folders() == expected


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_a_home_of_its_own_holds_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("CITELOOM_HOME", "~/own")
    own = tmp_path / "own"
    places = (
        *paths.folders(),
        paths.settings_file(),
        paths.engine_file(),
        paths.engine_lock(),
        paths.start_lock(),
        paths.engine_log(),
        paths.catalog_file(),
        paths.index_folder(),
        paths.conversions_folder(),
        paths.models_folder(),
    )
    assert all(Path(place).is_relative_to(own) for place in places)
    assert len({*places[4:]}) == len(places[4:])


def test_a_relative_home_is_taken_from_where_one_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITELOOM_HOME", "own")
    assert paths.folders().data == str(tmp_path / "own")
