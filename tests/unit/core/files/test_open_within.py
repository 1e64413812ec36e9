"""A file that must lie in a folder: no link that is put in its way leads out, not even for a moment."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.open_within import open_within
from citeloom.importing.stages.match import RecordFinder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links are made otherwise there")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name, text in {"papers/a.md": "mine", "papers/deep/a.md": "mine", "other/a.md": "secret"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def read(path: Path, within: Path | str) -> str:
    with open_within(path, str(within)) as file:
        return file.read().decode()


def refused(path: Path, within: Path | str) -> Code:
    with pytest.raises(CiteLoomError) as caught:
        open_within(path, str(within)).close()
    return caught.value.code


def test_links_are_followed_as_long_as_they_stay_inside(place: Path) -> None:
    papers = place / "papers"
    (place / "way-in").symlink_to(papers)
    (papers / "linked.md").symlink_to(papers / "deep" / "a.md")
    assert read(papers / "linked.md", papers) == read(place / "way-in" / "a.md", papers) == "mine"
    assert read(papers / "a.md", place / "way-in") == read(papers / "a.md", papers / "a.md") == "mine"
    (papers / "out.md").symlink_to(place / "other" / "a.md")
    (papers / "out").symlink_to(place / "other")
    assert refused(papers / "out.md", papers) == refused(papers / "out" / "a.md", papers) == Code.PERMISSION_DENIED
    assert refused(papers, papers) == Code.UNSUPPORTED_FORMAT
    assert refused(papers / "linked.md", papers / "linked.md") == Code.PERMISSION_DENIED, "a single file is no link"
    assert read(papers / "out.md", "") == "secret"
    os.mkfifo(papers / "pipe.md")
    assert refused(papers / "pipe.md", papers) == Code.UNSUPPORTED_FORMAT


@contextmanager
def swapping(path: Path, target: Path) -> Iterator[None]:
    """Somebody who puts a link in the place of a file or folder, and back, as fast as can be."""
    over, kept, link = threading.Event(), path.with_name("kept"), path.with_name("link")

    def swap() -> None:
        while not over.is_set():
            link.symlink_to(target)
            path.rename(kept)
            link.rename(path)
            path.rename(link)
            kept.rename(path)
            link.unlink()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize(
    ("swapped", "target", "within"),
    [("a.md", "other/a.md", "papers"), ("deep", "other", "papers"), ("a.md", "other/a.md", "papers/a.md")],
    ids=["a file of a folder", "a folder", "a file alone"],
)
def test_what_is_swapped_while_it_is_opened_is_never_read_from_outside(
    place: Path, swapped: str, target: str, within: str
) -> None:
    asked = place / "papers" / swapped / ("a.md" if swapped == "deep" else "")
    outcomes: set[str] = set()
    with swapping(place / "papers" / swapped, place / target):
        for _ in range(4000):
            try:
                outcomes.add(read(asked, place / within))
            except CiteLoomError as error:
                outcomes.add(str(error.code))
            except OSError:  # neither is there for a moment, or it became another in the middle of a look
                outcomes.add("gone")
    assert "secret" not in outcomes
    assert read(asked, place / within) == "mine"


def test_references_that_lead_out_of_their_folder_are_not_loaded(place: Path) -> None:
    (place / "other" / "refs.bib").write_text("@book{secret, title={Secret}}")
    (place / "papers" / "refs.bib").symlink_to(place / "other" / "refs.bib")
    with pytest.raises(CiteLoomError) as caught:
        RecordFinder(None, place / "papers" / "refs.bib", str(place / "papers"))
    assert caught.value.code == Code.PERMISSION_DENIED
