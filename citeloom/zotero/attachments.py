"""Locating the file of an attachment on this disk, or the reason why it is missing. Used by the gateway."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path, PureWindowsPath

from citeloom.core.text.normalize import fold_case
from citeloom.zotero.types import AttachmentFile, Item

_RELATIVE = "attachments:"
_KEY = re.compile(r"[A-Z0-9]{8}")  # the key is the name of the attachment's folder; anything else is refused
NO_FILE = {
    "linked_url": "It is a link to a web page; there is no file.",
    "embedded_image": "It is a picture within a note; there is no file to read.",
}


def file_of(attachment: Item, data_folder: Path | None, base_folder: Path | None) -> AttachmentFile:
    """Return the file of an attachment, stored by Zotero or linked; or the reason why there is none."""
    mode = attachment.data.get("linkMode")
    try:
        if mode in ("imported_file", "imported_url"):
            return _stored(attachment, data_folder)
        if mode == "linked_file":
            return _linked(str(attachment.data.get("path") or ""), base_folder)
    except (OSError, ValueError) as error:  # no permission, a name too long, a NUL in it
        return _missing(f"The file cannot be read ({getattr(error, 'strerror', None) or error}).")
    return _missing(NO_FILE.get(str(mode), "Zotero does not say where the file is."))


def _stored(attachment: Item, data_folder: Path | None) -> AttachmentFile:
    name = str(attachment.data.get("filename") or "")
    if not name:
        return _missing("Zotero does not say what the file is called.")
    if not _KEY.fullmatch(attachment.key) or name in (".", "..") or _has_separator(name):
        return _missing(f"Zotero names a path outside the attachment's own folder ({name}), which is not read.")
    if data_folder is None:
        return _missing("It is not known where Zotero stores its files on this computer.")
    folder = data_folder / "storage" / attachment.key
    expected = folder / name
    if _is_regular_file(folder, expected):  # the fast path for nearly all files
        return _readable(expected, str(folder))
    path = _as_spelled_on_disk(expected)
    if path is None:
        return _missing(f"Zotero has not downloaded {name} to this computer.")
    if not path.resolve().is_relative_to(folder.resolve()):
        return _missing(f"{name} is a link to a path outside the attachment's own folder, which is not read.")
    return _readable(path, str(folder))


def _linked(written: str, base_folder: Path | None) -> AttachmentFile:
    if not written:
        return _missing("Zotero does not say where the linked file is.")
    if written.startswith(_RELATIVE):
        rest = written.removeprefix(_RELATIVE).replace("\\", "/")
        if base_folder is None:
            return _missing(
                f"The linked file {rest} is relative to a base folder, and none is set on this computer "
                "(in Zotero: Settings, Advanced, Files and Folders, Linked Attachment Base Directory)."
            )
        if ".." in rest.split("/") or rest.startswith("/") or PureWindowsPath(rest).drive:
            return _missing(f"The linked file {rest} is outside the base folder {base_folder}, so it is not read.")
        expected = base_folder / rest
    else:
        expected = Path(written)
        if not expected.is_absolute():
            return _missing(f"The linked file {written} is on another computer.")
    path = _as_spelled_on_disk(expected)
    return _readable(path) if path else _missing(f"The linked file {expected} is not on this computer.")


def _is_regular_file(folder: Path, file: Path) -> bool:
    """Return whether a file is a regular file in a real folder, without symbolic links."""
    try:
        return stat.S_ISREG(os.lstat(file).st_mode) and stat.S_ISDIR(os.lstat(folder).st_mode)
    except FileNotFoundError:
        return False


def _as_spelled_on_disk(expected: Path) -> Path | None:
    """Return the existing path that differs at most in Unicode form and case, or None."""
    for path in dict.fromkeys(
        (expected, *(Path(unicodedata.normalize(form, str(expected))) for form in ("NFC", "NFD")))
    ):
        if path.exists():
            return path
        if path.parent.is_dir():
            similar = [
                one for one in path.parent.iterdir() if fold_case(one.name) == fold_case(path.name) and one.exists()
            ]
            if len(similar) == 1:
                return similar[0]
    return None


def _has_separator(name: str) -> bool:
    # On POSIX, a backslash is an ordinary character.
    return "/" in name or (os.name == "nt" and ("\\" in name or ":" in name))


def _readable(path: Path, within: str = "") -> AttachmentFile:
    about = path.stat()
    if stat.S_ISDIR(about.st_mode):
        return _missing(f"{path} is a folder, not a file.")
    if not os.access(path, os.R_OK):
        return _missing(f"{path} may not be read.")
    return AttachmentFile(path, size=about.st_size, mtime_ns=about.st_mtime_ns, within=within)


def _missing(reason: str) -> AttachmentFile:
    return AttachmentFile(None, reason)
