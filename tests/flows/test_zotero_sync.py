"""A project that is a part of Zotero: made by name, kept in step, and never widened or emptied by accident."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.steps import Project, assert_whole, counts, paper, pdf_paper, settings
from tests.support import WRITING, Editor, citeloom, done, stop_engine
from tests.zotero_stand_in.database import write_database
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World

Library = tuple[World, LocalZotero, Path]
ADA = {"firstName": "Ada", "lastName": "Lovelace", "creatorType": "author"}


def page(*paragraphs: str) -> bytes:
    """A small web page, as Zotero's snapshots are."""
    body = "".join(f"<h2>Part {n}</h2><p>{text}</p>" for n, text in enumerate(paragraphs, start=1))
    return f"<!DOCTYPE html><html><head><title>A page</title></head><body>{body}</body></html>".encode()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A Zotero that runs, and a data folder whose settings lead to it; in the end all indexes are whole."""
    root = tmp_path_factory.mktemp("zotero")
    home = root / "home"
    home.mkdir()
    world = World(root / "Zotero")
    with LocalZotero(world) as zotero:
        settings(home, f'[zotero]\nlocal_url = "{zotero.url}"\ndata_folder = "{world.data_folder}"\n')
        yield world, zotero, home
    names = [p["id"] for p in json.loads(done(citeloom(home, "project", "list", "--json")))]
    stop_engine(home)
    for name in names:
        assert_whole(home, name)


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return itertools.count(1)


class Shelf:
    """A collection of its own, with a project that reads it."""

    def __init__(self, library: Library, number: int) -> None:
        self.world, self.zotero, self.home = library
        self.name = f"Shelf {number}"
        self.collection = self.world.collection(self.name)
        self.number = itertools.count(1)

    def work(self, title: str, *paragraphs: str, **fields: Any) -> tuple[str, str]:
        """A work with a snapshot; gives the keys of both."""
        item = self.world.add(
            "journalArticle", **{"title": title, "collections": [self.collection], "creators": [ADA], **fields}
        )
        texts = paragraphs or (f"What {title} says of the {self.name} stands here.",)
        return item, self.world.attach(item, "page.html", page(*texts), mode="imported_url", content_type="text/html")

    def project(self, *more: str) -> Project:
        """A project that reads the collection."""
        name = self.name.lower().replace(" ", "-")
        done(citeloom(self.home, "project", "add", name, "--zotero", self.name, *more))
        return Project(self.home, name)


@pytest.fixture
def shelf(library: Library, numbers: Iterator[int]) -> Shelf:
    return Shelf(library, next(numbers))


def keys(project: Project) -> dict[str, str]:
    """The status of each document by its citekey."""
    listed = json.loads(done(citeloom(project.home, "documents", project.name, "--json")))
    return {d["citekey"]: d["status"] for d in listed}


def test_everything_of_a_work_becomes_passages_that_can_be_cited(shelf: Shelf, tmp_path: Path) -> None:
    world = shelf.world
    item = world.add(
        "journalArticle",
        title="On the coral in spring",
        date="2019-05-01",
        citationKey="lovelace2019coral",
        collections=[shelf.collection],
        tags=["reefs"],
        creators=[ADA],
        DOI="10.1000/coral",
    )
    pdf = world.attach(item, "coral.pdf", pdf_paper(tmp_path / "coral.pdf", "coral").read_bytes())
    mark = world.annotate(
        pdf, "measured at 4 places", comment="too few buckets", page_label="iii", position={"pageIndex": 1}
    )
    note = world.note(
        item, "<h1>Doubts</h1><p>Were the <b>buckets</b> counted twice?</p><img src='data:image/png;base64,AA=='>"
    )
    project = shelf.project()
    assert counts(project.sync())["new"] == 3

    (hit, *_) = project.search("how many places was the coral measured at in April", "--filter", "file_type=pdf")
    assert (hit["citekey"], hit["citekey_made"], hit["doi"]) == ("lovelace2019coral", False, "10.1000/coral")
    assert hit["open_uri"] == f"zotero://open-pdf/library/items/{pdf}?page={hit['page_span'][0]}"
    marked = next(h for h in project.search("too few buckets") if h["text_source"] == "annotation")
    assert marked["cite"] == "[@lovelace2019coral, p. iii]" and marked["page_span"] == [2, 2]
    assert marked["open_uri"] == f"zotero://open-pdf/library/items/{pdf}?page=2&annotation={mark}"
    assert "measured at 4 places" in marked["render_text"] and "too few buckets" in marked["render_text"]
    noted = next(h for h in project.search("buckets counted twice") if h["text_source"] == "note")
    assert noted["cite"] == "[@lovelace2019coral]" and noted["section"] == "Doubts"
    assert "base64" not in noted["render_text"]
    assert noted["open_uri"] == f"zotero://select/library/items/{note}"
    for hit in (noted, marked):
        assert done(citeloom(project.home, "open", hit["chunk_id"], "--print")).strip() == hit["open_uri"]
    with Editor(project.home) as editor:  # the page that an annotation marks is its PDF's
        read = editor.call("get_passage", project=project.name, chunk_id=marked["chunk_id"])
        assert read["page"]["number"] == 2 and "the coral was measured at 5 places" in read["page"]["text"]


def test_a_sync_follows_what_was_done_in_zotero_and_reads_only_what_it_must(shelf: Shelf) -> None:
    world = shelf.world
    (first, page_of_first), (second, _), (third, _) = (
        shelf.work(f"Moth {n}", citationKey=f"moth{n}{shelf.collection}") for n in (1, 2, 3)
    )
    key = {n: f"moth{n}{shelf.collection}" for n in (1, 2, 3)}
    project = shelf.project()
    assert counts(project.sync()) == {"new": 3, "chunks_written": 3}
    assert counts(project.sync()) == {"skipped": 3}

    world.edit(first, title="Moth, the first", abstractNote="Of moths.")
    world.tag(second, "night")
    result = project.sync()
    assert counts(result) == {"updated": 2, "skipped": 1}
    assert not {"convert", "embed", "write"} & set(result["stages"])
    hits = project.search("what stands here", "--filter", "tags=night")
    assert [h["citekey"] for h in hits] == [key[2]]

    world.replace_file(page_of_first, page("Something else altogether."))
    assert counts(project.sync()) == {"replaced": 1, "skipped": 2, "chunks_written": 1}

    world.trash(first)
    world.move(second, [])
    world.erase(third)
    fourth, _ = shelf.work("Moth 4", citationKey=f"moth4{shelf.collection}")
    assert counts(project.sync()) == {"new": 1, "removed": 3, "chunks_written": 1}
    world.restore(first)
    assert counts(project.sync()) == {"new": 1, "skipped": 1, "chunks_written": 1}

    inner = world.collection("Inner", shelf.collection)
    world.move(fourth, [inner])  # the project was made without --recursive
    assert counts(project.sync()) == {"skipped": 1, "removed": 1}


def test_a_renamed_and_moved_collection_is_still_the_project(shelf: Shelf) -> None:
    shelf.work("Peat")
    project = shelf.project()
    project.sync()
    shelf.world.rename_collection(shelf.collection, "Another name")
    shelf.world.move_collection(shelf.collection, shelf.world.collection("Above"))
    shelf.work("Bog")
    result = project.sync()
    assert counts(result)["new"] == 1 and counts(result)["updated"] == 1
    (hit, *_) = project.search("Peat")
    listed = json.loads(done(citeloom(shelf.home, "search", project.name, "Peat", "--json")))
    assert hit and listed["coverage"]["searchable"] == 2


def test_a_renamed_citekey_still_leads_to_the_work_and_results_say_so(shelf: Shelf) -> None:
    old, new = f"old{shelf.collection}", f"new{shelf.collection}"
    item, _ = shelf.work("Tides", citationKey=old)
    project = shelf.project()
    project.sync()
    shelf.world.edit(item, citationKey=new)
    plan = done(citeloom(shelf.home, "sync", project.name, "--dry-run"))
    assert f"was {old}" in plan
    assert counts(project.sync()) == {"updated": 1}
    with Editor(shelf.home, "--project", project.name) as editor:
        answer = editor.call("query_hybrid", project=project.name, text="tides", filters={"citekey": old})
        (hit,) = answer["items"]
        assert (hit["citekey"], hit["renamed_from"], hit["cite"]) == (new, [old], f"[@{new}]")
        assert answer["warnings"] == [f"The citekey {old} is {new} now."]
        assert editor.call("get_document", project=project.name, citekey=old)["renamed_from"] == old


def test_a_key_comes_from_zotero_then_better_bibtex_then_from_us_and_then_it_stays(shelf: Shelf) -> None:
    world, tail = shelf.world, shelf.collection
    shelf.work("Native", citationKey=f"native{tail}", extra=f"Citation Key: other{tail}")
    shelf.work("In Extra", extra=f"Citation Key: extra{tail}")
    known, _ = shelf.work("By Better BibTeX")
    world.libraries["library"].citekeys[known] = f"better{tail}"
    first, _ = shelf.work("Made twice over", "One.", date="2001")
    shelf.work("Made twice over", "Two.", date="2001")
    project = shelf.project()
    project.sync()
    made = {"lovelaceMadeTwice2001", "lovelaceMadeTwice2001a"}
    given = {f"native{tail}", f"extra{tail}", f"better{tail}"}
    assert set(keys(project)) == given | made
    listed = json.loads(done(citeloom(project.home, "documents", project.name, "--json")))
    assert {d["citekey"] for d in listed if d["citekey_made"]} == made

    shelf.zotero.better_bibtex = False
    try:
        world.trash(first)
        assert counts(project.sync()) == {"skipped": 4, "removed": 1}
    finally:
        shelf.zotero.better_bibtex = True
    assert given < set(keys(project)) and len(keys(project)) == 4


@pytest.mark.parametrize("fault", ["cut", "not json", 503])
def test_a_library_that_fails_in_the_middle_removes_nothing(shelf: Shelf, fault: Any) -> None:
    shelf.work("Kept")
    project = shelf.project()
    project.sync()
    shelf.zotero.faults["/api/users/0/items"] = fault
    try:
        result = project.sync()
    finally:
        shelf.zotero.faults.clear()
    assert [e["code"] for e in result["errors"]] == ["ZOTERO_UNAVAILABLE"]
    assert counts(result) == {"failed": 1}
    assert len(project.search("Kept")) == 1


def test_a_closed_zotero_is_read_from_its_database_as_if_it_were_open(shelf: Shelf) -> None:
    item, _ = shelf.work("Open", tags=["b", "a"], date="c. 1999", extra="Citation Key: shut1999\nPMID: 12")
    shelf.world.note(item, "<p>A note of mine</p>")
    project = shelf.project()
    assert counts(project.sync())["new"] == 2
    shelf.zotero.close()
    try:
        database = write_database(shelf.world, shelf.world.data_folder)
        assert counts(project.sync()) == {"skipped": 2}  # the same, to the last letter of its records
        assert "a copy is read" in done(citeloom(shelf.home, "zotero", "status"))
        database.unlink()
        assert counts(project.sync()) == {"failed": 1}
    finally:
        shelf.zotero.open()
    assert len(project.search("A note of mine")) == 2


def test_a_zotero_that_does_not_answer_says_how_to_make_it(shelf: Shelf) -> None:
    told = done(citeloom(shelf.home, "zotero", "status"))
    assert "10.0.1" in told and "9.0.23" in told and "My Library" in told
    assert f"{shelf.name}\t0\t{shelf.collection}" in done(citeloom(shelf.home, "zotero", "collections"))
    shelf.zotero.enabled = False
    try:
        refused = citeloom(shelf.home, "zotero", "status")
    finally:
        shelf.zotero.enabled = True
    assert refused.returncode == 1
    assert "Allow other applications on this computer to communicate with Zotero" in refused.stdout


def test_many_removals_wait_for_a_yes(shelf: Shelf) -> None:
    works = [shelf.work(f"Leaf {n}")[0] for n in range(12)]
    project = shelf.project()
    project.sync()
    for item in works[:11]:
        shelf.world.trash(item)
    told = citeloom(shelf.home, "sync", project.name)
    assert f"citeloom sync {project.name} --yes" in told.stdout
    planned = json.loads(done(citeloom(shelf.home, "sync", project.name, "--dry-run", "--json")))[0]
    assert planned["asks"] and len(planned["removed"]) == 11
    assert len(keys(project)) == 12
    assert counts(project.sync("--yes")) == {"skipped": 1, "removed": 11}


def test_a_dry_run_says_what_a_sync_would_do_and_does_nothing(shelf: Shelf) -> None:
    shelf.work("Salt", citationKey=f"salt{shelf.collection}")
    shelf.world.add("book", title="Nothing attached", collections=[shelf.collection])
    project = shelf.project()
    plan = done(citeloom(shelf.home, "sync", project.name, "--dry-run"))
    assert "1 to be read, 1 without a file; 0 unchanged." in plan
    assert f"salt{shelf.collection}" in plan and "It has no file in Zotero." in plan
    assert keys(project) == {}
    project.sync()
    assert "nothing to do; 1 unchanged." in done(citeloom(shelf.home, "sync", project.name, "--dry-run"))


def test_a_missing_file_is_named_and_what_zotero_kept_of_it_serves_until_it_comes(shelf: Shelf, tmp_path: Path) -> None:
    world = shelf.world
    bare = world.add("book", title="Bare", collections=[shelf.collection], citationKey=f"bare{shelf.collection}")
    world.attach(bare, "bare.pdf", None)
    kept = world.add("book", title="Kept text", collections=[shelf.collection], citationKey=f"kept{shelf.collection}")
    attachment = world.attach(kept, "coral.pdf", None)
    world.index_text(attachment, "The coral was seen by Zotero.\n\nAnd only by Zotero.")
    project = shelf.project()
    assert counts(project.sync()) == {"new": 1, "without_file": 1, "chunks_written": 1}
    listed = {d["citekey"]: d for d in json.loads(done(citeloom(shelf.home, "documents", project.name, "--json")))}
    assert "bare.pdf" in listed[f"bare{shelf.collection}"]["reason"]
    (hit,) = project.search("coral")
    assert (hit["text_source"], hit["page_span"], hit["page_labels"]) == ("zotero_fulltext", None, [])

    world.replace_file(attachment, pdf_paper(tmp_path / "c.pdf", "coral").read_bytes())
    assert counts(project.sync())["replaced"] == 1
    assert {h["text_source"] for h in project.search("coral")} == {"native"}

    world.remove_file(attachment)  # a drive that is not connected: what was read stays
    assert counts(project.sync()) == {"skipped": 1, "without_file": 1}
    assert {h["text_source"] for h in project.search("coral")} == {"native"}


def test_an_unknown_collection_is_an_error_with_near_names_and_never_the_whole_library(shelf: Shelf) -> None:
    shelf.work("Alone")
    refused = citeloom(shelf.home, "project", "add", "oops", "--zotero", shelf.name.replace("Shelf", "Shelv"))
    assert refused.returncode == 1 and shelf.name in refused.stderr
    assert "oops" not in done(citeloom(shelf.home, "project", "list"))
    project = shelf.project()
    project.sync()
    shelf.world.erase_collection(shelf.collection)
    result = project.sync()
    assert counts(result) == {"failed": 1} and "no longer in" in result["errors"][0]["reason"]
    assert len(keys(project)) == 1


def test_an_agent_reaches_only_the_part_of_zotero_that_is_its_project(shelf: Shelf) -> None:
    inner = shelf.world.collection("Inner part", shelf.collection)
    secret = shelf.world.collection(f"Secret {shelf.name}")
    shelf.work("Seen", tags=["mine"])
    shelf.work("Inside", collections=[inner], tags=["mine"])
    shelf.work("Hidden", collections=[secret], tags=["mine", "theirs"])
    project = shelf.project("--recursive")
    with Editor(shelf.home, *WRITING, "--project", project.name) as editor:
        ingest: Callable[[str], dict[str, Any]] = lambda source: editor.call(  # noqa: E731
            "ingest_from_source", project=project.name, source=source
        )
        assert ingest("zotero:collection/Inner part")["new"] == 1
        assert ingest("zotero:tag/mine")["new"] == 1
        assert ingest("zotero")["skipped"] == 2
        for outside in (f"zotero:collection/Secret {shelf.name}", f"zotero:collection/{secret}", "zotero:tag/theirs"):
            refused = editor.fail("ingest_from_source", project=project.name, source=outside)
            assert refused["code"] == "INVALID_INPUT" and "Hidden" not in refused["message"]
            assert secret not in json.dumps(refused["details"])
        shelf.zotero.close()
        try:
            refused = editor.fail("ingest_from_source", project=project.name, source="zotero")
        finally:
            shelf.zotero.open()
        assert refused["code"] == "ZOTERO_UNAVAILABLE"
    assert len(keys(project)) == 2


def test_a_group_a_saved_search_and_tags_can_be_parts_of_a_project(shelf: Shelf) -> None:
    world, number = shelf.world, 5000 + int(shelf.name.split()[1])
    world.group(number, f"Group {number}")
    world.add("book", library=f"groups/{number}", title="Of the group")
    world.search(f"late {shelf.name}", [{"condition": "tag", "operator": "is", "value": f"late {shelf.name}"}])
    shelf.work("Found by the search", collections=[], tags=[f"late {shelf.name}"])
    shelf.work("Not found", collections=[], tags=["early"])
    done(citeloom(shelf.home, "project", "add", f"g{number}", "--zotero", "*", "--library", f"Group {number}"))
    done(citeloom(shelf.home, "project", "allow", f"g{number}", "--zotero", f"search:late {shelf.name}"))
    project = Project(shelf.home, f"g{number}")
    assert counts(project.sync()) == {"new": 1, "without_file": 1, "chunks_written": 1}
    shown = done(citeloom(shelf.home, "project", "show", f"g{number}"))
    assert f"Zotero: Group {number}" in shown and f"search: late {shelf.name}" in shown
    gone = done(citeloom(shelf.home, "project", "disallow", f"g{number}", f"search: late {shelf.name}"))
    assert "1 removed" in gone
    assert list(keys(project).values()) == ["without_file"]


def test_the_same_file_in_a_folder_is_cited_by_the_record_of_zotero(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(page("The heron stands alone."))
    name = shelf.name.lower().replace(" ", "-")
    done(citeloom(shelf.home, "project", "add", name, "--folder", str(tmp_path)))
    project = Project(shelf.home, name)
    project.sync()
    assert [h["citekey_made"] for h in project.search("heron")] == [True]
    shelf.work("Heron", "The heron stands alone.", citationKey=f"heron{shelf.collection}")
    done(citeloom(shelf.home, "project", "allow", name, "--zotero", shelf.name))
    project.sync()
    assert [h["citekey"] for h in project.search("heron")] == [f"heron{shelf.collection}"]
    assert sorted(keys(project).values()) == ["duplicate", "ready"]
    assert counts(project.sync()) == {"skipped": 2}
    done(citeloom(shelf.home, "project", "disallow", name, shelf.name))
    assert [h["citekey_made"] for h in project.search("heron")] == [True]


def test_a_folder_that_is_empty_all_at_once_is_a_drive_that_is_away(shelf: Shelf, tmp_path: Path) -> None:
    drive, kept = tmp_path / "drive", tmp_path / "kept"
    paper(drive / "reefs.md", "On reefs", "The coral was measured.")
    shelf.work("On Zotero")
    project = shelf.project("--folder", str(drive))
    project.sync()
    drive.rename(kept)
    drive.mkdir()
    result = project.sync()
    assert counts(result) == {"skipped": 1, "failed": 1} and "Connect its drive" in result["errors"][0]["reason"]
    gone = citeloom(shelf.home, "project", "disallow", project.name, shelf.name)
    assert "1 removed" in gone.stdout and len(project.search("coral")) == 1  # what was meant, and no more
    assert counts(project.sync("--yes")) == {"removed": 1}


def test_a_work_that_gets_a_file_is_one_document_and_nothing_was_removed(shelf: Shelf) -> None:
    works = [shelf.world.add("book", title=f"Bare {n}", collections=[shelf.collection]) for n in range(12)]
    project = shelf.project()
    assert counts(project.sync()) == {"without_file": 12}
    for n, item in enumerate(works):
        shelf.world.attach(item, "page.html", page(f"Now {n}."), content_type="text/html")
    result = project.sync()
    assert counts(result) == {"new": 12, "chunks_written": 12} and not result["held_back"]
    assert list(keys(project).values()) == ["ready"] * 12


def test_a_key_is_remembered_by_works_without_a_text_and_through_the_trash(shelf: Shelf) -> None:
    old, new = f"bare{shelf.collection}", f"full{shelf.collection}"
    item = shelf.world.add("book", title="Bare", collections=[shelf.collection], citationKey=old)
    project = shelf.project()
    project.sync()
    shelf.world.edit(item, citationKey=new)
    project.sync()
    shelf.world.trash(item)
    project.sync()
    shelf.world.restore(item)
    shelf.world.attach(item, "page.html", page("At last."), content_type="text/html")
    project.sync()
    assert [h["renamed_from"] for h in project.search("At last", "--filter", f"citekey={old}")] == [[old]]


def test_a_tag_of_a_note_is_there_after_one_sync(shelf: Shelf) -> None:
    note = shelf.world.note(None, "<p>Of eels.</p>", collections=[shelf.collection])
    project = shelf.project()
    project.sync()
    shelf.world.tag(note, "eels")
    assert counts(project.sync()) == {"updated": 1}
    assert len(project.search("eels", "--filter", "tags=eels")) == 1


def test_all_projects_can_be_synced_at_once_and_one_that_fails_stops_no_other(library: Library, tmp_path: Path) -> None:
    world, zotero, _ = library
    home = tmp_path / "home"
    home.mkdir()
    settings(home, f'[zotero]\nlocal_url = "{zotero.url}"\ndata_folder = "{world.data_folder}"\n')
    try:
        paper(tmp_path / "a" / "reefs.md", "On reefs", "The coral was measured.")
        bib = tmp_path / "library.bib"
        bib.write_text("@book{a, title = {A}}")
        done(citeloom(home, "project", "add", "broken", "--folder", str(tmp_path / "a"), "--references", str(bib)))
        done(citeloom(home, "project", "add", "whole", "--folder", str(tmp_path / "a")))
        bib.write_text("@book{a, title = {A")
        result = citeloom(home, "sync", "--json")
        broken, whole = json.loads(result.stdout)
        assert result.returncode == 1 and (broken["project"], broken["state"]) == ("broken", "failed")
        assert (whole["project"], whole["new"]) == ("whole", 1)
    finally:
        stop_engine(home)


def test_two_items_with_one_key_or_one_file_are_named(shelf: Shelf) -> None:
    shelf.work("One", "The same words.", citationKey=f"twin{shelf.collection}")
    shelf.work("Two", "The same words.", citationKey=f"twin{shelf.collection}")
    project = shelf.project()
    result = project.sync()
    assert counts(result) == {"new": 1, "skipped": 1, "chunks_written": 1}
    (warning,) = (w for w in result["warnings"] if "citekey" in w)
    assert f"twin{shelf.collection}" in warning and "One" in warning and "Two" in warning
    listed = json.loads(done(citeloom(shelf.home, "documents", project.name, "--json")))
    assert sorted((d["status"], d["title"]) for d in listed) == [("duplicate", "Two"), ("ready", "One")]


def test_strange_items_cost_nothing_but_themselves(shelf: Shelf) -> None:
    world = shelf.world
    many = [{"firstName": f"A{n}", "lastName": f"Author{n}", "creatorType": "author"} for n in range(4000)]
    shelf.work("", creators=[], date="")
    shelf.work("Many hands", creators=many, date="1999-00-00 c. 1999")
    shelf.work("\\textbf{Bold} <i>and</i> \u2066bidi\u2069", date="n.d.")
    item, _ = shelf.work("With a great note")
    world.note(
        item, f"<p>Before.</p><img src='data:image/png;base64,{'A' * 5_000_000}'/><p>After & <b>all</b><p>un<closed"
    )
    outside = world.add("book", title="Outside", collections=[shelf.collection])
    attachment = world.attach(outside, "x.pdf", None)
    world.edit(attachment, filename="../../../../etc/passwd.pdf")
    project = shelf.project()
    result = project.sync()
    assert counts(result) | {"chunks_written": 0} == {"new": 5, "without_file": 1, "chunks_written": 0}
    hits = {h["title"]: h for h in project.search("what says stands here", "--top", "20")}
    assert len(hits["Many hands"]["authors"]) == 4000 and hits["Many hands"]["year"] == 1999
    assert not any("\u2066" in title for title in hits)
    assert any("After & all" in h["render_text"] for h in project.search("Before. After"))
