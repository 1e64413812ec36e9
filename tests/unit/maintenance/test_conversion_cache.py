"""The conversion cache: what documents need stays, the rest can go, and nothing that is being written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from citeloom.api.maintenance import PruneCache, ShowCache
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project
from citeloom.conversion.cache import conversion_file
from citeloom.conversion.convert import CONVERTER_VERSION
from citeloom.maintenance.disk_usage import DiskUsageService


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "conversions"


@pytest.fixture
def cache(catalog: Catalog, project: Project, folder: Path) -> DiskUsageService:
    catalog.documents.save(Document(project.id, "doc", "/doc.pdf", content_hash="aa11"))
    return DiskUsageService(folder, folder.parent / "zotero", catalog)


def keep(folder: Path, content: str, converter: str = CONVERTER_VERSION, size: int = 10) -> Path:
    file = conversion_file(folder, content, converter)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x" * size)
    return file


def test_an_empty_cache_is_shown_and_pruned_as_such(cache: DiskUsageService) -> None:
    shown = cache.show_cache(ShowCache())
    assert (shown.conversions, shown.bytes, shown.left_over) == (0, 0, 0)
    assert cache.prune_cache(PruneCache(everything=True)).removed == 0


def test_what_no_document_needs_is_left_over_and_goes(cache: DiskUsageService, folder: Path) -> None:
    needed = keep(folder, "aa11", size=5)
    earlier, nobodys = keep(folder, "aa11", "docling-0", size=7), keep(folder, "bb22", size=11)
    shown = cache.show_cache(ShowCache())
    assert (shown.conversions, shown.bytes) == (3, 23)
    assert (shown.in_use, shown.left_over, shown.left_over_bytes) == (1, 2, 18)
    pruned = cache.prune_cache(PruneCache(everything=False))
    assert (pruned.removed, pruned.freed_bytes, pruned.left_over) == (2, 18, 0)
    assert needed.exists() and not earlier.exists() and not nobodys.exists()


def test_everything_goes_when_that_is_asked(cache: DiskUsageService, folder: Path) -> None:
    needed = keep(folder, "aa11", size=5)
    assert cache.prune_cache(PruneCache(everything=True)).freed_bytes == 5
    assert not needed.exists()


def test_what_an_interrupted_worker_left_goes_and_what_one_writes_now_stays(
    cache: DiskUsageService, folder: Path
) -> None:
    keep(folder, "aa11")
    interrupted, written_now = folder / "aa" / ".converted-old", folder / "aa" / ".converted-new"
    for file in (interrupted, written_now):
        file.write_bytes(b"x" * 100)
    os.utime(interrupted, (1_000_000_000, 1_000_000_000))
    assert cache.prune_cache(PruneCache(everything=False)).freed_bytes == 100
    assert not interrupted.exists() and written_now.exists()
