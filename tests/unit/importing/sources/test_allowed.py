"""What an agent may reach: what the researcher allowed, wherever links and dots lead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source
from citeloom.importing.sources.allowed import allowed_path, check_kind, existing


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is allowed, one that is allowed without its subfolders, and one that is not."""
    root = tmp_path_factory.mktemp("place").resolve()
    for name in ("papers/a.pdf", "papers/deep/b.pdf", "flat/c.pdf", "flat/deep/d.pdf", "secret/diary.pdf", "refs.bib"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    if os.name == "posix":
        (root / "papers" / "way-out").symlink_to(root / "secret")
        (root / "papers" / "loop").symlink_to(root / "papers" / "loop")
        (root / "way-in").symlink_to(root / "papers")
    return root


def ask(place: Path, given_path: str) -> Path:
    sources = [
        Source("folder", str(place / "papers")),
        Source("folder", str(place / "flat"), recursive=False),
        Source("file", str(place / "alone.pdf")),
    ]
    return allowed_path(given_path, sources, str(place / "refs.bib"))


@pytest.mark.parametrize(
    ("given_path", "meant"),
    [
        ("{}/papers", "papers"),
        ("{}/papers/a.pdf", "papers/a.pdf"),
        ("{}/papers/../papers/deep/b.pdf", "papers/deep/b.pdf"),
        ("{}/way-in/a.pdf", "papers/a.pdf"),
        ("a.pdf", "papers/a.pdf"),
        ("deep/b.pdf", "papers/deep/b.pdf"),
        ("c.pdf", "flat/c.pdf"),
        ("{}/refs.bib", "refs.bib"),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="links are made otherwise there")
def test_what_lies_in_a_projects_folders_may_be_read(place: Path, given_path: str, meant: str) -> None:
    assert ask(place, given_path.format(place)) == place / meant


@pytest.mark.parametrize(
    "given_path",
    [
        "{}/secret/diary.pdf",
        "{}/secret",
        "{}/secret/not-there.pdf",
        "{}",
        "{}/papers/../secret/diary.pdf",
        "{}/papers/way-out/diary.pdf",
        "{}/papers-too/a.pdf",
        "{}/flat/deep/d.pdf",
        "../secret/diary.pdf",
        "way-out/diary.pdf",
        "/",
        "~",
        "~/.ssh/id_rsa",
        "~nobody-of-that-name/a.pdf",
        "{}/papers/loop",
        "a.pdf\0",
        "{}/papers/a.pdf\0",
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="links are made otherwise there")
def test_every_other_place_is_denied_whether_something_is_there_or_not(place: Path, given_path: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        ask(place, given_path.format(place))
    assert caught.value.code == Code.PERMISSION_DENIED
    assert str(place) not in str(caught.value)


@pytest.mark.parametrize("given_path", ["{}/papers/gone.pdf", "gone.pdf", "{}/alone.pdf"])
def test_an_allowed_place_where_nothing_is_says_so(place: Path, given_path: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        ask(place, given_path.format(place))
    assert caught.value.code == Code.FILE_NOT_FOUND


@given(
    st.text(max_size=30) | st.lists(st.sampled_from(["..", ".", "papers", "secret", "/", "~", "a.pdf"])).map("/".join)
)
@example("x" * 5000)
@example("papers/" * 2000)
def test_whatever_an_agent_names_it_stays_inside(place: Path, given_path: str) -> None:
    try:
        found = ask(place, given_path)
    except CiteLoomError as error:
        assert error.code in (Code.PERMISSION_DENIED, Code.FILE_NOT_FOUND)
        return
    assert found.is_relative_to(place / "papers") or found.parent == place / "flat" or found == place / "flat"


def test_a_person_may_name_any_place_that_is_there(place: Path) -> None:
    assert existing(f"{place}/papers/../secret") == place / "secret"
    with pytest.raises(CiteLoomError) as caught:
        existing(f"{place}/nowhere")
    assert caught.value.code == Code.FILE_NOT_FOUND


def test_a_file_of_a_kind_that_nobody_reads_is_refused_with_the_kinds_there_are(place: Path) -> None:
    check_kind(place / "papers")
    check_kind(place / "papers" / "a.pdf")
    with pytest.raises(CiteLoomError, match=r"\.bib") as caught:
        check_kind(place / "refs.bib")
    assert caught.value.code == Code.UNSUPPORTED_FORMAT
    assert ".pdf" in caught.value.next_step
