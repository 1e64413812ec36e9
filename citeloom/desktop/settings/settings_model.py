"""The model of the settings page: the settings file, read and written off the UI thread and watched for changes."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Any

from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from citeloom.core import paths
from citeloom.core import settings as config
from citeloom.core.errors import CiteLoomError
from citeloom.core.settings import Settings
from citeloom.desktop.shell.engine_tasks import EngineTasks, Task
from citeloom.desktop.widgets.basics import single_shot

_DEBOUNCE_MS = 200  # an editor may write a file in several steps
_DEFAULTS = Settings()


class SettingsFileModel(QObject):
    """Qt model of the settings file: reads and writes off the UI thread, one at a time, and reloads when another
    program changes it.
    """

    changed = Signal()  # the settings, or whether the file can be used
    saved = Signal(str)  # the setting that was written
    refused = Signal(str, object)  # the setting that was not, and a CiteLoomError

    def __init__(self, tasks: EngineTasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self.file = Path(paths.settings_file())
        self.settings = _DEFAULTS
        self.problem: CiteLoomError | None = None  # why the file cannot be used
        self.loaded = False
        self._unsaved: dict[str, Any] = {}  # values still to be written, by setting
        self._task: Task | None = None
        self._reload_later = False
        self._watcher = QFileSystemWatcher(self)
        self._debounce = single_shot(self, _DEBOUNCE_MS, self.reload)
        self._watcher.fileChanged.connect(self._on_file_changed)
        self._watcher.directoryChanged.connect(self._on_file_changed)

    @property
    def usable(self) -> bool:
        """Whether the settings can be shown and changed."""
        return self.loaded and self.problem is None

    def value(self, name: str) -> Any:
        """Return a setting by its dotted name: the unsaved value of the page, else the value of the file."""
        chosen = self._unsaved.get(name, ...)
        if chosen is ...:
            return attrgetter(name)(self.settings)
        return self.default(name) if chosen is None else chosen

    def default(self, name: str) -> Any:
        """Return the default of a setting."""
        return attrgetter(name)(_DEFAULTS)

    def reload(self) -> None:
        """Read the file again."""
        if self._task:
            self._reload_later = True
            return
        self._watch()
        self._task = self._tasks.run(
            self, lambda: config.load_or_defaults(self.file), done=self._on_read, failed=self._on_unreadable
        )

    def change(self, name: str, value: Any) -> None:
        """Write a setting; None resets it to its default."""
        self._unsaved.pop(name, None)
        self._unsaved[name] = value
        self._write()

    def _write(self) -> None:
        if self._task or not self._unsaved:
            return
        name, value = next(iter(self._unsaved.items()))

        def done(settings: Settings) -> None:
            self._written(name, value)
            self.settings, self.problem, self.loaded = settings, None, True
            self.changed.emit()
            self.saved.emit(name)
            self._next()

        def failed(error: CiteLoomError) -> None:
            self._written(name, value)
            self._reload_later = True  # the file itself may be invalid
            self.changed.emit()
            self.refused.emit(name, error)
            self._next()

        self._task = self._tasks.run(self, lambda: config.change({name: value}, self.file), done=done, failed=failed)

    def _written(self, name: str, value: Any) -> None:
        if self._unsaved.get(name, ...) == value:  # it may have been changed again meanwhile
            del self._unsaved[name]

    def _on_read(self, read: tuple[Settings, CiteLoomError | None]) -> None:
        settings, problem = read
        # While the file is invalid, its previous values stay in force.
        settings = self.settings if problem else settings
        same = self.loaded and settings == self.settings and str(problem) == str(self.problem)
        self.settings, self.problem, self.loaded = settings, problem, True
        if not same:
            self.changed.emit()
        self._next()

    def _on_unreadable(self, error: CiteLoomError) -> None:
        self._tasks.failed.emit(error)
        self._next()

    def _next(self) -> None:
        self._task = None
        if self._unsaved:
            self._write()
        elif self._reload_later:
            self._reload_later = False
            self.reload()

    def _on_file_changed(self, _: str) -> None:
        if not self._debounce.isActive():  # not restarted: the engine writes to the same folder all the time
            self._debounce.start()

    def _watch(self) -> None:
        """Watch the file, and the folder in which it may appear or be replaced."""
        folder = next((path for path in self.file.parents if path.is_dir()), None)
        needed = {str(path) for path in (self.file, folder) if path is not None and path.exists()}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if removed := watched - needed:
            self._watcher.removePaths(sorted(removed))
        if new := needed - watched:
            self._watcher.addPaths(sorted(new))
