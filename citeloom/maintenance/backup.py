"""Makes backups: catalog and indexes as they were at one moment, in one file that needs no server."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO

from citeloom import __version__
from citeloom.catalog import Catalog
from citeloom.catalog.backup_copy import copy_for_backup
from citeloom.catalog.projects import Project
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Report
from citeloom.importing.index_location import place_of
from citeloom.importing.requests import BackupRequest
from citeloom.importing.writer import mend
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.edge.sparse_files import disk_usage_of_file, filled
from citeloom.library.indexes import Indexes
from citeloom.maintenance.backup_archive import CATALOG, FORMAT, INDEX, MANIFEST, SETTINGS, Manifest
from citeloom.maintenance.index_copy import check, copy
from citeloom.maintenance.restore_finish import ASIDE
from citeloom.maintenance.single_step_job import Chore

_MEGABYTE = 1_000_000
_FULL = (errno.ENOSPC, errno.EDQUOT)


def wanted(catalog: Catalog, file: str, projects: list[str]) -> BackupRequest:
    """The request for a backup, once it can be made."""
    target = Path(file)
    _refuse_existing(target)
    if not target.parent.is_dir():
        raise CiteLoomError(Code.FILE_NOT_FOUND, f"There is no folder {target.parent}.", "Make it, or choose another.")
    chosen = [catalog.projects.get(one).id for one in projects] or [project.id for project in catalog.projects.all()]
    if not chosen:
        raise CiteLoomError(Code.INVALID_INPUT, "There is no project yet.", "There is nothing to be kept.")
    return BackupRequest(str(target), sorted(set(chosen)))


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise CiteLoomError(Code.INVALID_INPUT, f"{file} is there already.", "Choose another name, or delete it first.")


class Backup(Chore):
    """Makes one backup. It runs in the queue: no import writes meanwhile, and agents wait."""

    def __init__(
        self, catalog: Catalog, indexes: Indexes, request: BackupRequest, report: Report, stop: threading.Event
    ) -> None:
        super().__init__(report, stop)
        self._catalog = catalog
        self._indexes = indexes
        self._file = Path(request.file)
        self._projects = [catalog.projects.get(one) for one in request.projects]
        self._packed = self._all = 0  # bytes

    def do(self) -> None:
        """Write it beside, then give it its name."""
        beside = self._file.with_name(f".{self._file.name}.unfinished")
        data = Path(paths.folders().data)
        with _said(self._file), tempfile.TemporaryDirectory(dir=data, prefix=ASIDE) as aside:
            try:
                with self._indexes.untouched(self._projects, "backed up"):
                    manifest = self._write(beside, Path(aside))
                    for project in self._projects:
                        self._catalog.projects.get(project.id)  # somebody may have removed it meanwhile
                _refuse_existing(self._file)  # another backup of the same name may have waited with this one
                beside.replace(self._file)
            finally:
                beside.unlink(missing_ok=True)
        moved = [project.id for project in self._projects if project.server]
        self.result.said = {
            "file": str(self._file),
            "projects": [project.id for project in self._projects],
            "passages": sum(project["passages"] for project in manifest.projects),
            "bytes": self._file.stat().st_size,
        }
        if moved:
            self.result.warnings.append(f"{', '.join(moved)}: copied from a server; restored, the index is embedded.")

    def _write(self, beside: Path, aside: Path) -> Manifest:
        folders = {project.id: self._folder(project, aside) for project in self._projects}
        copy_for_backup(self._catalog.db, aside / CATALOG, list(folders))
        manifest = Manifest(
            FORMAT,
            __version__,
            datetime.now().astimezone().isoformat(timespec="seconds"),
            self._catalog.db.version,
            [self._described(project) for project in self._projects],
        )
        files = {CATALOG: aside / CATALOG}
        settings = Path(paths.settings_file())
        if settings.is_file():
            files[SETTINGS] = settings
        for project in self._projects:
            folder, place = folders[project.id], place_of(project)
            for file in sorted(f for f in folder.rglob("*") if f.is_file()):
                name = f"{INDEX}/{place.name}/g{place.generation:04d}/{file.relative_to(folder).as_posix()}"
                files[name] = file
        self._all = sum(disk_usage_of_file(file) for file in files.values())
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "w+b") as output:
            with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for name, file in files.items():
                    manifest.entries[name] = self._pack(archive, name, file)
                archive.writestr(MANIFEST, manifest.to_json())
            output.flush()
            os.fsync(output.fileno())
        return manifest

    def _folder(self, project: Project, aside: Path) -> Path:
        """A folder with the project's index as it is now."""
        collection = self._indexes.open(project)
        mend(self._catalog, project, collection)
        if not project.server:
            collection.flush()
            return self._indexes.collections.folder(place_of(project))
        folder = aside / project.collection
        made = EdgeCollection.create(folder, project.dense_size, sparse=project.hybrid_enabled)
        try:
            done = copy(
                collection,
                made,
                lambda done, total: self.tell("copy", done, total, project.id),
                lambda: self._indexes.collections.build_graph_if_large(made, self.building_graph(), self._stop),
                self._stop.is_set,
                lambda step: step(),
            )
            check(collection, made, done.sample)
        finally:
            made.close()
        return folder

    def _described(self, project: Project) -> dict[str, object]:
        return {
            "id": project.id,
            "collection": project.collection,
            "generation": project.generation,
            "passages": self._indexes.open(project).count(),
            "dense_model": project.dense_model,
            "dense_fingerprint": project.dense_fingerprint,
            "sparse_model": project.sparse_model,
            "was_on": project.server,
        }

    def _pack(self, archive: zipfile.ZipFile, name: str, file: Path) -> dict[str, object]:
        seen = hashlib.sha256()
        runs: list[list[int]] = []  # where the file is filled, and how far
        with _entry(archive, name) as target:
            for at, block in filled(file):
                self.check_stop()
                target.write(block)
                seen.update(block)
                if runs and sum(runs[-1]) == at:
                    runs[-1][1] += len(block)
                else:
                    runs.append([at, len(block)])
                self._packed += len(block)
                self.tell("pack", self._packed // _MEGABYTE, self._all // _MEGABYTE)
        return {"size": file.stat().st_size, "runs": runs, "sha256": seen.hexdigest()}


def _entry(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    about = zipfile.ZipInfo(name, datetime.now().timetuple()[:6])
    about.compress_type = zipfile.ZIP_DEFLATED
    about.external_attr = 0o600 << 16
    return archive.open(about, "w", force_zip64=True)


@contextmanager
def _said(file: Path) -> Iterator[None]:
    """Say of a file that cannot be written why."""
    try:
        yield
    except OSError as error:
        full = error.errno in _FULL
        why = "the disk is full" if full else (error.strerror or type(error).__name__)
        step = "Free some space" if full else "Look at the folder's rights"
        raise CiteLoomError(
            Code.STORAGE_ERROR, f"{file} could not be written: {why}.", f"{step}, or choose another folder."
        ) from error
