"""Creates backups: a consistent copy of catalog and indexes in one zip file that needs no server."""

from __future__ import annotations

import errno
import hashlib
import tempfile
import zipfile
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from citeloom import __version__
from citeloom.api.activity import StartedJob
from citeloom.api.maintenance import BackupResult, StartBackup
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.backup_copy import copy_for_backup
from citeloom.catalog.projects import Project
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file
from citeloom.core.jobs import JobQueue
from citeloom.importing.requests import BackupRequest
from citeloom.importing.writer import repair
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.edge.sparse_files import disk_usage_of_file, filled
from citeloom.maintenance.backup_archive import CATALOG, FORMAT, INDEX, MANIFEST, SETTINGS, Manifest
from citeloom.maintenance.index_copy import check
from citeloom.maintenance.pending_restore import BACKUP_FOLDER
from citeloom.maintenance.single_step_job import SingleStepJob

_MEGABYTE = 1_000_000


@dataclass
class BackupService:
    """Queues backups."""

    _catalog: Catalog
    _jobs: JobQueue

    @handles(StartBackup)
    def start(self, request: StartBackup) -> StartedJob:
        """Queue a backup of these projects, or of all; raise an error at once if it is impossible."""
        file = Path(request.file)
        _refuse_existing(file)
        if not file.parent.is_dir():
            raise CiteLoomError(
                Code.FILE_NOT_FOUND, f"There is no folder {file.parent}.", "Create it, or choose another."
            )
        projects = self._catalog.projects
        chosen = {projects.get(one).id for one in request.projects} or {project.id for project in projects.all()}
        if not chosen:
            raise CiteLoomError(Code.INVALID_INPUT, "There is no project yet.", "There is nothing to back up.")
        job = self._jobs.submit(BackupRequest(str(file), sorted(chosen), selected=bool(request.projects)))
        return StartedJob(job.id, self._jobs.state(job))


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise CiteLoomError(Code.INVALID_INPUT, f"{file} exists already.", "Choose another name, or delete it first.")


class BackupJob(SingleStepJob[BackupRequest]):
    """Creates one backup. It runs in the job queue, so no import writes meanwhile, and agents wait."""

    def __post_init__(self) -> None:
        self._file = Path(self._request.file)
        self._projects = [self._catalog.projects.get(one) for one in self._request.projects]
        self._packed = self._total = 0  # bytes

    def do(self) -> None:
        """Write the backup file."""
        unfinished = self._file.with_name(f".{self._file.name}.unfinished")
        # Another backup with the same name may have been queued too.
        file_exists = partial(_refuse_existing, self._file)
        try:
            with (
                tempfile.TemporaryDirectory(dir=paths.folders().data, prefix=BACKUP_FOLDER) as folder,
                atomic_file.replacing(self._file, unfinished, sync=True, check=file_exists) as output,
                self._indexes.lock_writers(self._projects, "backed up"),
            ):
                manifest = self._pack(output, Path(folder))
                for project in self._projects:
                    self._catalog.projects.get(project.id)  # raises an error if it was removed meanwhile
        except OSError as error:
            raise _write_error(self._file, error) from error
        moved = [project.id for project in self._projects if project.server]
        self.result = BackupResult(
            file=str(self._file),
            projects=[project.id for project in self._projects],
            passages=sum(project["passages"] for project in manifest.projects),
            bytes=self._file.stat().st_size,
        )
        if moved:
            self.result.warnings.append(f"{', '.join(moved)}: copied from a server; restored, the index is embedded.")

    def _pack(self, output: BinaryIO, temporary: Path) -> Manifest:
        folders = {project.id: self._folder(project, temporary) for project in self._projects}
        copy_for_backup(self._catalog.db, temporary / CATALOG, list(folders), selected=self._request.selected)
        manifest = Manifest(
            FORMAT,
            __version__,
            datetime.now().astimezone().isoformat(timespec="seconds"),
            self._catalog.db.version,
            [self._describe_project(project) for project in self._projects],
        )
        files = {CATALOG: temporary / CATALOG}
        settings = Path(paths.settings_file())
        if settings.is_file():
            files[SETTINGS] = settings
        for project in self._projects:
            folder, place = folders[project.id], project.index_location
            for file in sorted(f for f in folder.rglob("*") if f.is_file()):
                name = f"{INDEX}/{place.name}/g{place.generation:04d}/{file.relative_to(folder).as_posix()}"
                files[name] = file
        self._total = sum(disk_usage_of_file(file) for file in files.values())
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, file in files.items():
                manifest.entries[name] = self._pack_file(archive, name, file)
            archive.writestr(MANIFEST, manifest.to_json())
        return manifest

    def _folder(self, project: Project, temporary: Path) -> Path:
        """Return a folder with the current index of the project."""
        collection = self._indexes.open(project)
        repair(self._catalog, project, collection)
        if not project.server:
            collection.flush()
            return self._indexes.collections.folder(project.index_location)
        folder = temporary / project.collection
        made = EdgeCollection.create(folder, project.dense_size, sparse=project.hybrid_enabled)
        try:
            done = self.copy_index(collection, made, lambda step: step(), project.id)
            check(collection, made, done.sample)
        finally:
            made.close()
        return folder

    def _describe_project(self, project: Project) -> dict[str, object]:
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

    def _pack_file(self, archive: zipfile.ZipFile, name: str, file: Path) -> dict[str, object]:
        digest = hashlib.sha256()
        runs: list[list[int]] = []  # start and length of the non-empty parts of the file
        about = zipfile.ZipInfo(name, datetime.now().timetuple()[:6])
        about.compress_type = zipfile.ZIP_DEFLATED
        about.external_attr = 0o600 << 16
        with archive.open(about, "w", force_zip64=True) as target:
            for at, block in filled(file):
                self.check_stop()
                target.write(block)
                digest.update(block)
                if runs and sum(runs[-1]) == at:
                    runs[-1][1] += len(block)
                else:
                    runs.append([at, len(block)])
                self._packed += len(block)
                self.report("pack", self._packed // _MEGABYTE, self._total // _MEGABYTE)
        return {"size": file.stat().st_size, "runs": runs, "sha256": digest.hexdigest()}


def _write_error(file: Path, error: OSError) -> CiteLoomError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    reason = "the disk is full" if full else (error.strerror or type(error).__name__)
    step = "Free some disk space" if full else "Check the folder's permissions"
    return CiteLoomError(
        Code.STORAGE_ERROR, f"{file} could not be written: {reason}.", f"{step}, or choose another folder."
    )
