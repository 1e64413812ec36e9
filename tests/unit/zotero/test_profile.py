"""Zotero's settings are found wherever each system and each package keeps them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.zotero.profile import Profile, _value, find_zotero

SETTINGS = {
    "linux": ".zotero/zotero",
    "darwin": "Library/Application Support/Zotero",
    "win32": "AppData/Roaming/Zotero/Zotero",
}
PROFILE = "[General]\nStartWithLastProfile=1\n\n[Profile0]\nName=default\nIsRelative=1\nPath={}\nDefault=1\n"


def library(folder: Path, changed: int = 1_700_000_000) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / "zotero.sqlite"
    database.touch()
    os.utime(database, (changed, changed))
    return folder


def profile(settings: Path, *preferences: str, name: str = "Profiles/abcd1234.default", ini: str = PROFILE) -> Path:
    folder = settings / name
    folder.mkdir(parents=True)
    (settings / "profiles.ini").write_text(ini.format(name), encoding="utf-8")
    (folder / "prefs.js").write_text("\n".join(("// Mozilla User Preferences", *preferences, "")), encoding="utf-8")
    return folder


def preference(name: str, value: str) -> str:
    return f'user_pref("extensions.zotero.{name}", {value});'


@pytest.mark.parametrize("platform", SETTINGS)
def test_the_usual_places_of_each_system_are_found(tmp_path: Path, platform: str) -> None:
    folder = profile(tmp_path / SETTINGS[platform])
    data = library(tmp_path / "Zotero")
    assert find_zotero({}, tmp_path, platform) == Profile(folder, data, None, 23119)


def test_windows_settings_move_with_the_roaming_folder(tmp_path: Path) -> None:
    folder = profile(tmp_path / "roaming" / "Zotero" / "Zotero")
    found = find_zotero({"APPDATA": str(tmp_path / "roaming")}, tmp_path / "home", "win32")
    assert found == Profile(folder, tmp_path / "home" / "Zotero")


def test_what_was_set_in_zotero_is_read_from_its_preferences(tmp_path: Path) -> None:
    data, base = library(tmp_path / 'Bücher "neu"'), tmp_path / "linked"
    written = str(data).replace("\\", "\\\\").replace('"', '\\"').replace("ü", "\\u00fc")
    profile(
        tmp_path / SETTINGS["linux"],
        preference("dataDir", f'"{written}"'),
        preference("useDataDir", "true"),
        preference("baseAttachmentPath", f'"{base}"'),
        preference("httpServer.port", "23120"),
        '// user_pref("extensions.zotero.httpServer.port", 1);',
        'user_pref("extensions.zotero.broken", "no end);',
    )
    found = find_zotero({}, tmp_path, "linux")
    assert found
    assert (found.data_folder, found.base_folder, found.port) == (data, base, 23120)


def test_a_windows_path_loses_its_escapes(tmp_path: Path) -> None:
    folder = profile(
        tmp_path, preference("dataDir", r'"D:\\Zotero\\neu"'), preference("useDataDir", "true"), name="one.default"
    )
    target = tmp_path / SETTINGS["win32"]
    target.mkdir(parents=True)
    (target / "profiles.ini").write_text(f"[Profile0]\nIsRelative=0\nPath={folder}\n", encoding="utf-8")
    found = find_zotero({}, tmp_path, "win32")
    assert found
    assert str(found.data_folder) == r"D:\Zotero\neu"


def test_a_data_folder_that_is_not_in_use_is_not_taken(tmp_path: Path) -> None:
    profile(tmp_path / SETTINGS["linux"], preference("dataDir", '"/elsewhere"'), preference("useDataDir", "false"))
    found = find_zotero({}, tmp_path, "linux")
    assert found
    assert found.data_folder == tmp_path / "Zotero"


@pytest.mark.parametrize("config", [".config", "chosen"])
def test_a_zotero_of_the_xdg_rules_is_found(tmp_path: Path, config: str) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / config)} if config == "chosen" else {"XDG_CONFIG_HOME": "relative"}
    folder = profile(tmp_path / config / "zotero" / "zotero")
    assert find_zotero(environment, tmp_path, "linux") == Profile(folder, tmp_path / "Zotero")


def test_a_snap_has_a_home_of_its_own(tmp_path: Path) -> None:
    home = tmp_path / "snap" / "zotero-snap" / "common"
    folder = profile(home / ".zotero" / "zotero")
    assert find_zotero({}, tmp_path, "linux") == Profile(folder, library(home / "Zotero"))


def test_a_flatpak_calls_its_own_folder_by_the_name_of_the_home_folder(tmp_path: Path) -> None:
    home = tmp_path / ".var" / "app" / "org.zotero.Zotero"
    data = library(home / "Zotero")
    folder = profile(
        home / ".zotero" / "zotero",
        preference("dataDir", f'"{tmp_path / "Zotero"}"'),
        preference("useDataDir", "true"),
    )
    assert find_zotero({}, tmp_path, "linux") == Profile(folder, data)


def test_a_flatpak_of_the_xdg_rules_finds_the_library_in_the_home_folder(tmp_path: Path) -> None:
    folder = profile(tmp_path / ".var" / "app" / "org.zotero.Zotero" / "config" / "zotero" / "zotero")
    data = library(tmp_path / "Zotero")
    assert find_zotero({}, tmp_path, "linux") == Profile(folder, data)


def test_a_flatpak_with_its_library_in_the_real_home_folder_keeps_it(tmp_path: Path) -> None:
    data = library(tmp_path / "Documents" / "Zotero")
    profile(
        tmp_path / ".var" / "app" / "org.zotero.Zotero" / ".zotero" / "zotero",
        preference("dataDir", f'"{data}"'),
        preference("useDataDir", "true"),
    )
    found = find_zotero({}, tmp_path, "linux")
    assert found
    assert found.data_folder == data


def test_of_several_profiles_the_default_one_is_taken_else_the_one_in_use(tmp_path: Path) -> None:
    settings = tmp_path / SETTINGS["linux"]
    folders = {}
    for name, changed in (("old", 1_600_000_000), ("new", 1_700_000_000)):
        data = library(tmp_path / name, changed)
        moved = (preference("dataDir", f'"{data}"'), preference("useDataDir", "true"))
        folders[name] = profile(settings, *moved, name=f"{name}.profile")
    old, new = (f"IsRelative=1\nPath={name}.profile\n" for name in ("old", "new"))
    (settings / "profiles.ini").write_text(f"[Profile0]\n{old}[Profile1]\n{new}", encoding="utf-8")
    assert (found := find_zotero({}, tmp_path, "linux")) and found.folder == folders["new"]
    (settings / "profiles.ini").write_text(f"[Profile0]\n{new}[Profile1]\n{old}Default=1\n", encoding="utf-8")
    assert (found := find_zotero({}, tmp_path, "linux")) and found.folder == folders["old"]


def test_a_library_without_settings_is_found_and_nothing_where_there_is_nothing(tmp_path: Path) -> None:
    assert find_zotero({}, tmp_path, "linux") is None
    data = library(tmp_path / "Zotero")
    assert find_zotero({}, tmp_path, "linux") == Profile(None, data)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_settings_that_make_no_sense_are_passed_over(
    tmp_path_factory: pytest.TempPathFactory, ini: bytes, preferences: bytes
) -> None:
    home = tmp_path_factory.mktemp("home")
    settings = home / SETTINGS["linux"]
    profile(settings, name="one")
    (settings / "one" / "prefs.js").write_bytes(preferences)
    assert find_zotero({}, home, "linux")
    (settings / "profiles.ini").write_bytes(ini)
    find_zotero({}, home, "linux")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")))
def test_every_text_that_mozilla_writes_is_read_back(text: str) -> None:
    assert _value('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"') == text
