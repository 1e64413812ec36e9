"""Restores a backup: everything is unpacked and checked beside what is here, then the engine begins with it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from citeloom import paths
from citeloom.engine import restored
from citeloom.engine.backup_file import CATALOG, INDEX, SETTINGS, Manifest, blocks, damaged, opened
from citeloom.engine.cancel import Cancel
from citeloom.errors import CiteLoomError, Code
from citeloom.index import checksums
from citeloom.index.edge import EdgeCollection
from citeloom.index.holes import write_filled
from citeloom.store import Catalog, collection_name
from citeloom.store.backup import made_own


class Restoring:
    """Looks at backups, and takes one."""

    def __init__(self, catalog: Catalog, least_free_mb: int) -> None:
        self._catalog = catalog
        self._least_free = least_free_mb * 1_000_000

    def look(self, file: Path) -> dict[str, Any]:
        """What a backup holds, and what it would take the place of; its contents are not read yet."""
        with opened(file, self._catalog.db.version) as (_, manifest):
            return {
                "file": str(file),
                "made_at": manifest.made_at,
                "citeloom": manifest.citeloom,
                "projects": [
                    {key: project.get(key) for key in ("id", "passages", "dense_model", "was_on")}
                    for project in manifest.projects
                ],
                "settings": SETTINGS in manifest.entries,
                "bytes": manifest.room,
                "here": [project.id for project in self._catalog.projects.all()],
            }

    def restore(self, file: Path, cancel: Cancel, *, replace: bool) -> dict[str, Any]:
        """Unpack and check a backup, and decide for it. Then the engine has to end: the next one begins with it."""
        self._projects_here(replace=replace)
        data = Path(paths.folders().data)
        staged = Path(tempfile.mkdtemp(dir=data, prefix=restored.STAGED))
        try:
            with opened(file, self._catalog.db.version) as (archive, manifest):
                self._check_room(data, manifest)
                for name in manifest.entries:
                    cancel.check()
                    _unpack(file, archive, manifest, name, staged)
            (staged / INDEX).mkdir(exist_ok=True)
            _check(file, staged, manifest)
            names = [CATALOG, INDEX]
            if SETTINGS in manifest.entries and (replace or not Path(paths.settings_file()).exists()):
                names.append(SETTINGS)
            # Looked at again: unpacking may have taken minutes, in which somebody began to work.
            here = self._projects_here(replace=replace)
            # Indexes without a project are what is left where the catalog was lost.
            kept = here or any(Path(paths.index_folder()).glob("*/g*"))
            aside = f"before-restore-{datetime.now():%Y-%m-%d-%H%M%S}" if kept else ""
            restored.decide(staged, aside, names)
        except OSError as error:
            shutil.rmtree(staged, ignore_errors=True)
            raise _unwritable(data, error) from error
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise
        return {
            "projects": [project["id"] for project in manifest.projects],
            "passages": sum(project["passages"] for project in manifest.projects),
            "aside": str(data / aside) if aside else None,
            "settings": SETTINGS in names,
            "embedded": [project["id"] for project in manifest.projects if project.get("was_on")],
        }

    def _projects_here(self, *, replace: bool) -> list[str]:
        here = [project.id for project in self._catalog.projects.all()]
        if here and not replace:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"There are projects here already: {', '.join(here[:10])}.",
                "A restore takes the place of all of them. With --replace, what is here is put aside first.",
            )
        return here

    def _check_room(self, data: Path, manifest: Manifest) -> None:
        free = shutil.disk_usage(data).free
        if free - self._least_free < manifest.room:
            needed, left = manifest.room // 1_000_000, free // 1_000_000
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The backup holds {needed:,} MB, and the disk of {data} has {left:,} MB left.",
                "Nothing was changed. Free some space and try again.",
            )


def _unpack(file: Path, archive: zipfile.ZipFile, manifest: Manifest, name: str, staged: Path) -> None:
    """Write one entry, and refuse it where it is not what the list says."""
    entry, seen = manifest.entries[name], hashlib.sha256()
    target = staged / name
    target.parent.mkdir(parents=True, exist_ok=True)

    def checked() -> Iterator[tuple[int, bytes]]:
        for at, block in blocks(file, archive, name, entry["runs"]):
            seen.update(block)
            yield at, block

    write_filled(checked(), entry["size"], target)
    if seen.hexdigest() != entry.get("sha256"):
        raise damaged(file, f"{name} is not as it was when the backup was made")


def _check(file: Path, staged: Path, manifest: Manifest) -> None:
    """The catalog and the indexes can be opened, and hold the same."""
    try:
        found = made_own(staged / CATALOG)
        if set(found) != {project["id"] for project in manifest.projects}:
            raise damaged(file, "its catalog has other projects than its list")
        for project in manifest.projects:
            name, generation = found[project["id"]]
            if name != collection_name(project["id"]):  # it names a folder
                raise damaged(file, f"the index of {project['id']} has another name than it should have")
            folder = staged / INDEX / name / f"g{generation:04d}"
            checksums.forget(folder)  # whoever made the backup wrote them: it is opened in another process first
            index = EdgeCollection.open(folder)
            passages = index.count()
            index.close()
            if passages != project["passages"]:
                raise damaged(file, f"the index of {project['id']} holds {passages} of {project['passages']} passages")
    except (CiteLoomError, TypeError, ValueError) as error:
        if isinstance(error, CiteLoomError) and error.message.startswith(str(file)):
            raise
        raise damaged(file, getattr(error, "message", "its catalog is not understood")) from error


def _unwritable(data: Path, error: OSError) -> CiteLoomError:
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"The backup could not be unpacked in {data}: {error.strerror or type(error).__name__}.",
        "Nothing was changed. Free some space or look at your rights there, then try again.",
    )
