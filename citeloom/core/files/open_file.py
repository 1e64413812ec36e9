"""Opening documents and addresses with the system's default program, without a shell. Used by the CLI and the app."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from citeloom.core.errors import CiteLoomError, Code

_SCHEMES = ("zotero", "file", "http", "https")
_EXECUTABLE_SUFFIXES = (".py",)  # some systems run these when they are opened
_SECONDS = 5.0  # an opener that has not failed by then has succeeded, or is the viewer itself


def open_uri(uri: str) -> tuple[str, str]:
    """Open an address; return what was opened and the page, which the system cannot turn to."""
    place, page = opener_target(uri)
    _open(place)
    return place, page


def opener_target(uri: str) -> tuple[str, str]:
    """Return the path or address to give to the system's opener, and the page."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in _SCHEMES:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"CiteLoom does not open addresses such as {uri}.",
            f"It opens {', '.join(f'{scheme}://' for scheme in _SCHEMES)}.",
        )
    if parts.scheme != "file":
        return uri, ""
    # Openers do not support #page=…: some search for a file of that name.
    file = Path(url2pathname(f"//{parts.netloc}{parts.path}" if parts.netloc else parts.path))
    if not file.exists():
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"{file} is no longer there.", "Put it back, or sync the project.")
    if file.suffix.lower() in _EXECUTABLE_SUFFIXES:
        raise CiteLoomError(
            Code.UNSUPPORTED_FORMAT,
            f"{file} is a program: opening it might run it.",
            "Open it in your editor.",
        )
    return str(file), parts.fragment.removeprefix("page=")


def _open(place: str) -> None:
    if sys.platform == "win32":
        try:
            os.startfile(place)
        except OSError as error:
            raise _open_error(place, str(error.strerror)) from error
        return
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    try:
        # In a separate session: a viewer started by the opener must not end with this terminal.
        process = subprocess.Popen(
            [opener, place],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise _open_error(place, f"{opener}: {error.strerror}") from error
    try:
        code = process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        process.returncode = 0  # detached: it continues after this process
        return
    if code:
        raise _open_error(place, f"{opener} ended with code {code}")


def _open_error(place: str, reason: str) -> CiteLoomError:
    step = "Is Zotero installed? " if place.startswith("zotero:") else ""
    return CiteLoomError(
        Code.FILE_NOT_FOUND, f"This system could not open {place} ({reason}).", f"{step}Open it by hand."
    )
