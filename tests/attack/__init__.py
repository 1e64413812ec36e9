"""Attacks on the real program by seeded chance: each part attacks for some seconds, and counts its attacks."""

from __future__ import annotations

from collections.abc import Callable

from tests.attack import backups, connections, files, tools
from tests.attack.library import Library

PARTS: dict[str, Callable[[Library, float, int], int]] = {
    "tools": tools.run,
    "connections": connections.run,
    "files": files.run,
    "backups": backups.run,
}
