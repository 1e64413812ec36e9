"""Publishes the engine's events to its subscribers: the control sessions of command line and desktop app."""

from __future__ import annotations

import threading
from collections.abc import Callable

from citeloom.api.events import Event

Subscriber = Callable[[Event], None]


class Events:
    """Publishes events to subscribers; thread-safe."""

    def __init__(self) -> None:
        self._subscribers: list[Subscriber] = []
        self._lock = threading.Lock()

    def publish(self, event: Event) -> None:
        """Pass an event to all subscribers."""
        with self._lock:
            subscribers = list(self._subscribers)
        for subscriber in subscribers:
            subscriber(event)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber; return a function that removes it."""
        with self._lock:
            self._subscribers.append(subscriber)

        def unsubscribe() -> None:
            with self._lock:
                if subscriber in self._subscribers:
                    self._subscribers.remove(subscriber)

        return unsubscribe
