"""Syncs projects automatically when Zotero, their folders or their references change. The engine starts one watcher."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from citeloom.catalog import Catalog
from citeloom.core.errors import CiteLoomError
from citeloom.core.settings import Watch
from citeloom.importing.watch.files import FileWatcher
from citeloom.importing.watch.zotero_polling import ZoteroPoller
from citeloom.zotero.cached_source import source_cache
from citeloom.zotero.gateway import ZoteroGateway

log = logging.getLogger(__name__)


class ProjectWatcher:
    """Watches what all projects read; nothing is synced while imports are paused."""

    def __init__(self, settings: Watch, catalog: Catalog, zotero: ZoteroGateway, paused: Callable[[], bool]) -> None:
        self._catalog = catalog
        self._paused = paused
        self._sync: Callable[[str], None] = lambda project_id: None
        self._stopped = threading.Event()
        enabled = os.environ.get("CITELOOM_WATCH") != "off"  # for scripts that import step by step
        self._files = FileWatcher(self._on_files_changed) if settings.files and enabled else None
        self._poller = (
            ZoteroPoller(zotero.probe, self._sync_all, self._reads_zotero, settings.zotero_seconds)
            if settings.zotero and enabled
            else None
        )

    def start(self, sync: Callable[[str], None]) -> None:
        """Start watching; `sync` is called with the id of a project that has changed."""
        self._sync = sync
        if self._files:
            self._files.start()
        self.sources_changed()
        self.resume()
        if self._poller:
            self._poller.start()

    def stop(self) -> None:
        """Stop at once."""
        self._stopped.set()
        if self._poller:
            self._poller.stop()
        if self._files:
            self._files.stop()

    def resume(self) -> None:
        """Sync what changed in files before the start or during a pause; the poller treats Zotero as newly opened."""
        if self._files:
            threading.Thread(target=self._sync_files, name="catch-up", daemon=True).start()

    def sources_changed(self) -> None:
        """Update the watches to the current sources of all projects."""
        if self._poller:
            self._poller.sync_soon()
        if self._files:
            self._files.watch_paths(
                {p.id: self._watched_paths(p.id, p.references_path) for p in self._catalog.projects.all()}
            )

    def _sync_files(self) -> None:
        try:
            for project in self._catalog.projects.all():
                if not self._watched_paths(project.id, project.references_path) or self._stopped.is_set():
                    continue
                try:
                    self._on_files_changed(project.id)
                except Exception:  # it may have been removed since, and must not block the others
                    log.exception("%s could not be synced", project.id)
        except CiteLoomError as error:
            if not self._stopped.is_set():
                log.warning("changes since the last start could not be checked: %s", error)

    def _watched_paths(self, project_id: str, references: str | None) -> list[Path]:
        sources = [Path(s.path) for s in self._catalog.projects.sources(project_id) if s.kind != "zotero"]
        return [*sources, *([Path(references)] if references else [])]

    def _on_files_changed(self, project_id: str) -> None:
        if not self._paused():  # `resume` compares all files
            self._sync(project_id)

    def _reads_zotero(self) -> bool:
        return not self._paused() and bool(self._catalog.projects.with_zotero_source())

    def _sync_all(self) -> None:
        problems = []
        with source_cache():
            for project_id in self._catalog.projects.with_zotero_source():
                try:
                    self._sync(project_id)
                except CiteLoomError as error:
                    problems.append(error)
        if problems:
            raise problems[0]
