"""Paths of CiteLoom's folders and files. Standard library only, because the bridge imports it."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


class Folders(NamedTuple):
    """Folders of one installation."""

    data: str  # catalog, index, engine's lock and address
    config: str  # the settings file
    cache: str  # conversions: safe to delete
    logs: str


def folders() -> Folders:
    """Return the folders in use: all under CITELOOM_HOME if set, else the system's standard ones."""
    own = os.environ.get("CITELOOM_HOME")
    if own:
        root = os.path.abspath(os.path.expanduser(own))
        return Folders(root, root, os.path.join(root, "cache"), os.path.join(root, "logs"))
    user = os.path.expanduser("~")
    if sys.platform == "win32":
        root = os.path.join(os.environ.get("LOCALAPPDATA") or os.path.join(user, "AppData", "Local"), "citeloom")
        return Folders(root, root, os.path.join(root, "Cache"), os.path.join(root, "Logs"))
    if sys.platform == "darwin":
        library = os.path.join(user, "Library")
        support = os.path.join(library, "Application Support", "citeloom")
        caches = os.path.join(library, "Caches", "citeloom")
        return Folders(support, support, caches, os.path.join(library, "Logs", "citeloom"))
    return Folders(
        _xdg("XDG_DATA_HOME", user, ".local", "share"),
        _xdg("XDG_CONFIG_HOME", user, ".config"),
        _xdg("XDG_CACHE_HOME", user, ".cache"),
        os.path.join(_xdg("XDG_STATE_HOME", user, ".local", "state"), "log"),
    )


def _xdg(variable: str, user: str, *default: str) -> str:
    # By the XDG rules, a relative path is ignored.
    base = os.environ.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.join(user, *default)
    return os.path.join(base, "citeloom")


def make_private(folder: str) -> None:
    """Create a folder that only its owner can enter; an existing one keeps its permissions."""
    os.makedirs(folder, mode=0o700, exist_ok=True)


def settings_file() -> str:
    """Return the path of the settings file."""
    return os.path.join(folders().config, "citeloom.toml")


def engine_file() -> str:
    """Return the path of the file with address and token of the running engine."""
    return os.path.join(folders().data, "engine.json")


def engine_lock() -> str:
    """Return the path of the lock that the running engine holds."""
    return os.path.join(folders().data, "engine.lock")


def start_lock() -> str:
    """Return the path of the lock that a process holds while it starts the engine."""
    return os.path.join(folders().data, "engine.start.lock")


def engine_log() -> str:
    """Return the path of the engine's log."""
    return os.path.join(folders().logs, "engine.log")


def app_log() -> str:
    """Return the path of the desktop app's log."""
    return os.path.join(folders().logs, "app.log")


def app_lock() -> str:
    """Return the path of the lock that the running desktop app holds."""
    return os.path.join(folders().data, "app.lock")


def app_state() -> str:
    """Return the path of the app's window state."""
    return os.path.join(folders().config, "window.ini")


def catalog_file() -> str:
    """Return the path of the catalog: projects, documents, jobs and the access log."""
    return os.path.join(folders().data, "catalog.db")


def index_folder() -> str:
    """Return the folder of the indexes, with one folder per project's collection."""
    return os.path.join(folders().data, "index")


def models_folder() -> str:
    """Return the folder of downloaded models."""
    return os.path.join(folders().cache, "models")


def conversions_folder() -> str:
    """Return the folder of the conversion cache, by content hash."""
    return os.path.join(folders().cache, "conversions")


def sample_folder() -> str:
    """Return the folder of the bundled sample library: records and `papers`."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample")
