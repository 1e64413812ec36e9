"""Restores backups: unpacks and checks one beside the present data; the next engine start swaps it in."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from citeloom.api.maintenance import (
    BackupContents,
    BackupProject,
    BackupSource,
    ReadBackup,
    Restore,
    RestoreResult,
    SettingDifference,
)
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.backup_copy import adopt_catalog
from citeloom.catalog.projects import collection_name
from citeloom.catalog.untrusted_catalog import InvalidCatalog, sources_of
from citeloom.core import paths, settings
from citeloom.core.cancel import Cancel
from citeloom.core.data_folder import free_bytes
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Settings
from citeloom.index.edge import checksums
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.edge.sparse_files import write_filled
from citeloom.maintenance import pending_restore
from citeloom.maintenance.backup_archive import CATALOG, INDEX, SETTINGS, Manifest, blocks, damaged, open_backup

_MAX_NAMED = 20  # sources in one message
# Settings that control what leaves this machine: a restore changes them only on explicit request.
_PROTECTED_SECTIONS = ("privacy", "zotero")
_PROTECTED = ("index.server", "models.allow_download")


@dataclass
class RestoreService:
    """Describes backups, and restores one."""

    _catalog: Catalog
    _min_free_mb: int

    @handles(ReadBackup)
    def read(self, request: ReadBackup) -> BackupContents:
        """Return the content of a backup, what it would replace, and what a person should know before."""
        file, data = Path(request.file), Path(paths.folders().data)
        with open_backup(file, self._catalog.db.version) as (archive, manifest), _unpacked_in(data) as staged:
            self._check_space(data, manifest)
            for name in (CATALOG, SETTINGS):
                if name in manifest.entries:
                    _unpack(file, archive, manifest, name, staged)
            packed = _settings_in(staged)
            return BackupContents(
                file=str(file),
                made_at=manifest.made_at,
                citeloom=manifest.citeloom,
                projects=[
                    BackupProject(one["id"], one["passages"], one.get("dense_model"), one.get("was_on"))
                    for one in manifest.projects
                ],
                settings=SETTINGS in manifest.entries,
                other_settings=_protected_differences(packed, settings.load_or_defaults()[0]) if packed else [],
                new_sources=self._new_sources(file, staged),
                bytes=manifest.unpacked_bytes,
                present=[project.id for project in self._catalog.projects.all()],
            )

    @handles(Restore)
    def restore(self, request: Restore, cancel: Cancel) -> RestoreResult:
        """Unpack and check a backup, and schedule the swap. The engine must stop then: the next start applies it."""
        file, replace, all_settings = Path(request.file), request.replace, request.all_settings
        self._present_projects(replace=replace)
        data = Path(paths.folders().data)
        staged = Path(tempfile.mkdtemp(dir=data, prefix=pending_restore.RESTORE_FOLDER))
        try:
            with open_backup(file, self._catalog.db.version) as (archive, manifest):
                self._check_space(data, manifest)
                for name in manifest.entries:
                    cancel.check()
                    _unpack(file, archive, manifest, name, staged)
            (staged / INDEX).mkdir(exist_ok=True)
            _refuse_unconfirmed(self._new_sources(file, staged), request.accepted)
            _check(file, staged, manifest)
            names = [CATALOG, INDEX]
            kept: list[SettingDifference] = []
            packed = _settings_in(staged)
            if packed and (replace or all_settings or not Path(paths.settings_file()).exists()):
                names.append(SETTINGS)
                kept = [] if all_settings else _protected_differences(packed, settings.load_or_defaults()[0])
                if kept:
                    (staged / SETTINGS).write_bytes(_with_current_values(_decoded(staged / SETTINGS), kept).encode())
            # Checked again: unpacking may have taken minutes, in which work may have started.
            replaced = self._present_projects(replace=replace) or (
                # Indexes without a project remain if the catalog was lost.
                any(Path(paths.index_folder()).glob("*/g*"))
                or (SETTINGS in names and Path(paths.settings_file()).exists())
            )
            aside = f"before-restore-{datetime.now():%Y-%m-%d-%H%M%S}" if replaced else ""
            pending_restore.schedule(staged, aside, names)
        except OSError as error:
            shutil.rmtree(staged, ignore_errors=True)
            raise _write_error(data, error) from error
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise
        return RestoreResult(
            projects=[project["id"] for project in manifest.projects],
            passages=sum(project["passages"] for project in manifest.projects),
            replaced_data=str(data / aside) if aside else None,
            settings=SETTINGS in names,
            kept_settings=kept,
            embedded=[project["id"] for project in manifest.projects if project.get("was_on")],
        )

    def _new_sources(self, file: Path, staged: Path) -> list[BackupSource]:
        """Return the sources of a backup's projects that no present project may read."""
        projects = self._catalog.projects
        present = [source for project in projects.all() for source in projects.sources(project.id)]
        references = {project.references_path for project in projects.all()}
        try:
            packed = [BackupSource(**source) for source in sources_of(staged / CATALOG)]
        except InvalidCatalog as error:
            raise damaged(file, str(error)) from error

        def known(source: BackupSource) -> bool:
            path = source.path
            return any(one.path == path or one.contains(Path(os.path.realpath(path))) for one in present) or (
                source.kind == "references" and path in references
            )

        return [source for source in packed if not known(source)]

    def _present_projects(self, *, replace: bool) -> list[str]:
        present = [project.id for project in self._catalog.projects.all()]
        if present and not replace:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"There are projects already: {', '.join(present[:10])}.",
                "A restore replaces all of them. With --replace, the present data are moved to another folder first.",
            )
        return present

    def _check_space(self, data: Path, manifest: Manifest) -> None:
        needed, free = manifest.unpacked_bytes / 1_000_000, free_bytes(data) / 1_000_000
        if free - self._min_free_mb < needed:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The backup holds {int(needed):,} MB, and the disk of {data} has {int(free):,} MB left.",
                "Nothing was changed. Free some disk space and try again.",
            )


def _unpack(file: Path, archive: zipfile.ZipFile, manifest: Manifest, name: str, staged: Path) -> None:
    """Write one entry; raise an error if it differs from the manifest."""
    entry, digest = manifest.entries[name], hashlib.sha256()
    target = staged / name
    target.parent.mkdir(parents=True, exist_ok=True)

    def checked() -> Iterator[tuple[int, bytes]]:
        for at, block in blocks(file, archive, name, entry["runs"]):
            digest.update(block)
            yield at, block

    write_filled(checked(), entry["size"], target)
    if digest.hexdigest() != entry.get("sha256"):
        raise damaged(file, f"{name} has changed since the backup was made")


@contextmanager
def _unpacked_in(data: Path) -> Iterator[Path]:
    """Create a temporary folder to unpack into."""
    try:
        with tempfile.TemporaryDirectory(dir=data, prefix=pending_restore.RESTORE_FOLDER) as folder:
            yield Path(folder)
    except OSError as error:
        raise _write_error(data, error) from error


def _settings_in(staged: Path) -> Settings | None:
    """Return the settings of a backup, if there are valid ones."""
    try:
        return settings.parse(_decoded(staged / SETTINGS))
    except (OSError, ValueError):
        return None


def _decoded(file: Path) -> str:
    return file.read_bytes().decode("utf-8-sig")


def _protected_differences(backup: Settings, current: Settings) -> list[SettingDifference]:
    """Return the protected settings that a backup would change."""
    in_sections = [f"{name}.{one.name}" for name in _PROTECTED_SECTIONS for one in fields(getattr(current, name))]
    return [
        SettingDifference(name, _value(current, name), _value(backup, name))
        for name in (*in_sections, *_PROTECTED)
        if _value(current, name) != _value(backup, name)
    ]


def _with_current_values(text: str, kept: Sequence[SettingDifference]) -> str:
    """Return the settings file of a backup with the present values of some settings."""
    defaults = Settings()
    values = {one.name: None if one.current == _value(defaults, one.name) else one.current for one in kept}
    return settings.with_changes(text, values)


def _value(of: Settings, name: str) -> Any:
    section, _, key = name.partition(".")
    return getattr(getattr(of, section), key)


def _refuse_unconfirmed(sources: Sequence[BackupSource], accepted: Collection[str]) -> None:
    """Raise an error for a backup with sources or settings that no person has agreed to."""
    unconfirmed = sorted({source.path for source in sources} - set(accepted))
    if unconfirmed:
        more = f" and {len(unconfirmed) - _MAX_NAMED} more" if len(unconfirmed) > _MAX_NAMED else ""
        raise CiteLoomError(
            Code.PERMISSION_DENIED,
            f"The backup's projects read places that no project here reads: "
            f"{', '.join(path[:200] for path in unconfirmed[:_MAX_NAMED])}{more}.",
            "Nothing was changed. If that is meant, restore it with --yes.",
            new_sources=unconfirmed,
        )


def _check(file: Path, staged: Path, manifest: Manifest) -> None:
    """Check that catalog and indexes can be opened and agree."""
    try:
        found = adopt_catalog(staged / CATALOG)
        if set(found) != {project["id"] for project in manifest.projects}:
            raise damaged(file, "its catalog has other projects than its manifest")
        folders = {}  # index folders by project
        for project_id, (name, generation) in found.items():
            if name != collection_name(project_id):  # the name is used as a folder
                raise damaged(file, f"the index of {project_id} has an unexpected name")
            folders[project_id] = f"{name}/g{generation:04d}"
        packed = {"/".join(PurePosixPath(name).parts[1:3]) for name in manifest.entries if "/" in name}
        if packed - set(folders.values()):
            raise damaged(file, "it has indexes that belong to no project")
        for project in manifest.projects:
            folder = staged / INDEX / folders[project["id"]]
            checksums.forget(folder)  # not trusted: without them, it is opened in another process first
            index = EdgeCollection.open(folder)
            passages = index.count()
            index.close()
            if passages != project["passages"]:
                raise damaged(file, f"the index of {project['id']} holds {passages} of {project['passages']} passages")
    except (CiteLoomError, InvalidCatalog, TypeError, ValueError) as error:
        if isinstance(error, CiteLoomError) and error.message.startswith(str(file)):
            raise
        raise damaged(file, getattr(error, "message", None) or str(error) or "its catalog cannot be read") from error


def _write_error(data: Path, error: OSError) -> CiteLoomError:
    return CiteLoomError(
        Code.STORAGE_ERROR,
        f"The backup could not be unpacked in {data}: {error.strerror or type(error).__name__}.",
        "Nothing was changed. Free some disk space or check the folder's permissions, then try again.",
    )
