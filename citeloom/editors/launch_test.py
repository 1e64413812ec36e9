"""Launch test: run the command in an editor's file as the editor would, and ask it for its tools over MCP."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, Any

from citeloom import __version__
from citeloom.core.errors import CiteLoomError, Code
from citeloom.editors.entry import DATA_VARIABLES
from citeloom.editors.types import DetectedEditor, Entry, LaunchResult
from citeloom.ipc import protocol

_TIMEOUT_SECONDS = 60.0  # the engine may have to be started first
_MAX_OUTPUT_BYTES = 20_000_000  # a command may write without end
_CHECK_UP = "If it happens again, run the check-up (doctor)."
_CONNECT_AGAIN = f"Connect it again. {_CHECK_UP}"
# Variables of this process that an editor does not have.
_OWN_VARIABLES = (*DATA_VARIABLES, "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "citeloom-test", "version": __version__},
}


def check_launch(found: DetectedEditor, seconds: float = _TIMEOUT_SECONDS) -> LaunchResult:
    """Launch the command in an editor's file and list its tools; the command is ended in any case."""
    begin = time.monotonic()
    try:
        if found.connected is None or not found.connected.command:
            raise found.problem or CiteLoomError(
                Code.INVALID_INPUT,
                f"{found.editor.name} is not connected to CiteLoom.",
                "Connect it first.",
            )
        tools = _list_tools(found, found.connected, begin + seconds)
    except CiteLoomError as error:
        return LaunchResult([], time.monotonic() - begin, error)
    return LaunchResult(tools, time.monotonic() - begin, None)


def _list_tools(found: DetectedEditor, entry: Entry, deadline: float) -> list[str]:
    with tempfile.TemporaryFile() as stderr:
        process = _launch(found, entry, stderr)
        try:
            session = _Session(process, deadline)
            session.request(1, "initialize", _INITIALIZE)
            session.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            listed = session.request(2, "tools/list", {})
        except TimeoutError:
            raise CiteLoomError(
                Code.TIMEOUT,
                f"The command in {found.file} did not answer in time.",
                f"Try again. {_CHECK_UP}",
            ) from None
        except (OSError, EOFError):
            raise _early_exit(found, stderr) from None
        finally:
            _terminate(process)
    tools = [str(tool["name"]) for tool in listed.get("tools", []) if isinstance(tool, dict) and "name" in tool]
    if not tools:
        raise CiteLoomError(Code.INTERNAL_ERROR, f"The command in {found.file} offers no tools.", _CONNECT_AGAIN)
    return tools


def _launch(found: DetectedEditor, entry: Entry, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in _OWN_VARIABLES}
    if sys.platform != "win32":
        environment["PATH"] = os.defpath
    try:
        return subprocess.Popen(
            entry.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**environment, **entry.environment},
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise CiteLoomError(
            Code.FILE_NOT_FOUND,
            f"The command in {found.file} cannot be launched: {entry.command[0]} ({reason}).",
            _CONNECT_AGAIN,
        ) from error


class _Session:
    """MCP session with a launched command, over its stdin and stdout."""

    def __init__(self, process: subprocess.Popen[bytes], deadline: float) -> None:
        assert process.stdin and process.stdout
        self._stdin = process.stdin
        self._deadline = deadline
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read_lines, args=(process.stdout,), daemon=True).start()

    def _read_lines(self, stdout: IO[bytes]) -> None:
        allowed = _MAX_OUTPUT_BYTES
        with stdout:
            while allowed > 0 and (line := stdout.readline(allowed)):
                self._lines.put(line)
                allowed -= len(line)
        self._lines.put(b"")

    def send(self, message: dict[str, Any]) -> None:
        self._stdin.write(protocol.encode_line(message))
        self._stdin.flush()

    def request(self, request_id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        while (remaining := self._deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=remaining)
            except queue.Empty:
                break
            if not line:
                raise EOFError
            response = protocol.decode_object(line) or {}
            if response.get("id") == request_id and "method" not in response:
                if isinstance(response.get("error"), dict):
                    raise _refusal(response["error"])
                result = response.get("result")
                return result if isinstance(result, dict) else {}
        raise TimeoutError


def _refusal(error: dict[str, Any]) -> CiteLoomError:
    data = error.get("data")
    if isinstance(data, dict) and "code" in data:
        return CiteLoomError.from_dict(data)
    return CiteLoomError(
        Code.INTERNAL_ERROR,
        f"It was launched, but returned an error: {error.get('message', 'no reason given')}.",
        _CONNECT_AGAIN,
    )


def _early_exit(found: DetectedEditor, stderr: IO[bytes]) -> CiteLoomError:
    stderr.seek(0)
    lines = stderr.read(4000).decode("utf-8", "replace").strip().splitlines()
    message = f" It said: {lines[-1][:300]}" if lines else ""  # the first line may be the start of a traceback
    return CiteLoomError(
        Code.ENGINE_UNAVAILABLE,
        f"The command in {found.file} ended before it listed its tools.{message}",
        _CONNECT_AGAIN,
    )


def _terminate(process: subprocess.Popen[bytes]) -> None:
    """End a launched command with its child processes; an engine that it started has detached itself, and stays."""
    with contextlib.suppress(OSError):
        if process.stdin:
            process.stdin.close()  # editors do only this when they quit
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:  # pragma: no cover
        process.kill()
    process.wait()
