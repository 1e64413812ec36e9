"""Asking the engine, with a sign of life on a terminal while it thinks or starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from citeloom.api.verbs import R, Request
from citeloom.cli.shared.output import console
from citeloom.ipc import launch
from citeloom.ipc.client import Client


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show what is being waited for, where somebody looks."""
    if console.is_terminal:
        with console.status(f"{what} …"):
            yield
    else:
        yield


def connected() -> Client:
    """A connection to the engine; starting one is said."""
    with waiting("Connecting" if launch.running() else "Starting the engine"):
        return Client()


def ask(request: Request[R], waiting_for: str = "Working") -> R:
    """Send one request to the engine."""
    with connected() as client, waiting(waiting_for):
        return client.call(request)
