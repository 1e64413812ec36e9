"""Publishes the engine's events to those who watch: the control sessions of command line and desktop app."""

from __future__ import annotations

import threading
from collections.abc import Callable

from citeloom.api.events import Event

Watcher = Callable[[Event], None]


class Events:
    """Hands each event to everyone who watches."""

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []
        self._lock = threading.Lock()

    def publish(self, event: Event) -> None:
        """Tell everyone."""
        with self._lock:
            watchers = list(self._watchers)
        for watcher in watchers:
            watcher(event)

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Be told; call what comes back to end it."""
        with self._lock:
            self._watchers.append(watcher)

        def end() -> None:
            with self._lock:
                if watcher in self._watchers:
                    self._watchers.remove(watcher)

        return end
