"""The last step of a restore: the engine swaps the unpacked data in when it starts, before it opens anything.

Light to import, because every start of the engine runs it.
"""

from __future__ import annotations

import errno
import json
import logging
import shutil
from pathlib import Path

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file

log = logging.getLogger(__name__)

RESTORE_FOLDER = "restoring-"  # prefix of the folders in which a backup is unpacked
BACKUP_FOLDER = ".backup-"  # prefix of the folders in which one is created
_PLAN = "restore.json"


def schedule(staged: Path, aside: str, names: list[str]) -> None:
    """Schedule the swap for the next start; the present data are moved to the folder `aside`, or deleted."""
    plan = staged.parent / _PLAN
    # A kill before this write leaves the old data in place; after it, the new data.
    content = json.dumps({"staged": staged.name, "aside": aside, "names": names})
    atomic_file.write(plan, content.encode(), plan.with_suffix(".new"))


def apply() -> None:
    """Carry out a scheduled restore. After a kill, the next engine continues it."""
    data = Path(paths.folders().data)
    try:
        _apply(data)
    except (OSError, ValueError, KeyError) as error:
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"A backup could not be moved into {data}: {error}.",
            "Free some disk space or check the folder's permissions, then start CiteLoom again: the restore continues.",
        ) from error


def _apply(data: Path) -> None:
    plan_file = data / _PLAN
    if not plan_file.exists():
        # Remains of a killed backup, or of a restore that was not scheduled yet.
        for unfinished in (*data.glob(f"{RESTORE_FOLDER}*"), *data.glob(f"{BACKUP_FOLDER}*")):
            shutil.rmtree(unfinished, ignore_errors=True)
        return
    plan = json.loads(plan_file.read_text(encoding="utf-8"))
    staged = data / plan["staged"]
    aside = data / (plan["aside"] or f"{RESTORE_FOLDER}replaced")
    aside.mkdir(exist_ok=True)
    own = {"catalog.db": paths.catalog_file(), "index": paths.index_folder(), "citeloom.toml": paths.settings_file()}
    for name in plan["names"]:
        new, target = staged / name, Path(own[name])
        if not new.exists():  # moved by an earlier attempt
            continue
        # The catalog's log first: next to another catalog it would damage it.
        for old in (*target.parent.glob(f"{target.name}-*"), target) if target.suffix == ".db" else (target,):
            if old.exists():
                _move(old, aside / old.name)
        _move(new, target)
    shutil.rmtree(staged, ignore_errors=True)
    if not plan["aside"]:
        shutil.rmtree(aside, ignore_errors=True)
    plan_file.unlink()
    log.info("restored %s", ", ".join(plan["names"]))


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:  # the settings may be on another disk
            raise
        shutil.move(source, target)
