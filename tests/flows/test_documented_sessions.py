"""The sessions printed in the README and in docs/ run, and print what is shown there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.flows.steps import settings
from tests.support import ROOT, citeloom, done
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World

SESSIONS = [
    (document.name, session)
    for document in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for session in re.findall(r"```console\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
]
PROJECT, VERIFY, SEARCH = ("README.md", "project add"), ("cli.md", "verify"), ("cli.md", "search")
EDITOR, ZOTERO = ("app.md", "clients install"), ("zotero.md", "zotero status")


def session(document: str, beginning: str) -> str:
    """The one session of a document whose first command begins so."""
    (found,) = [text for name, text in SESSIONS if name == document and text.startswith(f"$ citeloom {beginning}")]
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
    text = re.sub(r"after [\d.]+ s", "after SECONDS", re.sub(r"\d+ MB", "SIZE", text))
    return " ".join(re.sub(r"\b([01]\.\d)\d\b", r"\1", text).split())


def test_every_session_in_the_documents_is_run_below() -> None:
    assert len(SESSIONS) == len([session(*one) for one in (PROJECT, VERIFY, SEARCH, EDITOR, ZOTERO)])


def test_the_sessions_with_the_sample_library_run_and_say_what_is_printed(with_sample_conversions: Path) -> None:
    home = with_sample_conversions
    follow(home, session(*PROJECT))
    follow(home, session(*VERIFY))
    follow(home, session(*SEARCH))
    assert (home.parent / "cited.bib").read_text(encoding="utf-8").count("@article") == 2


def test_the_session_that_connects_an_editor_runs_and_says_what_is_printed(home: Path, tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    done(citeloom(home, "project", "add", "thesis"))
    follow(home, session(*EDITOR), HOME=str(tmp_path))


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
        follow(home, session(*ZOTERO))
