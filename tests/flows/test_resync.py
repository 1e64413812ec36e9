"""Imports after the first one: what changed is read again, what left is removed, and the rest is left alone."""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.faults import fault
from tests.flows.steps import (
    Control,
    Project,
    assert_whole,
    begin_ingest,
    counts,
    engine_with,
    four_papers,
    paper,
    pdf_paper,
    wait_until_idle,
)
from tests.support import WAIT, citeloom, done, stop_engine

Maker = Callable[..., Project]


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder for all tests here; in the end its catalog and its indexes must agree."""
    home = tmp_path_factory.mktemp("resync")
    yield home
    names = [p["id"] for p in json.loads(done(citeloom(home, "project", "list", "--json")))]
    stop_engine(home)
    for name in names:
        assert_whole(home, name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "papers"


@pytest.fixture
def make(shared_home: Path, folder: Path, numbers: Iterator[int]) -> Maker:
    """Makes a project of the folder."""
    return lambda *more: Project.made(shared_home, folder, *more, name=f"p{next(numbers)}")


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return itertools.count(1)


def ids(project: Project, words: str = "measured") -> set[str]:
    return {hit["chunk_id"] for hit in project.search(words, "--top", "20")}


def csl(path: Path, *items: dict[str, Any]) -> Path:
    path.write_text(json.dumps([{"type": "article-journal", **item} for item in items]))
    return path


def test_an_unchanged_or_only_touched_file_is_skipped(make: Maker, folder: Path) -> None:
    files = four_papers(folder)
    project = make()
    assert counts(project.ingest()) == {"new": 4, "chunks_written": 12}
    before = ids(project)
    assert counts(project.ingest()) == {"skipped": 4}
    os.utime(files[0], (1_000_000_000, 1_000_000_000))
    assert counts(project.ingest()) == {"skipped": 4}
    assert ids(project) == before
    assert len(before) == 12


def test_a_changed_file_replaces_its_old_text(make: Maker, folder: Path) -> None:
    files = four_papers(folder)
    project = make()
    project.ingest()
    paper(files[1], "On the moth", "The moth was measured at dawn.")
    assert counts(project.ingest()) == {"replaced": 1, "skipped": 3, "chunks_written": 1}
    texts = {text for source, text in project.found() if source == "2-moths.md"}
    assert texts == {"The moth was measured at dawn."}
    assert project.documents()["2-moths.md"]["chunk_count"] == 1


def test_a_file_that_left_the_folder_is_removed(make: Maker, folder: Path) -> None:
    files = four_papers(folder)
    project = make()
    project.ingest()
    files[2].unlink()
    assert counts(project.ingest()) == {"skipped": 3, "removed": 1}
    assert "3-peat.md" not in project.documents()
    assert {source for source, _ in project.found()} == {"1-reefs.md", "2-moths.md", "4-tides.md"}


def test_a_folder_that_is_not_there_removes_nothing(make: Maker, folder: Path) -> None:
    four_papers(folder)
    project = make()
    project.ingest()
    away = folder.rename(folder.with_name("unplugged"))
    result = citeloom(project.home, "ingest", project.name)
    assert result.returncode == 1
    assert str(folder) in result.stderr
    assert "drive is connected" in result.stderr
    assert len(project.found()) == 12
    away.rename(folder)
    assert counts(project.ingest()) == {"skipped": 4}


def test_many_removals_at_once_need_a_persons_word(make: Maker, folder: Path) -> None:
    files = [paper(folder / f"n{n}.md", f"Note {n}", f"Number {n} was measured.") for n in range(14)]
    project = make()
    project.ingest()
    for file in files[:11]:
        file.unlink()
    result = project.ingest()
    assert counts(result) == {"skipped": 3}
    assert any("11 documents" in warning and "--yes" in warning for warning in result["warnings"])
    assert len(project.documents()) == 14
    assert counts(project.ingest("--remove-missing")) == {"skipped": 3, "removed": 11}
    assert set(project.documents()) == {"n11.md", "n12.md", "n13.md"}


def test_a_folder_that_became_a_link_to_another_place_keeps_its_documents(
    make: Maker, folder: Path, tmp_path: Path
) -> None:
    four_papers(folder)
    project = make()
    project.ingest()
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    project.ingest()
    assert counts(project.ingest()) == {"skipped": 4}
    assert len(ids(project)) == 12


def test_ten_removals_are_not_many(make: Maker, folder: Path) -> None:
    files = [paper(folder / f"n{n}.md", f"Note {n}", f"Number {n} was measured.") for n in range(12)]
    project = make()
    project.ingest()
    for file in files[:10]:
        file.unlink()
    assert counts(project.ingest()) == {"skipped": 2, "removed": 10}


def test_a_moved_file_keeps_the_ids_of_its_passages(make: Maker, folder: Path) -> None:
    files = four_papers(folder)
    project = make()
    project.ingest()
    before = ids(project)
    (folder / "deep" / "down").mkdir(parents=True)
    files[0].rename(folder / "deep" / "down" / "moved.md")
    project.ingest()
    assert ids(project) == before
    assert {source for source, _ in project.found()} == {"moved.md", "2-moths.md", "3-peat.md", "4-tides.md"}
    assert "1-reefs.md" not in project.documents()


def test_the_same_content_in_several_files_is_kept_once(make: Maker, folder: Path) -> None:
    for name in ("b", "a", "c"):
        paper(folder / f"{name}.md", "On the newt", "The newt was measured twice.", "It was measured again.")
    project = make()
    for arguments in ((), ("--force-rebuild",), ()):
        project.ingest(*arguments)
        known = project.documents()
        assert {name: d["status"] for name, d in known.items()} == {
            "a.md": "ready",
            "b.md": "duplicate",
            "c.md": "duplicate",
        }
        assert "a.md" in known["b.md"]["reason"]
        assert sum(d["chunk_count"] for d in known.values()) == 2
        assert {source for source, _ in project.found()} == {"a.md"}


def test_a_duplicate_takes_over_when_the_original_leaves(make: Maker, folder: Path) -> None:
    for name in ("a", "b"):
        paper(folder / f"{name}.md", "On the newt", "The newt was measured twice.")
    project = make()
    project.ingest()
    before = ids(project)
    (folder / "a.md").unlink()
    project.ingest()
    assert ids(project) == before
    assert {source for source, _ in project.found()} == {"b.md"}
    assert [(d["source"], d["status"]) for d in project.documents().values()] == [("b.md", "ready")]


def test_a_file_that_becomes_a_copy_of_another_gives_up_its_old_text(make: Maker, folder: Path) -> None:
    first, second = four_papers(folder)[:2]
    project = make()
    project.ingest()
    second.write_bytes(first.read_bytes())
    project.ingest()
    assert project.documents()["2-moths.md"]["status"] == "duplicate"
    assert {source for source, _ in project.found("moth")} == {"1-reefs.md", "3-peat.md", "4-tides.md"}


def test_a_file_renamed_aside_and_replaced_keeps_both_texts(make: Maker, folder: Path) -> None:
    current = paper(folder / "paper.md", "On the newt", "The newt was measured twice.")
    project = make()
    project.ingest()
    current.rename(folder / "paper-old.md")
    paper(current, "On the newt", "The newt was measured once more.")
    project.ingest()
    both = {
        ("paper-old.md", "The newt was measured twice."),
        ("paper.md", "The newt was measured once more."),
    }
    assert project.found() == both


@pytest.mark.parametrize(
    "change",
    [{"id": "tamatoa2020"}, {"title": "Reefs after the heat"}, {"issued": {"date-parts": [[2020]]}}],
    ids=["citekey", "title", "year"],
)
def test_a_changed_record_rewrites_what_is_known_of_a_file_and_nothing_else(
    make: Maker, folder: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    files = four_papers(folder)
    paper(files[0], "Reefs after bleaching", "The coral was measured. https://doi.org/10.1234/reef.1")
    record = {
        "id": "tamatoa2019",
        "title": "Reefs after bleaching",
        "DOI": "10.1234/reef.1",
        "author": [{"family": "Tamatoa", "given": "A."}],
        "issued": {"date-parts": [[2019]]},
    }
    references = csl(tmp_path / "library.json", record)
    project = make("--references", str(references))
    project.ingest()
    before = ids(project)
    (hit,) = project.search("coral", "--filter", "citekey=tamatoa2019")
    assert (hit["title"], hit["year"]) == ("Reefs after bleaching", 2019)
    csl(references, {**record, **change})
    assert counts(project.ingest()) == {"updated": 1, "skipped": 3}
    changed = {**record, **change}
    (hit,) = project.search("coral", "--filter", f"citekey={changed['id']}")
    assert (hit["title"], hit["year"]) == (changed["title"], changed["issued"]["date-parts"][0][0])
    assert project.documents()["1-reefs.md"]["citekey"] == changed["id"]
    assert ids(project) == before
    assert counts(project.ingest()) == {"skipped": 4}


def test_printed_pages_that_only_the_record_knows_follow_the_record(make: Maker, folder: Path, tmp_path: Path) -> None:
    pdf_paper(folder / "newts.pdf", "newt")
    record = {"id": "pond2021", "title": "On the newt in spring"}
    references = csl(tmp_path / "library.json", record)
    project = make("--references", str(references))
    project.ingest()
    before = ids(project, "newt")

    def cited() -> str:
        cite: str = project.search("the newt in May of year 2", "--top", "1")[0]["cite"]
        return cite

    assert cited() == "[@pond2021, p. 2]"
    csl(references, {**record, "page": "31-33"})
    assert counts(project.ingest())["replaced"] == 1
    assert cited() == "[@pond2021, p. 32]"
    assert ids(project, "newt") == before
    assert counts(project.ingest()) == {"skipped": 1}


def test_a_file_in_no_references_gets_a_key_that_is_marked_as_made_until_its_record_comes(
    make: Maker, folder: Path, tmp_path: Path
) -> None:
    paper(folder / "x.md", "Newts of the northern ponds", "The newt was measured.")
    references = csl(tmp_path / "library.json", {"id": "other", "title": "A quite different work"})
    project = make("--references", str(references))
    result = project.ingest()
    (made,) = project.documents().values()
    assert made["citekey_made"] is True
    assert made["matched_by"] is None
    assert any("x.md" in warning and made["citekey"] in warning for warning in result["warnings"])
    (hit,) = project.search("newt")
    assert (hit["citekey"], hit["citekey_made"]) == (made["citekey"], True)

    csl(references, {"id": "pond2021", "title": "Newts of the northern ponds"})
    assert counts(project.ingest()) == {"updated": 1}
    (hit,) = project.search("newt")
    assert (hit["citekey"], hit["citekey_made"]) == ("pond2021", False)


def test_a_file_is_matched_by_its_path_its_doi_or_its_title(make: Maker, folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    canvas = Canvas(str(folder / "scan-17.pdf"))
    canvas.drawString(72, 700, "Counting geese from the air is harder than it looks.")
    canvas.save()
    paper(folder / "by-doi.md", "Untitled", "The eel was measured. doi:10.5555/eel.2 says so.")
    paper(folder / "by-title.md", "The long winter of the grey seal", "The seal was measured.")
    references = tmp_path / "library.bib"
    references.write_text(
        "@article{goose1, title = {Counting from above}, file = {Full Text:papers/scan-17.pdf:application/pdf}}\n"
        "@article{eel2, title = {Eels in estuaries of the west}, doi = {10.5555/EEL.2}}\n"
        "@article{seal3, title = {The Long Winter of the {Grey} Seal}}\n"
    )
    project = make("--references", str(references))
    project.ingest()
    assert {name: (d["citekey"], d["matched_by"]) for name, d in project.documents().items()} == {
        "scan-17.pdf": ("goose1", "file"),
        "by-doi.md": ("eel2", "doi"),
        "by-title.md": ("seal3", "title"),
    }
    assert not any(d["citekey_made"] for d in project.documents().values())
    (hit,) = project.search("geese", "--filter", "citekey=goose1")
    assert hit["cite"] == "[@goose1, p. 1]"


def test_a_rebuild_takes_along_the_text_of_a_file_that_cannot_be_read_any_more(home: Path, folder: Path) -> None:
    first, *_ = four_papers(folder)
    project = Project.made(home, folder)
    project.ingest()
    before = project.found()
    first.write_bytes(b"\0\1\2" * 100)
    result = project.ingest("--force-rebuild")
    assert (result["failed"], result["replaced"]) == (1, 3)
    assert project.found() == before
    assert "could not be read again" in project.documents()[first.name]["warnings"][0]
    assert citeloom(home, "doctor").returncode == 0


def test_a_rebuild_gives_the_same_ids_and_the_old_index_answers_meanwhile(home: Path, folder: Path) -> None:
    four_papers(folder)
    project = Project.made(home, folder)
    project.ingest()
    stop_engine(home)
    before = assert_whole(home)
    seen: list[set[str]] = []
    over = threading.Event()

    def read() -> None:
        with Control(home) as control:
            while not over.is_set():
                found = control.call("search.query", project="p", text="measured", top_k=20)["items"]
                seen.append({hit["chunk_id"] for hit in found})
                over.wait(0.02)

    with engine_with(home, fault("import.written", "sleep", value=0.6)):
        reader = threading.Thread(target=read)
        reader.start()
        try:
            begin_ingest(home, force_rebuild=True)
            wait_until_idle(home)
        finally:
            over.set()
            reader.join(WAIT)
        stop_engine(home)
    assert len(seen) > 3
    assert [found for found in seen if found != before] == []
    assert [generation.name for generation in (home / "index" / "proj-p").iterdir()] == ["g0002"]
    assert assert_whole(home) == before
