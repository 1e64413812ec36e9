"""The folder of collections: one generation counts, and a swap disturbs no reader."""

from __future__ import annotations

import random
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citeloom.errors import CiteLoomError, Code
from citeloom.index.collection import Fusion, Point, SparseVector
from citeloom.index.collections import Collections
from citeloom.index.edge import EdgeCollection
from citeloom.index.filters import EVERYTHING, AnyOf

NAME = "proj-thesis"


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[Collections]:
    made = Collections(tmp_path)
    yield made
    made.close()


def fill(collection: EdgeCollection, version: str, count: int = 3) -> None:
    draw = random.Random(version)
    collection.upsert(
        [
            Point(
                str(uuid.UUID(int=n + 1)),
                [draw.gauss(0, 1) for _ in range(4)],
                SparseVector([n % 7], [1.0]),
                {"version": version, "chunk_index": n, "doc_id": f"d{n % 2}"},
            )
            for n in range(count)
        ]
    )


def begin(collections: Collections, generation: int, count: int = 3) -> EdgeCollection:
    made = collections.create(NAME, generation, 4, sparse=True)
    fill(made, f"generation {generation}", count)
    collections.adopt(NAME, generation, made)
    return made


def seen(collection: EdgeCollection) -> set[str]:
    return {hit.payload["version"] for hit in collection.search([1.0, 0.0, 0.0, 0.0], None, 10)}


def test_a_collection_is_opened_once_and_found_again_later(collections: Collections, tmp_path: Path) -> None:
    made = begin(collections, 1)
    assert collections.get(NAME, 1) is made
    assert made.folder == tmp_path / NAME / "g0001"
    collections.close()
    again = collections.get(NAME, 1)
    assert again is not made and collections.get(NAME, 1) is again
    assert seen(again) == {"generation 1"}


def test_an_index_that_is_not_on_the_disk_is_unavailable(collections: Collections) -> None:
    with pytest.raises(CiteLoomError, match=NAME) as caught:
        collections.get(NAME, 1)
    assert caught.value.code == Code.INDEX_UNAVAILABLE


def test_a_swap_lets_every_reader_finish_and_gives_the_next_one_the_new_generation(
    collections: Collections, tmp_path: Path
) -> None:
    begin(collections, 1)
    reader = collections.get(NAME, 1)
    begin(collections, 2)
    assert seen(collections.get(NAME, 1)) == {"generation 1"}
    assert seen(collections.get(NAME, 2)) == {"generation 2"}
    collections.retire(NAME, 2)
    assert seen(reader) == {"generation 1"}
    assert reader.count() == 3
    assert seen(collections.get(NAME, 2)) == {"generation 2"}
    # Who read the number before the swap and asks after it is not sent away.
    assert seen(collections.get(NAME, 1)) == {"generation 2"}
    assert [folder.name for folder in (tmp_path / NAME).iterdir()] == ["g0002"]


def test_tidying_deletes_what_an_interrupted_rebuild_left(collections: Collections, tmp_path: Path) -> None:
    begin(collections, 1)
    (tmp_path / NAME / "g0002" / "half").mkdir(parents=True)
    (tmp_path / "proj-other" / "g0002").mkdir(parents=True)
    collections.tidy(NAME, 1)
    assert [folder.name for folder in (tmp_path / NAME).iterdir()] == ["g0001"]
    assert (tmp_path / "proj-other" / "g0002").exists()
    assert seen(collections.get(NAME, 1)) == {"generation 1"}


def test_a_new_generation_starts_empty_whatever_lies_there(collections: Collections, tmp_path: Path) -> None:
    (tmp_path / NAME / "g0001").mkdir(parents=True)
    (tmp_path / NAME / "g0001" / "rubbish").write_text("x")
    made = collections.create(NAME, 1, 4, sparse=False)
    assert made.count() == 0
    assert not (tmp_path / NAME / "g0001" / "rubbish").exists()
    made.close()


def test_an_optimised_copy_gives_the_same_hits(collections: Collections) -> None:
    made = begin(collections, 1, 60)
    copy = collections.optimised_copy(NAME, 1)
    collections.adopt(NAME, 2, copy)
    assert copy.folder.name == "g0002"
    assert copy.scroll(EVERYTHING, 100) == made.scroll(EVERYTHING, 100)
    for number in range(5):
        vector = [random.Random(number).gauss(0, 1) for _ in range(4)]
        for where in (EVERYTHING, AnyOf("doc_id", ("d1",))):
            ask = (vector, SparseVector([number], [1.0]), 6, where)
            assert copy.search(*ask[:1], None, *ask[2:]) == made.search(*ask[:1], None, *ask[2:])
            assert {h.id for h in copy.search(*ask, Fusion())} == {h.id for h in made.search(*ask, Fusion())}
    fill(copy, "later")
    assert copy.count(AnyOf("version", ("later",))) == 3


def test_a_copy_that_cannot_be_optimised_is_told_and_leaves_nothing(
    collections: Collections, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = begin(collections, 1)
    run = subprocess.run

    def fail(command: list[str], **how: Any) -> Any:
        Path(command[-1]).mkdir()
        return run([command[0], "-c", "import sys; sys.exit('It was killed')"], **how)

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(CiteLoomError, match="It was killed") as caught:
        collections.optimised_copy(NAME, 1)
    assert caught.value.code == Code.STORAGE_ERROR
    assert not collections.folder(NAME, 2).exists()
    assert collections.get(NAME, 1) is made and seen(made) == {"generation 1"}


def test_the_size_is_what_the_files_take_and_nothing_is_left_of_a_removed_collection(
    collections: Collections, tmp_path: Path
) -> None:
    assert collections.size_on_disk(NAME) == 0
    begin(collections, 1).flush()
    files = [f for f in (tmp_path / NAME).rglob("*") if f.is_file()]
    size = collections.size_on_disk(NAME)
    assert 0 < size <= sum(f.stat().st_size + 4096 for f in files)
    (tmp_path / NAME / "more").write_bytes(b"x" * 1_000_000)
    assert collections.size_on_disk(NAME) >= size + 1_000_000
    collections.remove(NAME)
    assert not (tmp_path / NAME).exists()
    with pytest.raises(CiteLoomError):
        collections.get(NAME, 1)
    collections.remove(NAME)
