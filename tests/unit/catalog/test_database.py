"""The catalog's file: numbered migrations, copies before them, all-or-nothing writes, several threads."""

from __future__ import annotations

import re
import sqlite3
import threading
from importlib import resources
from pathlib import Path

import pytest

from citeloom.catalog import Catalog, database
from citeloom.catalog.database import Database
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Source

MODEL = {"dense_model": "m", "dense_fingerprint": "f", "dense_size": 4, "sparse_model": ""}


def version(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
    finally:
        connection.close()


def add_step(monkeypatch: pytest.MonkeyPatch, sql: str) -> int:
    """One more migration than there are; gives its number."""
    steps = [*database._migrations(), sql]
    monkeypatch.setattr(database, "_migrations", lambda: steps)
    return len(steps)


def test_migrations_are_numbered_from_one_without_a_gap() -> None:
    names = sorted(f.name for f in (resources.files("citeloom.catalog") / "migrations").iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d{4}_[a-z_]+\.sql", name) for name in names)


def test_a_new_catalog_has_the_last_version_and_no_copy(tmp_path: Path) -> None:
    Database(tmp_path / "deep" / "catalog.db").close()
    assert version(tmp_path / "deep" / "catalog.db") == len(database._migrations())
    assert not list((tmp_path / "deep").glob("*before*"))


def test_a_catalog_that_is_up_to_date_is_left_alone(tmp_path: Path) -> None:
    for round_ in range(2):
        catalog = Catalog(tmp_path / "catalog.db")
        if round_ == 0:
            catalog.projects.add("thesis", None, MODEL)
        assert [p.id for p in catalog.projects.all()] == ["thesis"]
        catalog.close()
    assert not list(tmp_path.glob("*before*"))


def test_a_later_migration_runs_once_on_a_catalog_that_was_copied_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "catalog.db"
    first = Catalog(file)
    first.projects.add("thesis", None, MODEL)
    before = version(file)
    first.close()
    number = add_step(monkeypatch, "ALTER TABLE projects ADD COLUMN colour TEXT NOT NULL DEFAULT 'red';")

    for _ in range(2):
        db = Database(file)
        assert [tuple(r) for r in db.rows("SELECT id, colour FROM projects")] == [("thesis", "red")]
        db.close()
    assert version(file) == number

    (copy,) = tmp_path.glob("*before*")
    assert version(copy) == before
    old = sqlite3.connect(copy)
    assert old.execute("SELECT id FROM projects").fetchall() == [("thesis",)]
    assert "colour" not in [column[1] for column in old.execute("PRAGMA table_info(projects)")]
    old.close()


def test_documents_of_the_first_version_were_read_plainly_unless_they_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "catalog.db"
    with monkeypatch.context() as patch:
        patch.setattr(database, "_migrations", lambda steps=database._migrations(): steps[:1])  # noqa: B008
        first = Catalog(file)
        first.projects.add("thesis", None, MODEL)
        for state in ("ready", "failed"):
            values = ("thesis", state, f"/{state}.pdf", state, "")
            sql = "INSERT INTO documents (project_id, doc_id, source, state, updated_at) VALUES (?, ?, ?, ?, ?)"
            first.db.write(sql, values)
        first.close()
    catalog = Catalog(file)
    found = {d.doc_id: (d.text_source, d.converter_engine, d.ocr_languages) for d in catalog.documents.all("thesis")}
    assert found == {"ready": ("native", "plain", []), "failed": ("", "", [])}
    catalog.close()


def test_what_agents_stored_or_said_before_there_were_claims_is_a_claim_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "catalog.db"
    with monkeypatch.context() as patch:
        patch.setattr(database, "_migrations", lambda steps=database._migrations(): steps[:5])  # noqa: B008
        first = Catalog(file)
        sql = (
            "INSERT INTO projects (id, collection, dense_model, dense_fingerprint, dense_size, sparse_model,"
            " created_at, references_hash) VALUES ('thesis', 'c', 'm', 'f', 4, '', '', 'h')"
        )
        first.db.write(sql)
        for source, kind, key, made, record in (
            ("stored:a", "stored", "real2019", 0, "{}"),
            ("stored:b", "stored", "Agent", 1, "{}"),
            ("/said.pdf", "pdf", "said2019", 0, '{"_metadata": {"citekey": "said2019"}}'),
            ("/own.pdf", "pdf", "own2019", 0, '{"_metadata": {}}'),
        ):
            first.db.write(
                "INSERT INTO documents (project_id, doc_id, source, file_type, citekey, key_made, record, matched_by,"
                " converter, state, updated_at) VALUES ('thesis', ?, ?, ?, ?, ?, ?, 'doi', 'v', 'ready', '')",
                (source, source, kind, key, made, record),
            )
        first.close()
    catalog = Catalog(file)
    found = {d.source: (d.citekey, d.claimed_citekey, d.claimed_by) for d in catalog.documents.all("thesis")}
    assert found == {
        "stored:a": ("", "real2019", "agent"),
        "stored:b": ("", "", "agent"),
        "/said.pdf": ("", "said2019", "agent"),
        "/own.pdf": ("own2019", "", ""),
    }
    assert [d.source for d in catalog.documents.all("thesis") if d.converter == ""] == ["/said.pdf"], "to be read again"
    assert catalog.projects.get("thesis").references_hash is None
    assert catalog.documents.page("thesis", find="real2019")[1] == 1
    catalog.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "catalog.db"
    Database(file).close()
    before = version(file)
    with monkeypatch.context() as patch:
        add_step(patch, "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);")
        with pytest.raises(CiteLoomError, match="nowhere") as caught:
            Database(file)
        assert caught.value.code == Code.STORAGE_ERROR
        caught.value.__cause__ = None
    db = Database(file)
    assert version(file) == before
    assert not db.rows("SELECT 1 FROM sqlite_master WHERE name = 'half'")
    db.close()


def test_a_catalog_of_a_newer_version_is_refused_untouched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "catalog.db"
    with monkeypatch.context() as patch:
        newer = add_step(patch, "CREATE TABLE from_the_future (x);")
        Database(file).close()
    with pytest.raises(CiteLoomError, match="newer CiteLoom") as caught:
        Database(file)
    assert caught.value.code == Code.STORAGE_ERROR
    assert version(file) == newer


def test_a_file_that_is_no_catalog_is_a_storage_error_with_a_next_step(tmp_path: Path) -> None:
    file = tmp_path / "catalog.db"
    file.write_bytes(b"This is a letter about grain and salt." * 200)
    with pytest.raises(CiteLoomError, match=re.escape(str(file))) as caught:
        Database(file)
    assert caught.value.code == Code.STORAGE_ERROR
    assert caught.value.next_step
    assert file.read_bytes().startswith(b"This is a letter")


def test_a_full_disk_is_called_a_full_disk(tmp_path: Path) -> None:
    db = Database(tmp_path / "catalog.db")
    pages = db.rows("PRAGMA page_count")[0][0]
    db.rows(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(CiteLoomError, match="disk is full") as caught:
        for number in range(2000):
            db.write(
                "INSERT INTO access_log VALUES (NULL, '', '', '', '', '', ?, '', '', 0)", ("x" * 500 + str(number),)
            )
    assert caught.value.code == Code.STORAGE_ERROR
    with pytest.raises(CiteLoomError, match="disk is full"), db.transaction():
        for _ in range(100):
            db.write("INSERT INTO access_log VALUES (NULL, '', '', '', '', '', ?, '', '', 0)", ("x" * 500,))
    with db.transaction():
        db.write("DELETE FROM access_log")
    assert db.check() == "ok"
    db.close()


def test_a_transaction_that_fails_leaves_nothing(catalog: Catalog) -> None:
    with pytest.raises(ZeroDivisionError), catalog.db.transaction():
        catalog.projects._db.write(
            "INSERT INTO projects VALUES ('a', 'proj-a', NULL, NULL, 'm', 'f', 4, '', 1, 0, '', 0, '')",
        )
        assert [p.id for p in catalog.projects.all()] == ["a"]
        _ = 1 / 0
    assert catalog.projects.all() == []
    catalog.projects.add("b", None, MODEL)
    assert [p.id for p in catalog.projects.all()] == ["b"]


def test_another_threads_write_is_not_drawn_into_a_transaction(catalog: Catalog) -> None:
    began, wrote = threading.Event(), threading.Event()

    def other() -> None:
        began.wait()
        catalog.projects.add_source("b", _source("/elsewhere"))
        wrote.set()

    catalog.projects.add("b", None, MODEL)
    thread = threading.Thread(target=other)
    thread.start()
    with pytest.raises(ZeroDivisionError), catalog.db.transaction():
        catalog.projects.add_source("b", _source("/here"))
        began.set()
        assert not wrote.wait(0.2)
        _ = 1 / 0
    thread.join()
    assert [s.path for s in catalog.projects.sources("b")] == ["/elsewhere"]


def test_threads_that_write_at_once_lose_nothing(catalog: Catalog) -> None:
    catalog.projects.add("b", None, MODEL)
    failed: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(100):
                with catalog.db.transaction():
                    catalog.projects.add_source("b", _source(f"/{name}/{number}"))
                assert catalog.projects.get("b").id == "b"
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(catalog.projects.sources("b")) == 300


def _source(path: str) -> Source:
    return Source("folder", path)
