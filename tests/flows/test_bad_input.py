"""Bad input on the command line: every failure is one readable line with the next step, and costs nothing else."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from tests.faults import Pause
from tests.flows.steps import (
    Project,
    assert_whole,
    counts,
    engine_with,
    engines,
    four_papers,
    kill_engine,
    paper,
)
from tests.support import citeloom, done, stop_engine, wait_for

Result = subprocess.CompletedProcess[str]
Maker = Callable[..., Project]


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("bad-input")
    yield home
    stop_engine(home)


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    return made


@pytest.fixture
def make(shared_home: Path, folder: Path, numbers: Iterator[int]) -> Maker:
    """Makes a project of the folder."""
    return lambda *more: Project.made(shared_home, folder, *more, name=f"p{next(numbers)}")


def the_line(result: Result) -> str:
    """What a failed command said: one line."""
    assert result.returncode == 1, result.stdout + result.stderr
    (line,) = result.stderr.splitlines()
    assert line.startswith("citeloom: ")
    return line


def failures(result: Result) -> dict[str, str]:
    """What an import said of the files it could not read, by file name."""
    assert result.returncode == 1, result.stdout + result.stderr
    said = {}
    for line in result.stderr.splitlines():
        assert line.startswith("Failed: ")
        path, _, reason = line.removeprefix("Failed: ").partition(": ")
        said[Path(path).name] = reason
    return said


def pdf(path: Path, text: str = "Geese were measured from the air.", **options: object) -> Path:
    canvas = Canvas(str(path), **options)
    canvas.drawString(72, 700, text)
    canvas.save()
    return path


# -- files -------------------------------------------------------------------------------------------------------


def test_an_empty_folder_is_nothing_to_do(make: Maker) -> None:
    project = make()
    assert done(citeloom(project.home, "ingest", project.name)) == "Nothing to do.\n"
    assert "Nothing was found" in done(citeloom(project.home, "search", project.name, "anything"))


def test_files_that_cannot_be_read_are_told_one_by_one_and_the_rest_is_read(make: Maker, folder: Path) -> None:
    paper(folder / "good.md", "On the newt", "The newt was measured.")
    good = pdf(folder / "good.pdf").read_bytes()
    (folder / "corrupt.pdf").write_bytes(b"%PDF-1.7\n" + os.urandom(5_000))
    (folder / "cut-off.pdf").write_bytes(good[: len(good) // 3])
    pdf(folder / "locked.pdf", encrypt=StandardEncryption("secret", canPrint=0))
    (folder / "empty.pdf").touch()
    (folder / "empty.md").touch()
    (folder / "blank.txt").write_text(" \n\t\n")
    (folder / "program.txt").write_bytes(b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)) * 8)
    (folder / "folder.pdf").mkdir()
    (folder / "table.xlsx").write_bytes(b"PK")
    project = make()
    result = citeloom(project.home, "ingest", project.name)
    said = failures(result)
    expected = {
        "corrupt.pdf": ("", "CONVERSION_FAILED"),
        "cut-off.pdf": ("", "CONVERSION_FAILED"),
        "locked.pdf": ("password", "CONVERSION_FAILED"),
        "empty.pdf": ("is empty", "CONVERSION_FAILED"),
        "empty.md": ("is empty", "CONVERSION_FAILED"),
        "blank.txt": ("is empty", "CONVERSION_FAILED"),
        "program.txt": ("is not text", "UNSUPPORTED_FORMAT"),
    }
    assert said.keys() == expected.keys()
    for name, (words, code) in expected.items():
        reason, _, shown = said[name].rpartition(" ")
        assert words in reason
        assert shown == f"[{code}]"
        assert reason.count(". ") >= 1, f"{name}: no next step in {reason!r}"
    assert "2 new, 7 failed" in result.stdout
    assert "1 files of other types were skipped (.xlsx 1)" in result.stdout
    assert {source for source, _ in project.found()} == {"good.md", "good.pdf"}

    again = citeloom(project.home, "ingest", project.name)
    assert failures(again) == said
    assert "2 unchanged, 7 failed." in again.stdout
    listed = done(citeloom(project.home, "documents", project.name, "--status", "failed"))
    assert sum("\tfailed\t" in line for line in listed.splitlines()) == 7
    assert "2 of 9 documents searchable, 7 failed" in listed


def test_a_text_in_another_encoding_is_read_and_a_guess_is_said(make: Maker, folder: Path) -> None:
    guessed = {"latin-1": True, "cp1252": True, "utf-16": False, "utf-8-sig": False}
    for encoding in guessed:
        (folder / f"{encoding}.txt").write_text(f"Die Größe der Gänse, {encoding}.", encoding=encoding)
    project = make()
    assert counts(project.ingest()) == {"new": 4, "chunks_written": 4}
    assert project.found("Gänse") == {(f"{encoding}.txt", f"Die Größe der Gänse, {encoding}.") for encoding in guessed}
    for encoding, guess in guessed.items():
        warnings = project.documents()[f"{encoding}.txt"]["warnings"]
        assert any("not UTF-8" in warning for warning in warnings) == guess


def test_what_may_not_be_read_is_told_and_read_once_it_may(make: Maker, folder: Path) -> None:
    paper(folder / "good.md", "On the newt", "The newt was measured.")
    secret = paper(folder / "secret.md", "On the eel", "The eel was measured.")
    closed = paper(folder / "closed" / "inside.md", "On the owl", "The owl was measured.").parent
    secret.chmod(0)
    closed.chmod(0)
    try:
        if os.access(secret, os.R_OK):
            pytest.skip("who runs this may read everything")
        project = make()
        said = failures(citeloom(project.home, "ingest", project.name))
        assert said.keys() == {"secret.md", "closed"}
        assert all("[PERMISSION_DENIED]" in reason and "right to read" in reason for reason in said.values())
    finally:
        secret.chmod(0o600)
        closed.chmod(0o700)
    assert counts(project.ingest()) == {"new": 2, "skipped": 1, "chunks_written": 2}


def test_links_that_lead_nowhere_in_a_circle_or_outside_are_told(make: Maker, folder: Path, tmp_path: Path) -> None:
    paper(folder / "good.md", "On the newt", "The newt was measured.")
    outside = paper(tmp_path / "private" / "diary.md", "Diary", "The secret was measured.")
    (folder / "dangling.md").symlink_to(folder / "nothing.md")
    (folder / "one.md").symlink_to(folder / "two.md")
    (folder / "two.md").symlink_to(folder / "one.md")
    (folder / "diary.md").symlink_to(outside)
    (folder / "private").symlink_to(outside.parent)
    (folder / "deep").mkdir()
    (folder / "deep" / "up").symlink_to(folder)
    (folder / "itself").symlink_to(folder / "itself")
    project = make()
    said = failures(citeloom(project.home, "ingest", project.name))
    nowhere = {"dangling.md", "one.md", "two.md", "itself"}
    assert said.keys() == {*nowhere, "diary.md", "private"}
    assert all("is a broken link" in said[name] for name in nowhere)
    assert all("[PERMISSION_DENIED]" in said[name] for name in ("diary.md", "private"))
    assert project.found() == {("good.md", "The newt was measured.")}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_with_the_name_of_a_paper_does_not_hold_up_the_import(make: Maker, folder: Path) -> None:
    paper(folder / "good.md", "On the newt", "The newt was measured.")
    pipe = folder / "pipe.md"
    os.mkfifo(pipe)

    def released() -> None:
        try:
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            pass  # nobody reads it

    rescue = threading.Timer(90, released)  # so that a failure does not hang
    rescue.start()
    project = make()
    try:
        said = failures(citeloom(project.home, "ingest", project.name))
        assert rescue.is_alive(), "the import waited for the pipe"
    finally:
        rescue.cancel()
        released()
    assert "[UNSUPPORTED_FORMAT]" in said["pipe.md"]
    assert project.found() == {("good.md", "The newt was measured.")}


VANISHES = {
    "before it is opened": ("import.fetch", "4-tides.md"),
    "before it is converted": ("conversion.quick", "4-tides.md"),
}


@pytest.mark.parametrize("when", VANISHES)
def test_a_file_that_vanishes_during_the_import_costs_that_file_only(
    home: Path, folder: Path, tmp_path: Path, when: str
) -> None:
    four_papers(folder)
    project = Project.made(home, folder)
    stop_engine(home)
    held = Pause(tmp_path / "held")
    with engine_with(home, held.at(*VANISHES[when])):
        with held.doing((folder / "4-tides.md").unlink):
            result = citeloom(home, "ingest", "p")
        said = failures(result)
        assert said.keys() == {"4-tides.md"}
        assert "[FILE_NOT_FOUND]" in said["4-tides.md"]
        assert "3 new, 1 failed" in result.stdout
        assert project.documents().keys() == {"1-reefs.md", "2-moths.md", "3-peat.md"}
        stop_engine(home)
    assert len(assert_whole(home)) == 9


def test_ten_thousand_files_with_a_corrupt_one_are_counted_truly(make: Maker, folder: Path) -> None:
    for part in range(100):
        (folder / f"{part:02}").mkdir()
        for number in range(100):
            # A handful of texts: the import is about files here, not about embedding.
            (folder / f"{part:02}" / f"{number:02}.txt").write_text(f"Sample {number % 10} was measured.")
    (folder / "07" / "07.txt").unlink()
    (folder / "07" / "07.pdf").write_bytes(b"%PDF-1.7\nnothing of the kind")
    project = make()
    result = citeloom(project.home, "ingest", project.name)
    assert failures(result).keys() == {"07.pdf"}
    assert "10 new, 9,989 with the same content as another, 1 failed; 10 pages, 10 passages." in result.stdout
    assert " of 10,000 documents read" in result.stdout
    assert len(project.found()) == 10
    again = citeloom(project.home, "ingest", project.name)
    assert failures(again).keys() == {"07.pdf"}
    assert "9,999 unchanged, 1 failed." in again.stdout


# -- references --------------------------------------------------------------------------------------------------

BAD_REFERENCES = {
    "not JSON": ("library.json", '[\n  {"id": "a", "title": "One"},\n  {"id": "b" "title": "Two"}\n]', ["line 3"]),
    "no list": ("library.json", '{"version": 1}', ["not a list"]),
    "no entry": ("library.bib", "@article{a,\n  title = {One},\n\n@article{b, title = {Two}}\n", ["line"]),
}


@pytest.mark.parametrize("name", BAD_REFERENCES)
def test_references_that_cannot_be_read_are_told_with_line_and_reason(
    make: Maker, folder: Path, tmp_path: Path, name: str
) -> None:
    file, text, words = BAD_REFERENCES[name]
    paper(folder / "x.md", "On the newt", "The newt was measured.")
    references = tmp_path / file
    references.write_text("[]" if file.endswith("json") else "")
    project = make("--references", str(references))
    project.ingest()
    references.write_text(text)
    adding = citeloom(project.home, "project", "add", "never", "--references", str(references))
    for line in (the_line(adding), the_line(citeloom(project.home, "ingest", project.name))):
        assert str(references) in line
        assert all(word in line for word in words)
    assert "never" not in done(citeloom(project.home, "project", "list"))
    assert project.found() == {("x.md", "The newt was measured.")}


def test_references_with_a_repeated_entry_are_taken_and_the_lines_are_told(
    make: Maker, folder: Path, tmp_path: Path
) -> None:
    paper(folder / "x.md", "On the newt", "The newt was measured.")
    references = tmp_path / "library.bib"
    newt = "@book{newt, title = {On the newt}}\n"
    references.write_text(newt + newt + "@book{moth, title = {Moths}}\n@book{moth, title = {Other moths}}\n")
    project = make("--references", str(references))
    said = done(citeloom(project.home, "ingest", project.name))
    assert all(word in said for word in ("'newt'", "(line 2)", "'moth'", "(line 3) 'Moths'", "(line 4) 'Other moths'"))
    assert project.documents()["x.md"]["citekey"] == "newt"


# -- commands ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Small(Project):
    """A project to fail on."""

    folder: Path = Path()


@pytest.fixture(scope="module")
def small(shared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Small:
    folder = tmp_path_factory.mktemp("small")
    paper(folder / "x.md", "On the newt", "The newt was measured.")
    (folder / "table.xlsx").write_bytes(b"PK")
    Project.made(shared_home, folder, name="small").ingest()
    return Small(shared_home, "small", folder)


FAILING = {
    "ingest smal": ["no project 'smal'", "small"],
    "ingest small /no/such/folder": ["/no/such/folder", "Check the path"],
    "ingest small {folder}/table.xlsx": ["cannot read .xlsx", ".pdf"],
    "ingest small --references /no/such.json": ["/no/such.json", "Check the path"],
    "search small ''": ["question is empty"],
    "search small newt --top 0": ["top_k is 0", "Ask for 1 to"],
    "search small newt --top -1": ["top_k is -1"],
    "search small newt --filter fly=1": ["fly", "citekey"],
    "search small newt --filter nonsense": ["nonsense", "year>="],
    "search small newt --filter {{1": ["{1"],
    "show 00000000-0000-0000-0000-000000000000": ["No project has", "citeloom search"],
    "show nonsense": ["No project has"],
    "documents small --status odd": ["no status 'odd'", "ready"],
    "project show nothing": ["no project 'nothing'"],
    "project remove nothing": ["no project 'nothing'"],
    "project add small": ["exists already", "Choose another id"],
    "project add q --folder /no/such": ["/no/such", "Check the path"],
    "project add q --folder {folder}/x.md": ["is not a folder", "Choose a folder"],
    "project add q --references /no/such": ["/no/such", "Check the path"],
}


@pytest.mark.parametrize("command", FAILING)
def test_a_command_that_fails_says_why_in_one_line(small: Small, command: str) -> None:
    arguments = [a.strip("'").format(folder=small.folder) for a in command.split(" ")]
    line = the_line(citeloom(small.home, *arguments))
    for words in FAILING[command]:
        assert words in line
    assert "Traceback" not in line


def test_a_traceback_is_shown_with_debug_only(small: Small) -> None:
    plain = citeloom(small.home, "ingest", "nothing")
    debug = citeloom(small.home, "ingest", "nothing", "--debug")
    assert "Traceback" not in the_line(plain)
    assert debug.returncode == 1
    assert debug.stderr.startswith(plain.stderr)
    assert "Traceback (most recent call last)" in debug.stderr


@pytest.mark.parametrize(
    "project_id",
    [
        "",
        " ",
        ".",
        "..",
        "../evil",
        "a/../b",
        "/abs",
        "a//b",
        "a/",
        "a\\b",
        "-x",
        "a b",
        "a\nb",
        "ünï",
        "x" * 81,
        "C:x",
    ],
    ids=repr,
)
def test_a_project_id_that_could_leave_its_folder_is_refused(small: Small, project_id: str) -> None:
    before = sorted(p.name for p in (small.home / "index").iterdir())
    assert "cannot be a project id" in the_line(citeloom(small.home, "project", "add", "--", project_id))
    assert sorted(p.name for p in (small.home / "index").iterdir()) == before


@pytest.mark.parametrize("other", ["thesis-part-1", "thesis/part.1", "THESIS/part-1"])
def test_a_project_id_that_would_share_anothers_collection_is_refused(shared_home: Path, other: str) -> None:
    citeloom(shared_home, "project", "add", "thesis/part-1")
    line = the_line(citeloom(shared_home, "project", "add", other))
    assert "proj-thesis-part-1" in line
    assert "'thesis/part-1'" in line
    assert "Choose another id" in line


def test_removing_a_project_asks_and_says_what_goes(make: Maker, folder: Path) -> None:
    four_papers(folder)
    project = make()
    project.ingest()
    refused = citeloom(project.home, "project", "remove", project.name, stdin="n\n")
    assert refused.returncode not in (0, 2)
    assert "4 documents, 12 passages" in refused.stdout
    assert "Your files" in refused.stdout
    assert citeloom(project.home, "project", "remove", project.name).returncode != 0  # nobody there to answer
    assert len(project.found()) == 12

    said = done(citeloom(project.home, "project", "remove", project.name, stdin="y\n"))
    assert f"Project {project.name} was removed" in said
    assert "no project" in the_line(citeloom(project.home, "search", project.name, "moth"))
    assert not (project.home / "index" / f"proj-{project.name}").exists()
    assert len(list(folder.iterdir())) == 4


# -- damage ------------------------------------------------------------------------------------------------------


def _damage(index: Path) -> None:
    for file in index.rglob("*"):
        if file.is_file() and file.stat().st_size:
            file.write_bytes(b"\x00" * 100)


@pytest.mark.parametrize("damage", ["overwritten", "deleted"])
def test_the_doctor_finds_a_damaged_index_and_the_way_to_mend_it_works(home: Path, folder: Path, damage: str) -> None:
    four_papers(folder)
    project = Project.made(home, folder)
    project.ingest()
    assert "Everything works" in done(citeloom(home, "doctor"))
    stop_engine(home)
    index = home / "index" / "proj-p"
    if damage == "deleted":
        shutil.rmtree(index)
    else:
        _damage(index)
    doctor = citeloom(home, "doctor")
    assert doctor.returncode == 1
    assert "BAD  project p" in doctor.stdout
    assert "citeloom ingest p --force-rebuild" in doctor.stdout
    assert "--force-rebuild" in the_line(citeloom(home, "search", "p", "moth"))
    project.ingest("--force-rebuild")
    assert len(project.found()) == 12
    assert "Everything works" in done(citeloom(home, "doctor"))
    stop_engine(home)
    assert len(assert_whole(home)) == 12


def test_a_damaged_catalog_is_named(home: Path, folder: Path) -> None:
    four_papers(folder)
    Project.made(home, folder)
    kill_engine(home)
    for file in home.glob("catalog.db*"):
        file.write_bytes(b"this is no database" * 500)
    line = the_line(citeloom(home, "project", "list"))
    assert str(home / "catalog.db") in line
    assert "citeloom doctor" in line
    doctor = citeloom(home, "doctor")
    assert doctor.returncode == 1
    assert "catalog.db" in doctor.stdout
    wait_for(lambda: not engines(home), "the engine that gave up to end")
