"""Connects to the engine and starts it if necessary, without races and on every OS. Used by all clients of the engine.

The bridge imports this module: standard library only.
"""

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
_MIN_FREE_BYTES = 20_000_000
_ASK_DOCTOR = "Run 'citeloom doctor' in a terminal to see what is wrong."


class FileLock:
    """Exclusive lock on a file, released by the operating system when its owner dies."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self, seconds: float = 0.0) -> bool:
        """Acquire the lock, trying for some seconds; return whether it was acquired."""
        try:
            paths.make_private(os.path.dirname(self._path))
            file = open(self._path, "ab")  # noqa: SIM115 - held for as long as the lock is
        except OSError as error:
            raise data_folder.unusable(error) from error
        until = time.monotonic() + seconds
        while True:
            try:
                _lock(file)
            except OSError:  # another process has it
                if time.monotonic() >= until:
                    file.close()
                    return False
                time.sleep(0.02)
            else:
                self._file = file
                return True

    def release(self) -> None:
        """Release the lock."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":  # pragma: no cover - the other systems' branch is below
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_running() -> bool:
    """Return whether an engine runs in this data folder."""
    if not os.path.exists(paths.engine_lock()):
        return False
    data_folder.prepare()  # a lock that other users could hold proves nothing
    lock = FileLock(paths.engine_lock())
    if lock.acquire():
        lock.release()
        return False
    return True


def address() -> dict[str, Any] | None:
    """Return the address that the engine has written: port, token, process id and version."""
    try:
        with open(paths.engine_file(), encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
            return found
    except (OSError, ValueError):
        return None


def connect(role: str, options: dict[str, Any], *, start: bool = True, started_by: str = "cli") -> socket.socket:
    """Connect to the engine; start one first if none is running and `start` is set."""
    # The lock is checked before the address is used: the port of a dead engine may be another program's by now.
    if is_running() and (connection := try_connect(role, options, address())):
        return connection
    if not start:
        raise CiteLoomError(
            Code.ENGINE_UNAVAILABLE, "CiteLoom's engine is not running.", "Start it: citeloom engine start."
        )
    ensure_running(started_by)
    if connection := try_connect(role, options, address()):
        return connection
    raise unavailable("it started but does not answer")


def ensure_running(started_by: str) -> bool:
    """Start an engine if none is running; return whether it was started here. Safe to call concurrently."""
    data_folder.prepare()
    start_lock = FileLock(paths.start_lock())
    if not start_lock.acquire(START_SECONDS):
        raise unavailable("another process has been starting it for too long")
    try:
        if is_running() and _answers():
            return False
        _start(started_by)
        return True
    finally:
        start_lock.release()


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
        if found and found.get("pid") == process.pid and _answers():
            # The engine outlives this process and is never waited for.
            process.returncode = 0
            return
        if process.poll() is not None:
            raise unavailable(*_start_error(f"it ended at once (code {process.returncode})"))
        time.sleep(0.02)
    raise unavailable(*_start_error("it did not start in time"))


def _start_error(default: str) -> tuple[str, str]:
    """Return the last line that an engine printed before it failed to start: it has the reason and the next step."""
    try:
        with open(paths.engine_log() + ".start", encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
    except OSError:
        lines = []
    return (lines[-1], "") if lines else (default, _ASK_DOCTOR)


def _answers() -> bool:
    connection = try_connect("control", {}, address())
    if connection is not None:
        connection.close()
    return connection is not None


def try_connect(role: str, options: dict[str, Any], engine: dict[str, Any] | None) -> socket.socket | None:
    """Connect to the engine at an address and send the hello line; None if it does not answer."""
    if engine is None:
        return None
    connection = None
    try:
        connection = socket.create_connection(("127.0.0.1", int(engine["port"])), timeout=_ANSWER_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(protocol.hello(role, str(engine["token"]), options))
        reply = json.loads(_read_line(connection))
        if reply.get("ok") is True:
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
    # Byte by byte, because what follows the line is for the user of the connection.
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < protocol.HELLO_LIMIT:
        byte = connection.recv(1)
        if not byte:
            break
        line += byte
    return bytes(line)


def disk_is_full() -> bool:
    """Return whether the data folder's disk is full; an engine without space cannot even report it."""
    try:
        return data_folder.free_bytes(paths.folders().data) < _MIN_FREE_BYTES
    except OSError:
        return False


def unavailable(reason: str, next_step: str = _ASK_DOCTOR) -> CiteLoomError:
    """Return the error for an engine that cannot be reached."""
    if disk_is_full():
        reason, next_step = f"the disk of {paths.folders().data} is full", "Free some disk space and run it again."
    message = f"CiteLoom's engine cannot be reached: {reason.rstrip('.')}."
    return CiteLoomError(Code.ENGINE_UNAVAILABLE, message, next_step)
