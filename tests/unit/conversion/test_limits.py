"""Limits grow with what there is to read, and end at what the machine can give."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.catalog.documents import Document
from citeloom.conversion import limits as module
from citeloom.conversion.limits import limits, worker_count


def document(pages: int | None, **more: object) -> Document:
    return Document("p", "d", "/d.pdf", pages=pages, **more)  # type: ignore[arg-type]


@given(st.integers(0, 3000), st.integers(1, 500))
def test_more_pages_may_take_longer_and_hold_more_and_pictures_longer_still(pages: int, more: int) -> None:
    few, many = (limits(document(n), quick=False) for n in (pages, pages + more))
    assert few.seconds < many.seconds
    assert few.megabytes <= many.megabytes
    assert limits(document(pages), quick=True).seconds <= few.seconds
    assert limits(document(pages + more, waiting_for_ocr=more), quick=False).seconds > many.seconds
    recognised = limits(document(pages + more, text_source="mixed"), quick=False)
    assert recognised.seconds >= limits(document(pages + more, waiting_for_ocr=more), quick=False).seconds


def test_what_nobody_has_counted_gets_as_much_as_a_long_book() -> None:
    unknown, book = limits(None, quick=False), limits(document(400), quick=False)
    assert unknown.seconds > book.seconds


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_a_file_whose_pages_nobody_has_counted_gets_time_by_its_size(size: int, more: int) -> None:
    for quick in (True, False):
        small, large = (limits(None, quick=quick, size=n) for n in (size, size + more))
        assert small.seconds <= large.seconds <= limits(None, quick=quick).seconds
        assert limits(document(12), quick=quick, size=size) == limits(document(12), quick=quick)


def test_the_settings_word_on_memory_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits(document(5), quick=False, megabytes=77).megabytes == 77
    monkeypatch.setattr(module, "machine_megabytes", lambda: 2000)
    assert limits(document(5), quick=False).megabytes == 1200


@pytest.mark.parametrize(
    ("cores", "megabytes", "count"), [(1, 2000, 1), (4, 64_000, 4), (16, 64_000, 8), (16, 8000, 4), (8, 3000, 1)]
)
def test_workers_are_as_many_as_cores_and_memory_allow(
    monkeypatch: pytest.MonkeyPatch, cores: int, megabytes: int, count: int
) -> None:
    monkeypatch.setattr(module, "cores", lambda: cores)
    monkeypatch.setattr(module, "machine_megabytes", lambda: megabytes)
    assert worker_count() == count
