"""The command line as a process of its own that is not started from nothing.

Nearly all that a short command costs is the start of Python and its imports, and a test run has thousands of commands.
So one process imports them and forks for each command. Arguments, environment, folder, streams and exit code are the
command's own, as they would be otherwise.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_SIZE = 4  # bytes of a number


def run(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path, stdin: str, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run `citeloom` to its end."""
    with contextlib.ExitStack() as used:
        files = [used.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(stdin.encode())
        files[0].seek(0)
        ours, theirs = (used.enter_context(end) for end in socket.socketpair())
        socket.send_fds(_forking(), [b"!"], [theirs.fileno(), *(file.fileno() for file in files)])
        theirs.close()
        request = json.dumps([arguments, dict(environment), str(folder)]).encode()
        ours.sendall(len(request).to_bytes(_SIZE, "big") + request)
        process = _number(ours)
        try:
            ours.settimeout(seconds)
            code = _number(ours)
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(["citeloom", *arguments], seconds) from None
        for file in files:
            file.seek(0)
        out, err = (file.read().decode() for file in files[1:])
    return subprocess.CompletedProcess(["citeloom", *arguments], code, out, err)


@functools.cache
def _forking() -> socket.socket:
    """A connection to the process that forks, which ends with it."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.command_line", str(theirs.fileno())],
            cwd=Path(__file__).parents[1],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the test run
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def _number(connection: socket.socket) -> int:
    return int.from_bytes(_bytes(connection, _SIZE), "big", signed=True)


def _bytes(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise ConnectionError("the process that runs commands has ended")
        data += part
    return data


# -- in the process that forks -----------------------------------------------------------------------------------


def _fork_for_each(requests: socket.socket) -> None:
    importlib.import_module("citeloom.cli")  # what every command needs

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how those ended that wait for commands
    while fds := socket.recv_fds(requests, 1, 4)[1]:
        if os.fork() == 0:
            requests.close()
            _wait_for_command(*fds)
        for fd in fds:
            os.close(fd)


def _wait_for_command(connection: int, *files: int) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with socket.socket(fileno=connection) as asking:
        length = _number(asking)
        request = json.loads(_bytes(asking, length))
        process = os.fork()
        if process == 0:
            asking.close()
            _be_command(files, *request)
        asking.sendall(process.to_bytes(_SIZE, "big"))
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        with contextlib.suppress(BrokenPipeError):  # who asked has given up
            asking.sendall(status.to_bytes(_SIZE, "big", signed=True))
    os._exit(0)


def _be_command(files: Sequence[int], arguments: list[str], environment: dict[str, str], folder: str) -> None:
    from citeloom.__main__ import main

    for number, fd in enumerate(files):
        os.dup2(fd, number)
        os.close(fd)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["citeloom", *arguments]
    sys.exit(main())


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as connection:
        _fork_for_each(connection)
