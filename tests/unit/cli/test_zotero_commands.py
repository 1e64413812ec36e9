"""What `citeloom zotero …` says of what the engine found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner, Result

from citeloom.api.importing import ZoteroLibrary
from citeloom.api.verbs import Request, decode, encode
from citeloom.cli import zotero
from citeloom.core.errors import CiteLoomError
from tests.support import ROOT

RUNNING: dict[str, Any] = {
    "in_use": "local",
    "why": "Zotero is running.",
    "local": {
        "running": True,
        "api": "on",
        "version": "9.0.6",
        "better_bibtex": "9.0.23",
        "url": "http://127.0.0.1:23119",
    },
    "sqlite": {"database": "/home/me/Zotero/zotero.sqlite", "schema": 125, "problem": None},
    "web": {"key": "keyring", "user": "mevans", "problem": None},
    "libraries": [
        {"id": "library", "name": "My Library", "items": 1078, "collections": 12},
        {"id": "groups/4242", "name": "Reef Lab", "items": 40, "collections": 3},
    ],
    "data_folder": "/home/me/Zotero",
    "base_folder": None,
    "next_step": "",
}
NOTHING: dict[str, Any] = {
    "in_use": None,
    "why": "",
    "local": {
        "running": True,
        "api": "off",
        "version": None,
        "better_bibtex": None,
        "url": "http://127.0.0.1:23119",
    },
    "sqlite": {"database": None, "schema": None, "problem": None},
    "web": {"key": None, "user": None, "problem": "the keyring is locked"},
    "libraries": [],
    "data_folder": None,
    "base_folder": None,
    "next_step": "Switch the local API on: Settings → Advanced.",
}
COLLECTIONS: dict[str, Any] = {
    "libraries": [
        {
            "id": "library",
            "name": "My Library",
            "items": 1078,
            "collections": [
                {"key": "AAAA1111", "parent": None, "path": "Thesis", "name": "Thesis", "items": 40, "depth": 0},
                {
                    "key": "BBBB2222",
                    "parent": "AAAA1111",
                    "path": "Thesis/Fish/Reefs",
                    "name": "Fish/Reefs",
                    "items": 7,
                    "depth": 1,
                },
                {
                    "key": "CCCC3333",
                    "parent": "BBBB2222",
                    "path": "Thesis/Fish/Reefs/Old",
                    "name": "Old",
                    "items": 1,
                    "depth": 2,
                },
                {"key": "DDDD4444", "parent": None, "path": "Teaching", "name": "Teaching", "items": 3, "depth": 0},
            ],
            "searches": [{"key": "EEEE5555", "name": "Unread"}],
        }
    ]
}


class Engine:
    """Answers as the engine does, and remembers what it was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def ask(self, request: Request[Any], waiting_for: str = "") -> Any:
        self.asked.append((request.verb, encode(request)))
        return decode(self.answers[request.verb], request.result)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    made = Engine()
    monkeypatch.setattr(zotero, "ask", made.ask)
    return made


def run(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(zotero.zotero, list(arguments), input=typed)


def test_status_says_what_is_in_use_and_what_each_way_has(engine: Engine) -> None:
    engine.answers["importing.zotero_status"] = RUNNING
    shown = run("status")
    assert shown.exit_code == 0
    rows = [line.split("\t") for line in shown.output.splitlines()]
    assert rows == [
        ["in use", "the running Zotero (Zotero is running)"],
        ["Zotero", "running at http://127.0.0.1:23119, 9.0.6, lets CiteLoom read"],
        ["Better BibTeX", "9.0.23"],
        ["database", "/home/me/Zotero/zotero.sqlite (schema 125)"],
        ["zotero.org", "logged in as mevans (a key in the keyring)"],
        ["data folder", "/home/me/Zotero"],
        ["linked files", "no base folder is set"],
        ["library", "My Library (library): 1078 items, 12 collections"],
        ["library", "Reef Lab (groups/4242): 40 items, 3 collections"],
    ]


def test_a_zotero_that_is_not_reached_is_exit_code_one_and_a_next_step(engine: Engine) -> None:
    engine.answers["importing.zotero_status"] = NOTHING
    shown = run("status")
    assert shown.exit_code == 1
    assert "does not let CiteLoom read" in shown.output and "not logged in: the keyring is locked" in shown.output
    assert shown.output.splitlines()[-1] == "Switch the local API on: Settings → Advanced."
    for_programs = run("status", "--json")
    assert for_programs.exit_code == 1 and json.loads(for_programs.output) == NOTHING


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"local": {**NOTHING["local"], "running": False}}, "not running (no answer at http://127.0.0.1:23119)"),
        ({"sqlite": {"database": None, "schema": None, "problem": "two profiles"}}, "two profiles"),
        (
            {"sqlite": {"database": "/z/zotero.sqlite", "schema": 999, "problem": "too new"}},
            "/z/zotero.sqlite (schema 999): too new",
        ),
        (
            {"web": {"key": "environment", "user": None, "problem": "the key is not valid"}},
            "logged in as an unknown user (a key from the environment): the key is not valid",
        ),
    ],
)
def test_every_trouble_is_said(engine: Engine, changes: dict[str, Any], said: str) -> None:
    engine.answers["importing.zotero_status"] = {**NOTHING, **changes}
    assert said in run("status").output


def test_a_piped_key_is_taken_without_its_line_end_and_never_shown(engine: Engine) -> None:
    engine.answers["importing.zotero_login"] = {"user": "mevans", "key": "keyring"}
    shown = run("login", typed="  k3y \n")
    assert shown.exit_code == 0 and engine.asked == [("importing.zotero_login", {"key": "k3y"})]
    assert "mevans" in shown.output and "k3y" not in shown.output


def test_without_a_key_nothing_is_asked(engine: Engine) -> None:
    shown = run("login", typed=" \n")
    assert isinstance(shown.exception, CiteLoomError) and "settings/keys/new" in str(shown.exception)
    assert engine.asked == []


def test_a_key_cannot_be_an_argument(engine: Engine) -> None:
    assert run("login", "k3y").exit_code == 2 and engine.asked == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")
def test_a_key_typed_at_a_terminal_is_not_echoed() -> None:
    import pty

    command = (
        "from citeloom.cli import zotero\n"
        "from citeloom.api.importing import ZoteroLoginResult\n"
        "zotero.ask = lambda sent, waiting: ZoteroLoginResult(f'got {len(sent.key)} signs', 'keyring')\n"
        "zotero.zotero(['login'])\n"
    )
    here, there = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", command],
        stdin=there,
        stdout=there,
        stderr=there,
        cwd=ROOT,
        start_new_session=True,
    )
    os.close(there)  # so that reading ends when the program does
    shown = b""
    while b"Key:" not in shown:
        shown += os.read(here, 1000)
    os.write(here, b"k3y-typed\n")
    while b"signs" not in shown:
        shown += os.read(here, 1000)
    process.wait()
    os.close(here)
    assert b"k3y-typed" not in shown
    assert b"settings/keys/new" in shown and b"got 9 signs" in shown


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"forgotten": True, "key": None}, ["The key was deleted."]),
        ({"forgotten": False, "key": None}, ["There was no key in the keyring."]),
        ({"forgotten": True, "key": "environment"}, ["The key was deleted.", "CITELOOM_ZOTERO_API_KEY"]),
    ],
)
def test_logout_says_what_is_left(engine: Engine, answer: dict[str, Any], said: list[str]) -> None:
    engine.answers["importing.zotero_logout"] = answer
    lines = run("logout").output.splitlines()
    assert len(lines) == len(said)
    assert all(part in line for part, line in zip(said, lines, strict=True))


def test_collections_are_lines_with_whole_paths_for_other_programs(engine: Engine) -> None:
    engine.answers["importing.zotero_collections"] = COLLECTIONS
    shown = run("collections", "--library", "My Library")
    assert engine.asked == [("importing.zotero_collections", {"library": "My Library"})]
    assert [line.split("\t") for line in shown.output.splitlines()] == [
        ["library", "collection", "Thesis", "40", "AAAA1111"],
        ["library", "collection", "Thesis/Fish/Reefs", "7", "BBBB2222"],
        ["library", "collection", "Thesis/Fish/Reefs/Old", "1", "CCCC3333"],
        ["library", "collection", "Teaching", "3", "DDDD4444"],
        ["library", "search", "Unread", "", "EEEE5555"],
    ]
    assert json.loads(run("collections", "--json").output) == COLLECTIONS


def test_collections_are_a_tree_on_a_terminal_even_when_a_name_holds_a_slash() -> None:
    names = [row[0] for row in zotero._tree(decode(COLLECTIONS["libraries"][0], ZoteroLibrary))]
    assert names == ["  Thesis", "    Fish/Reefs", "      Old", "  Teaching", "  Unread (saved search)"]
