"""The lock around the engine: one holder, given back however the holder ends."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.core import paths
from citeloom.ipc import launch
from citeloom.ipc.launch import FileLock
from tests.support import ROOT

HOLD = """
import sys
from citeloom.ipc.launch import FileLock
lock = FileLock(sys.argv[1])
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def lock(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "engine.lock")


def test_a_second_holder_waits_in_vain_until_the_first_gives_it_back(lock: str) -> None:
    first, second = FileLock(lock), FileLock(lock)
    assert first.acquire()
    assert not second.acquire()
    assert not second.acquire(0.05)
    first.release()
    assert second.acquire()
    assert not first.acquire()
    second.release()
    second.release()


@pytest.mark.skipif(os.name != "posix", reason="rights are spoken of differently there")
def test_the_locks_folder_is_made_for_its_owner_alone(lock: str) -> None:
    held = FileLock(lock)
    assert held.acquire()
    assert stat.S_IMODE(Path(lock).parent.stat().st_mode) == 0o700
    held.release()


def test_a_holder_that_is_killed_gives_the_lock_back(lock: str) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert holder.stdout and holder.stdin
    try:
        assert holder.stdout.readline().strip() == b"True"
        assert not FileLock(lock).acquire()
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()
    mine = FileLock(lock)
    assert mine.acquire(10)
    mine.release()


def test_an_engine_runs_where_its_lock_is_held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    assert not launch.is_running()
    assert not (tmp_path / "home").exists()  # looking changes nothing
    held = FileLock(paths.engine_lock())
    held.acquire()
    assert launch.is_running()
    held.release()
    assert not launch.is_running()


@pytest.mark.parametrize("content", [None, "", "{", "\xff"])
def test_an_address_that_cannot_be_read_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None
) -> None:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    if content is not None:
        Path(paths.engine_file()).write_bytes(content.encode("latin-1"))
    assert launch.address() is None
