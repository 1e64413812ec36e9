"""Launching the very command that stands in an editor's file, as the editor would, and asking for its tools."""

from __future__ import annotations

import json
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
from citeloom.editors.entry import PLACES
from citeloom.editors.types import Entry, Found, Tested

SECONDS = 60.0  # the engine may have to be started first
_LONGEST = 20_000_000  # bytes that are listened to: a command may talk without end
_CHECK_UP = "If it goes on, run the check-up (doctor)."
_AGAIN = f"Connect it again. {_CHECK_UP}"
_OURS = (*PLACES, "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")  # what an editor's surroundings do not have
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "citeloom-test", "version": __version__},
}


def test(found: Found, seconds: float = SECONDS) -> Tested:
    """Launch what the editor's file says and list its tools; ends in any case, and so does what it launched."""
    begin = time.monotonic()
    try:
        if found.connected is None or not found.connected.command:
            raise found.problem or CiteLoomError(
                Code.INVALID_INPUT,
                f"{found.client.name} is not connected to CiteLoom.",
                "Connect it first.",
            )
        tools = _tools(found, found.connected, begin + seconds)
    except CiteLoomError as error:
        return Tested(False, [], time.monotonic() - begin, error)
    return Tested(True, tools, time.monotonic() - begin, None)


def _tools(found: Found, entry: Entry, until: float) -> list[str]:
    with tempfile.TemporaryFile() as complaints:
        process = _launched(found, entry, complaints)
        try:
            conversation = _Conversation(process, until)
            conversation.ask(1, "initialize", _HELLO)
            conversation.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            listed = conversation.ask(2, "tools/list", {})
        except TimeoutError:
            raise CiteLoomError(
                Code.TIMEOUT,
                f"The command in {found.file} gave no answer in time.",
                f"Try again. {_CHECK_UP}",
            ) from None
        except (OSError, EOFError):
            raise _ended(found, complaints) from None
        finally:
            _end(process)
    tools = [str(tool["name"]) for tool in listed.get("tools", []) if isinstance(tool, dict) and "name" in tool]
    if not tools:
        raise CiteLoomError(Code.INTERNAL_ERROR, f"The command in {found.file} offers no tools.", _AGAIN)
    return tools


def _launched(found: Found, entry: Entry, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    if sys.platform != "win32":
        environment["PATH"] = os.defpath
    try:
        return subprocess.Popen(
            entry.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**environment, **entry.environment},
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:
        raise CiteLoomError(
            Code.FILE_NOT_FOUND,
            f"The command in {found.file} cannot be launched: {entry.command[0]} ({_reason(error)}).",
            _AGAIN,
        ) from error


class _Conversation:
    def __init__(self, process: subprocess.Popen[bytes], until: float) -> None:
        assert process.stdin and process.stdout
        self._to = process.stdin
        self._until = until
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, args=(process.stdout,), daemon=True).start()

    def _listen(self, output: IO[bytes]) -> None:
        left = _LONGEST
        with output:
            while left > 0 and (line := output.readline(left)):
                self._lines.put(line)
                left -= len(line)
        self._lines.put(b"")

    def send(self, message: dict[str, Any]) -> None:
        self._to.write(json.dumps(message).encode() + b"\n")
        self._to.flush()

    def ask(self, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while (left := self._until - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            if not line:
                raise EOFError
            answer = _parsed(line)
            if answer.get("id") == number and "method" not in answer:
                if isinstance(answer.get("error"), dict):
                    raise _refused(answer["error"])
                result = answer.get("result")
                return result if isinstance(result, dict) else {}
        raise TimeoutError


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _refused(error: dict[str, Any]) -> CiteLoomError:
    data = error.get("data")
    if isinstance(data, dict) and "code" in data:
        return CiteLoomError.from_dict(data)
    return CiteLoomError(
        Code.INTERNAL_ERROR, f"It was launched, but refused: {error.get('message', 'no reason given')}.", _AGAIN
    )


def _ended(found: Found, complaints: IO[bytes]) -> CiteLoomError:
    complaints.seek(0)
    words = complaints.read(4000).decode("utf-8", "replace").strip().splitlines()
    said = f" It said: {words[-1][:300]}" if words else ""  # the first line may be that of a traceback
    return CiteLoomError(
        Code.ENGINE_UNAVAILABLE, f"The command in {found.file} ended before it gave its tools.{said}", _AGAIN
    )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what was launched, with everything that it launched itself (an engine detaches itself, and stays)."""
    try:
        if process.stdin:
            process.stdin.close()  # an editor that quits does no more
    except OSError:
        pass
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        pass
    if sys.platform != "win32":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    else:  # pragma: no cover
        process.kill()
    process.wait()
