"""What is kept in step without anybody asking: Zotero, folders, and references."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

from citeloom.config import Watch
from citeloom.engine.watch_files import FileWatch
from citeloom.engine.watcher import Look, Watcher
from citeloom.errors import CiteLoomError
from citeloom.store import Catalog
from citeloom.zotero.connect import Zotero
from citeloom.zotero.remembered import one_round

log = logging.getLogger(__name__)


class Watching:
    """The watchers of an engine; `sync` has a project synced where something changed, but not while it is paused."""

    def __init__(
        self,
        settings: Watch,
        catalog: Catalog,
        zotero: Zotero,
        sync: Callable[[str], None],
        paused: Callable[[], bool],
    ) -> None:
        self._catalog = catalog
        self._zotero = zotero
        self._sync = sync
        self._paused = paused
        self._missed: set[str] = set()  # projects whose files changed while it was paused
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
        if self._watcher:
            self._watcher.start()

    def stop(self) -> None:
        """End at once."""
        if self._watcher:
            self._watcher.stop()
        if self._files:
            self._files.stop()

    def resume(self) -> None:
        """Catch up with what changed in files meanwhile; Zotero is looked at as if it had just been opened."""
        missed, self._missed = self._missed, set()

        def catch_up() -> None:
            for project_id in sorted(missed):
                try:
                    self._files_changed(project_id)
                except CiteLoomError as error:  # it may have been removed since
                    log.warning("%s could not be brought into step: %s", project_id, error)

        if missed:
            threading.Thread(target=catch_up, name="catch-up", daemon=True).start()

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
        if self._paused():
            self._missed.add(project_id)
        else:
            self._sync(project_id)

    def _any_zotero(self) -> bool:
        return not self._paused() and bool(self._catalog.projects.reading_zotero())

    def _look(self) -> Look:
        return Look(*self._zotero.look())

    def _sync_all(self) -> None:
        problems = []
        with one_round():
            for project_id in self._catalog.projects.reading_zotero():
                try:
                    self._sync(project_id)
                except CiteLoomError as error:
                    problems.append(error)
        if problems:
            raise problems[0]
