"""CiteLoom's entry as data: building it for an editor, merging it with the one in the file, and reading one."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.editors.types import DEFAULT_TOOLSETS, TOOLSETS, Editor, Entry

_HOME = "CITELOOM_HOME"
_FOLDERS = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
DATA_VARIABLES = (_HOME, *_FOLDERS)  # locations of the data; editors do not pass them on to commands they launch
_DIALECT = "--dialect"
_DISABLED = (("disabled", True), ("enabled", False))  # how an entry is switched off


def _command() -> list[str]:
    """Return the command of this installation with its full path, because an editor may have another PATH."""
    python = Path(sys.executable)
    script = python.with_name("citeloom.exe" if sys.platform == "win32" else "citeloom")
    if script.is_file():
        return [str(script)]
    if python.name.lower() == "pythonw.exe":  # it has no stdin and stdout, which MCP needs
        python = python.with_name("python.exe")
    return [str(python), "-m", "citeloom"]


def build_entry(editor: Editor, projects: Sequence[str], toolsets: Sequence[str]) -> dict[str, Any]:
    """Return the entry to write into an editor's file."""
    unknown = [name for name in toolsets if name not in TOOLSETS]
    if unknown or not toolsets:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"There is no toolset {unknown[0]}." if unknown else "No toolset was chosen.",
            f"There are: {', '.join(TOOLSETS)}.",
        )
    program, *arguments = [*_command(), "mcp"]
    for project in dict.fromkeys(projects):
        arguments += ["--project", project]
    # Always given: what an editor may do must not change with the default of a later version.
    arguments += ["--toolsets", ",".join(name for name in TOOLSETS if name in toolsets)]
    entry: dict[str, Any] = {"type": "stdio"} if editor.typed else {}
    entry |= {"command": program, "args": arguments}
    if variables := _data_variables():
        entry["env"] = variables
    return entry


def _data_variables() -> dict[str, str]:
    """Return the variables that make a launched CiteLoom use the same data as this one."""
    if os.environ.get(_HOME):
        return {_HOME: paths.folders().data}
    if sys.platform in ("win32", "darwin"):
        return {}
    return {name: os.environ[name] for name in _FOLDERS if Path(os.environ.get(name, "")).is_absolute()}


def merge_entry(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the new entry with the settings that the user added to the old one."""
    if not parse_entry(old).command:  # a remote server: its settings do not apply to a command
        return dict(new)
    merged = {key: value for key, value in {**old, **new}.items() if key != "env" and (key, value) not in _DISABLED}
    if dialects := _values(list(map(str, old.get("args") or ())), _DIALECT):
        merged["args"] = [*new["args"], _DIALECT, dialects[-1]]
    old_env = old.get("env")
    user_env = {k: v for k, v in old_env.items() if k not in DATA_VARIABLES} if isinstance(old_env, Mapping) else {}
    env = {**user_env, **new.get("env", {})}
    return {**merged, "env": env} if env else merged


def parse_entry(raw: Any) -> Entry:
    """Return what an entry in a file launches."""
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
