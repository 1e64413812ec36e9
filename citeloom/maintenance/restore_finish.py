"""The last step of a restore, taken by the engine before it opens anything: the data of a backup become its own.

Light: whatever starts the engine passes through it.
"""

from __future__ import annotations

import errno
import json
import logging
import shutil
from pathlib import Path

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code

log = logging.getLogger(__name__)

STAGED = "restoring-"  # how the names of folders begin in which a backup is unpacked
ASIDE = ".backup-"  # and those in which one is put together
_MARK = "restore.json"


def decide(staged: Path, aside: str, names: list[str]) -> None:
    """Have the next engine begin with what was unpacked; what is here now goes to a folder aside, or if "", away."""
    mark = staged.parent / _MARK
    beside = mark.with_suffix(".new")
    beside.write_text(json.dumps({"staged": staged.name, "aside": aside, "names": names}), encoding="utf-8")
    beside.replace(mark)  # from here on a kill leaves the new; before, it left the old


def finish() -> None:
    """Do what was decided. Cut short by a kill, it is done again from there by the next engine."""
    data = Path(paths.folders().data)
    try:
        _finish(data)
    except (OSError, ValueError, KeyError) as error:
        raise CiteLoomError(
            Code.STORAGE_ERROR,
            f"A backup could not be put in its place in {data}: {error}.",
            "Free some space or look at your rights there, then start CiteLoom again: it goes on.",
        ) from error


def _finish(data: Path) -> None:
    mark = data / _MARK
    if not mark.exists():
        for left in (*data.glob(f"{STAGED}*"), *data.glob(f"{ASIDE}*")):  # by a kill, before it was decided
            shutil.rmtree(left, ignore_errors=True)
        return
    plan = json.loads(mark.read_text(encoding="utf-8"))
    staged = data / plan["staged"]
    aside = data / (plan["aside"] or f"{STAGED}replaced")
    aside.mkdir(exist_ok=True)
    for name in plan["names"]:
        new, home = staged / name, _home(name)
        if not new.exists():  # an earlier attempt came further
            continue
        # The catalog's log first: beside another catalog it would damage it.
        for old in (*home.parent.glob(f"{home.name}-*"), home) if home.suffix == ".db" else (home,):
            if old.exists():
                _put(old, aside / old.name)
        _put(new, home)
    shutil.rmtree(staged, ignore_errors=True)
    if not plan["aside"]:
        shutil.rmtree(aside, ignore_errors=True)
    mark.unlink()
    log.info("restored %s", ", ".join(plan["names"]))


def _put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:  # the settings may lie on another disk
            raise
        shutil.move(source, target)


def _home(name: str) -> Path:
    own = {"catalog.db": paths.catalog_file(), "index": paths.index_folder(), "citeloom.toml": paths.settings_file()}
    return Path(own[name])
