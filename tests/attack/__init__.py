"""Attacks on the real program by seeded chance: each part attacks until it was enough, and counts its attacks."""

from __future__ import annotations

from collections.abc import Callable

from tests.attack import backups, connections, files, tools
from tests.attack.library import Library

PARTS: dict[str, Callable[[Library, Callable[[int], bool], int], int]] = {
    "tools": tools.run,
    "connections": connections.run,
    "files": files.run,
    "backups": backups.run,
}
