"""Finding the engine, or starting it: race-free, on every system. Standard library only: the bridge uses it."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import IO, Any

from citeloom.core import data_folder, paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.ipc import protocol

START_SECONDS = 30.0
_ANSWER_SECONDS = 15.0
_LEAST_ROOM = 20_000_000  # bytes
_ASK_DOCTOR = "Run 'citeloom doctor' in a terminal to see what is wrong."


class FileLock:
    """A lock that the system gives back when its owner dies, however it dies."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self, seconds: float = 0.0) -> bool:
        """Take the lock, trying for some seconds."""
        try:
            paths.make_private(os.path.dirname(self._path))
            file = open(self._path, "ab")  # noqa: SIM115 - held for as long as the lock is
        except OSError as error:
            raise data_folder.unusable(error) from error
        until = time.monotonic() + seconds
        while not _lock(file):
            if time.monotonic() >= until:
                file.close()
                return False
            time.sleep(0.02)
        self._file = file
        return True

    def release(self) -> None:
        """Give the lock back."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":  # pragma: no cover - the other systems' branch is below
    import msvcrt

    def _lock(file: IO[bytes]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def running() -> bool:
    """Whether an engine lives in this data folder."""
    if not os.path.exists(paths.engine_lock()):
        return False
    data_folder.prepare()  # a lock that others may hold says nothing
    lock = FileLock(paths.engine_lock())
    if lock.acquire():
        lock.release()
        return False
    return True


def address() -> dict[str, Any] | None:
    """Where the engine says it is."""
    try:
        with open(paths.engine_file(), encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
            return found
    except (OSError, ValueError):
        return None


def connect(role: str, options: dict[str, Any], *, start: bool = True, started_by: str = "cli") -> socket.socket:
    """A connection to the engine that has said hello; starts the engine where there is none."""
    # The lock is asked before the address: a stale address may be some other program's by now.
    if running() and (connection := _greet(role, options)):
        return connection
    if not start:
        raise CiteLoomError(
            Code.ENGINE_UNAVAILABLE, "CiteLoom's engine is not running.", "Start it: citeloom engine start."
        )
    ensure(started_by)
    if connection := _greet(role, options):
        return connection
    raise unavailable("it started but does not answer")


def ensure(started_by: str) -> bool:
    """Have an engine running; True if it was started here. Twenty at once start one."""
    data_folder.prepare()
    starting = FileLock(paths.start_lock())
    if not starting.acquire(START_SECONDS):
        raise unavailable("another start hangs")
    try:
        if running() and _greet("control", {}, close=True):
            return False
        _start(started_by)
        return True
    finally:
        starting.release()


def _start(started_by: str) -> None:
    import subprocess

    try:
        paths.make_private(paths.folders().logs)
        output = open(paths.engine_log() + ".start", "wb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise data_folder.unusable(error) from error
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(p for p in (root, environment.get("PYTHONPATH", "")) if p)
    detached: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":  # pragma: no cover
        detached = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    with output:
        process = subprocess.Popen(
            [sys.executable, "-m", "citeloom.engine.main", "--started-by", started_by],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=paths.folders().data,
            env=environment,
            **detached,
        )
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        found = address()
        if found and found.get("pid") == process.pid and _greet("control", {}, close=True):
            # It lives on when this process ends; leaving it unwaited is meant.
            process.returncode = 0
            return
        if process.poll() is not None:
            raise unavailable(*_last_words(f"it ended at once (code {process.returncode})"))
        time.sleep(0.02)
    raise unavailable(*_last_words("it did not start in time"))


def _last_words(otherwise: str) -> tuple[str, str]:
    """What an engine that could not start said: it knows the reason and the next step."""
    try:
        with open(paths.engine_log() + ".start", encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
    except OSError:
        lines = []
    return (lines[-1], "") if lines else (otherwise, _ASK_DOCTOR)


def _greet(role: str, options: dict[str, Any], *, close: bool = False) -> socket.socket | None:
    found = address()
    if found is None:
        return None
    connection = None
    try:
        connection = socket.create_connection(("127.0.0.1", int(found["port"])), timeout=_ANSWER_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(protocol.hello(role, str(found["token"]), options))
        answer = _read_line(connection)
        reply = json.loads(answer)
        if reply.get("ok") is True:
            if close:
                connection.close()
            else:
                connection.settimeout(None)
            return connection
        connection.close()
        if reply.get("error"):
            raise CiteLoomError.from_dict(reply["error"])
    except (OSError, ValueError, KeyError):
        if connection is not None:
            connection.close()
    return None


def _read_line(connection: socket.socket) -> bytes:
    # Byte by byte: what comes after the line belongs to whoever uses the connection next.
    answer = bytearray()
    while not answer.endswith(b"\n") and len(answer) < protocol.HELLO_LIMIT:
        byte = connection.recv(1)
        if not byte:
            break
        answer += byte
    return bytes(answer)


def disk_is_full() -> bool:
    """Whether the data folder's disk has no room left; an engine without room cannot even say so."""
    if not hasattr(os, "statvfs"):
        return False
    try:
        about = os.statvfs(paths.folders().data)
    except OSError:
        return False
    return about.f_bavail * about.f_frsize < _LEAST_ROOM


def unavailable(reason: str, next_step: str = _ASK_DOCTOR) -> CiteLoomError:
    """The engine cannot be had, and what a person can do."""
    if disk_is_full():
        reason, next_step = f"the disk of {paths.folders().data} is full", "Free some space and run it again."
    message = f"CiteLoom's engine cannot be reached: {reason.rstrip('.')}."
    return CiteLoomError(Code.ENGINE_UNAVAILABLE, message, next_step)
