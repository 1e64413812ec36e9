"""Zotero's profile on this computer: settings folder, data folder, base folder and port."""

from __future__ import annotations

import configparser
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

DATABASE = "zotero.sqlite"
USUAL_PORT = 23119

_PREFERENCE = re.compile(r'^[ \t]*user_pref\([ \t]*"([^"\\\n]+)"[ \t]*,[ \t]*(.*?)[ \t]*\)[ \t]*;', re.MULTILINE)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings of a Zotero profile."""

    folder: Path | None  # None if only the data folder was found
    data_folder: Path  # contains zotero.sqlite and storage
    base_folder: Path | None = None  # of relative paths of linked files
    port: int = USUAL_PORT


class _Installation(NamedTuple):
    settings: Path  # contains profiles.ini
    home: Path  # the home folder that this Zotero sees


def find_zotero(
    environment: Mapping[str, str] | None = None, home: Path | None = None, platform: str = sys.platform
) -> Profile | None:
    """Return the profile in use: one with a library, preferably the default one, then the latest."""
    home = home or Path.home()
    found: list[tuple[bool, bool, float, Profile]] = []
    for place in _installations(environment if environment is not None else os.environ, home, platform):
        for folder, default in _profiles(place.settings):
            profile = _profile(folder, place, home)
            changed = _modified(profile.data_folder)
            found.append((changed > 0, default, changed, profile))
        if not found and _modified(place.home / "Zotero"):
            found.append((True, False, 0, Profile(None, place.home / "Zotero")))
    return max(found, key=lambda one: one[:3])[3] if found else None


def _installations(environment: Mapping[str, str], home: Path, platform: str) -> list[_Installation]:
    if platform == "win32":
        roaming = environment.get("APPDATA")
        return [_Installation((Path(roaming) if roaming else home / "AppData" / "Roaming") / "Zotero" / "Zotero", home)]
    if platform == "darwin":
        return [_Installation(home / "Library" / "Application Support" / "Zotero", home)]
    flatpak, snap = home / ".var" / "app" / "org.zotero.Zotero", home / "snap" / "zotero-snap" / "common"
    chosen = Path(environment.get("XDG_CONFIG_HOME", ""))
    # A Zotero first installed with version 10 stores its settings by the XDG rules, an older one in .zotero.
    return [
        _Installation(home / ".zotero" / "zotero", home),
        _Installation((chosen if chosen.is_absolute() else home / ".config") / "zotero" / "zotero", home),
        _Installation(flatpak / ".zotero" / "zotero", flatpak),
        _Installation(flatpak / "config" / "zotero" / "zotero", flatpak),
        _Installation(snap / ".zotero" / "zotero", snap),
    ]


def _profiles(settings: Path) -> Iterator[tuple[Path, bool]]:
    sections = configparser.RawConfigParser(strict=False, delimiters=("=",), allow_no_value=True)
    try:
        sections.read_string((settings / "profiles.ini").read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, configparser.Error):
        return
    for name in sections.sections():
        path = sections.get(name, "Path", fallback=None) if name.startswith("Profile") else None
        if path:
            relative = sections.get(name, "IsRelative", fallback="1") != "0"
            folder = settings.joinpath(*path.split("/")) if relative else Path(path)
            yield folder, sections.get(name, "Default", fallback="") == "1"


def _profile(folder: Path, place: _Installation, home: Path) -> Profile:
    preferences = _preferences(folder)
    data, base, port = (preferences.get(name) for name in ("dataDir", "baseAttachmentPath", "httpServer.port"))
    moved = data if preferences.get("useDataDir") is True else None
    return Profile(
        folder,
        _host_path(moved, place, home) if isinstance(moved, str) and moved else _usual_data_folder(folder, place, home),
        _host_path(base, place, home) if isinstance(base, str) and base else None,
        port if isinstance(port, int) and 0 < port < 65536 else USUAL_PORT,
    )


def _usual_data_folder(folder: Path, place: _Installation, home: Path) -> Path:
    usual = place.home / "Zotero"
    # A Flatpak with access to the home folder stores the library there; before Zotero 5 it was in the profile.
    return next((at for at in (usual, home / "Zotero", folder / "zotero") if _modified(at)), usual)


def _host_path(path: str, place: _Installation, home: Path) -> Path:
    # Paths in the home folder of a Flatpak may be redirected to its sandbox.
    named = Path(path)
    inside = place.home / named.relative_to(home) if named.is_relative_to(home) else named
    try:
        return inside if inside.exists() else named
    except OSError:
        return named


def _preferences(folder: Path) -> dict[str, str | int | bool]:
    try:
        lines = (folder / "prefs.js").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    found: dict[str, str | int | bool] = {}
    for name, written in _PREFERENCE.findall(lines):
        value = _value(written)
        if value is not None and name.startswith("extensions.zotero."):
            found[name.removeprefix("extensions.zotero.")] = value
    return found


def _value(written: str) -> str | int | bool | None:
    if written in ("true", "false"):
        return written == "true"
    if re.fullmatch(r"-?[0-9]{1,10}", written):
        return int(written)
    text = _STRING.fullmatch(written)
    if text is None:
        return None
    plain = _ESCAPE.sub(_unescaped, text[1])
    # A character beyond the first 65,536 is written as two escapes.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[3], escape[3])


def _modified(data_folder: Path) -> float:
    try:
        return (data_folder / DATABASE).stat().st_mtime
    except (OSError, ValueError):
        return 0
