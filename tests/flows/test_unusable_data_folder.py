"""A data folder that cannot be used is said in one line with the next step, on every face, and at once."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import WAIT, citeloom, done, environment, stop_engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights are spoken of differently there")

ROOT_ONLY = "only root can give a folder away"
# Root may write everywhere unless this right is taken from it.
AS_ANYBODY = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
READ_ONLY = "is read-only"
ANOTHERS = "belongs to another user"


@pytest.fixture(params=[READ_ONLY, ANOTHERS], scope="module")
def unusable(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A data folder with a project that cannot be used any more, and why."""
    if request.param == ANOTHERS and os.geteuid() != 0:
        pytest.skip(ROOT_ONLY)
    if AS_ANYBODY and not shutil.which(AS_ANYBODY[0]):
        pytest.skip("setpriv is not installed")
    home = tmp_path_factory.mktemp("unusable") / "home"
    done(citeloom(home, "project", "add", "p"))
    stop_engine(home)
    if request.param == READ_ONLY:
        home.chmod(0o500)
    else:
        os.chown(home, 12345, -1)
    yield home, request.param
    os.chown(home, os.geteuid(), -1)
    home.chmod(0o700)


def run(home: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A command of somebody who may not write everywhere."""
    return subprocess.run(
        [*AS_ANYBODY, sys.executable, "-m", "citeloom", *arguments],
        env=environment(home),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )


def test_commands_say_it_in_one_line(unusable: tuple[Path, str]) -> None:
    home, why = unusable
    for command in (("project", "list"), ("engine", "start"), ("sync",)):
        result = run(home, *command)
        assert (result.returncode, result.stdout) == (1, "")
        (line,) = result.stderr.splitlines()
        assert str(home) in line and why in line
        assert line.endswith("or set CITELOOM_HOME to a folder of its own.")
    doctor = run(home, "doctor")
    assert doctor.returncode == 1 and "Traceback" not in doctor.stderr
    assert f"BAD  engine: {why}" in doctor.stdout.replace(f"CiteLoom's data folder {home} ", "").replace(f"{home} ", "")
    assert "CITELOOM_HOME" in doctor.stdout


def test_an_editor_is_told(unusable: tuple[Path, str]) -> None:
    home, why = unusable
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "e", "version": "1"}}
    calls = ("initialize", info), ("tools/call", {"name": "list_projects", "arguments": {}})
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, "method": m, "params": p}) for n, (m, p) in enumerate(calls)]
    told = run(home, "mcp", stdin="\n".join(lines) + "\n")
    assert told.returncode == 0 and not told.stderr
    answers: list[dict[str, Any]] = [json.loads(line) for line in told.stdout.splitlines()]
    refused = answers[0]["error"]["data"], answers[1]["result"]["structuredContent"]["error"]
    for error in refused:
        assert error["code"] == "PERMISSION_DENIED"
        assert why in error["message"] and "CITELOOM_HOME" in error["message"]


def test_an_open_data_folder_is_closed_by_the_first_command(home: Path) -> None:
    done(citeloom(home, "project", "add", "p"))
    stop_engine(home)
    home.chmod(0o777)
    (home / "catalog.db").chmod(0o666)
    done(citeloom(home, "project", "list"))
    rights = {path.name: stat.filemode(path.stat().st_mode) for path in (home, *home.iterdir()) if path.name != "logs"}
    assert rights["home"] == "drwx------"
    assert {rights[name] for name in ("catalog.db", "engine.json", "engine.lock")} == {"-rw-------"}
