"""The options of `citeloom mcp`."""

from __future__ import annotations

import pytest

from citeloom import __version__, bridge
from citeloom.bridge import parse_arguments


def test_without_options_an_editor_sees_all_projects_and_may_only_read() -> None:
    assert parse_arguments([]) == {"projects": [], "toolsets": ["read"], "dialect": "", "version": __version__}


@pytest.mark.parametrize(
    ("arguments", "projects", "toolsets"),
    [
        (["--project", "thesis"], ["thesis"], ["read"]),
        (["--project=thesis/one", "--project", "b"], ["thesis/one", "b"], ["read"]),
        (["--toolsets", "read"], [], ["read"]),
        (["--toolsets= read , write"], [], ["read", "write"]),
        (["--project=a=b"], ["a=b"], ["read"]),
    ],
)
def test_options_are_taken_with_a_space_or_an_equals_sign(
    arguments: list[str], projects: list[str], toolsets: list[str]
) -> None:
    made = parse_arguments(arguments)
    assert (made["projects"], made["toolsets"]) == (projects, toolsets)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--projekt", "a"], "--projekt"),
        (["thesis"], "thesis"),
        (["--project"], "--project needs a value"),
        (["--toolsets", "read,admin"], "admin"),
        (["--toolsets", ""], "--toolsets"),
        (["--toolsets=,"], "--toolsets"),
        (["--project="], "--project"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_by_name(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=said):
        parse_arguments(arguments)
    assert bridge.main(arguments) == 2
    out, err = capsys.readouterr()
    assert not out and said in err and "Usage" in err


def test_help_tells_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert bridge.main(["--help"]) == 0
    said = capsys.readouterr().out
    assert "--project" in said and "--toolsets" in said
