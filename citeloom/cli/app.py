"""`citeloom app`."""

from __future__ import annotations

import os
import sys

import click

from citeloom.core.errors import CiteLoomError, Code


@click.command()
@click.option("--hidden", is_flag=True, help="Start in the tray, without the window.")
@click.option(
    "--page",
    type=click.Choice(["search", "projects", "activity", "connect", "settings"]),
    default=None,
    help="The page to show.",
)
def app(hidden: bool, page: str | None) -> int:
    """Start the desktop app: a tray icon and a window. If it is already running, its window is brought to the front."""
    if not has_screen() and not os.environ.get("QT_QPA_PLATFORM"):
        raise CiteLoomError(
            Code.INVALID_INPUT,
            "The app needs a graphical session, and there is none.",
            "The commands do the same: citeloom --help.",
        )
    # Imported here because Qt takes a while to load.
    from citeloom.desktop.app import main

    return main(hidden=hidden, page=page or "")


def has_screen() -> bool:
    """Whether windows can be shown; if not, Qt would end the process."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
