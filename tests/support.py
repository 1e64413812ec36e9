"""What tests of real processes share: a data folder of their own, the command line, and an editor that speaks MCP."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citeloom.core.paths import sample_folder
from tests import command_line

ROOT = Path(__file__).parents[1]
SAMPLE = Path(sample_folder())
WRITING = ("--toolsets", "read,write")  # an editor that may write; without options it may only read
WAIT = 120.0  # for processes on a slow machine; nothing asserts a time


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a process that lives in a data folder of its own."""
    python_path = os.pathsep.join(p for p in (str(ROOT), os.environ.get("PYTHONPATH", "")) if p)
    own = {"CITELOOM_HOME": str(home), "CITELOOM_WATCH": "off", "PYTHONPATH": python_path, "COLUMNS": "200"}
    return {**os.environ, **own, **more}


def citeloom(
    home: Path, *arguments: str, stdin: str = "", cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line as a person would."""
    whole = environment(home, **more)
    if hasattr(os, "fork") and not any(name.startswith("PYTHON") for name in more):
        return command_line.run(arguments, whole, cwd or Path.cwd(), stdin, WAIT)
    return subprocess.run(
        [sys.executable, "-m", "citeloom", *arguments],
        env=whole,
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )


def done(result: subprocess.CompletedProcess[str]) -> str:
    """The output of a command that must have succeeded."""
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def stop_engine(home: Path) -> None:
    """End the engine of a data folder."""
    citeloom(home, "engine", "stop")


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Wait until something holds; gives what the condition gave."""
    until = time.monotonic() + WAIT
    pause = 0.01
    while time.monotonic() < until:
        if value := condition():
            return value
        time.sleep(pause)
        pause = min(1.5 * pause, 0.1)  # to look costs the time of what is waited for
    raise AssertionError(f"waited in vain for {what}")


def engine_address(home: Path) -> dict[str, Any]:
    """Port, token and process of the running engine."""
    found: dict[str, Any] = json.loads((home / "engine.json").read_text())
    return found


class Editor:
    """An editor: launches `citeloom mcp` and speaks MCP over its stdio, line by line."""

    def __init__(
        self, home: Path, *arguments: str, name: str = "test-editor", handshake: bool = True, **more: str
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "mcp", *arguments],
            env=environment(home, **more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._numbers = itertools.count(1)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.raw: list[bytes] = []  # everything that came on stdout
        self.notifications: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()
        if handshake:
            info = {"name": name, "version": "1.0"}
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            self.initialize = self.request("initialize", params)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Editor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        self.send_raw(json.dumps(message).encode() + b"\n")

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def begin(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request without waiting for its answer."""
        number = next(self._numbers)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        return number

    def answer(self, number: int, *, or_refusal: bool = False) -> dict[str, Any]:
        """Wait for the answer to a request, or for a refusal without a number; what comes in between is kept."""
        while True:
            message: dict[str, Any] = json.loads(self._lines.get(timeout=WAIT))
            refused = or_refusal and "error" in message and message.get("id") is None
            if refused or (message.get("id") == number and "method" not in message):
                return message
            self.notifications.append(message)

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask and wait; gives the whole JSON-RPC answer."""
        return self.answer(self.begin(method, params))

    def batch(self, messages: list[Any]) -> Any:
        """Send a JSON-RPC batch; gives the next line that comes."""
        self.send_raw(json.dumps(messages).encode() + b"\n")
        return json.loads(self._lines.get(timeout=WAIT))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed; gives its structured content."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result.get("isError"), result
        content: dict[str, Any] = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == content
        return content

    def fail(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must fail; gives the error: code, message, details."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert result["isError"] is True, result
        content = result["structuredContent"]
        assert content["correlation_id"]
        assert set(content["error"]) == {"code", "message", "details"}
        error: dict[str, Any] = content["error"]
        return error

    def close(self) -> None:
        """Close stdin, as an editor does that quits, and wait for the bridge to end."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait(WAIT)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()

    def _read(self) -> None:
        assert self.process.stdout
        for line in iter(self.process.stdout.readline, b""):
            self.raw.append(line)
            self._lines.put(line)
