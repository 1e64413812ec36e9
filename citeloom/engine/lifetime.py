"""What belongs to the engine's process, and stays when it starts anew inside it with other settings."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from citeloom.core import paths, settings
from citeloom.core.errors import CiteLoomError
from citeloom.core.settings import Settings

_Stamp = tuple[int, int, int] | None


@dataclass(slots=True)
class Lifetime:
    """One engine process."""

    started_by: str = "person"
    settings_problem: str | None = None  # why the settings file as it is now is not the one in force
    disconnected: set[str] = field(default_factory=set)  # ids of bridges that the researcher sent away


def loads_ahead() -> bool:
    """Whether an engine loads what the first question needs before it comes; for scripts that start many engines."""
    return os.environ.get("CITELOOM_WARM_UP") != "off"


class SettingsFile:
    """The settings file, looked at now and then."""

    def __init__(self) -> None:
        self._read = self._last = _stamp()
        self.settings = settings.load()  # the last that could be used

    def look(self, lifetime: Lifetime) -> Settings:
        """The settings of now; a file that cannot be used is noted, and leaves those before."""
        now = _stamp()
        # An editor may be writing it still, or have taken the old file away a moment before it puts the new one there.
        steady, self._last = now == self._last, now
        if now != self._read and steady:
            self._read = now
            try:
                self.settings, lifetime.settings_problem = settings.load(), None
            except CiteLoomError as error:
                lifetime.settings_problem = str(error)
        return self.settings


def _stamp() -> _Stamp:
    try:
        about = os.stat(paths.settings_file())  # noqa: PTH116 - strings, as everything in paths
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino
