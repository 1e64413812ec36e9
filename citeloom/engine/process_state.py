"""State of the engine process that outlives a reload of the service, and the settings file that the server polls."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citeloom.core import paths, settings
from citeloom.core.errors import CiteLoomError
from citeloom.core.files.file_stamp import file_stamp
from citeloom.core.settings import Settings

if TYPE_CHECKING:
    from citeloom.api.engine import ConnectedEditor


@dataclass(slots=True)
class ProcessState:
    """State of one engine process."""

    started_by: str = "person"
    settings_problem: str | None = None  # why the current settings file cannot be used
    disconnected: set[str] = field(default_factory=set)  # ids of bridges that the researcher disconnected
    reconnecting: dict[str, ConnectedEditor] = field(default_factory=dict)  # by bridge id, during a reload


def preload_enabled() -> bool:
    """Whether the engine loads models and libraries before the first request; off for scripts with many engines."""
    return os.environ.get("CITELOOM_WARM_UP") != "off"


class SettingsFile:
    """The settings file and its last valid content."""

    def __init__(self) -> None:
        self._loaded = self._last_seen = file_stamp(paths.settings_file())
        self.settings = settings.load()

    def poll(self, process_state: ProcessState) -> Settings:
        """Return the current settings; for an invalid file the last valid ones, and `process_state` has the reason."""
        current = file_stamp(paths.settings_file())
        # An editor may still be writing it, or have removed the old file a moment before it puts the new one there.
        unchanged, self._last_seen = current == self._last_seen, current
        if current != self._loaded and unchanged:
            self._loaded = current
            try:
                self.settings, process_state.settings_problem = settings.load(), None
            except CiteLoomError as error:
                process_state.settings_problem = str(error)
        return self.settings
