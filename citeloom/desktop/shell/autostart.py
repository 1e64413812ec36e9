"""Autostart at log-in on Windows, macOS and Linux. Its state is read from the system, whose settings may change it."""

from __future__ import annotations

import configparser
import os
import plistlib
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from citeloom.core.errors import CiteLoomError, Code

_ARGUMENTS = ("app", "--hidden")
_LABEL = "org.citeloom.app"
_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
_VALUE = "CiteLoom"
_SWITCHED_OFF = 1  # the bit that the Task Manager sets in the first byte of its value


def _winreg() -> Any:
    return import_module("winreg")  # exists only on Windows


class UserRegistry:
    """The registry hive of the current Windows user."""

    def read(self, key: str, name: str) -> str | bytes | None:
        """Return a value, None if it does not exist."""
        registry = _winreg()
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, key) as opened:
                value = registry.QueryValueEx(opened, name)[0]
        except FileNotFoundError:
            return None
        return value if isinstance(value, str | bytes) else None

    def write(self, key: str, name: str, value: str) -> None:
        """Set a value."""
        registry = _winreg()
        with registry.CreateKey(registry.HKEY_CURRENT_USER, key) as opened:
            registry.SetValueEx(opened, name, 0, registry.REG_SZ, value)

    def delete(self, key: str, name: str) -> None:
        """Delete a value, if it exists."""
        registry = _winreg()
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, key, 0, registry.KEY_SET_VALUE) as opened:
                registry.DeleteValue(opened, name)
        except FileNotFoundError:
            pass


@dataclass(frozen=True)
class Machine:
    """The machine to configure: this one, or one made up by a test."""

    system: str = sys.platform
    home: Path = field(default_factory=Path.home)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    python: Path = field(default_factory=lambda: Path(sys.executable))
    registry: UserRegistry = field(default_factory=UserRegistry)


def enabled(machine: Machine | None = None) -> bool:
    """Return whether this installation starts at log-in; a broken entry or one for another program does not count."""
    machine = machine or Machine()
    try:
        if machine.system == "win32":
            return _enabled_on_windows(machine)
        if machine.system == "darwin":
            return _enabled_on_macos(machine)
        return _enabled_on_linux(machine)
    except OSError:
        return False


def enable(machine: Machine | None = None) -> None:
    """Start at every log-in, in the tray."""
    machine = machine or Machine()
    try:
        if machine.system == "win32":
            machine.registry.write(_RUN, _VALUE, subprocess.list2cmdline(command(machine)))
            machine.registry.delete(_APPROVED, _VALUE)  # the Task Manager may have disabled it there
            return
        file = place(machine)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_launch_agent(machine) if machine.system == "darwin" else _desktop_entry(machine).encode())
    except OSError as error:
        raise _write_error(machine, error) from error


def disable(machine: Machine | None = None) -> None:
    """Do not start at log-in."""
    machine = machine or Machine()
    try:
        if machine.system == "win32":
            machine.registry.delete(_RUN, _VALUE)
        else:
            place(machine).unlink(missing_ok=True)
    except OSError as error:
        raise _write_error(machine, error) from error


def place(machine: Machine) -> Path:
    """Return the autostart file, on Linux and macOS."""
    if machine.system == "darwin":
        return machine.home / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    base = machine.environment.get("XDG_CONFIG_HOME", "")
    # The XDG specification says to ignore a relative path.
    config = Path(base) if base.startswith("/") else machine.home / ".config"
    return config / "autostart" / "citeloom.desktop"


def command(machine: Machine) -> list[str]:
    """Return the command to start: the script of this installation, or its Python if there is no script."""
    windows = machine.system == "win32"
    windowless = machine.python.with_name("pythonw.exe")
    if windows and windowless.is_file():  # the script would open a console window
        return [str(windowless), "-m", "citeloom", *_ARGUMENTS]
    script = machine.python.with_name("citeloom.exe" if windows else "citeloom")
    if script.is_file():
        return [str(script), *_ARGUMENTS]
    return [str(machine.python), "-m", "citeloom", *_ARGUMENTS]


def _enabled_on_windows(machine: Machine) -> bool:
    if machine.registry.read(_RUN, _VALUE) != subprocess.list2cmdline(command(machine)):
        return False
    approved = machine.registry.read(_APPROVED, _VALUE)
    return not (isinstance(approved, bytes) and approved and approved[0] & _SWITCHED_OFF)


def _enabled_on_macos(machine: Machine) -> bool:
    try:
        agent = plistlib.loads(place(machine).read_bytes())
    except (plistlib.InvalidFileException, ExpatError, ValueError, LookupError, TypeError, AttributeError):
        return False
    if not isinstance(agent, dict) or agent.get("Disabled") or agent.get("RunAtLoad") is not True:
        return False
    return bool(agent.get("ProgramArguments") == command(machine))


def _enabled_on_linux(machine: Machine) -> bool:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    try:
        parser.read_string(place(machine).read_text(encoding="utf-8"))
        entry = dict(parser["Desktop Entry"])
    except (configparser.Error, UnicodeDecodeError, KeyError):
        return False
    # The parser converts option names to lower case.
    off = entry.get("hidden") == "true" or entry.get("x-gnome-autostart-enabled") == "false"
    return not off and entry.get("exec") == _exec(command(machine))


def _launch_agent(machine: Machine) -> bytes:
    agent = {
        "Label": _LABEL,
        "ProgramArguments": command(machine),
        "RunAtLoad": True,
        "ProcessType": "Interactive",
    }
    return plistlib.dumps(agent)


def _desktop_entry(machine: Machine) -> str:
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=CiteLoom",
        f"Exec={_exec(command(machine))}",
        "Icon=citeloom",
        "Terminal=false",
        "X-GNOME-Autostart-enabled=true",
    )
    return "\n".join(lines) + "\n"


def _exec(arguments: list[str]) -> str:
    """Return a command for a desktop entry: quoted, then escaped again as the format demands of every string."""
    return " ".join(_quoted(argument) for argument in arguments)


def _quoted(argument: str) -> str:
    plain = argument.replace("%", "%%")  # a single % starts a field code
    if plain and all(letter.isalnum() or letter in "/._-+:,=@%" for letter in plain):
        return plain
    inner = "".join(f"\\{letter}" if letter in '\\"`$' else letter for letter in plain)
    return '"' + inner.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'


def _write_error(machine: Machine, error: OSError) -> CiteLoomError:
    where = _RUN if machine.system == "win32" else place(machine)
    return CiteLoomError(
        Code.PERMISSION_DENIED if isinstance(error, PermissionError) else Code.STORAGE_ERROR,
        f"The autostart entry cannot be changed: {where} ({error.strerror or error}).",
        "Nothing was changed. Use your system's own settings for programs that start at log-in.",
    )
