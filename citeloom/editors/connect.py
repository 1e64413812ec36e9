"""Connecting an editor: look, preview, install, remove, undo."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.core import atomic_file
from citeloom.core.errors import CiteLoomError, Code
from citeloom.editors import diff, history
from citeloom.editors.entry import made, merged, seen
from citeloom.editors.json_format import JsonText
from citeloom.editors.known_editors import CLIENTS, Machine, located, there
from citeloom.editors.toml_format import TomlText
from citeloom.editors.types import NAME, Change, Client, Found, Malformed, Unsuited
from citeloom.editors.yaml_format import YamlText

OTHER = "other"  # any program that takes the usual JSON

Text = JsonText | YamlText | TomlText
_BOM = "\ufeff"
# Next steps are read in a window and on the command line: they name what is done, not where it is clicked or typed.
_REMOVE = "Remove CiteLoom's entry instead: that leaves the rest of the file as it is."


def look(
    home: Path | None = None, system: str = sys.platform, environment: Mapping[str, str] | None = None
) -> list[Found]:
    """All known editors, in a fixed order, with what is seen of each on this machine. Changes nothing."""
    machine = Machine(home or Path.home(), system, os.environ if environment is None else environment)
    return [_looked_at(client, machine) for client in CLIENTS.values()]


def preview(found: Found, projects: Sequence[str], toolsets: Sequence[str]) -> str:
    """What install would change, as a unified diff; nothing is written."""
    before, after = _planned(found, lambda text: _put(found.client, text, projects, toolsets))
    return _diff(found.file, before, after)


def install(found: Found, projects: Sequence[str], toolsets: Sequence[str]) -> Change:
    """Put the entry into the editor's file, for these projects (none: all) and toolsets."""
    before, after = _planned(found, lambda text: _put(found.client, text, projects, toolsets))
    return _write(found, before, after)


def remove(found: Found) -> Change:
    """Take the entry out of the editor's file, and nothing else."""
    before, after = _planned(found, lambda text: text.take())
    if before is None or before == after:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{found.client.name} has no entry {NAME} in {found.file}.",
            "There is nothing to remove.",
        )
    return _write(found, before, _as_it_was(found, before, after))


def undo(change: Change) -> None:
    """Restore exactly what was before a change, if nobody has changed the file since."""
    atomic_file.check_writable(change.file)
    current = atomic_file.read(change.file)
    if atomic_file.fingerprint(current) != change.written:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{change.file} was changed since by another program, so it was left alone.",
            _REMOVE,
        )
    before = None if change.backup is None else atomic_file.read(change.backup)
    if change.backup is not None and before is None:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND,
            f"The backup {change.backup} is gone.",
            _REMOVE,
        )
    if change.created or change.backup is not None:
        atomic_file.replace(change.file, current, before)
    history.forget(change)


def last_change(found: Found) -> Change:
    """The last change that was made to an editor's file, for undo."""
    change = history.last(found.client.id, found.file)
    if change is None:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"CiteLoom has changed nothing in {found.client.name}.", "There is nothing to undo."
        )
    return change


def snippet(client_id: str, projects: Sequence[str], toolsets: Sequence[str]) -> str:
    """The entry to copy, as an editor takes it; for "other", as most programs take it."""
    client = Client(OTHER, "another program", "json", "mcpServers") if client_id == OTHER else known(client_id)
    return _text_of(client, "").put(made(client, projects, toolsets))


def known(client_id: str) -> Client:
    """An editor by its id."""
    if client_id not in CLIENTS:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"CiteLoom knows no editor {client_id}.", f"It knows: {', '.join(CLIENTS)}."
        )
    return CLIENTS[client_id]


# -- reading ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Read:
    content: bytes | None
    text: Text
    bom: bool

    def encoded(self, text: str) -> bytes:
        return (_BOM + text if self.bom else text).encode("utf-8")


def _looked_at(client: Client, machine: Machine) -> Found:
    file, installed = located(client, machine)
    exists, connected, problem = there(file), None, None
    try:
        read = _read(client, file)
        raw = read.text.entry()
        connected = None if raw is None else seen(raw)
        atomic_file.check_writable(file)
    except CiteLoomError as error:
        problem = error
    return Found(client, file, installed, connected, problem, exists)


def _read(client: Client, file: Path) -> _Read:
    content = atomic_file.read(file)
    if content is None and client.older_file and there(file.with_name(client.older_file)):
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{client.name} still uses {client.older_file}, and a new {file.name} would hide it.",
            f"Move your settings over to {file.name} first, or put CiteLoom's entry in by hand.",
        )
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"{file} is not written in UTF-8.", "Save it as UTF-8, then try again."
        ) from None
    bom = text.startswith(_BOM)
    try:
        return _Read(content, _text_of(client, text.removeprefix(_BOM)), bom)
    except Malformed as fault:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{file} is not sound: {fault}.",
            f"Mend it, or move it away and let {client.name} write a new one.",
        ) from None


def _text_of(client: Client, text: str) -> Text:
    if client.form == "yaml":
        return YamlText(text, client.servers)
    if client.form == "toml":
        return TomlText(text, client.servers)
    return JsonText(text, client.servers, strict=client.form == "json")


# -- changing --------------------------------------------------------------------------------------------------


def _put(client: Client, text: Text, projects: Sequence[str], toolsets: Sequence[str]) -> str:
    old = text.entry()
    new = merged(old, made(client, projects, toolsets))
    if old == new:
        return text.text
    after = (text if text.data() else _begun(client, text.text)).put(new)
    if _text_of(client, after).entry() != new:
        raise Unsuited("the entry would not mean what it shall")
    return after


def _begun(client: Client, text: str) -> Text:
    """A file that says nothing yet, with what its program wants to see first."""
    gap = "\n" if text and not text.endswith("\n") and client.fresh else ""
    return _text_of(client, text + gap + client.fresh)


def _planned(found: Found, change: Callable[[Any], str]) -> tuple[bytes | None, bytes]:
    """What is in the file, and what a change would make of it; proven to leave everything else as it was."""
    read = _read(found.client, found.file)
    if found.exists and read.content is None:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND, f"{found.file} was there a moment ago and is gone.", "Look again. Nothing was written."
        )
    atomic_file.check_writable(found.file)
    try:
        after = change(read.text)
        if read.text.data() and repr(_text_of(found.client, after).rest()) != repr(read.text.rest()):
            raise Unsuited("the rest of it would have changed its meaning")
        return read.content, read.encoded(after)
    except (Malformed, Unsuited) as error:
        reason = "it leaves no room for an entry" if isinstance(error, Malformed) else error
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The entry cannot be changed safely in {found.file}: {reason}.",
            "Change CiteLoom's entry by hand. Nothing was written.",
        ) from None
    except UnicodeEncodeError:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            "The path of CiteLoom, of its data or the name of a project holds characters that no file can hold.",
            "Rename it. Nothing was written.",
        ) from None


def _as_it_was(found: Found, before: bytes, after: bytes) -> bytes | None:
    """The very content from before the entry was put in, where that is known; else what is left without it."""
    entry = _text_of(found.client, before.decode("utf-8").removeprefix(_BOM)).entry()
    for backup in atomic_file.backups(found.file):
        with contextlib.suppress(CiteLoomError):  # one that cannot be read is as good as none
            content = atomic_file.read(backup)
            if content is not None and _gives(found.client, content, entry, before):
                return content
    ours = history.created(found.client.id, found.file) and _gives(found.client, None, entry, before)
    return None if ours else after


def _gives(client: Client, content: bytes | None, entry: Any, wanted: bytes) -> bool:
    """Whether putting the entry into a content gives what is wanted."""
    try:
        text = ("" if content is None else content.decode("utf-8")).removeprefix(_BOM)
        empty = _text_of(client, text)
        begun = empty if empty.data() else _begun(client, text)
        return begun.entry() is None and begun.put(entry).encode() == wanted.removeprefix(_BOM.encode())
    except (Malformed, Unsuited, UnicodeError):
        return False


def _write(found: Found, before: bytes | None, after: bytes | None) -> Change:
    file, client = found.file, found.client
    shown = _diff(file, before, after)
    if before == after:
        return Change(client.id, file, None, False, "", atomic_file.fingerprint(before))
    backup = None if before is None else atomic_file.back_up(file, before)
    try:
        atomic_file.replace(file, before, after)
        if atomic_file.read(file) != after:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"{file} was changed by another program just as it was written.",
                f"Look at it; what was there before is kept as {backup}." if backup else "Look at it.",
            )
    except CiteLoomError:
        if backup and atomic_file.read(file) == before:
            backup.unlink(missing_ok=True)  # of a change that did not happen
        raise
    change = Change(client.id, file, backup, before is None, shown, atomic_file.fingerprint(after))
    history.remember(change)
    return change


def _diff(file: Path, before: bytes | None, after: bytes | None) -> str:
    return diff.shown(file, (before or b"").decode("utf-8"), (after or b"").decode("utf-8"))
