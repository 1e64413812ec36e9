"""Which parts of a long list are here and which are asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.api.library import DocumentRow
from citeloom.desktop.library.paged_list import BLOCK, PagedRows
from tests.desktop.sample_results import document_row

_steps = st.lists(st.tuples(st.sampled_from(["look", "come", "change", "refuse"]), st.integers(0, 60)), max_size=80)


def _rows(block: int, age: int) -> list[DocumentRow]:
    return [document_row(f"{block}:{at}", chunk_count=age) for at in range(BLOCK)]


@given(_steps)
def test_what_is_shown_is_what_came_last_and_what_is_out_of_date_is_wanted(steps: list[tuple[str, int]]) -> None:
    blocks = PagedRows()
    blocks.total = 61 * BLOCK
    came: dict[int, int] = {}
    fresh: set[int] = set()
    for age, (step, at) in enumerate(steps):
        block = at
        if step == "look":
            blocks.enqueue(block)
        elif step == "change":
            blocks.invalidate()
            fresh.clear()
        elif blocks.has_queued:
            block = blocks.dequeue()
            assert block not in fresh
            if step == "refuse":
                blocks.fail(block)
                blocks.enqueue(block)
                continue
            blocks.store(block, _rows(block, age))
            came[block] = age
            fresh.add(block)
        known = {number // BLOCK: row.chunk_count for number, row in blocks.loaded()}
        assert known.items() <= came.items()
        assert len(known) <= 30
        row = blocks.row(block * BLOCK + 7)
        assert row is None or (row.doc_id, row.chunk_count) == (f"{block}:7", came[block])


def test_the_place_looked_at_last_is_asked_for_first_and_what_flew_past_is_forgotten() -> None:
    blocks = PagedRows()
    for block in range(100):
        blocks.enqueue(block)
    asked = []
    while blocks.has_queued:
        asked.append(blocks.dequeue())
    assert asked == [99, 98, 97, 96, 95, 94]


def test_far_away_blocks_are_let_go_and_can_come_back() -> None:
    blocks = PagedRows()
    for block in range(40):
        blocks.enqueue(block)
        blocks.store(blocks.dequeue(), _rows(block, 0))
    assert blocks.row(0) is None
    assert blocks.row(39 * BLOCK) is not None
    blocks.enqueue(0)
    assert blocks.has_queued


def test_a_block_that_was_refused_is_asked_for_again_only_when_everything_is() -> None:
    blocks = PagedRows()
    blocks.enqueue(3)
    blocks.fail(blocks.dequeue())
    blocks.enqueue(3)
    assert not blocks.has_queued
    blocks.invalidate()
    blocks.enqueue(3)
    assert blocks.dequeue() == 3
