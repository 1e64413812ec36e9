"""The stamp of a file changes with its content."""

from __future__ import annotations

import os
from pathlib import Path

from citeloom.core.files.file_stamp import file_stamp


def test_a_changed_a_touched_and_a_replaced_file_have_another_stamp(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("a")
    stamps = [file_stamp(file)]
    file.write_text("ab")
    stamps.append(file_stamp(file))
    os.utime(file, ns=(1, 1))
    stamps.append(file_stamp(file))
    other = tmp_path / "other"
    other.write_text("cd")
    os.utime(other, ns=(1, 1))
    other.replace(file)
    stamps.append(file_stamp(str(file)))
    assert len(set(stamps)) == 4 and None not in stamps
    assert file_stamp(file) == stamps[-1], "it stays while nothing happens"


def test_what_is_no_regular_file_has_none(tmp_path: Path) -> None:
    assert file_stamp(tmp_path) is None and file_stamp(tmp_path / "missing") is None
