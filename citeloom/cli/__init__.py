"""The command line for people: thin faces of the engine's verbs."""

from __future__ import annotations

from citeloom.cli.main import main

__all__ = ["main"]
