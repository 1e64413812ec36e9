"""The entry itself: what an editor shall launch, and what an entry that stands in a file launches."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.editors.types import DEFAULT_TOOLSETS, TOOLSETS, Client, Entry

_HOME = "CITELOOM_HOME"
_FOLDERS = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
PLACES = (_HOME, *_FOLDERS)  # say where the data is; editors hand few variables on, and these not
_OFF = (("disabled", True), ("enabled", False))  # how an entry is switched off


def command() -> list[str]:
    """CiteLoom as an editor finds it whose PATH knows nothing of this installation."""
    python = Path(sys.executable)
    script = python.with_name("citeloom.exe" if sys.platform == "win32" else "citeloom")
    if script.is_file():
        return [str(script)]
    if python.name.lower() == "pythonw.exe":  # has no stdin and no stdout, which an editor talks through
        python = python.with_name("python.exe")
    return [str(python), "-m", "citeloom"]


def made(client: Client | None, projects: Sequence[str], toolsets: Sequence[str]) -> dict[str, Any]:
    """The entry to write; without a client, as most programs take it."""
    unknown = [name for name in toolsets if name not in TOOLSETS]
    if unknown or not toolsets:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"There is no toolset {unknown[0]}." if unknown else "No toolset was chosen.",
            f"There are: {', '.join(TOOLSETS)}.",
        )
    program, *arguments = [*command(), "mcp"]
    for project in dict.fromkeys(projects):
        arguments += ["--project", project]
    # Always said: what an editor may do does not change with what a later version does by itself.
    arguments += ["--toolsets", ",".join(name for name in TOOLSETS if name in toolsets)]
    entry: dict[str, Any] = {"type": "stdio"} if client and client.typed else {}
    entry |= {"command": program, "args": arguments}
    if places := _places():
        entry["env"] = places
    return entry


def _places() -> dict[str, str]:
    """The variables by which the editor's CiteLoom finds the same data as this one."""
    if os.environ.get(_HOME):
        return {_HOME: paths.folders().data}
    if sys.platform in ("win32", "darwin"):
        return {}
    return {name: os.environ[name] for name in _FOLDERS if Path(os.environ.get(name, "")).is_absolute()}


def merged(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with what is ours made new, and what its owner has set beside it kept."""
    if not seen(old).command:  # fetched from an address: nothing that belongs to that goes with a command
        return dict(new)
    kept = {key: value for key, value in old.items() if (key, value) not in _OFF}
    environment = kept.pop("env", None)
    own = {k: v for k, v in environment.items() if k not in PLACES} if isinstance(environment, Mapping) else {}
    whole = {**kept, **new}
    whole.pop("env", None)
    return {**whole, "env": {**own, **new.get("env", {})}} if own or "env" in new else whole


def seen(raw: Any) -> Entry:
    """What an entry in a file launches."""
    raw = raw if isinstance(raw, Mapping) else {}
    program, listed, environment = raw.get("command"), raw.get("args"), raw.get("env")
    arguments = [str(a) for a in listed] if isinstance(listed, Sequence) and not isinstance(listed, str) else []
    launches = isinstance(program, str) and program
    toolsets = [name.strip() for value in _values(arguments, "--toolsets") for name in value.split(",")]
    return Entry(
        projects=tuple(_values(arguments, "--project")),
        toolsets=tuple(name for name in TOOLSETS if name in toolsets) or DEFAULT_TOOLSETS,
        command=(str(program), *arguments) if launches else (),
        environment={str(k): str(v) for k, v in environment.items()} if isinstance(environment, Mapping) else {},
    )


def _values(arguments: Sequence[str], option: str) -> list[str]:
    after = [value for name, value in itertools.pairwise(arguments) if name == option]
    return after or [a.removeprefix(f"{option}=") for a in arguments if a.startswith(f"{option}=")]
