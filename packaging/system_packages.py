"""Find the system packages that CiteLoom's Python packages need, and install those that are missing.

Called by the Makefile with the names of the groups below. As root with apt, as in a container, it installs; elsewhere
it prints the command to copy and fails. Where nothing is missing, and on macOS and Windows, it prints nothing. Standard
library only: it runs before the virtual environment exists.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
_FONT_ENDINGS = (".ttf", ".otf", ".ttc")


class Need(NamedTuple):
    """Something that the system must have, and the Debian package that contains it."""

    what: str
    package: str
    is_there: Callable[[], bool]
    without_it: str = ""  # what happens without it, where the rest works all the same


def library(name: str, package: str) -> Need:
    """A shared library, found if the dynamic linker finds it."""

    def loads() -> bool:
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True

    return Need(name, package, loads)


def _has_fonts() -> bool:
    return any(
        name.lower().endswith(_FONT_ENDINGS)
        for folder in _FONT_FOLDERS
        for _, _, names in os.walk(Path(folder).expanduser())
        for name in names
    )


_VENV = "python{}.{}-venv".format(*sys.version_info[:2])
GROUPS: dict[str, list[Need]] = {
    # Debian and Ubuntu keep this part of Python in a package of its own.
    "venv": [Need("Python's ensurepip", _VENV, lambda: importlib.util.find_spec("ensurepip") is not None)],
    # What every desktop has and a bare server has not: Qt is linked against these, and draws text with the fonts.
    "qt": [
        library("libEGL.so.1", "libegl1"),
        library("libGL.so.1", "libgl1"),
        library("libxkbcommon.so.0", "libxkbcommon0"),
        library("libfontconfig.so.1", "libfontconfig1"),
        library("libdbus-1.so.3", "libdbus-1-3"),
        library("libglib-2.0.so.0", "libglib2.0-0"),
        library("libgssapi_krb5.so.2", "libgssapi-krb5-2"),
        Need("a font", "fonts-dejavu-core", _has_fonts),
    ],
    "strace": [
        Need(
            "strace",
            "strace",
            lambda: shutil.which("strace") is not None,
            "the test that nothing leaves the machine is skipped",
        )
    ],
}


def provide(needs: list[Need]) -> int:
    """Install what is missing, or say how; gives the exit code."""
    missing = [need for need in needs if not need.is_there()]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        packages = [need.package for need in missing]
        print(f"Installing system packages: {' '.join(packages)}", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", *packages]):
            subprocess.run(command, env=quiet, stdout=subprocess.DEVNULL, check=False)
        missing = [need for need in missing if not need.is_there()]
    required = [need for need in missing if not need.without_it]
    for need in missing:
        if need.without_it:
            print(f"{need.what} is not installed: {need.without_it}.", file=sys.stderr)
    if required:
        print(f"Missing on this system: {', '.join(need.what for need in required)}. Install with:", file=sys.stderr)
        print(f"  {_command_to_copy(missing)}", file=sys.stderr)
    return 1 if required else 0


def _command_to_copy(missing: list[Need]) -> str:
    sudo = "" if os.geteuid() == 0 else "sudo "
    if shutil.which("dnf") and not shutil.which("apt-get"):  # dnf finds the package of a library by the file's name
        renamed = {"fonts-dejavu-core": "dejavu-sans-fonts"}
        named = [f"'{n.what}()(64bit)'" if ".so" in n.what else renamed.get(n.package, n.package) for n in missing]
        return f"{sudo}dnf install {' '.join(named)}"
    return f"{sudo}apt-get install {' '.join(need.package for need in missing)}"


def main(groups: list[str]) -> int:
    """Provide the groups named on the command line."""
    if not sys.platform.startswith("linux"):  # Qt's wheels bring all they need there
        return 0
    return provide([need for group in groups for need in GROUPS[group]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
