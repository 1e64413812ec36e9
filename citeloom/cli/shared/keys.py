"""Keys to services: entered by a person or a pipe. Used by `zotero login` and `index login`."""

from __future__ import annotations

import sys

import click

from citeloom.core import credentials
from citeloom.core.errors import CiteLoomError, Code


def read_key(next_step: str) -> str:
    """Return the key that is typed on a terminal, or piped in."""
    key: str = click.prompt("Key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    if not key.strip():
        raise CiteLoomError(Code.INVALID_INPUT, "No key was given.", next_step)
    return key.strip()


def warn_of_environment_key(service: str, key: str | None) -> None:
    """Print a note if the key of a service is taken from the environment."""
    if key == "environment":
        variable = credentials.variable_name(service)
        click.echo(f"Note: {variable} is set where the engine was started, and is used. Unset it and restart.")
