"""A file is replaced as a whole, or stays as it was."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from citeloom.core.files import atomic_file


def refuse() -> None:
    raise PermissionError


@pytest.mark.parametrize("named", [False, True], ids=["any name", "a name of its own"])
def test_a_write_that_fails_leaves_the_old_content_and_nothing_beside_it(tmp_path: Path, named: bool) -> None:
    file = tmp_path / "file"
    temporary = tmp_path / "file.part" if named else None
    atomic_file.write(file, b"old", temporary)
    assert file.read_bytes() == b"old" and stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(ValueError, match="half"), atomic_file.replacing(file, temporary) as stream:
        stream.write(b"new")
        raise ValueError("half")
    with pytest.raises(PermissionError), atomic_file.replacing(file, temporary, check=refuse) as stream:
        stream.write(b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_replaced_file_keeps_who_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(0o640)
    with atomic_file.replacing(file, like=file.stat(), sync=True) as stream:
        stream.write(b"new")
    assert file.read_bytes() == b"new" and stat.S_IMODE(file.stat().st_mode) == 0o640
