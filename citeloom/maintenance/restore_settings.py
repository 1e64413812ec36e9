"""Settings of a backup: those that decide what leaves this machine, and what is kept of it, are not taken unasked."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from citeloom.core import settings as config
from citeloom.core.settings import Settings

_GUARDED_SECTIONS = ("privacy", "zotero")
_GUARDED = ("index.server", "models.allow_download")


def guarded_differences(theirs: Settings, here: Settings) -> list[dict[str, Any]]:
    """The guarded settings that a backup would change: name, value here, value in the backup."""
    return [
        {"name": name, "here": _value(here, name), "backup": _value(theirs, name)}
        for name in _guarded()
        if _value(here, name) != _value(theirs, name)
    ]


def kept_guarded(text: str, here: Settings) -> str:
    """The settings file of a backup, with the guarded settings as they are here."""
    usual = Settings()
    keep = {
        one["name"]: None if one["here"] == _value(usual, one["name"]) else one["here"]
        for one in guarded_differences(config.parse(text), here)
    }
    return config.changed(text, keep) if keep else text


def _guarded() -> list[str]:
    usual = Settings()
    names = [f"{section}.{one.name}" for section in _GUARDED_SECTIONS for one in fields(getattr(usual, section))]
    return [*names, *_GUARDED]


def _value(settings: Settings, name: str) -> Any:
    section, _, key = name.partition(".")
    return getattr(getattr(settings, section), key)
