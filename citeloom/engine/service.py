"""The engine's own verbs: its state, pausing imports, cancelling jobs, and connected editors."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from citeloom import __version__
from citeloom.api.engine import (
    CancelJob,
    ConnectedEditor,
    DisconnectEditor,
    ListEditors,
    Pause,
    Resume,
    Status,
    StatusResult,
)
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.conversion.convert import CONVERTER_VERSION
from citeloom.core import paths
from citeloom.engine.jobs import JobQueue
from citeloom.engine.process_state import ProcessState
from citeloom.engine.sessions import Editors
from citeloom.importing.watch.watcher import ProjectWatcher
from citeloom.search.indexes import Indexes

log = logging.getLogger(__name__)


@dataclass
class EngineService:
    """Handles requests about the engine as a whole."""

    _catalog: Catalog
    _jobs: JobQueue
    _editors: Editors
    _indexes: Indexes
    _watcher: ProjectWatcher
    _process_state: ProcessState

    def __post_init__(self) -> None:
        self._pause_file = Path(paths.folders().data) / "paused"  # a pause survives restarts and crashes
        if self._pause_file.exists():
            self._jobs.set_paused(True)

    @handles(Status)
    def status(self, request: Status) -> StatusResult:
        """Return the state of the engine."""
        orphaned = self._indexes.orphaned_error()
        return StatusResult(
            version=__version__,
            pid=os.getpid(),
            data_folder=paths.folders().data,
            settings_file=paths.settings_file(),
            converter=CONVERTER_VERSION,
            projects=len(self._catalog.projects.all()),
            jobs=self._jobs.unfinished(),
            paused=self._jobs.paused,
            coverage=self._catalog.documents.coverage(),
            editors=len(self._editors.all()),
            settings_problem=self._process_state.settings_problem,
            orphaned_indexes=str(orphaned) if orphaned else None,
            started_by=self._process_state.started_by,
        )

    @handles(Pause)
    def pause(self, request: Pause) -> None:
        """Pause imports until they are resumed; running ones stop soon and are queued again."""
        try:
            self._pause_file.touch()
        except OSError as error:
            log.warning("the pause ends with this engine: %s", error)
        self._jobs.set_paused(True)

    @handles(Resume)
    def resume(self, request: Resume) -> None:
        """Resume imports, including what has changed since the pause."""
        self._pause_file.unlink(missing_ok=True)
        self._jobs.set_paused(False)
        self._watcher.resume()

    @handles(CancelJob)
    def cancel_job(self, request: CancelJob) -> bool:
        """End a job soon and for good; return whether there was such a job."""
        return self._jobs.cancel(request.job_id)

    @handles(ListEditors)
    def list_editors(self, request: ListEditors) -> list[ConnectedEditor]:
        """Return the connected editors."""
        return self._editors.all()

    @handles(DisconnectEditor)
    def disconnect_editor(self, request: DisconnectEditor) -> bool:
        """End an editor's session and refuse its bridge from now on; return whether there was such a session."""
        return self._editors.disconnect(request.session_id)
