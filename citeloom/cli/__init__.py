"""The command line for people: each command sends requests to the engine and prints the results."""

from __future__ import annotations

from citeloom.cli.main import main

__all__ = ["main"]
