"""zotero.org as a source, and as the place from which missing files come; the key is nobody else's business."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.steps import Project, counts, pdf_paper, settings
from tests.support import citeloom, done, stop_engine
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.web_api import WebZotero
from tests.zotero_stand_in.world import World

KEY = "P9NiFoyLeZu2bZNvvuQPDWsd"
NAME = "CITELOOM_ZOTERO_API_KEY"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "Zotero")
    item = world.add("book", title="On tides", citationKey="tides2001", date="2001")
    world.attach(item, "tides.pdf", pdf_paper(tmp_path / "tides.pdf", "tide").read_bytes())
    return world


@pytest.fixture
def web(world: World) -> Iterator[WebZotero]:
    with WebZotero(world, api_key=KEY) as zotero:
        yield zotero


def secrets_written(home: Path) -> list[str]:
    """The files of a data folder that hold the key."""
    return [str(file) for file in home.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]


def test_a_library_on_zotero_org_is_read_with_its_files_and_then_only_its_changes(
    home: Path, tmp_path: Path, world: World, web: WebZotero
) -> None:
    elsewhere = tmp_path / "empty"
    settings(home, f'[zotero]\nsource = "web"\nweb_url = "{web.url}"\ndata_folder = "{elsewhere}"\n')
    memory = {"PYTHON_KEYRING_BACKEND": "tests.keyring_for_tests.Memory"}
    refused = citeloom(home, "zotero", "login", stdin="wrong\n", **memory)
    assert refused.returncode == 1 and "wrong" not in refused.stdout + refused.stderr
    assert KEY not in done(citeloom(home, "zotero", "login", stdin=f"{KEY}\n", **memory))
    status = json.loads(done(citeloom(home, "zotero", "status", "--json")))
    assert (status["in_use"], status["web"]["key"]) == ("web", "keyring")

    done(citeloom(home, "project", "add", "p", "--zotero", "*"))
    project = Project(home)
    assert counts(project.sync())["new"] == 1
    (hit, *_) = project.search("how often was the tide measured")
    assert hit["citekey"] == "tides2001" and hit["page_span"] and hit["text_source"] == "native"
    assert hit["open_uri"].startswith("file://")  # a Zotero that has not got the file cannot open it

    (attachment,) = (key for key, data in world.libraries["library"].items.items() if data["itemType"] == "attachment")
    world.replace_file(attachment, pdf_paper(tmp_path / "reed.pdf", "reed").read_bytes())
    asked = len(web.requests)
    assert counts(project.sync())["replaced"] == 1
    assert len([path for _, path, _ in web.requests[asked:] if path.endswith("/file")]) == 1
    assert "reed" in project.search("how often was it measured")[0]["render_text"]

    world.add("book", title="Later", citationKey="later2002")
    asked = len(web.requests)
    assert counts(project.sync()) == {"skipped": 1, "without_file": 1}
    assert any("since=" in path and "since=0" not in path for _, path, _ in web.requests[asked:])
    assert not any("/file" in path for _, path, _ in web.requests[asked:])
    assert not any(KEY in path for _, path, _ in web.requests)

    done(citeloom(home, "zotero", "logout"))
    result = project.sync()
    assert counts(result) == {"failed": 1} and "citeloom zotero login" in result["errors"][0]["reason"]
    assert len(project.search("tide")) > 0
    stop_engine(home)
    assert secrets_written(home) == []


def test_files_that_are_not_on_this_disk_come_from_zotero_org_where_it_has_them(
    home: Path, world: World, web: WebZotero
) -> None:
    (attachment,) = (key for key, data in world.libraries["library"].items.items() if data["itemType"] == "attachment")
    world.remove_file(attachment)
    webdav = world.attach(world.add("book", title="On WebDAV", citationKey="dav"), "dav.pdf", None)
    large = world.attach(world.add("book", title="Large", citationKey="large"), "large.pdf", b"%PDF" + bytes(3_000_000))
    world.remove_file(large)
    with LocalZotero(world) as zotero:
        places = f'local_url = "{zotero.url}"\nweb_url = "{web.url}"\ndata_folder = "{world.data_folder}"'
        settings(home, f"[zotero]\nmax_file_mb = 2\n{places}\n")
        done(citeloom(home, "project", "add", "p", "--zotero", "*", **{NAME: KEY}))
        project = Project(home)
        result = project.sync()
        listed = {d["citekey"]: d for d in project_documents(project)}
        assert (listed["tides2001"]["status"], listed["tides2001"]["text_source"]) == ("ready", "native")
        assert listed["dav"]["status"] == "without_file" and "WebDAV" in listed["dav"]["reason"]
        assert listed["large"]["status"] != "ready" and "2 MB" in listed["large"]["reason"]
        assert result["new"] == 1 and webdav in str(listed["dav"])
        assert counts(project.sync())["skipped"] == 1


def test_the_text_that_zotero_kept_gives_way_to_the_file_once_it_can_be_had(
    home: Path, world: World, web: WebZotero
) -> None:
    (attachment,) = (key for key, data in world.libraries["library"].items.items() if data["itemType"] == "attachment")
    long = world.attach(world.add("book", title="Long", citationKey="long"), f"{'鯨' * 70}.pdf", b"not really a PDF")
    for key in (attachment, long):
        world.remove_file(key)
        world.index_text(key, f"What Zotero kept of the tide in {key}.")
    with LocalZotero(world) as zotero:
        places = f'local_url = "{zotero.url}"\nweb_url = "{web.url}"\ndata_folder = "{world.data_folder}"'
        settings(home, f"[zotero]\n{places}\n")
        done(citeloom(home, "project", "add", "p", "--zotero", "*"))
        project = Project(home)
        project.sync()
        assert {h["text_source"] for h in project.search("tide")} == {"zotero_fulltext"}
        stop_engine(home)
        result = project.sync(**{NAME: KEY})
        assert result["replaced"] == 1
        assert {(h["citekey"], h["text_source"]) for h in project.search("tide", "--top", "20")} == {
            ("tides2001", "native"),
            ("long", "zotero_fulltext"),  # what came is no PDF: the text stays
        }
        web.close()
        try:
            assert project.sync()["replaced"] == 0
        finally:
            web.open()
        assert "native" in {h["text_source"] for h in project.search("tide")}


def project_documents(project: Project) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = json.loads(done(citeloom(project.home, "documents", project.name, "--json")))
    return listed
