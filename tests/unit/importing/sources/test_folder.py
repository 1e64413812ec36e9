"""Looking into folders: what can be read is found, and what is left out is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source
from citeloom.importing.sources.folder import FoundFile, SourceContents, scan_folder, scan_sources

posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes are made otherwise there")


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    for name in ("b.pdf", "A.PDF", "notes.md", "deep/c.txt", "deep/deeper/d.py", ".hidden.pdf", ".git/e.pdf"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def scan(folder: Path, *, recursive: bool = True) -> SourceContents:
    found = SourceContents()
    scan_folder(folder, found, recursive=recursive)
    return found


def files(found: SourceContents) -> list[FoundFile]:
    return list(found.files.values())


def names(found: SourceContents, folder: Path) -> list[str]:
    return [Path(f.path).relative_to(folder).as_posix() for f in files(found)]


def problems(found: SourceContents) -> dict[str, Code]:
    return {Path(path).name: error.code for path, error in found.problems.items()}


def test_readable_files_are_found_at_every_depth_and_hidden_ones_are_not(papers: Path) -> None:
    found = scan(papers)
    assert names(found, papers) == ["A.PDF", "b.pdf", "notes.md", "deep/c.txt", "deep/deeper/d.py"]
    assert [f.file_type for f in files(found)] == ["pdf", "pdf", "markdown", "text", "python"]
    assert (found.problems, found.unreadable, dict(found.other_kinds)) == ({}, [], {})
    stat = (papers / "b.pdf").stat()
    assert (files(found)[1].size, files(found)[1].mtime_ns) == (stat.st_size, stat.st_mtime_ns)


def test_without_its_subfolders_a_folder_is_what_lies_directly_in_it(papers: Path) -> None:
    assert names(scan(papers, recursive=False), papers) == ["A.PDF", "b.pdf", "notes.md"]


def test_files_of_other_kinds_are_counted_by_kind(papers: Path) -> None:
    for name in ("x.xlsx", "deep/y.XLSX", "LICENSE"):
        (papers / name).write_text("")
    assert scan(papers).other_kinds == {".xlsx": 2, "no suffix": 1}


def test_a_single_file_is_found_by_itself(papers: Path) -> None:
    assert names(scan(papers / "b.pdf"), papers) == ["b.pdf"]
    (papers / "x.xlsx").write_text("")
    alone = scan(papers / "x.xlsx")
    assert (alone.files, dict(alone.other_kinds)) == ({}, {".xlsx": 1})


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError, match="nowhere") as caught:
        scan(tmp_path / "nowhere")
    assert caught.value.code == Code.FILE_NOT_FOUND


@posix
def test_links_that_go_round_in_circles_end(papers: Path) -> None:
    expected = names(scan(papers), papers)
    (papers / "deep" / "up").symlink_to(papers)
    (papers / "same").symlink_to(papers / "deep")
    (papers / "ouroboros.pdf").symlink_to(papers / "ouroboros.pdf")
    found = scan(papers)
    assert names(found, papers) == expected
    assert problems(found) == {"ouroboros.pdf": Code.FILE_NOT_FOUND}


@posix
def test_a_link_to_another_place_is_refused(papers: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "diary.pdf").write_text("x")
    (papers / "diary.pdf").symlink_to(tmp_path / "secret" / "diary.pdf")
    (papers / "secret").symlink_to(tmp_path / "secret")
    found = scan(papers)
    assert problems(found) == {"diary.pdf": Code.PERMISSION_DENIED, "secret": Code.PERMISSION_DENIED}
    assert not [f for f in files(found) if "diary" in f.path]


@posix
def test_a_link_to_nothing_is_told(papers: Path) -> None:
    (papers / "lost.pdf").symlink_to(papers / "moved-away.pdf")
    assert problems(scan(papers)) == {"lost.pdf": Code.FILE_NOT_FOUND}


@posix
@pytest.mark.parametrize(
    ("target", "recursive"), [(".git/e.pdf", True), ("deep/c.txt", False)], ids=["hidden", "not looked at"]
)
def test_a_link_to_a_file_that_is_found_nowhere_else_is_not_lost_in_silence(
    papers: Path, target: str, recursive: bool
) -> None:
    (papers / f"linked{Path(target).suffix}").symlink_to(papers / target)
    found = scan(papers, recursive=recursive)
    told = [Path(path).stem for path in found.problems] + [Path(f.path).stem for f in files(found)]
    assert "linked" in told or Path(target).stem in told


@posix
def test_a_link_to_a_file_that_is_found_anyway_adds_nothing(papers: Path) -> None:
    expected = names(scan(papers), papers)
    (papers / "linked.pdf").symlink_to(papers / "b.pdf")
    found = scan(papers)
    assert (names(found, papers), found.problems) == (expected, {})


@posix
def test_a_linked_source_is_read_where_it_really_is(papers: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(papers)
    assert scan(tmp_path / "link").files == scan(papers).files


@posix
def test_what_is_no_file_is_not_taken_for_one(papers: Path) -> None:
    os.mkfifo(papers / "pipe.pdf")  # whoever opens it waits for ever
    (papers / "folder.pdf").mkdir()
    found = scan(papers)
    assert "pipe.pdf" not in names(found, papers)
    assert "folder.pdf" not in names(found, papers)


@posix
def test_a_name_that_is_no_text_is_told_and_stops_nothing(papers: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(papers) + b"/M\xfcller.pdf")).write_text("x")
    except OSError:
        pytest.skip("this disk takes Unicode names only")
    found = scan(papers)
    assert len(found.files) == 5
    ((told, error),) = found.problems.items()
    assert "ller.pdf" in told
    for text in (told, str(error), *(f.path for f in files(found))):
        text.encode()  # the catalog keeps text


Deny = Callable[[Path], None]


@pytest.fixture
def deny(monkeypatch: pytest.MonkeyPatch) -> Deny:
    """Folders that nobody may list; the system's own rights do not hold for everyone who runs tests."""
    real = os.scandir

    def denying(denied: Path) -> None:
        def scandir(path: Any = ".") -> Any:
            if Path(path) == denied:
                raise PermissionError(13, "Permission denied", str(path))
            return real(path)

        monkeypatch.setattr(os, "scandir", scandir)

    return denying


def test_a_folder_that_may_not_be_listed_is_told_and_the_rest_is_found(papers: Path, deny: Deny) -> None:
    deny(papers / "deep")
    found = scan(papers)
    assert names(found, papers) == ["A.PDF", "b.pdf", "notes.md"]
    assert found.unreadable == [papers / "deep"]
    assert problems(found) == {"deep": Code.PERMISSION_DENIED}


def test_only_what_could_be_looked_at_can_be_gone(papers: Path, deny: Deny, tmp_path: Path) -> None:
    (papers / "lost.pdf").symlink_to(papers / "moved-away.pdf")
    deny(papers / "deep")
    flat = tmp_path / "flat"
    flat.mkdir()
    sources = [
        Source("folder", str(papers)),
        Source("folder", str(flat), recursive=False),
        Source("folder", str(tmp_path / "unplugged")),
        Source("file", str(tmp_path / "alone.pdf")),
    ]
    (tmp_path / "alone.pdf").write_text("x")
    found = SourceContents()
    scan_sources(sources, found, strict=False)
    assert str(tmp_path / "alone.pdf") in found.files and str(papers / "b.pdf") in found.files
    assert found.problems[str(tmp_path / "unplugged")].code == Code.FILE_NOT_FOUND
    covered = {
        "papers/deleted.pdf": True,
        "papers/other/deleted.pdf": True,
        "papers/deep/c.txt": False,
        "papers/lost.pdf": False,
        "flat/deleted.pdf": True,
        "flat/below/deleted.pdf": False,
        "unplugged/a.pdf": False,
        "alone.pdf": True,
        "elsewhere/a.pdf": False,
        "papers2/a.pdf": False,
    }
    assert {name: found.covers(str(tmp_path / name)) for name in covered} == covered


def test_a_place_that_somebody_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError):
        scan_sources([Source("folder", str(tmp_path / "nowhere"))], SourceContents(), strict=True)


def test_a_file_of_two_sources_is_found_once(papers: Path) -> None:
    found = SourceContents()
    scan_sources([Source("folder", str(papers)), Source("folder", str(papers / "deep"))], found, strict=True)
    assert len(found.files) == 5
