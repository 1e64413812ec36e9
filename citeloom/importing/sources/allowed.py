"""Validates paths given by agents and people: an agent may read only what the researcher allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from citeloom.conversion.formats import SUPPORTED_SUFFIXES, file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source


def allowed_path(given: str, sources: Sequence[Source], references: str | None) -> Path:
    """Return the path an agent gave, if it is in the project's sources or is its references file."""
    named = Path(given)
    roots = [Path(s.path) for s in sources if s.kind == "folder"]
    missing = None
    for candidate in [named] if named.is_absolute() or given.startswith("~") else [root / named for root in roots]:
        path = _resolved(candidate)
        if path is None:
            continue
        if any(s.contains(path) or path == Path(s.path) for s in sources) or str(path) == references:
            if _exists(path):
                return path
            missing = missing or path
    if missing is not None:
        raise not_found(missing)
    raise CiteLoomError(
        Code.PERMISSION_DENIED,
        "That place is not among the folders this project may read.",
        "The researcher can allow it: citeloom ingest PROJECT FOLDER.",
    )


def existing(path: str) -> Path:
    """Return the path a person gave, if it exists."""
    found = _resolved(Path(path))
    if found is None or not _exists(found):
        raise not_found(found or Path(path))
    return found


def _resolved(path: Path) -> Path | None:
    """Return a path with links resolved; None if that fails, as for a loop of links or an unknown user."""
    try:
        return path.expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # the name is too long, or invalid
        return False


def not_found(path: Path) -> CiteLoomError:
    """Return the error for a path that does not exist."""
    return CiteLoomError(
        Code.FILE_NOT_FOUND,
        f"There is no file or folder {path}.",
        "Check the path, or that its drive is connected.",
    )


def check_kind(path: Path) -> None:
    """Raise an error for a file of a format that no converter reads."""
    if path.is_file() and file_type(path) is None:
        raise CiteLoomError(
            Code.UNSUPPORTED_FORMAT,
            f"CiteLoom cannot read {path.suffix or 'files without a suffix'}.",
            f"It reads {', '.join(sorted(SUPPORTED_SUFFIXES))}.",
        )
