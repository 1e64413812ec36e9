"""The folder of collections: one generation counts, and a swap disturbs no reader."""

from __future__ import annotations

import random
import shutil
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import IndexLocation
from citeloom.index import registry as collections_module
from citeloom.index.base import Collection, Fusion, Point, SparseVector
from citeloom.index.edge import collection as edge
from citeloom.index.edge import optimise as optimise_module
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.edge.optimise import optimised_copy
from citeloom.index.edge.sparse_files import copy_with_holes, disk_usage, filled
from citeloom.index.filters import EVERYTHING, AnyOf
from citeloom.index.registry import Collections

NAME = "proj-thesis"


def place(generation: int) -> IndexLocation:
    return IndexLocation(NAME, generation)


@pytest.fixture
def collections(tmp_path: Path) -> Iterator[Collections]:
    made = Collections(tmp_path)
    yield made
    made.close()


def fill(collection: Collection, version: str, count: int = 3) -> None:
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


def begin(collections: Collections, generation: int, count: int = 3) -> Collection:
    made = collections.create(place(generation), 4, sparse=True)
    fill(made, f"generation {generation}", count)
    collections.register(place(generation), made)
    return made


def seen(collection: Collection) -> set[str]:
    return {hit.payload["version"] for hit in collection.search([1.0, 0.0, 0.0, 0.0], None, 10)}


def test_a_collection_is_opened_once_and_found_again_later(collections: Collections, tmp_path: Path) -> None:
    made = begin(collections, 1)
    assert collections.get(place(1)) is made
    assert isinstance(made, EdgeCollection) and made.folder == tmp_path / NAME / "g0001"
    collections.close()
    again = collections.get(place(1))
    assert again is not made and collections.get(place(1)) is again
    assert seen(again) == {"generation 1"}


def test_an_index_that_nobody_uses_is_closed_unless_it_hides_passages_and_opened_when_it_is_asked_for(
    collections: Collections,
) -> None:
    made = begin(collections, 1)
    collections.get(place(1))
    collections.close_unused(600)
    assert collections.get(place(1)) is made
    made.hide("a set that is being written")
    collections.close_unused(0)
    assert collections.get(place(1)) is made, "only the open collection knows what it hides"
    made.show("a set that is being written")
    collections.close_unused(0)
    again = collections.get(place(1))
    assert again is not made and seen(again) == {"generation 1"}


def test_an_index_that_is_not_on_the_disk_is_unavailable(collections: Collections) -> None:
    with pytest.raises(CiteLoomError, match=NAME) as caught:
        collections.get(place(1))
    assert caught.value.code == Code.INDEX_UNAVAILABLE


def test_a_swap_lets_every_reader_finish_and_gives_the_next_one_the_new_generation(
    collections: Collections, tmp_path: Path
) -> None:
    begin(collections, 1)
    reader = collections.get(place(1))
    made = begin(collections, 2)
    with collections.swapping(place(2), made):
        assert seen(collections.get(place(1))) == {"generation 1"}
        assert seen(collections.get(place(2))) == {"generation 2"}
    assert seen(reader) == {"generation 1"}
    assert reader.count() == 3
    assert seen(collections.get(place(2))) == {"generation 2"}
    # Who read the number before the swap and asks after it is not sent away.
    assert seen(collections.get(place(1))) == {"generation 2"}
    assert [folder.name for folder in (tmp_path / NAME).iterdir()] == ["g0002"]


def test_tidying_deletes_what_an_interrupted_rebuild_left(collections: Collections, tmp_path: Path) -> None:
    begin(collections, 1)
    (tmp_path / NAME / "g0002" / "half").mkdir(parents=True)
    (tmp_path / "proj-other" / "g0002").mkdir(parents=True)
    collections.delete_others(place(1))
    assert [folder.name for folder in (tmp_path / NAME).iterdir()] == ["g0001"]
    assert (tmp_path / "proj-other" / "g0002").exists()
    assert seen(collections.get(place(1))) == {"generation 1"}


def test_what_a_kill_left_of_a_removal_goes_and_an_index_without_a_project_stays(
    collections: Collections, tmp_path: Path
) -> None:
    begin(collections, 1)
    collections.close()
    shutil.copytree(tmp_path / NAME, tmp_path / f"removed-{NAME}", copy_function=copy_with_holes)
    shutil.copytree(tmp_path / NAME, tmp_path / "proj-lost", copy_function=copy_with_holes)
    assert collections.orphans({NAME}) == ["proj-lost"]
    collections.finish_removals()
    collections.archive_orphan("proj-lost")
    kept, *others = sorted(folder.name for folder in tmp_path.iterdir())
    assert kept.startswith("lost-proj-lost-") and others == [NAME]
    assert collections.orphans({NAME}) == []
    assert seen(EdgeCollection.open(tmp_path / kept / "g0001")) == {"generation 1"}
    collections.remove(place(1))
    assert [folder.name for folder in tmp_path.iterdir()] == [kept]


def test_a_new_generation_starts_empty_whatever_lies_there(collections: Collections, tmp_path: Path) -> None:
    (tmp_path / NAME / "g0001").mkdir(parents=True)
    (tmp_path / NAME / "g0001" / "rubbish").write_text("x")
    made = collections.create(place(1), 4, sparse=False)
    assert made.count() == 0
    assert not (tmp_path / NAME / "g0001" / "rubbish").exists()
    made.close()


def test_an_optimised_copy_gives_the_same_hits(collections: Collections) -> None:
    made = begin(collections, 1, 60)
    (collections.folder(place(1)) / "temp_segments" / "of one that was killed").mkdir(parents=True)
    copy = optimised_copy(collections.folder(place(1)), collections.folder(place(2)))
    assert copy is not None
    assert not (copy.folder / "temp_segments" / "of one that was killed").exists()
    collections.register(place(2), copy)
    assert copy.scroll(EVERYTHING, 100) == made.scroll(EVERYTHING, 100)
    for number in range(5):
        vector = [random.Random(number).gauss(0, 1) for _ in range(4)]
        for where in (EVERYTHING, AnyOf("doc_id", ("d1",))):
            assert copy.search(vector, None, 6, where) == made.search(vector, None, 6, where)
            both = [one.search(vector, SparseVector([number], [1.0]), 6, where, Fusion()) for one in (copy, made)]
            assert both[0] == both[1]
    fill(copy, "later")
    assert copy.count(AnyOf("version", ("later",))) == 3


def test_an_index_that_is_written_anew_has_nothing_left_of_what_was_deleted(
    collections: Collections, tmp_path: Path
) -> None:
    made = begin(collections, 1, 60)
    made.upsert([Point(str(uuid.UUID(int=999)), [1.0] * 4, SparseVector([1], [1.0]), {"chunk_text": "a secret"})])
    made.delete(AnyOf("doc_id", ("d1",)))
    assert made.delete(AnyOf("chunk_text", ("a secret",))) == 1
    made.flush()
    told: list[tuple[int, int]] = []
    folders = collections.folder(place(1)), collections.folder(place(2))
    copy = optimised_copy(*folders, (4, True), lambda *far: told.append(far))
    assert copy is not None
    collections.register(place(2), copy)
    assert told[-1] == (30, 30)
    assert copy.points(None, 100) == made.points(None, 100)
    assert copy.indexes() == made.indexes()
    files = [f for f in tmp_path.rglob("*") if f.is_file()]
    holding = {f for f in files if any(b"a secret" in block for _, block in filled(f))}
    assert holding and all(f.is_relative_to(folders[0]) for f in holding)
    assert sorted(f.name for f in folders[1].parent.iterdir()) == ["g0001", "g0002"]


def test_what_grows_large_before_anybody_reads_it_gets_its_graph_on_the_way(
    collections: Collections, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, other = begin(collections, 1, 60), Collections(collections.folder(place(1)).parent / "other")
    settled = other.create(place(1), 4, sparse=True)
    began: list[int] = []

    @contextmanager
    def beginning() -> Iterator[None]:
        began.append(settled.count())
        yield

    monkeypatch.setattr(collections_module, "MAX_WITHOUT_GRAPH", 50)
    for version, count in (("generation 1", 40), ("generation 1", 60)):
        other.build_graph_if_large(settled, beginning(), threading.Event())
        fill(settled, version, count)
    other.build_graph_if_large(settled, beginning(), threading.Event())
    assert began == [60], "only when much was written since the last time"
    assert settled.points(None, 100) == made.points(None, 100)
    stop = threading.Event()
    stop.set()
    fill(settled, "stopped", 60)
    other.build_graph_if_large(settled, nullcontext(), stop)
    assert seen(settled) == {"stopped"}, "it can be gone on with"
    settled.close()
    unfinished = other.open_unfinished(place(1))
    assert isinstance(unfinished, EdgeCollection)
    assert unfinished.written == 60, "whoever goes on with it does not know what has a graph"
    unfinished.close()


def test_what_is_written_anew_gets_its_graph_on_the_way(
    collections: Collections, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = begin(collections, 1, 700)
    made.close()
    built: list[int] = []

    def optimise(folder: Path) -> None:
        built.append(1)
        edge.optimise(folder)

    monkeypatch.setattr(optimise_module, "MAX_WITHOUT_GRAPH", 500)
    monkeypatch.setattr(optimise_module, "optimise", optimise)
    folders = collections.folder(place(1)), collections.folder(place(2))
    optimise_module._rewrite(*folders, 4, True)
    anew, old = EdgeCollection.open(folders[1]), EdgeCollection.open(folders[0])
    assert len(built) == 1
    assert anew.points(None, 1000) == old.points(None, 1000)
    anew.close()
    old.close()


def test_a_copy_that_cannot_be_optimised_is_told_and_leaves_nothing(collections: Collections) -> None:
    made = begin(collections, 1)
    target = collections.folder(place(2))
    with pytest.raises(CiteLoomError, match="could not be optimised") as caught:
        optimised_copy(collections.folder(place(7)), target)
    assert caught.value.code == Code.STORAGE_ERROR
    stop = threading.Event()
    stop.set()
    assert optimised_copy(collections.folder(place(1)), target, (4, True), stop=stop) is None
    assert [f.name for f in target.parent.iterdir()] == ["g0001"]
    assert collections.get(place(1)) is made and seen(made) == {"generation 1"}


def test_a_copy_keeps_the_holes_of_a_file(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    with source.open("wb") as file:
        file.write(b"begin")
        file.seek(40_000_000)
        file.write(b"end")
        file.truncate(50_000_000)
    copy_with_holes(str(source), str(target))
    assert target.read_bytes() == source.read_bytes()
    assert disk_usage(tmp_path) < 2 * 1_000_000


def test_what_is_still_being_built_is_not_tidied_away(collections: Collections, tmp_path: Path) -> None:
    begin(collections, 1)
    for name in ("g0002", "g0003"):
        (tmp_path / NAME / name).mkdir()
    collections.delete_others(place(1), [place(3)])
    assert sorted(folder.name for folder in (tmp_path / NAME).iterdir()) == ["g0001", "g0003"]


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
    collections.remove(place(1))
    assert not (tmp_path / NAME).exists()
    with pytest.raises(CiteLoomError):
        collections.get(place(1))
    collections.remove(place(1))
