"""Settings that control what leaves this machine: a restore changes them only on explicit request."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from citeloom.api.maintenance import SettingDifference
from citeloom.core import settings as config
from citeloom.core.settings import Settings

_PROTECTED_SECTIONS = ("privacy", "zotero")
_PROTECTED = ("index.server", "models.allow_download")


def protected_differences(backup: Settings, current: Settings) -> list[SettingDifference]:
    """Return the protected settings that a backup would change."""
    return [
        SettingDifference(name, _value(current, name), _value(backup, name))
        for name in _protected_names()
        if _value(current, name) != _value(backup, name)
    ]


def with_protected(text: str, current: Settings) -> str:
    """Return the settings file of a backup with the current protected settings."""
    defaults = Settings()
    unchanged = {
        one.name: None if one.here == _value(defaults, one.name) else one.here
        for one in protected_differences(config.parse(text), current)
    }
    return config.changed(text, unchanged) if unchanged else text


def _protected_names() -> list[str]:
    defaults = Settings()
    names = [f"{section}.{one.name}" for section in _PROTECTED_SECTIONS for one in fields(getattr(defaults, section))]
    return [*names, *_PROTECTED]


def _value(settings: Settings, name: str) -> Any:
    section, _, key = name.partition(".")
    return getattr(getattr(settings, section), key)
