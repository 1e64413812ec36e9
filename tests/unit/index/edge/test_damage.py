"""Damaged index files: whatever byte is wrong, opening takes little, and an answer is right or refused."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import IndexLocation
from citeloom.index.base import Fusion
from citeloom.index.edge import checksums, trial_open
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.edge.sparse_files import copy_with_holes, filled
from citeloom.index.filters import EVERYTHING, Range
from citeloom.index.registry import Collections
from tests.memory_watch import peak_memory
from tests.points import SIZE, point
from tests.support import ROOT

_PASSAGES = 70
_MAX_MEMORY = 1_500_000_000  # bytes, of the process that opens and of those it starts
_FILES = [
    "mutable_id_tracker.mappings", "segment.json", "version.info",
    "payload_storage/page_0.dat", "payload_storage/tracker.dat", "payload_index/config.json", "wal/open-1",
    "vector_storage-dense/vectors/chunk_0.mmap", "vector_storage-dense/deleted/status.dat",
    "vector_storage-sparse/store/page_0.dat", "doc_id-map/page_0.dat",
]  # fmt: skip
_KILLED = """
import os, signal, sys
from pathlib import Path
from citeloom.index.edge.collection import EdgeCollection
from tests.points import SIZE, point
made = EdgeCollection.create(Path(sys.argv[1]), SIZE, sparse=True)
made.upsert([point(n) for n in range({count})])
made.flush()
made.upsert([point(n) for n in range({count}, {count} + 5)])
os.kill(os.getpid(), signal.SIGKILL)
"""


def answers(collection: EdgeCollection) -> list[object]:
    """What is seen of a collection."""
    one = point(3)
    found = collection.search(one.dense, one.sparse, 10, fusion=Fusion())
    return [collection.count(), found, collection.scroll(EVERYTHING, 100), collection.values("doc_id", 10)]


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("closed") / "g0001"
    made = EdgeCollection.create(folder, SIZE, sparse=True)
    made.upsert([point(n) for n in range(_PASSAGES)])
    made.close()
    return folder


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed") / "g0001"
    command = [sys.executable, "-c", _KILLED.format(count=_PASSAGES), str(folder)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode < 0
    return folder


def file_of(folder: Path, name: str) -> Path:
    return next(file for file in sorted(folder.rglob("*")) if file.as_posix().endswith(name))


def flip(file: Path, at: int, mask: int) -> None:
    """Make one byte another one."""
    with file.open("r+b") as opened:
        opened.seek(at)
        byte = opened.read(1)[0]
        opened.seek(at)
        opened.write(bytes([byte ^ mask]))


def somewhere_in(file: Path, draw: random.Random) -> int:
    """Where a byte stands that is not zero."""
    begin, block = draw.choice(list(filled(file)))
    return begin + draw.choice([at for at, byte in enumerate(block) if byte])


def test_a_byte_that_changed_in_a_closed_index_is_found_before_it_is_opened(closed: Path) -> None:
    opened = EdgeCollection.open(closed)
    expected = answers(opened)
    opened.close()
    draw = random.Random(5)
    for name in _FILES:
        file = file_of(closed, name)
        for _ in range(3):
            at, mask = somewhere_in(file, draw), draw.choice([1, 0x80, 0xFF])
            flip(file, at, mask)
            with pytest.raises(CiteLoomError, match="is damaged") as caught:
                EdgeCollection.open(closed)
            assert caught.value.code == Code.INDEX_UNAVAILABLE, f"{name} at {at}"
            assert name in caught.value.message and "--force-rebuild" in caught.value.next_step
            flip(file, at, mask)
    opened = EdgeCollection.open(closed)
    assert answers(opened) == expected
    opened.close()


@pytest.mark.parametrize("loss", ["segment", "file", "shorter"])
def test_a_part_of_an_index_that_is_gone_is_said(closed: Path, tmp_path: Path, loss: str) -> None:
    folder = tmp_path / "g0001"
    shutil.copytree(closed, folder, copy_function=copy_with_holes)
    (segment,) = (folder / "segments").iterdir()
    if loss == "segment":
        shutil.rmtree(segment)
    elif loss == "file":
        (segment / "payload_storage" / "page_0.dat").unlink()
    else:
        os.truncate(segment / "mutable_id_tracker.mappings", 100)
    with pytest.raises(CiteLoomError, match="is damaged: segments/") as caught:
        EdgeCollection.open(folder)
    assert caught.value.code == Code.INDEX_UNAVAILABLE


def test_a_segment_that_is_gone_after_a_kill_is_said(killed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "g0001"
    shutil.copytree(killed, folder, copy_function=copy_with_holes)
    shutil.rmtree(next((folder / "segments").iterdir()))
    with pytest.raises(CiteLoomError, match=r"is damaged: segments/.* is missing"):
        EdgeCollection.open(folder)


def test_an_index_that_was_killed_is_tried_elsewhere_once_and_is_sound_then(
    killed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "g0001"
    shutil.copytree(killed, folder, copy_function=copy_with_holes)
    tried, real = [], trial_open.run

    def counted(where: Path) -> None:
        tried.append(where)
        real(where)

    monkeypatch.setattr(trial_open, "run", counted)
    for _ in range(2):
        opened = EdgeCollection.open(folder)
        assert opened.count() == _PASSAGES + 5
        opened.close()
    assert tried == [folder]
    checksums.forget(folder)  # as an earlier version left it
    EdgeCollection.open(folder).close()
    assert tried == [folder] * 2


def test_what_opening_itself_writes_is_tried_elsewhere_where_it_was_killed_then(closed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "g0001"
    shutil.copytree(closed, folder, copy_function=copy_with_holes)
    opened = EdgeCollection.open(folder)
    expected = answers(opened)
    opened.close()
    assert checksums.verify(folder)
    flip(file_of(folder, "mutable_id_tracker.versions"), 0, 1)
    assert not checksums.verify(folder)
    opened = EdgeCollection.open(folder)
    assert answers(opened) == expected
    opened.close()
    assert checksums.verify(folder)


# Where each was seen to lead: the number of an id, which asked for a hundred gigabytes at once or bit by bit, its kind,
# a length of a file, the log of what was not written out yet, and two that only a reader meets.
_AFTER_A_KILL = [
    ("mutable_id_tracker.mappings", 20, 0xFF), ("mutable_id_tracker.mappings", 0, 0xFF),
    ("vector_storage-dense/deleted/status.dat", 4, 0x7F), ("wal/first-index", 6, 0xFF), ("segment.json", 20, 0x08),
    ("mutable_id_tracker.versions", 7, 0xFF),
]  # fmt: skip


@pytest.mark.parametrize(("name", "at", "mask"), _AFTER_A_KILL, ids=[f"{n} at {at}" for n, at, _ in _AFTER_A_KILL])
def test_a_byte_that_changed_in_a_killed_index_costs_little(
    killed: Path, tmp_path: Path, name: str, at: int, mask: int
) -> None:
    folder, sound = tmp_path / "g0001", tmp_path / "sound"
    shutil.copytree(killed, folder, copy_function=copy_with_holes)
    shutil.copytree(killed, sound, copy_function=copy_with_holes)
    flip(file_of(folder, name), at, mask)
    before = psutil.Process().memory_info().rss
    found = None
    with peak_memory(lambda: [psutil.Process()]) as peak:
        try:
            opened = EdgeCollection.open(folder)
            found = answers(opened)
            opened.close()
        except CiteLoomError as error:
            assert error.code == Code.INDEX_UNAVAILABLE and "--force-rebuild" in error.next_step
    assert 0 < peak[0] < before + _MAX_MEMORY
    if found is None:
        return
    expected = EdgeCollection.open(sound)
    assert found == answers(expected)
    expected.close()


def test_a_text_that_changed_in_a_large_index_is_found_while_it_is_open(
    closed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "g0001"
    shutil.copytree(closed, folder, copy_function=copy_with_holes)
    monkeypatch.setattr(checksums, "_SMALL_INDEX", 0)
    monkeypatch.setattr(checksums, "_SMALL_FILE", 0)
    texts = file_of(folder, "payload_storage/page_0.dat")
    flip(texts, somewhere_in(texts, random.Random(1)), 1)
    opened = EdgeCollection.open(folder)
    with pytest.raises(CiteLoomError, match="is damaged"):
        opened.upsert([point(1)])  # who writes waits until everything was checked
    with pytest.raises(CiteLoomError, match="is damaged"):
        opened.count()
    opened.close()
    assert checksums.read(folder) == checksums.read(closed)  # the damage is not taken for what was written


def test_what_can_be_read_of_a_damaged_index_is_read_by_another_process(closed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "g0001"
    shutil.copytree(closed, folder, copy_function=copy_with_holes)
    texts = file_of(folder, "payload_storage/page_0.dat")
    with texts.open("r+b") as opened:
        opened.write(b"\xff" * 16)
    (passages,) = trial_open.recover_passages(folder, ["d", "of another"]).values()
    assert _PASSAGES - 2 <= len(passages) < _PASSAGES
    with pytest.raises(CiteLoomError, match="is damaged"):
        EdgeCollection.open(folder)
    assert trial_open.recover_passages(tmp_path / "nothing", ["x"]) == {}


def test_what_prevents_the_trial_is_not_held_against_the_index(
    killed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collections = Collections(tmp_path)
    place = IndexLocation("proj-thesis", 1)
    shutil.copytree(killed, collections.folder(place), copy_function=copy_with_holes)
    with monkeypatch.context() as patch:
        patch.setattr(trial_open, "IMPORT_ROOT", tmp_path / "nothing")  # no process can begin there
        with pytest.raises(CiteLoomError, match="could not be opened") as caught:
            collections.get(place)
        assert caught.value.code == Code.INDEX_UNAVAILABLE and "damaged" not in caught.value.details
    assert collections.problem(place) is None
    assert collections.get(place).count() == _PASSAGES + 5
    collections.close()


@pytest.mark.parametrize("seed", range(3))
def test_whatever_was_done_and_wherever_it_was_killed_an_undamaged_index_is_not_called_damaged(
    tmp_path: Path, seed: int
) -> None:
    draw, folder = random.Random(seed), tmp_path / "g0001"
    collection = EdgeCollection.create(folder, SIZE, sparse=True)
    there: set[int] = set()
    for number in range(12):
        at = draw.randrange(60)
        match draw.choice(["write", "write", "delete", "rewrite", "flush", "close", "kill"]):
            case "write":
                collection.upsert([point(n, chunk_text="word " * draw.randrange(200)) for n in range(at, at + 20)])
                there |= set(range(at, at + 20))
            case "delete":
                collection.delete(Range("chunk_index", gte=at, lte=at + 9))
                there -= set(range(at, at + 10))
            case "rewrite":
                collection.rewrite(Range("chunk_index", gte=at), {"citekey": f"K{number}"})
            case "flush":
                collection.flush()
            case "close":
                collection.close()
                collection = EdgeCollection.open(folder)
            case _:  # what a killed process leaves is what stands in its files now
                left = tmp_path / f"killed {number}"
                shutil.copytree(folder, left, copy_function=copy_with_holes)
                collection.close()
                folder, collection = left, EdgeCollection.open(left)
        assert {hit.payload["chunk_index"] for hit in collection.any_passages(200)} == there
    collection.close()
    EdgeCollection.open(folder).close()
