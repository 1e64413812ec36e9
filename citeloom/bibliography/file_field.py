"""Parses the `file` field of bibliographic files, as Zotero, Better BibTeX, JabRef and Mendeley write it."""

from __future__ import annotations

import re
from urllib.parse import unquote

# A field whose backslashes are Windows separators, not escapes: C:\Users, \\server\share.
_LONE_BACKSLASH = re.compile(r"(?<!\\)(?:\\\\)*\\[A-Za-z0-9]")
_MEDIA_TYPE = re.compile(r"[a-z]+/[\w.+-]+", re.IGNORECASE)
_SHORT_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9 +]{0,15}")
_ROOTED = re.compile(r"[/~\\]|\./|\.\./|[A-Za-z]:[/\\]")
_REMOTE = re.compile(r"(?!file:)[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
_DRIVE = re.compile(r"(?:file:/+)?[A-Za-z]", re.IGNORECASE)
_LATEX_ESCAPED = "_&%#${} "


def parse_file_field(value: str) -> tuple[str, ...]:
    """Return the paths in a `file` field: one path, a list of paths, or `Description:path:type` triples."""
    value = value.replace("$\\backslash$", "\\").replace("\n", " ")
    paths = [_path(parts) for parts in _split(value)]
    return tuple(dict.fromkeys(path for path in paths if path and not _REMOTE.match(path)))


def _split(value: str) -> list[list[str]]:
    """Split at `;` into attachments and each attachment at `:`; escaped separators do not split."""
    escaped = _LONE_BACKSLASH.search(value) is None
    attachments = [[""]]
    characters = iter(value)
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            if (following and following in ":;") or (escaped and following in "\\" + _LATEX_ESCAPED):
                attachments[-1][-1] += following
            else:
                attachments[-1][-1] += character + following
        elif character == ";":
            attachments.append([""])
        elif character == ":":
            attachments[-1].append("")
        elif character not in "{}":
            attachments[-1][-1] += character
    return attachments


def _path(parts: list[str]) -> str:
    parts = _with_drive_letters(parts)
    if len(parts) == 1:
        path = parts[0]
    elif _MEDIA_TYPE.fullmatch(parts[-1].strip()) or _SHORT_TYPE.fullmatch(parts[-1].strip()):
        # Everything before the path is the description, which may contain colons.
        path = parts[-2]
    elif parts[-1] == "" and len(parts) > 2:  # JabRef leaves an unknown type empty
        path = parts[-2]
    elif _ROOTED.match(parts[0].strip()):
        path = ":".join(parts)  # a plain path whose file name contains a colon
    else:
        path = parts[-1]
    path = path.strip()
    if path.lower().startswith("file:"):
        path = re.sub(r"^/(?=[A-Za-z]:)", "", unquote(re.sub(r"^file:(?://(?:localhost)?)?", "", path, flags=re.I)))
    return path


def _with_drive_letters(parts: list[str]) -> list[str]:
    """Rejoin the parts of a drive path (`C`, `\\Users…`) or an address (`https`, `//…`)."""
    joined: list[str] = []
    for part in parts:
        before = joined[-1].strip() if joined else ""
        drive = _DRIVE.fullmatch(before) and part[:1] in ("/", "\\")
        if joined and (drive or (part.startswith("//") and before.lower() in ("http", "https", "file"))):
            joined[-1] = f"{before}:{part}"
        else:
            joined.append(part)
    return joined
