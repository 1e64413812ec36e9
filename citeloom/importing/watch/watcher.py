"""What is kept in step without anybody asking: Zotero, folders, and references."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from citeloom.catalog import Catalog
from citeloom.core.errors import CiteLoomError
from citeloom.core.settings import Watch
from citeloom.importing.watch.files import FileWatch
from citeloom.importing.watch.zotero_polling import Look, Watcher
from citeloom.zotero.cached_source import source_cache
from citeloom.zotero.gateway import ZoteroGateway

log = logging.getLogger(__name__)


class Watching:
    """The watchers of an engine; `sync` has a project synced where something changed, but not while it is paused."""

    def __init__(
        self,
        settings: Watch,
        catalog: Catalog,
        zotero: ZoteroGateway,
        sync: Callable[[str], None],
        paused: Callable[[], bool],
    ) -> None:
        self._catalog = catalog
        self._zotero = zotero
        self._sync = sync
        self._paused = paused
        self._ended = threading.Event()
        wanted = os.environ.get("CITELOOM_WATCH") != "off"  # for scripts that import step by step
        self._files = FileWatch(self._files_changed) if settings.files and wanted else None
        self._watcher = (
            Watcher(self._look, self._sync_all, self._any_zotero, settings.zotero_seconds)
            if settings.zotero and wanted
            else None
        )

    def start(self) -> None:
        """Begin."""
        if self._files:
            self._files.start()
        self.look_again()
        self._catch_up()
        if self._watcher:
            self._watcher.start()

    def stop(self) -> None:
        """End at once."""
        self._ended.set()
        if self._watcher:
            self._watcher.stop()
        if self._files:
            self._files.stop()

    def resume(self) -> None:
        """Catch up with what changed in files meanwhile; Zotero is looked at as if it had just been opened."""
        self._catch_up()

    def _catch_up(self) -> None:
        """Follow what changed in files while nobody watched, or while a pause let it pass."""
        if self._files:
            threading.Thread(target=self._follow_files, name="catch-up", daemon=True).start()

    def _follow_files(self) -> None:
        try:
            for project in self._catalog.projects.all():
                if self._places(project.id, project.references_path) and not self._ended.is_set():
                    self._follow_quietly(project.id)
        except CiteLoomError as error:
            if not self._ended.is_set():
                log.warning("changes since the last time could not be looked for: %s", error)

    def _follow_quietly(self, project_id: str) -> None:
        try:
            self._files_changed(project_id)
        except Exception:  # it may have been removed since, and the others wait
            log.exception("%s could not be brought into step", project_id)

    def look_again(self) -> None:
        """Projects have other sources than before."""
        if self._watcher:
            self._watcher.poke()
        if self._files:
            self._files.set_places({p.id: self._places(p.id, p.references_path) for p in self._catalog.projects.all()})

    def _places(self, project_id: str, references: str | None) -> list[Path]:
        sources = [Path(s.path) for s in self._catalog.projects.sources(project_id) if s.kind != "zotero"]
        return [*sources, *([Path(references)] if references else [])]

    def _files_changed(self, project_id: str) -> None:
        if not self._paused():  # after a pause, everything is looked at
            self._sync(project_id)

    def _any_zotero(self) -> bool:
        return not self._paused() and bool(self._catalog.projects.reading_zotero())

    def _look(self) -> Look:
        return Look(*self._zotero.look())

    def _sync_all(self) -> None:
        problems = []
        with source_cache():
            for project_id in self._catalog.projects.reading_zotero():
                try:
                    self._sync(project_id)
                except CiteLoomError as error:
                    problems.append(error)
        if problems:
            raise problems[0]
