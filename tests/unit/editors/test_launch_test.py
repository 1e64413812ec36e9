"""Launching what stands in an editor's file: always an answer, never a process left behind."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom import editors
from citeloom.core.errors import Code
from citeloom.editors import DetectedEditor

Look = Callable[[str], DetectedEditor]
REAL_PYTHON = sys.executable

ANSWERS = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        print("hello, this is no JSON", flush=True)
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {}}), flush=True)
    if asked.get("method") == "tools/list":
        names = [{"name": os.environ.get(name, "none")} for name in ("PATH", "PYTHONPATH", "XDG_DATA_HOME", "OWN")]
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": names}}), flush=True)
"""
REFUSES = """
import json, sys
asked = json.loads(sys.stdin.readline())
data = {"code": "ENGINE_UNAVAILABLE", "message": "No engine. Start one.", "details": {}}
error = {"code": -32000, "message": "x", "data": data}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
sys.stdin.read()
"""
NO_TOOLS = ANSWERS.replace('"tools": names', '"tools": []')


@pytest.fixture
def saying(own_home: Path, look: Look) -> Callable[..., DetectedEditor]:
    """Cursor's file with a command in it."""

    def written(*command: str) -> DetectedEditor:
        file = own_home / ".cursor" / "mcp.json"
        file.parent.mkdir(exist_ok=True)
        entry = {"command": command[0], "args": command[1:], "env": {"OWN": "mine"}}
        file.write_text(json.dumps({"mcpServers": {"citeloom": entry}}))
        return look("cursor")

    return written


def test_the_command_is_launched_as_an_editor_does(
    saying: Callable[..., DetectedEditor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    tested = editors.check_launch(saying(REAL_PYTHON, "-c", ANSWERS))
    assert tested.problem is None
    assert tested.tools == [os.defpath, "none", "none", "mine"]


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (("/nowhere/citeloom", "mcp"), Code.FILE_NOT_FOUND, "/nowhere/citeloom"),
        ((REAL_PYTHON, "-c", "import sys; sys.exit('out of order')"), Code.ENGINE_UNAVAILABLE, "out of order"),
        ((REAL_PYTHON, "-c", "raise SystemError('no such part')"), Code.ENGINE_UNAVAILABLE, "no such part"),
        ((REAL_PYTHON, "-c", "print('{}')"), Code.ENGINE_UNAVAILABLE, "ended"),
        ((REAL_PYTHON, "-c", "while True: print('x' * 100_000, end='')"), Code.ENGINE_UNAVAILABLE, "ended"),
        ((REAL_PYTHON, "-c", REFUSES), Code.ENGINE_UNAVAILABLE, "No engine. Start one."),
        ((REAL_PYTHON, "-c", NO_TOOLS), Code.INTERNAL_ERROR, "no tools"),
        (("/etc",), Code.FILE_NOT_FOUND, "/etc"),
        (("a\x00b",), Code.FILE_NOT_FOUND, "cannot be launched"),
    ],
    ids=["gone", "fails", "crashes", "silent", "endless", "refuses", "empty", "folder", "zero"],
)
def test_a_command_that_does_not_work_says_why(
    command: tuple[str, ...], code: Code, said: str, saying: Callable[..., DetectedEditor]
) -> None:
    tested = editors.check_launch(saying(*command))
    assert tested.problem and tested.tools == []
    assert tested.problem and tested.problem.code == code and said in str(tested.problem)


def test_a_command_that_never_answers_is_ended_with_all_it_has_started(
    saying: Callable[..., DetectedEditor], tmp_path: Path
) -> None:
    both = tmp_path / "pids"
    stubborn = (
        "import os, pathlib, subprocess, sys, time;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        f"pathlib.Path({str(both)!r}).write_text(f'{{os.getpid()}} {{child.pid}}');"
        "time.sleep(600)"
    )
    tested = editors.check_launch(saying(REAL_PYTHON, "-c", stubborn), seconds=3)
    assert tested.problem and tested.problem.code == Code.TIMEOUT
    for pid in both.read_text().split():
        assert _ended(int(pid))


def _ended(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").exists() and " Z " in Path(f"/proc/{pid}/stat").read_text():
                return True
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_an_editor_that_is_not_connected_is_told_how(look: Look, own_home: Path) -> None:
    tested = editors.check_launch(look("cursor"))
    assert tested.problem and "Connect it first." in str(tested.problem)
    (own_home / ".cursor").mkdir()
    (own_home / ".cursor" / "mcp.json").write_text("{")
    tested = editors.check_launch(look("cursor"))
    assert tested.problem and "not valid" in str(tested.problem)
