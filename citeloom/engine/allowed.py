"""What an agent may reach: only what the researcher allowed, after links are resolved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citeloom.documents.formats import SUPPORTED_SUFFIXES, file_type
from citeloom.errors import CiteLoomError, Code
from citeloom.store import Source


def allowed_path(given: str, sources: Sequence[Source], references: str | None) -> Path:
    """The place an agent named, if it is among a project's folders and files or is its references."""
    named = Path(given).expanduser()
    roots = [Path(s.path) for s in sources if s.kind == "folder"]
    missing = None
    for candidate in [named] if named.is_absolute() else [root / named for root in roots]:
        try:
            path = candidate.resolve()
        except (OSError, RuntimeError):  # a loop of links
            continue
        if any(s.holds(path) or path == Path(s.path) for s in sources) or str(path) == references:
            if path.exists():
                return path
            missing = missing or path
    if missing is not None:
        raise _not_there(missing)
    raise CiteLoomError(
        Code.PERMISSION_DENIED,
        "That place is not among the folders this project may read.",
        "The researcher can allow it: citeloom ingest PROJECT FOLDER.",
    )


def existing(path: str) -> Path:
    """The place a person named, if it is there."""
    found = Path(path).expanduser().resolve()
    if not found.exists():
        raise _not_there(found)
    return found


def _not_there(path: Path) -> CiteLoomError:
    return CiteLoomError(
        Code.FILE_NOT_FOUND,
        f"There is no file or folder {path}.",
        "Check the path, or that its drive is connected.",
    )


def check_kind(path: Path) -> None:
    """Refuse a file that no converter reads."""
    if path.is_file() and file_type(path) is None:
        raise CiteLoomError(
            Code.UNSUPPORTED_FORMAT,
            f"CiteLoom cannot read {path.suffix or 'files without a suffix'}.",
            f"It reads {', '.join(sorted(SUPPORTED_SUFFIXES))}.",
        )
