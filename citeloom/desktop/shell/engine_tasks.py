"""The one way from the windows to what may take time: off the UI thread, with success, failure and progress."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot

from citeloom import __version__
from citeloom.api.verbs import R, Request
from citeloom.core.errors import CiteLoomError, Code
from citeloom.desktop.shell.translations import translate
from citeloom.ipc import launch
from citeloom.ipc.client import Client, stop_engine

log = logging.getLogger(__name__)

Done = Callable[[Any], None]
Failed = Callable[[CiteLoomError], None]

_THREADS = 4
_CLOSE_SECONDS = 5.0  # for all threads together; one that starts the engine may take longer, and is left to itself
_PAUSES = (0.1, 0.5, 1.0, 2.0, 5.0)  # seconds between two attempts to reach an engine that cannot be had
# Asked again by themselves when the engine ended in the middle: they only read.
_READING = {
    *("status", "project_list", "project_show", "plan", "documents", "page_picture"),
    *("zotero_status", "zotero_collections", "editors", "jobs", "log", "log_passages"),
    *("cache_show", "sizes", "ocr", "models", "doctor", "index_show", "index_test", "restore_look"),
}


class Task:
    """One piece of work under way; what comes of it is handed over in the UI thread."""

    def __init__(self, owner: QObject, done: Done | None, failed: Failed | None, progress: Done | None) -> None:
        self._owner = owner
        self._done, self._failed, self._progress = done, failed, progress
        self._dropped = False

    def drop(self) -> None:
        """Nobody waits for it any more: whatever comes of it is not handed over."""
        self._dropped = True

    @property
    def wanted(self) -> bool:
        """Whether somebody still waits for it."""
        return not self._dropped and shiboken6.isValid(self._owner)

    def hand_over(self, kind: str, value: Any) -> None:
        """Tell the owner, in the UI thread."""
        if not self.wanted:
            return
        if kind != "progress":
            self._dropped = True
        tell = {"done": self._done, "failed": self._failed, "progress": self._progress}[kind]
        if tell is not None:
            tell(value)


class EngineTasks(QObject):
    """Engine calls and other slow work for the windows, and the engine's events as they come."""

    told = Signal(dict)  # one of engine.events, as JSON
    reached = Signal(dict)  # the engine answers; its status
    lost = Signal(object)  # it does not: a CiteLoomError; it is being started again
    failed = Signal(object)  # a CiteLoomError that its asker does not handle itself
    _handed = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._handed.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._clients: set[Client] = set()
        self._lock = threading.Lock()
        self._local = threading.local()
        self._closing = threading.Event()
        self._leaving = False
        self._open = 0  # pieces of work that have not ended
        self._threads = [threading.Thread(target=self._serve, name=f"link-{n}", daemon=True) for n in range(_THREADS)]
        self._watcher = threading.Thread(target=self._watch, name="link-events", daemon=True)

    def start(self) -> None:
        """Reach the engine, starting it where there is none, and stay in touch."""
        for thread in (*self._threads, self._watcher):
            thread.start()

    def leave(self) -> None:
        """The app is about to end: an engine that ends from now on is not started again."""
        self._leaving = True

    def close(self) -> None:
        """Hang up; nothing is handed over any more. The engine is left as it is."""
        if self._closing.is_set():
            return
        self._closing.set()
        for _ in self._threads:
            self._work.put(None)
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            client.hang_up()
        until = time.monotonic() + _CLOSE_SECONDS
        for thread in (*self._threads, self._watcher):
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))

    def send(
        self,
        owner: QObject,
        request: Request[R],
        *,
        done: Callable[[R], None] | None = None,
        failed: Failed | None = None,
    ) -> Task:
        """Send a request to the engine; `done` gets its result, `failed` a CiteLoomError."""
        return self.run(owner, lambda tell: self._result(request), done=done, failed=failed)

    def ask(
        self,
        owner: QObject,
        verb: str,
        args: Mapping[str, Any] | None = None,
        *,
        done: Done | None = None,
        failed: Failed | None = None,
    ) -> Task:
        """Have the engine do something; `done` gets its result, `failed` a CiteLoomError."""
        return self.run(owner, lambda tell: self._call(verb, dict(args or {})), done=done, failed=failed)

    def run(
        self,
        owner: QObject,
        work: Callable[[Done], Any],
        *,
        done: Done | None = None,
        failed: Failed | None = None,
        progress: Done | None = None,
    ) -> Task:
        """Do something slow in a thread; `work` is given a function to tell how far it has come."""
        task = Task(owner, done, failed or self.failed.emit, progress)

        def job() -> None:
            if task.wanted:
                self._do(task, work)
            self._count(-1)

        self._count(1)
        self._later(job)
        return task

    @property
    def at_rest(self) -> bool:
        """Whether everything that was asked has been answered."""
        return self._open == 0

    def restart_engine(self, owner: QObject, *, done: Done | None = None, failed: Failed | None = None) -> Task:
        """End the engine that runs, of whatever version; the next call starts the one that belongs to this app."""
        return self.run(owner, lambda tell: stop_engine(), done=done, failed=failed)

    def _later(self, job: Callable[[], None]) -> None:
        self._work.put(job)

    def _count(self, by: int) -> None:
        with self._lock:
            self._open += by

    # -- in the threads ------------------------------------------------------------------------------------------

    def _serve(self) -> None:
        while (job := self._work.get()) is not None and not self._closing.is_set():
            job()
        self._forget_client()

    def _do(self, task: Task, work: Callable[[Done], Any]) -> None:
        try:
            result = work(lambda value: self._handed.emit(task, "progress", value))
        except CiteLoomError as error:
            outcome: tuple[str, Any] = ("failed", _for_windows(error))
        except Exception as error:
            log.exception("a task of the app failed")
            message = f"Something unexpected happened ({type(error).__name__}: {error})."
            outcome = ("failed", CiteLoomError(Code.INTERNAL_ERROR, message, "The app's log says more."))
        else:
            outcome = ("done", result)
        if not self._closing.is_set():
            self._handed.emit(task, *outcome)

    @Slot(object, str, object)
    def _hand_over(self, task: Task, kind: str, value: Any) -> None:
        if not self._closing.is_set():
            task.hand_over(kind, value)

    def _result(self, request: Request[R]) -> R:
        try:
            return self._send(request)
        except CiteLoomError as error:
            if error.code != Code.ENGINE_UNAVAILABLE or self._closing.is_set() or not request.read_only:
                raise
        return self._send(request)

    def _send(self, request: Request[R]) -> R:
        try:
            return self._client().call(request)
        except CiteLoomError as error:
            if error.code == Code.ENGINE_UNAVAILABLE:
                self._forget_client()
            raise

    def _call(self, verb: str, args: dict[str, Any]) -> Any:
        try:
            return self._ask(verb, args)
        except CiteLoomError as error:
            if error.code != Code.ENGINE_UNAVAILABLE or self._closing.is_set() or verb not in _READING:
                raise
        return self._ask(verb, args)

    def _ask(self, verb: str, args: dict[str, Any]) -> Any:
        try:
            return self._client().call(verb, **args)
        except CiteLoomError as error:
            if error.code == Code.ENGINE_UNAVAILABLE:
                self._forget_client()
            raise

    def _client(self) -> Client:
        """This thread's own connection: one question at a time goes over each."""
        client: Client | None = getattr(self._local, "client", None)
        if client is not None and not client.alive():
            self._forget_client()
            client = None
        if client is None:
            client = self._local.client = self._connect()
        return client

    def _forget_client(self) -> None:
        client: Client | None = getattr(self._local, "client", None)
        self._local.client = None
        if client is not None:
            self._drop(client)

    def _connect(self) -> Client:
        client = Client(start=not self._leaving, started_by="app")
        with self._lock:
            self._clients.add(client)
        if self._closing.is_set():
            client.hang_up()
        return client

    def _drop(self, client: Client) -> None:
        with self._lock:
            self._clients.discard(client)
        client.close()

    def _watch(self) -> None:
        failures = 0
        while not self._closing.is_set():
            client = None
            try:
                client = self._connect()
                client.call("watch")
                status = client.call("status")
                failures = 0
                self._tell(self.reached, status)
                client.watch(self._event)
            except CiteLoomError as error:
                log.info("the engine was lost: %s", error)
                self._tell(self.lost, error)
            except (OSError, ValueError) as error:  # hung up here, while it was being read from
                log.info("the engine was lost: %r", error)
            finally:
                if client is not None:
                    self._drop(client)
            if not self._closing.is_set():
                self._closing.wait(_PAUSES[min(failures, len(_PAUSES) - 1)])
                failures += 1

    def _event(self, event: dict[str, Any]) -> bool:
        self._tell(self.told, event)
        return self._closing.is_set()

    def _tell(self, signal: Any, value: Any) -> None:
        if not self._closing.is_set():
            signal.emit(value)


def _for_windows(error: CiteLoomError) -> CiteLoomError:
    """The engine is started again by itself here: the next step is not the one of a terminal."""
    if error.code != Code.ENGINE_UNAVAILABLE or launch.disk_is_full():
        return error
    message, step = error.message, translate("EngineTasks", "Try again in a moment.")
    if other_version():
        message = translate("EngineTasks", "The engine that runs is of another version of CiteLoom.")
        step = translate("EngineTasks", "Restart it: the button is at the top of the window.")
    return CiteLoomError(error.code, message, step, **error.details)


def other_version() -> str | None:
    """The version of the running engine, if it is not this app's own."""
    found = (launch.address() or {}).get("version")
    return str(found) if found is not None and found != __version__ else None
