"""Connecting editors: detect, preview, install, remove and undo CiteLoom's entry in an editor's settings file.

Called by the command line and the desktop app. A change is checked to leave the meaning of everything else as it was,
backed up, written in one step and recorded, so that it can be undone.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file
from citeloom.editors import history
from citeloom.editors.config_text import SERVER_NAME, ConfigText, MalformedConfig, UnsafeEdit
from citeloom.editors.diff import unified_diff
from citeloom.editors.entry import build_entry, merge_entry, parse_entry
from citeloom.editors.json_format import JsonText
from citeloom.editors.known_editors import EDITORS, OTHER, OTHER_EDITOR, exists, locate
from citeloom.editors.toml_format import TomlText
from citeloom.editors.types import Change, DetectedEditor, Editor, UserEnvironment
from citeloom.editors.yaml_format import YamlText

# Next steps are read in a window and on the command line: they name what is done, not where it is clicked or typed.
_REMOVE = "Remove CiteLoom's entry instead: that leaves the rest of the file as it is."


def detect_editors(
    home: Path | None = None, system: str = sys.platform, variables: Mapping[str, str] | None = None
) -> list[DetectedEditor]:
    """Return all known editors as found on this machine, in a fixed order."""
    user = UserEnvironment(home or Path.home(), system, os.environ if variables is None else variables)
    return [_detect(editor, user) for editor in EDITORS.values()]


def detect_editor(editor_id: str) -> DetectedEditor:
    """Return one editor as found on this machine."""
    return _detect(_editor(editor_id), UserEnvironment(Path.home(), sys.platform, os.environ))


def preview(found: DetectedEditor, projects: Sequence[str], toolsets: Sequence[str]) -> str:
    """Return what install would change, as a unified diff."""
    return unified_diff(found.file, *_plan_install(found, projects, toolsets))


def install(found: DetectedEditor, projects: Sequence[str], toolsets: Sequence[str]) -> Change:
    """Write the entry into the editor's file, for these projects (none: all) and toolsets."""
    return _write(found, *_plan_install(found, projects, toolsets))


def remove(found: DetectedEditor) -> Change:
    """Remove the entry from the editor's file, and nothing else."""
    before, after = _plan(found, lambda config: config.without_entry())
    if before is None or before == after:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{found.editor.name} has no entry {SERVER_NAME} in {found.file}.",
            "There is nothing to remove.",
        )
    return _write(found, before, _content_before_install(found, before, after))


def undo(change: Change) -> None:
    """Restore the content from before a change, unless the file was changed since."""
    atomic_file.check_writable(change.file)
    current = atomic_file.read(change.file)
    if atomic_file.fingerprint(current) != change.written:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{change.file} was changed by another program since then, so it was not restored.",
            _REMOVE,
        )
    before = None if change.backup is None else atomic_file.read(change.backup)
    if change.backup is not None and before is None:
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"The backup {change.backup} no longer exists.", _REMOVE)
    if change.created or change.backup is not None:
        atomic_file.replace(change.file, current, before)
    history.discard(change)


def last_change(found: DetectedEditor) -> Change:
    """Return the last change that CiteLoom made to an editor's file."""
    change = history.last_change(found.editor.id, found.file)
    if change is None:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"CiteLoom has changed nothing in {found.editor.name}.", "There is nothing to undo."
        )
    return change


def snippet(editor_id: str, projects: Sequence[str], toolsets: Sequence[str]) -> str:
    """Return the entry to copy by hand, in the format of an editor or of any other program."""
    editor = OTHER_EDITOR if editor_id == OTHER else _editor(editor_id)
    return _config_text(editor, "").with_entry(build_entry(editor, projects, toolsets))


def _editor(editor_id: str) -> Editor:
    if editor_id not in EDITORS:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"{editor_id} is not a known editor.", f"Known editors: {', '.join(EDITORS)}."
        )
    return EDITORS[editor_id]


# -- reading ---------------------------------------------------------------------------------------------------


def _detect(editor: Editor, user: UserEnvironment) -> DetectedEditor:
    file, installed = locate(editor, user)
    file_exists, connected, problem = exists(file), None, None
    try:
        _, config = _read(editor, file)
        connected = None if config.entry is None else parse_entry(config.entry)
        atomic_file.check_writable(file)
    except CiteLoomError as error:
        problem = error
    return DetectedEditor(editor, file, installed, connected, problem, file_exists)


def _read(editor: Editor, file: Path) -> tuple[bytes | None, ConfigText]:
    content = atomic_file.read(file)
    if content is None and editor.legacy_file and exists(file.with_name(editor.legacy_file)):
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{editor.name} still uses {editor.legacy_file}, and a new {file.name} would hide it.",
            f"Move your settings to {file.name} first, or add CiteLoom's entry by hand.",
        )
    try:
        return content, _parse(editor, content)
    except UnicodeDecodeError:
        raise CiteLoomError(
            Code.INVALID_INPUT, f"{file} is not written in UTF-8.", "Save it as UTF-8, then try again."
        ) from None
    except MalformedConfig as error:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"{file} is not valid: {error}.",
            f"Fix it, or move it away and let {editor.name} write a new one.",
        ) from None


def _parse(editor: Editor, content: bytes | None) -> ConfigText:
    return _config_text(editor, (content or b"").decode("utf-8-sig"))


def _config_text(editor: Editor, text: str) -> ConfigText:
    if editor.format == "yaml":
        return YamlText(text, editor.servers_key)
    if editor.format == "toml":
        return TomlText(text, editor.servers_key)
    return JsonText(text, editor.servers_key, strict=editor.format == "json")


# -- changing --------------------------------------------------------------------------------------------------


def _plan_install(
    found: DetectedEditor, projects: Sequence[str], toolsets: Sequence[str]
) -> tuple[bytes | None, bytes]:
    def with_entry(config: ConfigText) -> str:
        entry = merge_entry(config.entry, build_entry(found.editor, projects, toolsets))
        if config.entry == entry:
            return config.text
        text = _initialized(found.editor, config).with_entry(entry)
        if _config_text(found.editor, text).entry != entry:
            raise UnsafeEdit("the entry would be read differently")
        return text

    return _plan(found, with_entry)


def _initialized(editor: Editor, config: ConfigText) -> ConfigText:
    """Return the text of a file, beginning with what its program requires if it holds no data yet."""
    if config.data or not editor.initial_text:
        return config
    gap = "\n" if config.text and not config.text.endswith("\n") else ""
    return _config_text(editor, config.text + gap + editor.initial_text)


def _plan(found: DetectedEditor, edit: Callable[[ConfigText], str]) -> tuple[bytes | None, bytes]:
    """Return the content of the file and what an edit makes of it; refuse an edit that changes anything else."""
    content, config = _read(found.editor, found.file)
    if found.exists and content is None:
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"{found.file} no longer exists.", "Try again. Nothing was written.")
    atomic_file.check_writable(found.file)
    try:
        text = edit(config)
        if config.data and repr(_config_text(found.editor, text).other_data) != repr(config.other_data):
            raise UnsafeEdit("the rest of it would have changed its meaning")
        bom = codecs.BOM_UTF8 if content and content.startswith(codecs.BOM_UTF8) else b""
        return content, bom + text.encode("utf-8")
    except (MalformedConfig, UnsafeEdit) as error:
        reason = "an entry cannot be added to it" if isinstance(error, MalformedConfig) else error
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"The entry cannot be changed safely in {found.file}: {reason}.",
            "Change CiteLoom's entry by hand. Nothing was written.",
        ) from None
    except UnicodeEncodeError:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            "The path of CiteLoom, of its data or the name of a project has characters that no file can contain.",
            "Rename it. Nothing was written.",
        ) from None


def _content_before_install(found: DetectedEditor, before: bytes, after: bytes) -> bytes | None:
    """Return the exact content from before the entry was installed, if a backup has it; else the one without it."""
    entry = _parse(found.editor, before).entry
    for backup in atomic_file.backups(found.file):
        with contextlib.suppress(CiteLoomError):  # an unreadable backup counts as none
            content = atomic_file.read(backup)
            if content is not None and _install_gives(found.editor, content, entry, before):
                return content
    created = history.was_created(found.editor.id, found.file)
    return None if created and _install_gives(found.editor, None, entry, before) else after


def _install_gives(editor: Editor, content: bytes | None, entry: Any, expected: bytes) -> bool:
    """Return whether installing the entry into a content gives the expected one."""
    try:
        config = _initialized(editor, _parse(editor, content))
        return config.entry is None and config.with_entry(entry).encode() == expected.removeprefix(codecs.BOM_UTF8)
    except (MalformedConfig, UnsafeEdit, UnicodeError, RecursionError):
        return False


def _write(found: DetectedEditor, before: bytes | None, after: bytes | None) -> Change:
    file, editor = found.file, found.editor
    if before == after:
        return Change(editor.id, file, None, False, "", atomic_file.fingerprint(before))
    diff = unified_diff(file, before, after)
    backup = None if before is None else atomic_file.back_up(file, before)
    try:
        atomic_file.replace(file, before, after)
        if atomic_file.read(file) != after:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"{file} was changed by another program just as it was written.",
                f"Check the file; its earlier content is kept as {backup}." if backup else "Check the file.",
            )
    except CiteLoomError:
        if backup and atomic_file.read(file) == before:
            backup.unlink(missing_ok=True)  # the change failed
        raise
    change = Change(editor.id, file, backup, before is None, diff, atomic_file.fingerprint(after))
    history.record(change)
    return change
