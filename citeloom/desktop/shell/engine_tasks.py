"""Runs engine requests and other slow work off the UI thread, with callbacks for success and failure."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot

from citeloom import __version__
from citeloom.api.engine import Status, Subscribe
from citeloom.api.events import Event
from citeloom.api.verbs import R, Request
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import open_file
from citeloom.desktop.shell.translations import translate
from citeloom.ipc import launch
from citeloom.ipc.client import Client

log = logging.getLogger(__name__)

Done = Callable[[Any], None]
Failed = Callable[[CiteLoomError], None]

_THREADS = 4
_CLOSE_SECONDS = 5.0  # for all threads together; one that is starting the engine may take longer and is not waited for
_RETRY_SECONDS = (0.1, 0.5, 1.0, 2.0, 5.0)  # seconds between attempts to connect, by the number of failures


class Task:
    """A piece of work that runs in a thread; its outcome is delivered in the UI thread."""

    def __init__(self, owner: QObject, done: Done | None, failed: Failed) -> None:
        self._owner, self._done, self._failed = owner, done, failed
        self._dropped = False

    def drop(self) -> None:
        """Drop the callbacks; the outcome is ignored."""
        self._dropped = True

    @property
    def wanted(self) -> bool:
        """Whether the owner still exists and the task was not dropped."""
        return not self._dropped and shiboken6.isValid(self._owner)

    def deliver(self, value: Any, error: CiteLoomError | None) -> None:
        """Call the owner's callback, in the UI thread."""
        if not self.wanted:
            return
        self._dropped = True
        if error:
            self._failed(error)
        elif self._done:
            self._done(value)


class EngineTasks(QObject):
    """Sends requests to the engine, runs other slow work, and emits the engine's events."""

    event_received = Signal(object)  # one of api.events
    connected = Signal(object)  # a StatusResult, after every connection
    disconnected = Signal(object)  # connection lost: a CiteLoomError; the engine is being restarted
    failed = Signal(object)  # a CiteLoomError of a task without a callback for failures
    _outcome = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outcome.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._clients: set[Client] = set()
        self._lock = threading.Lock()
        self._local = threading.local()
        self._closing = threading.Event()
        self._restart_disabled = False
        self._open = 0  # tasks that have not finished
        self._threads = [
            threading.Thread(target=self._serve, name=f"engine-tasks-{n}", daemon=True) for n in range(_THREADS)
        ]
        self._watcher = threading.Thread(target=self._watch, name="engine-events", daemon=True)

    def start(self) -> None:
        """Connect to the engine, starting it if it is not running, and reconnect when the connection is lost."""
        for thread in (*self._threads, self._watcher):
            thread.start()

    def disable_restart(self) -> None:
        """Do not restart the engine from now on: the app is quitting."""
        self._restart_disabled = True

    def close(self) -> None:
        """Close all connections; no outcome is delivered after that. The engine keeps running."""
        if self._closing.is_set():
            return
        self._closing.set()
        for _ in self._threads:
            self._work.put(None)
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            client.interrupt()
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
        replaces: Task | None = None,
    ) -> Task:
        """Send a request to the engine; `done` gets its result, `failed` a CiteLoomError."""
        return self.run(owner, lambda: self._result(request), done=done, failed=failed, replaces=replaces)

    def run(
        self,
        owner: QObject,
        work: Callable[[], Any],
        *,
        done: Done | None = None,
        failed: Failed | None = None,
        replaces: Task | None = None,
    ) -> Task:
        """Run `work` in a thread; the outcome of an earlier task that it replaces is ignored."""
        if replaces:
            replaces.drop()
        task = Task(owner, done, failed or self.failed.emit)

        def job() -> None:
            if task.wanted:
                self._do(task, work)
            self._count_open(-1)

        self._count_open(1)
        self._enqueue(job)
        return task

    def open(self, owner: QObject, uri: str, *, done: Done | None = None, failed: Failed | None = None) -> None:
        """Open a file, a folder or an address with the system's own program."""
        self.run(owner, lambda: open_file.open_uri(uri), done=done, failed=failed)

    @property
    def idle(self) -> bool:
        """Whether no task is pending."""
        return self._open == 0

    def _enqueue(self, job: Callable[[], None]) -> None:
        self._work.put(job)

    def _count_open(self, by: int) -> None:
        with self._lock:
            self._open += by

    # -- in the threads ------------------------------------------------------------------------------------------

    def _serve(self) -> None:
        while (job := self._work.get()) is not None and not self._closing.is_set():
            job()
        self._drop_client()

    def _do(self, task: Task, work: Callable[[], Any]) -> None:
        result: Any = None
        failure: CiteLoomError | None = None
        try:
            result = work()
        except CiteLoomError as error:
            failure = _for_windows(error)
        except Exception as error:
            log.exception("a task of the app failed")
            message = f"Something unexpected happened ({type(error).__name__}: {error})."
            failure = CiteLoomError(Code.INTERNAL_ERROR, message, "The app's log has the details.")
        self._emit(self._outcome, task, result, failure)

    @Slot(object, object, object)
    def _deliver(self, task: Task, value: Any, error: CiteLoomError | None) -> None:
        if not self._closing.is_set():
            task.deliver(value, error)

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
                self._drop_client()
            raise

    def _client(self) -> Client:
        """Return the connection of this thread: a connection carries one request at a time."""
        client: Client | None = getattr(self._local, "client", None)
        if client is not None and not client.is_open():
            self._drop_client()
            client = None
        if client is None:
            client = self._local.client = self._connect()
        return client

    def _drop_client(self) -> None:
        client: Client | None = getattr(self._local, "client", None)
        self._local.client = None
        if client is not None:
            self._close_client(client)

    def _connect(self) -> Client:
        client = Client(start=not self._restart_disabled, started_by="app")
        with self._lock:
            self._clients.add(client)
        if self._closing.is_set():
            client.interrupt()
        return client

    def _close_client(self, client: Client) -> None:
        with self._lock:
            self._clients.discard(client)
        client.close()

    def _watch(self) -> None:
        failures = 0
        while not self._closing.is_set():
            client = None
            try:
                client = self._connect()
                client.call(Subscribe())
                status = client.call(Status())
                failures = 0
                self._emit(self.connected, status)
                client.receive_events(self._on_event)
            except CiteLoomError as error:
                log.info("the engine was lost: %s", error)
                self._emit(self.disconnected, error)
            except (OSError, ValueError) as error:  # closed by this app while reading
                log.info("the engine was lost: %r", error)
            finally:
                if client is not None:
                    self._close_client(client)
            if not self._closing.is_set():
                self._closing.wait(_RETRY_SECONDS[min(failures, len(_RETRY_SECONDS) - 1)])
                failures += 1

    def _on_event(self, event: Event) -> bool:
        self._emit(self.event_received, event)
        return self._closing.is_set()

    def _emit(self, signal: Any, *values: Any) -> None:
        if not self._closing.is_set():
            signal.emit(*values)


def _for_windows(error: CiteLoomError) -> CiteLoomError:
    """Return an error whose next step fits the app, which restarts the engine by itself."""
    if error.code != Code.ENGINE_UNAVAILABLE or launch.disk_is_full():
        return error
    message, step = error.message, translate("EngineTasks", "Try again in a moment.")
    if other_version():
        message = translate("EngineTasks", "The running engine belongs to another version of CiteLoom.")
        step = translate("EngineTasks", "Restart it with the button at the top of the window.")
    return CiteLoomError(error.code, message, step, **error.details)


def other_version() -> str | None:
    """Return the version of the running engine, if it is not this app's own."""
    found = (launch.address() or {}).get("version")
    return str(found) if found is not None and found != __version__ else None
