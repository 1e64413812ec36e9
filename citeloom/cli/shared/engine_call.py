"""Sends requests to the engine, with a status line on a terminal while waiting. Used by all commands."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from citeloom.api.engine import Subscribe
from citeloom.api.verbs import R, Request
from citeloom.cli.shared.output import console
from citeloom.ipc import launch
from citeloom.ipc.client import Client


def waiting(what: str) -> AbstractContextManager[object]:
    """Show a status line while waiting, if the output is a terminal."""
    return console.status(f"{what} …") if console.is_terminal else nullcontext()


def connected(*, events: bool = False) -> Client:
    """Return a connection to the engine, started if necessary; a job can be followed on one with events."""
    with waiting("Connecting" if launch.is_running() else "Starting the engine"):
        client = Client()
        if events:
            client.call(Subscribe())
        return client


def ask(request: Request[R], waiting_for: str = "Working") -> R:
    """Send one request to the engine and return the result."""
    with connected() as client, waiting(waiting_for):
        return client.call(request)
