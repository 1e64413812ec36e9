"""One engine per data folder: how it starts, how it ends, and what is left when it is killed."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from citeloom.ipc.protocol import PROTOCOL
from tests.faults import set_number
from tests.flows.steps import Control, Project, engine_with, engines, four_papers, kill_engine, settings
from tests.support import WAIT, citeloom, done, engine_address, environment, stop_engine, wait_for


def test_twenty_starts_at_once_leave_one_engine(home: Path) -> None:
    command = [sys.executable, "-m", "citeloom", "engine", "start"]
    starts = [
        subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(20)
    ]
    said = [start.communicate(timeout=WAIT)[0] for start in starts]
    assert [start.returncode for start in starts] == [0] * 20
    assert sorted(said) == ["The engine is already running.\n"] * 19 + ["The engine is running.\n"]
    assert [engine.pid for engine in engines(home)] == [engine_address(home)["pid"]]


def test_a_second_engine_process_gives_way_to_the_first(home: Path) -> None:
    done(citeloom(home, "engine", "start"))
    first = engine_address(home)
    command = [sys.executable, "-m", "citeloom.engine.main"]
    second = subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=WAIT, check=False)
    assert second.returncode == 3
    assert "Another engine is running" in second.stderr
    assert engine_address(home) == first
    assert done(citeloom(home, "engine", "status"))


def test_status_and_stop_say_what_is_so_and_exit_accordingly(home: Path) -> None:
    absent = citeloom(home, "engine", "status")
    assert absent.returncode == 3
    assert "not running" in absent.stdout
    assert str(home) in absent.stdout
    assert "not running" in done(citeloom(home, "engine", "stop"))
    assert not (home / "engine.json").exists()

    done(citeloom(home, "engine", "start"))
    assert f"process {engine_address(home)['pid']}" in done(citeloom(home, "engine", "status"))
    assert "has stopped" in done(citeloom(home, "engine", "stop"))
    assert citeloom(home, "engine", "status").returncode == 3
    assert not (home / "engine.json").exists()
    wait_for(lambda: not engines(home), "the process to end")


def test_a_terminated_engine_leaves_in_order(home: Path) -> None:
    done(citeloom(home, "engine", "start"))
    (engine,) = engines(home)
    engine.send_signal(signal.SIGTERM)
    engine.wait(WAIT)
    assert not (home / "engine.json").exists()
    assert "engine stops: got SIGTERM" in (home / "logs" / "engine.log").read_text()


def test_an_engine_of_another_version_can_be_stopped_as_its_message_says(home: Path) -> None:
    with engine_with(home, set_number("engine.protocol", PROTOCOL + 1)) as engine:
        refused = citeloom(home, "project", "list")
        assert refused.returncode == 1
        assert "citeloom engine stop" in refused.stderr
        done(citeloom(home, "engine", "stop"))
        assert engine.wait(WAIT) == 0


def test_after_a_kill_the_next_command_starts_a_new_engine_with_everything_there(home: Path, tmp_path: Path) -> None:
    four_papers(tmp_path / "papers")
    project = Project.made(home, tmp_path / "papers")
    project.ingest()
    before = project.found()
    assert len(before) == 12
    dead = kill_engine(home)
    assert (home / "engine.json").exists()
    assert citeloom(home, "engine", "status").returncode == 3
    assert project.found() == before
    assert engine_address(home)["pid"] != dead
    assert citeloom(home, "doctor").returncode == 0


@contextmanager
def another_program(port: int) -> Iterator[list[bytes]]:
    """Something that listens where an engine did; gives what it receives."""
    received: list[bytes] = []

    def listen(server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    received.append(connection.recv(65_536))
                except OSError:
                    received.append(b"")

    with socket.create_server(("127.0.0.1", port)) as server:
        threading.Thread(target=listen, args=(server,), daemon=True).start()
        with socket.create_connection(server.getsockname()) as probe:
            probe.sendall(b"probe")
        wait_for(lambda: received == [b"probe"], "the listener")
        received.clear()
        yield received
        server.shutdown(socket.SHUT_RDWR)


def test_a_program_on_a_dead_engines_port_gets_no_token(home: Path) -> None:
    done(citeloom(home, "engine", "start"))
    old = engine_address(home)
    kill_engine(home)
    with another_program(old["port"]) as received:
        assert citeloom(home, "engine", "status").returncode == 3
        assert "not running" in done(citeloom(home, "engine", "stop"))
        done(citeloom(home, "project", "list"))
        new = engine_address(home)
        assert new["port"] != old["port"]
        assert received == []
    assert new["token"] != old["token"]


def test_an_engine_that_a_command_started_ends_when_nobody_uses_it(tmp_path: Path) -> None:
    by_command, by_person = tmp_path / "by-command", tmp_path / "by-person"
    for folder in (by_command, by_person):
        folder.mkdir()
        settings(folder, "[engine]\nidle_minutes = 0.02\n")
    try:
        done(citeloom(by_command, "project", "list"))
        with Control(by_command) as control:
            done(citeloom(by_person, "engine", "start"))
            time.sleep(3)  # more than twice the idle time
            control.call("engine.status")
            assert len(engines(by_command)) == 1
        wait_for(lambda: not engines(by_command), "the idle engine to end")
        assert not (by_command / "engine.json").exists()
        assert len(engines(by_person)) == 1
    finally:
        stop_engine(by_command)
        stop_engine(by_person)


@pytest.mark.skipif(os.name != "posix", reason="rights are told by mode bits here")
def test_only_the_owner_can_read_the_token_or_enter_the_data_folder(tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    done(citeloom(data, "engine", "start"))
    try:
        modes = {name: stat.S_IMODE((data / name).stat().st_mode) for name in ("", "engine.json", "logs")}
        assert modes == {"": 0o700, "engine.json": 0o600, "logs": 0o700}
        token = engine_address(data)["token"]
        assert len(token) == 64
        logs = "".join(file.read_text() for file in (data / "logs").iterdir())
        commands = [" ".join(process.cmdline()) for process in (*engines(data), psutil.Process())]
        assert token not in logs
        assert not any(token in command for command in commands)
    finally:
        stop_engine(data)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[engine\nidle_minutes = 1\n", "line 1"),
        ("[engine]\nidle_hours = 1\n", "there is no setting engine.idle_hours"),
        ('[engine]\nworkers = "many"\n', "engine.workers is 'many'"),
    ],
    ids=["syntax", "unknown", "kind"],
)
def test_a_settings_file_that_cannot_be_used_is_named_with_the_reason(home: Path, text: str, reason: str) -> None:
    settings(home, text)
    result = citeloom(home, "engine", "start")
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert str(home / "citeloom.toml") in line
    assert reason in line
    assert "Correct that line" in line
    assert ".." not in line
    wait_for(lambda: not engines(home), "the engine that gave up to end")
