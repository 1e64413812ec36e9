"""The data folder is one's own and closed to others, or it is not used."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from citeloom.core import data_folder, paths
from citeloom.core.errors import CiteLoomError, Code

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights are spoken of differently there")
as_root = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a file away")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that somebody has named, not made yet."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def refusal() -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        data_folder.prepare()
    assert caught.value.code == Code.PERMISSION_DENIED
    assert "CITELOOM_HOME" in caught.value.next_step
    return caught.value


def test_a_new_data_folder_is_its_owners_alone(folder: Path) -> None:
    data_folder.prepare()
    assert rights(folder) == 0o700


def test_an_open_data_folder_is_closed_with_the_files_in_it(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    files = [folder / name for name in ("engine.json", "catalog.db", "engine.lock")]
    for file in files:
        file.touch()
        file.chmod(0o666)
    elsewhere = folder.with_name("elsewhere")
    elsewhere.touch(0o644)
    (folder / "link").symlink_to(elsewhere)
    data_folder.prepare()
    assert rights(folder) == 0o700
    assert [rights(file) for file in files] == [0o600] * 3
    assert rights(elsewhere) == 0o644


def test_the_usual_folders_are_closed_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CITELOOM_HOME", raising=False)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path))
    where = paths.folders()
    for folder in where:
        Path(folder).mkdir(mode=0o755, parents=True)
    data_folder.prepare()
    assert [rights(Path(folder)) for folder in (where.data, where.cache, where.logs)] == [0o700] * 3


def test_an_open_folder_that_only_conversions_are_left_of_is_closed(folder: Path) -> None:
    (folder / "cache" / "conversions").mkdir(parents=True)
    folder.chmod(0o755)
    data_folder.prepare()
    assert rights(folder) == 0o700


@pytest.mark.parametrize(("mode", "inside"), [(0o755, "thesis.docx"), (0o1777, "engine.lock")])
def test_an_open_folder_for_other_things_is_refused_and_left_as_it_is(folder: Path, mode: int, inside: str) -> None:
    (folder / "cache").mkdir(parents=True)
    folder.chmod(mode)
    (folder / inside).touch()
    assert "is open to other people" in refusal().message
    assert rights(folder) == mode


def test_a_disk_that_keeps_no_rights_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    folder.chmod(0o755)
    monkeypatch.setattr(os, "chmod", lambda *_: None)  # what such a disk does with it
    assert "that cannot be changed" in refusal().message


def test_an_open_folder_on_a_read_only_disk_is_called_read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    folder.chmod(0o755)

    def refuse(path: str, _: int) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    monkeypatch.setattr(os, "chmod", refuse)
    assert f"{folder} is read-only" in refusal().message


@as_root
@pytest.mark.parametrize("inside", ["", "engine.lock"])
def test_a_folder_or_a_file_in_it_of_another_user_is_refused(folder: Path, inside: str) -> None:
    folder.mkdir(mode=0o700)
    theirs = folder / inside
    theirs.touch()
    os.chown(theirs, 12345, -1)
    assert f"{theirs} belongs to another user" in refusal().message


@as_root
def test_what_root_keeps_on_a_disk_of_its_own_is_no_reason_to_refuse_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir(mode=0o700)
    (folder / "lost+found").mkdir()
    os.chown(folder, 12345, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    data_folder.prepare()


def test_a_file_in_the_place_of_the_folder_is_named(folder: Path) -> None:
    folder.touch()
    with pytest.raises(CiteLoomError, match="cannot be used") as caught:
        data_folder.prepare()
    assert caught.value.code == Code.STORAGE_ERROR
