"""Catalogs that come out of a backup: those of earlier versions too, and never more than their rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from citeloom.catalog import Catalog
from citeloom.catalog.backup_copy import adopt_catalog
from citeloom.catalog.database import Database
from citeloom.catalog.untrusted_catalog import InvalidCatalog, sources_of

ROWS = """
INSERT INTO projects (id, collection, references_path, dense_model, dense_fingerprint, dense_size, sparse_model,
  created_at) VALUES ('thesis', 'proj-thesis', '/refs.bib', 'm', 'f', 4, '', '2026');
INSERT INTO sources (project_id, kind, path, added_at) VALUES ('thesis', 'folder', '/papers', '2026');
INSERT INTO documents (project_id, doc_id, source, state, title, updated_at)
  VALUES ('thesis', 'd', '/papers/a.pdf', 'ready', 'On moths', '2026');
"""


def made(file: Path, version: int, sql: str = "") -> Path:
    Database(file, version=version).close()
    with closing(sqlite3.connect(file)) as catalog:
        catalog.executescript(ROWS + sql)
        catalog.execute("PRAGMA journal_mode = DELETE")
    return file


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 7])
def test_a_catalog_of_any_version_is_brought_up_to_date(tmp_path: Path, version: int) -> None:
    file = made(tmp_path / "catalog.db", version)
    assert [source["path"] for source in sources_of(file)] == ["/papers", "/refs.bib"]
    assert adopt_catalog(file) == {"thesis": ("proj-thesis", 1)}
    catalog = Catalog(file)
    (document,) = catalog.documents.by_ids("thesis", ["d"])
    assert document.title == "On moths" and document.text_source == ("native" if version == 1 else "")
    assert (document.created_at, document.metadata) == ("2026", {})
    assert catalog.db.version > 4 and [s.path for s in catalog.projects.sources("thesis")] == ["/papers"]
    catalog.close()


def test_what_a_file_defines_is_not_run_even_to_look_at_it(tmp_path: Path) -> None:
    # An index over an expression that takes for ever, and one whose function reads what it may not.
    file = made(tmp_path / "catalog.db", 5, "CREATE INDEX slow ON sources(length(hex(zeroblob(20000000))), path);")
    assert len(sources_of(file)) == 2
    other = made(tmp_path / "other.db", 5, "ALTER TABLE sources ADD COLUMN more TEXT AS (path || 'x') VIRTUAL;")
    assert adopt_catalog(other) == {"thesis": ("proj-thesis", 1)}


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\xff" * 5000, b"not a database" * 500])
def test_what_is_no_catalog_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "catalog.db").write_bytes(content)
    with pytest.raises(InvalidCatalog, match="its catalog"):
        adopt_catalog(tmp_path / "catalog.db")
    assert [file.name for file in tmp_path.iterdir()] == ["catalog.db"]
