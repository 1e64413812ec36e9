"""Check for a usable display before Qt starts: without one, Qt aborts the process with a message that does not help."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo

from citeloom.core.errors import CiteLoomError, Code

_PACKAGES = "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxkbcommon-x11-0"


def check() -> None:
    """Raise if windows cannot be shown. Only X11 is checked: for other platforms Qt brings all that it needs."""
    if not sys.platform.startswith("linux") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM"):
        return
    plugin = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms" / "libqxcb.so"
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The app cannot open windows: this system lacks a library ({str(error).partition(':')[0]}).",
            f"Install it with the system's packages; on Debian and Ubuntu: sudo apt install {_PACKAGES}.",
        ) from error
    if not _display_answers():
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The display {os.environ.get('DISPLAY', '')} does not respond.",
            "Start the app from the desktop itself, or use the commands: citeloom --help.",
        )


def _display_answers() -> bool:
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    for function in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        function.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    connected = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return connected
