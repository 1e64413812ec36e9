"""Every command says what it is for."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import click
import pytest
from click.testing import CliRunner

from citeloom import __version__
from citeloom.cli import main as run
from citeloom.cli.main import commands
from citeloom.cli.shared.output import coverage, size
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Coverage


def every(command: click.Command, name: str = "citeloom") -> list[tuple[str, click.Command]]:
    found = [(name, command)]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for sub in command.list_commands(context):
            inner = command.get_command(context, sub)
            assert inner, sub
            found += every(inner, f"{name} {sub}")
    return found


COMMANDS = dict(every(commands))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_a_sentence_and_each_option_has_one_too(name: str) -> None:
    command = COMMANDS[name]
    assert command.help and command.get_short_help_str()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]}"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "citeloom mcp"])
def test_help_is_shown_without_an_engine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("help starts nothing"))
    shown = CliRunner().invoke(commands, [*name.split()[1:], "--help"])
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith("Usage:")


def test_the_commands_of_a_first_session_are_there() -> None:
    expected = {
        "project add",
        "project list",
        "project show",
        "project remove",
        "ingest",
        "search",
        "documents",
        "show",
    }
    expected |= {"log", "engine start", "engine stop", "engine status", "doctor", "mcp"}
    assert {f"citeloom {name}" for name in expected} <= set(COMMANDS)


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["serach"], 2, "serach"),
        (["search", "thesis"], 2, "WORDS"),
        (["search", "thesis", "salt", "--filter", "author"], 1, "author=Evans"),
        (["log", "--limit", "0"], 2, "--limit"),
    ],
)
def test_a_mistake_is_one_readable_message_without_traceback(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_engine(*_: object, **__: object) -> None:
        raise CiteLoomError(Code.ENGINE_UNAVAILABLE, "There is no engine in this test.")

    monkeypatch.setattr("citeloom.ipc.client.Client.__init__", no_engine)
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert said in err and "Traceback" not in err and not out


def test_a_traceback_is_shown_when_it_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("citeloom.ipc.client.Client.__init__", broken)
    assert run(["log"]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert run(["log", "--debug"]) == 1
    shown = capsys.readouterr().err
    assert "Traceback" in shown and "a bug" in shown


def test_coverage_and_sizes_are_told_in_words() -> None:
    counts = Coverage(documents=5, searchable=3, by_meaning=3, pending=0, failed=1, without_file=1)
    assert coverage(counts) == "3 of 5 documents searchable, 1 failed, 1 without a file"
    by_words = replace(counts, by_meaning=1)
    assert coverage(by_words) == "3 of 5 documents searchable (1 of them by meaning), 1 failed, 1 without a file"
    sizes = {0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 2_500_000: "2 MB", 3_210_000_000: "3.2 GB"}
    assert {number: size(number) for number in sizes} == sizes
