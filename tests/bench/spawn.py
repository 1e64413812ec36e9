"""From spawn to the first `tools/list`: the bridge, a server on the SDK's stdio transport, and a bare Python."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.bench.figures import megabytes, ms, p50, p95, say, table
from tests.support import citeloom, done, engine_address, environment, stop_engine

RUNS = 20

_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
_MESSAGES = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
)


def measure(home: Path) -> str:
    """The table of start-up times and idle memory."""
    home.mkdir()
    script = Path(sys.executable).with_name("citeloom")
    bridge = [str(script)] if script.exists() else [sys.executable, "-m", "citeloom"]
    commands = {
        "`python -c pass`": [sys.executable, "-c", "pass"],
        "`citeloom mcp` → `tools/list`, warm engine": [*bridge, "mcp"],
        "one-tool server on the SDK's stdio → `tools/list`": [sys.executable, "-m", "tests.bench.one_tool_server"],
    }
    say("bridge start-up")
    cold = _timed([*bridge, "mcp"], home)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            times[name].append(_bare(command) if "pass" in name else _timed(command, home))
    names = list(commands)
    base, own = p50(times[names[0]]), p50(times[names[1]])
    rows = [
        (
            name,
            ms(p50(times[name])),
            ms(p95(times[name])),
            f"{p50(times[name]) / base:.1f} ×",
            f"{p50(times[name]) / own:.1f} ×",
        )
        for name in names
    ]
    rows.append(("`citeloom mcp` → `tools/list`, no engine yet (one run)", ms(cold), "", f"{cold / base:.0f} ×", ""))
    bridge_memory = _memory([*bridge, "mcp"], home)
    done(citeloom(home, "project", "list"))
    engine_memory = megabytes(engine_address(home)["pid"])
    stop_engine(home)
    columns = ("start", "p50 ms", "p95 ms", "of `python -c pass`", "of the bridge")
    memory = table(
        "Memory when idle",
        ("process", "RSS MB"),
        [("bridge", f"{bridge_memory:.0f}"), ("engine", f"{engine_memory:.0f}")],
    )
    return table("Start-up", columns, rows) + "\n\n" + memory


def _bare(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - began


def _open(command: list[str], home: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(home))


def _ask(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin and process.stdout
    for message in _MESSAGES:
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            answer = json.loads(process.stdout.readline())
            assert "result" in answer, answer


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin and process.stdout
    process.stdin.close()
    process.stdout.close()
    process.wait()


def _timed(command: list[str], home: Path) -> float:
    began = time.perf_counter()
    process = _open(command, home)
    _ask(process)
    taken = time.perf_counter() - began
    _close(process)
    return taken


def _memory(command: list[str], home: Path) -> float:
    process = _open(command, home)
    _ask(process)
    used = megabytes(process.pid)
    _close(process)
    return used
