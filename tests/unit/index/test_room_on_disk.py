"""How much room an index takes."""

from __future__ import annotations

import threading
from pathlib import Path

from citeloom.index.edge.sparse_files import disk_usage


def test_files_may_come_and_go_while_they_are_counted(tmp_path: Path) -> None:
    (tmp_path / "stays").write_bytes(b"x" * 10_000)
    counted = threading.Event()

    def write() -> None:
        number = 0
        while not counted.is_set():
            fleeting = tmp_path / f"segment-{number % 50}"
            fleeting.write_bytes(b"x")
            fleeting.unlink()
            number += 1

    writing = threading.Thread(target=write)
    writing.start()
    try:
        assert all(disk_usage(tmp_path) >= 10_000 for _ in range(2000))
    finally:
        counted.set()
        writing.join()


def test_a_link_takes_no_room_of_its_own_and_a_folder_that_is_not_there_none(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "weights").write_bytes(b"x" * 100_000)
    before = disk_usage(tmp_path)
    (tmp_path / "model").symlink_to(tmp_path / "blobs" / "weights")
    assert before <= disk_usage(tmp_path) < before + 50_000
    assert disk_usage(tmp_path / "nowhere") == 0
