"""The README is true: its session runs as printed, and every command, option and tool it names is there."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click

from citeloom.bridge import USAGE
from citeloom.cli.main import commands
from citeloom.core import settings as config
from citeloom.tools.table import TOOLS
from tests.flows.steps import settings
from tests.support import ROOT, citeloom, done
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World

README = (ROOT / "README.md").read_text(encoding="utf-8")


def fences(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def session(beginning: str) -> str:
    """The one session whose first command begins so."""
    (found,) = [fence for fence in fences("console") if fence.startswith(f"$ citeloom {beginning}")]
    return found


def follow(home: Path, session: str, **more: str) -> None:
    """Run a session; what is printed under each command must come, but for how long it took."""
    steps = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    assert steps
    for step in steps:
        command, *printed = step.strip().splitlines()
        arguments = shlex.split(command)[1:]
        arguments = [str(ROOT / a) if a.startswith("citeloom/sample/") else a for a in arguments]
        result = citeloom(home, *arguments, cwd=home.parent, **more)
        faulty = arguments[0] in ("check", "verify") or "--cited-in" in arguments  # the sample manuscript has faults
        assert result.returncode == int(faulty), result.stderr
        for line in printed:
            assert plain(line) in plain(result.stdout), command


def plain(text: str) -> str:
    """Text without seconds, sizes, columns and a score's last digit: what was deleted before counts a little in it."""
    text = re.sub(r"in [\d.]+ s", "in SECONDS", re.sub(r"\d+ MB", "SIZE", text))
    return " ".join(re.sub(r"\b([01]\.\d)\d\b", r"\1", text).split())


def test_the_session_in_the_readme_runs_and_says_what_is_printed(with_sample_conversions: Path) -> None:
    home = with_sample_conversions
    follow(home, session("project add"))
    follow(home, session("verify"))
    follow(home, session("search"))
    assert (home.parent / "cited.bib").read_text(encoding="utf-8").count("@article") == 2


def test_the_session_that_connects_an_editor_runs_and_says_what_is_printed(home: Path, tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    done(citeloom(home, "project", "add", "thesis"))
    follow(home, session("clients install"), HOME=str(tmp_path))


def test_the_session_with_zotero_runs_and_says_what_is_printed(home: Path, tmp_path: Path) -> None:
    world = World(tmp_path / "Zotero")
    chapter = world.collection("Chapter 2", world.collection("Thesis"))
    for title, text in (("Salt", "Salt was carried up the river by barge."), ("Grain", "Grain was weighed twice.")):
        author = {"firstName": "R.", "lastName": "Evans", "creatorType": "author"}
        item = world.add("book", title=title, date="2014", creators=[author], collections=[chapter])
        page = f"<html><body><h1>Upstream</h1><p>{text}</p></body></html>".encode()
        world.attach(item, "page.html", page, mode="imported_url", content_type="text/html")
    world.note(item, "<p>Look for the tolls.</p>")
    world.add("book", title="Not here", collections=[chapter])
    with LocalZotero(world) as zotero:
        settings(home, f'[zotero]\nlocal_url = "{zotero.url}"\ndata_folder = "{world.data_folder}"\n')
        follow(home, session("zotero status"))


def test_every_command_and_option_in_the_readme_exists() -> None:
    named = re.findall(r"citeloom ([a-z]+)(?: ([a-z]+))?([^`\n|]*)", README)
    assert len(named) > 15
    for command, sub, rest in named:
        if command == "mcp":
            assert all(option in USAGE for option in re.findall(r"--[a-z]+", rest))
            continue
        found = commands.commands.get(command)
        assert found is not None, command
        if isinstance(found, click.Group) and (sub or not found.invoke_without_command):
            assert sub in found.commands, f"{command} {sub}"
            found = found.commands[sub]
        options = {name for parameter in found.params for name in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options, (command, rest)


def test_the_readme_lists_exactly_the_tools_there_are() -> None:
    section = README.split("## The tools agents see")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(TOOLS)


def test_the_settings_shown_in_the_readme_are_settings(tmp_path: Path) -> None:
    shown = fences("toml")[0]
    assert tomllib.loads(shown)
    file = tmp_path / "citeloom.toml"
    file.write_text(shown, encoding="utf-8")
    assert config.load(file).default_project == "thesis"
