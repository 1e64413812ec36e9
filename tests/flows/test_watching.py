"""What changes in Zotero, in a folder or in the references reaches the index without anybody asking."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import Pause, set_number
from tests.flows.steps import Project, engine_with, paper, settings, wait_until_idle
from tests.support import citeloom, done, wait_for
from tests.zotero_stand_in.database import write_database
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World

# A researcher waits up to a minute; a test need not.
HURRY = [set_number("watch.rest_seconds", 1.0), set_number("watch.longest_wait_seconds", 1.0)]


class Zotero:
    """A Zotero that writes its database whenever something is done in it, as the real one does."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.api = LocalZotero(self.world)

    def add(self, title: str, text: str) -> str:
        item = self.world.add("book", title=title, citationKey=title.lower())
        self.world.attach(item, "page.html", f"<p>{text}</p>".encode(), content_type="text/html")
        self.saved()
        return item

    def saved(self) -> None:
        aside = self.world.data_folder.parent / "aside"
        aside.mkdir(exist_ok=True)
        # In one step: a look in the middle would see two changes.
        write_database(self.world, aside).replace(self.world.data_folder / "zotero.sqlite")


@pytest.fixture
def zotero(tmp_path: Path, home: Path) -> Iterator[Zotero]:
    made = Zotero(tmp_path / "Zotero")
    with made.api:
        places = f'local_url = "{made.api.url}"\ndata_folder = "{made.world.data_folder}"'
        settings(home, f'[zotero]\nsource = "local"\n{places}\n[watch]\nzotero_seconds = 1.0\n')
        yield made


def found(project: Project, words: str) -> list[tuple[str, str]]:
    return [(hit["citekey"], hit["render_text"]) for hit in project.search(words)]


def test_what_is_done_in_zotero_is_found_without_a_word_also_while_an_import_runs(
    home: Path, zotero: Zotero, tmp_path: Path
) -> None:
    vectors = Pause(tmp_path / "vectors")
    zotero.add("Tides", "The tide was measured.")
    with engine_with(home, *HURRY, vectors.at("import.embedded", nth=2), watch="on"):
        done(citeloom(home, "project", "add", "p", "--zotero", "*"))
        project = Project(home)
        wait_for(lambda: ("tides", "The tide was measured.") in found(project, "tide"), "the first work")
        peat = zotero.add("Peat", "The peat was dug.")
        wait_for(lambda: "peat" in dict(found(project, "peat")), "a work that was added")
        vectors.wait("the vectors of that work")
        zotero.world.edit(peat, citationKey="bog")
        zotero.saved()
        wait_for(lambda: "bog" in dict(found(project, "peat")), "a renamed key")
        vectors.release()

        zotero.api.close()
        zotero.world.trash(peat)
        later = zotero.world.add("book", title="Later", citationKey="later")
        zotero.world.attach(later, "page.html", b"<p>The reed was cut.</p>", content_type="text/html")
        zotero.saved()
        assert "bog" in dict(found(project, "peat"))
        zotero.api.open()
        wait_for(lambda: "later" in dict(found(project, "reed")), "what was done while nobody could be asked")
        assert "bog" not in dict(found(project, "peat"))


def test_a_change_that_could_not_be_read_is_read_later(home: Path, zotero: Zotero) -> None:
    zotero.add("Tides", "The tide was measured.")
    with engine_with(home, *HURRY, watch="on"):
        done(citeloom(home, "project", "add", "p", "--zotero", "*"))
        project = Project(home)
        wait_for(lambda: found(project, "tide"), "the first work")
        zotero.api.faults["/api/users/0/items"] = "cut"
        zotero.add("Peat", "The peat was dug.")
        asked = len(zotero.api.requests)
        wait_for(lambda: any(p == "/api/users/0/items" for _, p, _ in zotero.api.requests[asked:]), "a try in vain")
        zotero.api.faults.clear()
        wait_for(lambda: "peat" in dict(found(project, "peat")), "the work, although nothing was saved since")


def test_a_quiet_zotero_costs_a_request_a_look_and_no_job(home: Path, zotero: Zotero) -> None:
    zotero.add("Tides", "The tide was measured.")
    with engine_with(home, *HURRY, watch="on"):
        done(citeloom(home, "project", "add", "p", "--zotero", "*"))
        wait_for(lambda: found(Project(home), "tide"), "the first work")
        wait_until_idle(home)
        wait_for(lambda: _settled(zotero), "the last sync to be over")
        before = len(zotero.api.requests)
        wait_for(lambda: len(zotero.api.requests) >= before + 4, "some looks")
        assert {path for _, path, _ in zotero.api.requests[before:]} == {"/api/users/0/groups"}
        jobs = json.loads(done(citeloom(home, "project", "show", "p", "--json")))["last_jobs"]
        assert len(jobs) == 1


def test_two_projects_of_one_library_have_it_read_once(home: Path, zotero: Zotero) -> None:
    zotero.add("Tides", "The tide was measured.")
    with engine_with(home, *HURRY, watch="on"):
        for name in ("p", "q"):
            done(citeloom(home, "project", "add", name, "--zotero", "*"))
        wait_for(lambda: all(found(Project(home, name), "tide") for name in ("p", "q")), "the first work in both")
        wait_until_idle(home)  # its words are found before it ends
        wait_for(lambda: _settled(zotero), "the last sync to be over")
        before = len(zotero.api.requests)
        zotero.saved()  # something was written, and nothing changed
        wait_for(lambda: len(zotero.api.requests) > before + 4 and _settled(zotero), "a round")
        assert [path for _, path, _ in zotero.api.requests[before:]].count("/api/users/0/items") == 1


def _settled(zotero: Zotero) -> bool:
    """Whether Zotero's library has not been read of late."""
    return {path for _, path, _ in zotero.api.requests[-3:]} == {"/api/users/0/groups"}


def test_a_new_file_and_a_changed_references_file_are_followed(home: Path, tmp_path: Path) -> None:
    folder, references = tmp_path / "papers", tmp_path / "library.bib"
    paper(folder / "reefs.md", "On reefs", "The coral was measured.")
    references.write_text("@book{reefs2001, title = {On reefs}, year = 2001}\n")
    with engine_with(home, *HURRY, watch="on"):
        done(citeloom(home, "project", "add", "p", "--folder", str(folder), "--references", str(references)))
        project = Project(home)
        project.sync()
        paper(folder / "moths.md", "On moths", "The moth was measured.")
        wait_for(lambda: "The moth was measured." in str(found(project, "moth")), "a new file")
        references.write_text("@book{reefs2002, title = {On reefs}, year = 2002}\n")
        wait_for(lambda: "reefs2002" in dict(found(project, "coral")), "the new key")
