"""A project hears of changes in its folders and references once they are whole, and of nothing else."""

from __future__ import annotations

import itertools
import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.importing.watch import files as watch_files
from citeloom.importing.watch.files import QUIET, RECHECK, FileWatcher, _is_temporary
from tests.support import wait_for


class Watch:
    """A watch over real files with a clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.told: list[str] = []
        self.files = FileWatcher(self.told.append, clock=lambda: self.now)
        self._marks = itertools.count()
        self._came: set[tuple[watch_files._Root, str]] = set()
        self._assign, self.files._assign = self.files._assign, self._look_on  # type: ignore[method-assign]

    def places(self, **places: Path) -> None:
        self.files.watch_paths({project: [place] for project, place in places.items()})
        self.files.step()

    def seen(self, probe: Path) -> dict[str, set[Path]]:
        """What is noted up to and with a change of this file, by project."""
        probe.write_text(f"a probe at {self.now}")
        # The system tells in order: what comes after the probe has come after all of the probe's own changes.
        mark = probe.with_name(f".mark-{next(self._marks)}")
        mark.write_text("")
        awaited = {(root, mark.name) for root in self.files._watched if _covers(root, mark)}
        wait_for(lambda: self.files.step() or awaited <= self._came, f"{probe} to be told")
        mark.unlink()
        return {project: set(pending.stamps) for project, pending in self.files._pending.items()}

    def _look_on(self, root: watch_files._Root, file: Path) -> None:
        self._assign(root, file)
        self._came.add((root, file.name))

    def in_the_end(self) -> list[str]:
        """Who is told when the system has nothing more to say."""
        told: list[str] = wait_for(lambda: self.pass_by(QUIET), "the change to be told")
        return told

    def pass_by(self, seconds: float) -> list[str]:
        """Who is told after so long."""
        self.told.clear()
        self.now += seconds
        self.files.step()
        return sorted(self.told)


def _covers(root: watch_files._Root, file: Path) -> bool:
    return str(file.parent) == root.folder or (root.deep and file.is_relative_to(root.folder))


@pytest.fixture
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    for changes in made.files._watched.values():
        changes.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    return made


def test_new_changed_moved_and_deleted_files_are_told_by_the_thread_until_it_is_stopped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_files, "_TICK", 0.02)
    monkeypatch.setattr(watch_files, "QUIET", 0.1)
    told: list[str] = []
    files = FileWatcher(told.append)
    files.start()
    files.watch_paths({"thesis": [folder]})
    wait_for(lambda: files._checked > 0 and not files._recheck.is_set(), "the places to be taken up")
    acts: list[Callable[[], object]] = [
        lambda: (folder / "a.pdf").write_text("new"),
        lambda: (folder / "a.pdf").write_text("changed"),
        lambda: (folder / "sub" / "deep").mkdir(parents=True),
        lambda: (folder / "sub" / "deep" / "b.pdf").write_text("new"),
        lambda: (folder / "a.pdf").rename(folder / "sub" / "c.pdf"),
        (folder / "sub" / "c.pdf").unlink,
    ]
    for act in acts:
        wait_for(lambda: not files._pending, "all to be told")
        told.clear()
        act()
        wait_for(lambda: told, "the change to be told")
        assert set(told) == {"thesis"}
    files.stop()
    assert not files._thread.is_alive()


def test_only_the_projects_whose_place_it_is_hear_of_a_change(watch: Watch, folder: Path, tmp_path: Path) -> None:
    (folder / "shared").mkdir()
    (tmp_path / "other").mkdir()
    watch.places(thesis=folder, shared=folder / "shared", other=tmp_path / "other")
    watch.seen(folder / "shared" / "a.pdf")
    assert watch.pass_by(QUIET) == ["shared", "thesis"]
    assert watch.pass_by(QUIET) == []


def test_references_are_watched_by_their_folder_and_nothing_beside_them(watch: Watch, folder: Path) -> None:
    references = folder / "library.bib"
    (folder / "deep").mkdir()
    watch.places(thesis=references)
    for name in ("other.bib", "deep/library.bib", "library.bib.tmp"):
        (folder / name).write_text("not ours")
    (folder / "library.bib.tmp").replace(references)
    assert watch.seen(references) == {"thesis": {references}}
    assert watch.pass_by(QUIET) == ["thesis"]


def test_a_file_that_is_still_written_is_told_once_when_it_is_whole(watch: Watch, folder: Path) -> None:
    watch.places(thesis=folder)
    paper = folder / "a.pdf"
    for _ in range(4):
        watch.seen(paper)
        assert watch.pass_by(QUIET * 0.9) == []
    assert watch.pass_by(QUIET) == ["thesis"]
    assert watch.pass_by(QUIET) == []


def test_a_file_that_grows_without_a_word_from_the_system_is_waited_for(watch: Watch, folder: Path) -> None:
    watch.places(thesis=folder)
    paper = folder / "a.pdf"
    watch.seen(paper)
    watch.files._collect_changes = lambda: None  # type: ignore[method-assign]
    for piece in ("more", "still more"):
        paper.write_text(piece)
        assert watch.pass_by(QUIET) == []
    assert watch.pass_by(QUIET) == ["thesis"]


def test_a_file_that_is_written_all_day_does_not_hold_up_the_others_for_ever(watch: Watch, folder: Path) -> None:
    watch.places(thesis=folder)
    told: list[str] = []
    while not told and watch.now < 3600:
        watch.seen(folder / "diary.md")
        told = watch.pass_by(QUIET * 0.9)
    assert told == ["thesis"] and watch.now < 3600


def test_reading_hidden_unfinished_and_own_files_are_no_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.pdf").write_text("there")
    for name in (".git", "citeloom-home"):
        (folder / name).mkdir()
    monkeypatch.setenv("CITELOOM_HOME", str(folder / "citeloom-home"))
    watch = Watch()
    watch.places(thesis=folder)
    assert (folder / "a.pdf").read_text() and list(folder.iterdir())
    for name in (".DS_Store", "~$a.docx", "b.pdf.part", "c.TMP", ".git/index", "citeloom-home/catalog.db"):
        (folder / name).write_text("noise")
    (folder / "b.pdf.part").rename(folder / "b.pdf")
    assert watch.seen(folder / "c.pdf") == {"thesis": {folder / "b.pdf", folder / "c.pdf"}}


def test_a_hidden_folder_that_was_named_is_watched(watch: Watch, tmp_path: Path) -> None:
    hidden = tmp_path / ".papers"
    hidden.mkdir()
    watch.places(thesis=hidden)
    assert watch.seen(hidden / "a.pdf") == {"thesis": {hidden / "a.pdf"}}


def test_a_missing_place_is_picked_up_when_it_appears(watch: Watch, tmp_path: Path) -> None:
    place = tmp_path / "drive" / "papers"
    watch.places(thesis=place)
    assert watch.pass_by(RECHECK) == []
    place.mkdir(parents=True)
    (place / "there.pdf").write_text("before anybody looked")
    watch.pass_by(RECHECK)
    assert watch.in_the_end() == ["thesis"]
    assert watch.seen(place / "a.pdf")["thesis"] >= {place / "a.pdf"}


def test_a_folder_made_where_one_was_missing_is_watched_at_once(watch: Watch, tmp_path: Path) -> None:
    place = tmp_path / "papers"
    watch.places(thesis=place)
    place.mkdir()
    wait_for(lambda: watch.files.step() or watch.files._reached["thesis"][place].deep, "the folder to be watched")
    assert watch.seen(place / "a.pdf")["thesis"] >= {place / "a.pdf"}


@pytest.mark.parametrize("mount_point_stays", [False, True])
def test_a_drive_that_is_pulled_out_is_no_change_and_its_return_is_one(
    watch: Watch, folder: Path, mount_point_stays: bool
) -> None:
    (folder / "a.pdf").write_text("there")
    watch.places(thesis=folder)
    away = folder.with_name("away")
    folder.rename(away)
    if mount_point_stays:
        folder.mkdir()
    watch.pass_by(RECHECK)
    assert watch.told == [] and watch.pass_by(QUIET) == []
    if mount_point_stays:
        folder.rmdir()
    away.rename(folder)
    watch.pass_by(RECHECK)
    assert watch.in_the_end() == ["thesis"]
    assert watch.seen(folder / "b.pdf")["thesis"] >= {folder / "b.pdf"}


def test_another_drive_at_the_same_place_is_watched_instead(watch: Watch, folder: Path) -> None:
    watch.places(thesis=folder)
    folder.rename(folder.with_name("away"))
    folder.mkdir()
    watch.pass_by(RECHECK)
    watch.pass_by(QUIET)
    assert watch.seen(folder / "a.pdf")["thesis"] >= {folder / "a.pdf"}


def test_places_can_be_changed_while_it_runs(watch: Watch, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    watch.places(thesis=folder)
    watch.seen(folder / "a.pdf")
    watch.places(book=other)
    (folder / "b.pdf").write_text("nobody's any more")
    assert watch.seen(other / "a.pdf") == {"book": {other / "a.pdf"}}
    assert watch.pass_by(QUIET) == ["book"]
    assert [root.folder for root in watch.files._watched] == [str(other)]


def test_a_place_behind_a_link_is_watched_where_it_is(watch: Watch, folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder, target_is_directory=True)
    watch.places(thesis=link)
    assert watch.seen(folder / "a.pdf") == {"thesis": {folder / "a.pdf"}}


def test_where_the_system_does_not_tell_files_are_compared(
    watch: Watch, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with_real_paths = watch_files.watchfiles.watch

    def on_a_full_system(*places: str, **options: object) -> Iterator[object]:
        if not options["force_polling"]:
            raise OSError("OS file watch limit reached.")
        yield from with_real_paths(*places, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watch_files.watchfiles, "watch", on_a_full_system)
    monkeypatch.setattr(watch_files, "_POLL_MS", 20)
    with caplog.at_level(logging.WARNING):
        watch.places(thesis=folder)
    assert "limit reached" in caplog.text
    watch.files.step()
    assert watch.seen(folder / "a.pdf")["thesis"] >= {folder / "a.pdf"}
    shutil.rmtree(folder)
    watch.pass_by(RECHECK)
    assert watch.pass_by(QUIET) == []


def test_a_disk_of_another_machine_is_told_from_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = "\n".join(
        (
            "/dev/sda1 / ext4 rw 0 0",
            "server:/home /home/me/Public\\040Drive nfs4 rw 0 0",
            "//nas/x /mnt/nas cifs rw 0 0",
            "/dev/sdb1 /mnt/nas/stick vfat rw 0 0",
        )
    )
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: mounts)
    on_network = ["/home/me/Public Drive/papers", "/mnt/nas", "/mnt/nas/papers"]
    here = ["/home/me/papers", "/mnt/nas/stick/papers", "/mnt/nas2"]
    assert [place for place in on_network + here if watch_files._on_network(place)] == on_network


def test_whoever_is_told_may_fail(watch: Watch, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fail(project: str) -> None:
        raise RuntimeError("the catalog is closed")

    watch.places(thesis=folder)
    watch.seen(folder / "a.pdf")
    watch.files._changed, heard = fail, watch.files._changed
    assert watch.pass_by(QUIET) == [] and "could not be synced" in caplog.text
    watch.files._changed = heard
    watch.seen(folder / "b.pdf")
    assert watch.pass_by(QUIET) == ["thesis"]


names = st.text(st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1, max_size=20)


@given(st.lists(names, min_size=1, max_size=4))
def test_any_name_can_be_judged_and_documents_are_never_is_temporary(parts: list[str]) -> None:
    visible = [part.lstrip(".") or "x" for part in parts]
    assert not _is_temporary(Path(*visible[:-1], "a" + visible[-1] + ".pdf"))
    assert _is_temporary(Path("." + visible[0], *visible[1:]))


def test_a_watch_that_was_never_started_can_be_stopped() -> None:
    FileWatcher(lambda _: None).stop()
