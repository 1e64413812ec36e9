"""Backups: one moment in one file, restored whole or not at all."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citeloom.core import settings
from citeloom.maintenance import pending_restore
from tests.crafted_backups import InCatalog, in_manifest, repacked
from tests.flows.steps import Control, Project, assert_whole, copy_home, four_papers, rows
from tests.support import Editor, citeloom, done, stop_engine

ASTRAY = """
UPDATE projects SET server = 'http://127.0.0.1:1';
INSERT INTO jobs (id, project_id, kind, request, state, created_at)
VALUES ('x', 'p', 'move', '{"project_id": "p", "to": "http://127.0.0.1:1"}', 'parked', '2026-01-01');
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, set[tuple[str, str]]]:
    """A data folder at rest with two projects, its backup, and what a search found."""
    base = tmp_path_factory.mktemp("kept")
    four_papers(base / "papers")
    home, file = base / "home", base / "all.zip"
    home.mkdir()
    (home / "citeloom.toml").write_text("[search]\ntop_k = 5\n")
    project = Project.made(home, base / "papers")
    project.ingest()
    done(citeloom(home, "project", "add", "other"))
    done(citeloom(home, "search", "p", "measured"))
    with Editor(home) as editor:
        editor.call("query", project="p", text="a question that is nobody else's")
    found = project.found()
    said = done(citeloom(home, "backup", str(file)))
    assert "other, p (12 passages)" in said and str(file) in said
    assert file.stat().st_mode & 0o077 == 0
    assert "exists already" in citeloom(home, "backup", str(file)).stderr
    small = base / "other.zip"
    done(citeloom(home, "backup", str(small), "--project", "other"))
    assert sorted(f.name for f in base.iterdir()) == ["all.zip", "home", "other.zip", "papers"]
    stop_engine(home)
    assert not list(home.glob(".backup-*"))
    with zipfile.ZipFile(small) as archive:
        assert b"nobody else" not in archive.read("catalog.db")
        assert all("proj-p" not in name for name in archive.namelist())
    return home, file, found


def test_a_backup_restored_in_an_empty_home_gives_the_same_answers(
    kept: tuple[Path, Path, set[tuple[str, str]]], home: Path, tmp_path: Path
) -> None:
    source, file, found = kept
    # Whoever changes a backup cannot have us move passages to a server, or send a key there.
    led_astray = tmp_path / "astray.zip"
    repacked(file, led_astray, InCatalog(tmp_path / "catalog.db", ASTRAY))
    refused = citeloom(home, "restore", str(led_astray))
    papers = str(source.parent / "papers")
    assert refused.returncode == 1 and papers in refused.stderr and "--yes" in refused.stderr
    assert f"p: {papers} (folder)" in refused.stdout
    said = done(citeloom(home, "restore", str(led_astray), "--yes"))
    assert "Restored: other, p, 12 passages." in said
    assert Project(home).found() == found
    assert (home / "citeloom.toml").read_text() == "[search]\ntop_k = 5\n"
    assert "Everything works." in done(citeloom(home, "doctor"))
    stop_engine(home)
    assert_whole(home)
    assert rows(home, "SELECT state FROM jobs WHERE state != 'done'") == []
    made = [{row["created_at"] for row in rows(one, "SELECT created_at FROM projects")} for one in (source, home)]
    assert not made[0] & made[1], "which tells their indexes apart where they share a server"
    assert sorted(f.name for f in home.iterdir() if f.is_dir()) == ["index", "logs"]


def test_a_restore_takes_the_place_of_projects_only_when_told_and_an_editor_stays_connected(
    kept: tuple[Path, Path, set[tuple[str, str]]], home: Path
) -> None:
    _, file, found = kept
    done(citeloom(home, "project", "add", "mine"))
    (home / "citeloom.toml").write_text("# of my own\n")
    refused = citeloom(home, "restore", str(file))
    assert refused.returncode == 1 and "mine" in refused.stderr and "--replace" in refused.stderr
    assert [p["id"] for p in json.loads(done(citeloom(home, "project", "list", "--json")))] == ["mine"]
    with Editor(home) as editor:
        assert [p["id"] for p in editor.call("list_projects")["projects"]] == ["mine"]
        result = json.loads(done(citeloom(home, "restore", str(file), "--replace", "--yes", "--json")))
        assert [p["id"] for p in editor.call("list_projects")["projects"]] == ["other", "p"]
    assert Project(home).found() == found
    aside = Path(result["aside"])
    assert aside.parent == home and (aside / "citeloom.toml").read_text() == "# of my own\n"
    assert [row["id"] for row in rows(aside, "SELECT id FROM projects")] == ["mine"]
    assert (aside / "index" / "proj-mine").is_dir() and not (home / "index" / "proj-mine").exists()


def outside(manifest: dict[str, Any]) -> None:
    manifest["entries"]["../outside"] = manifest["entries"].pop("citeloom.toml")


def moved_outside(name: str, content: bytes) -> tuple[str, bytes]:
    name, content = in_manifest(outside)(name, content)
    return ("../outside" if name == "citeloom.toml" else name), content


def renamed(to: str) -> Callable[[str, bytes], tuple[str, bytes]]:
    """The settings under another name."""

    def edit(name: str, content: bytes) -> tuple[str, bytes]:
        change = in_manifest(
            lambda manifest: manifest["entries"].update({to: manifest["entries"].pop("citeloom.toml")})
        )
        name, content = change(name, content)
        return (to if name == "citeloom.toml" else name), content

    return edit


def flipped(name: str, content: bytes) -> tuple[str, bytes]:
    return name, content[:100] + bytes([content[100] ^ 1]) + content[101:] if name == "catalog.db" else content


DAMAGES: dict[str, tuple[Callable[[str, bytes], tuple[str, bytes] | None], str]] = {
    "an entry changed": (flipped, "catalog.db has changed"),
    "an entry missing": (
        lambda name, content: None if "/g" in name else (name, content),
        "differ from its manifest",
    ),
    "no list": (lambda name, content: None if name == "manifest.json" else (name, content), "not a backup of CiteLoom"),
    "an entry outside": (moved_outside, "which does not belong to a backup"),
    "runs that overlap": (
        in_manifest(lambda m: m["entries"]["catalog.db"]["runs"].append([0, 0])),
        "an unexpected size",
    ),
    "another format": (in_manifest(lambda m: m.update(format=99)), "newer CiteLoom"),
    "a newer version": (in_manifest(lambda m: m.update(citeloom="99.0.0")), "newer CiteLoom"),
    "a newer catalog": (in_manifest(lambda m: m.update(catalog_version=999)), "newer CiteLoom"),
    "a list of nonsense": (in_manifest(lambda m: m.update(projects=3, more=4)), "its manifest cannot be read"),
    "projects of nonsense": (in_manifest(lambda m: m.update(projects=["p"])), "its manifest cannot be read"),
    "a list of wrong kinds": (
        in_manifest(lambda m: m["projects"][1].update(passages=True)),
        "its manifest cannot be read",
    ),
    "a huge number": (in_manifest(lambda m: m["projects"][1].update(passages=10**400)), "its manifest cannot be read"),
    "a project that leaves its folder": (
        in_manifest(lambda m: m["projects"][1].update(id="../../x")),
        "its manifest cannot be read",
    ),
    "a date of nonsense": (in_manifest(lambda m: m.update(made_at="\x1b]0;x")), "its manifest cannot be read"),
    "a version of nonsense": (in_manifest(lambda m: m.update(citeloom="1.0\x1b[2J")), "not a backup of CiteLoom"),
    "a size that is a lie": (
        in_manifest(lambda m: m["entries"]["citeloom.toml"].update(size=1 << 43)),
        "an unexpected size",
    ),
    "runs that are a lie": (
        in_manifest(lambda m: m["entries"]["citeloom.toml"].update(runs=[[0, 9]])),
        "an unexpected size",
    ),
    "an entry elsewhere": (renamed("/etc/x"), "does not belong to a backup"),
    "an entry on a drive": (renamed("index/C:/g0001/x"), "does not belong to a backup"),
    "an entry above": (renamed("index/proj-p/g0001/../../../x"), "does not belong to a backup"),
    "an entry that is a device": (renamed("index/proj-p/g0001/NUL.dat"), "does not belong to a backup"),
    "an index of nobody": (renamed("index/proj-x/g0001/x"), "belong to no project"),
    "two of a name": (renamed("CATALOG.db"), "two files of the same name"),
    "too few passages": (in_manifest(lambda m: m["projects"][1].update(passages=7)), "12 of 7 passages"),
    "another project": (in_manifest(lambda m: m["projects"][1].update(id="q")), "other projects than its manifest"),
}


# What somebody may do to a catalog, and what is said of it.
HOSTILE = {
    "UPDATE projects SET collection = '../x' WHERE id = 'p'": "projects.collection",
    "UPDATE projects SET collection = 'proj-q' WHERE id = 'p'": "an unexpected name",
    "UPDATE projects SET id = '../x' WHERE id = 'other'": "projects.id",
    "INSERT INTO sources (project_id, kind, path, added_at) VALUES ('p', 'folder', '/', '')": "here reads: /",
    "INSERT INTO sources (project_id, kind, path, added_at) VALUES ('p', 'program', '/x', '')": "sources.kind",
    "UPDATE projects SET references_path = '/etc/passwd' WHERE id = 'p'": "no project here reads: /etc/passwd",
    "UPDATE documents SET title = X'00ff'": "documents.title",
    "UPDATE documents SET pages = 'many'": "documents.pages",
    "UPDATE documents SET state = 'mine'": "documents.state",
    "UPDATE documents SET record = '[' || record || ']'": "documents.record",
    "UPDATE documents SET record = 'no json'": "documents.record",
    f"UPDATE documents SET warnings = '{'[' * 50_000}{']' * 50_000}'": "documents.warnings",
    "UPDATE documents SET content_hash = '../../x'": "documents.content_hash",
    "ALTER TABLE sources RENAME TO kept; CREATE VIEW sources AS SELECT * FROM kept": "no table sources",
    "DROP TABLE sources; CREATE VIRTUAL TABLE sources USING fts5(project_id, kind, path)": "no table sources",
    "DROP TABLE access_log": "no table access_log",
    "ALTER TABLE documents DROP COLUMN warnings": "no documents.warnings",
    "DROP INDEX documents_by_language; ALTER TABLE documents DROP COLUMN language;"
    " ALTER TABLE documents ADD COLUMN language TEXT AS (title || 'x')": "no documents.language",
    "PRAGMA foreign_keys = OFF; UPDATE sources SET project_id = 'nobody'": "FOREIGN KEY",
    "PRAGMA user_version = 0": "of version 0",
    "PRAGMA user_version = 4711": "of version 4711",
}


def test_of_a_foreign_catalog_nothing_is_taken_over_but_rows_of_known_tables(
    kept: tuple[Path, Path, set[tuple[str, str]]], home: Path, tmp_path: Path
) -> None:
    source, file, found = kept
    planted = """
    CREATE TRIGGER more AFTER UPDATE ON projects BEGIN
      INSERT OR IGNORE INTO sources (project_id, kind, path, added_at) VALUES (new.id, 'folder', '/', '');
    END;
    CREATE TRIGGER later AFTER INSERT ON access_log BEGIN DELETE FROM documents; END;
    CREATE TABLE extra (x); CREATE VIEW looks AS SELECT * FROM sources; CREATE VIRTUAL TABLE words USING fts5(x);
    CREATE INDEX mine ON documents(title, citekey); ALTER TABLE projects ADD COLUMN more TEXT DEFAULT 'x';
    """
    repacked(file, tmp_path / "planted.zip", InCatalog(tmp_path / "catalog.db", planted))
    done(citeloom(home, "restore", str(tmp_path / "planted.zip"), "--yes"))
    assert Project(home).found() == found
    stop_engine(home)
    assert [row["path"] for row in rows(home, "SELECT path FROM sources")] == [str(source.parent / "papers")]
    schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    assert [tuple(row) for row in rows(home, schema)] == [tuple(row) for row in rows(source, schema)]


def test_privacy_settings_of_a_backup_are_taken_only_when_told(
    kept: tuple[Path, Path, set[tuple[str, str]]], home: Path, tmp_path: Path
) -> None:
    _, file, _ = kept
    theirs = b"""# theirs
[search]
top_k = 7
[privacy]
agents_may_fetch = true
log_days = 3
[zotero]
source = "web"
web_url = "https://evil.example"
[index]
server = "http://evil.example"
[models]
allow_download = true
"""
    mine = tmp_path / "theirs.zip"
    repacked(file, mine, with_settings(theirs))
    (home / "citeloom.toml").write_text("[privacy]\nlog_days = 30\n")
    done(citeloom(home, "project", "add", "mine"))
    said = done(citeloom(home, "restore", str(mine), "--replace", "--yes"))
    assert "privacy.agents_may_fetch: True in the backup, False now; yours is kept" in said
    assert "Not restored: privacy.log_days, privacy.agents_may_fetch, zotero.source" in said
    now = settings.load(home / "citeloom.toml")
    assert (now.search.top_k, now.privacy) == (7, settings.Privacy(log_days=30))
    assert now.zotero == settings.Zotero() and not now.index.server and not now.models.allow_download
    assert "evil" not in (home / "citeloom.toml").read_text()
    said = done(citeloom(home, "restore", str(mine), "--replace", "--settings", "--yes"))
    assert "privacy.agents_may_fetch: True in the backup, False now; the backup's is used" in said
    assert (home / "citeloom.toml").read_bytes() == theirs
    # Settings that are none are left where they are.
    repacked(file, mine.with_name("none.zip"), with_settings(b"top_k = ["))
    said = done(citeloom(home, "restore", str(mine.with_name("none.zip")), "--replace", "--settings", "--yes"))
    assert "The current settings were kept." in said
    assert (home / "citeloom.toml").read_bytes() == theirs


def with_settings(text: bytes) -> Callable[[str, bytes], tuple[str, bytes]]:
    entry = {"size": len(text), "runs": [[0, len(text)]], "sha256": hashlib.sha256(text).hexdigest()}

    def edit(name: str, content: bytes) -> tuple[str, bytes]:
        content = text if name == "citeloom.toml" else content
        return in_manifest(lambda manifest: manifest["entries"].update({"citeloom.toml": entry}))(name, content)

    return edit


def test_a_damaged_backup_is_refused_and_nothing_is_changed(
    kept: tuple[Path, Path, set[tuple[str, str]]], tmp_path: Path, home: Path
) -> None:
    source, file, _ = kept
    papers = str(source.parent / "papers")
    done(citeloom(home, "engine", "start"))
    broken = tmp_path / "broken.zip"
    before = {f.relative_to(home) for f in home.rglob("*")}

    def refused(control: Control, file: Path) -> str:
        with pytest.raises(AssertionError) as caught:
            control.call("maintenance.restore", file=str(file), accepted=[papers])
        return str(caught.value)

    with Control(home) as control:
        for change, said in DAMAGES.values():
            repacked(file, broken, change)
            assert said in refused(control, broken)
            broken.unlink()
        for sql, said in HOSTILE.items():
            repacked(file, broken, InCatalog(tmp_path / "catalog.db", sql))
            assert said in refused(control, broken), sql
            broken.unlink()
        with zipfile.ZipFile(file) as old, zipfile.ZipFile(broken, "w") as new:
            for about in old.infolist():
                if about.filename == "citeloom.toml":
                    about.external_attr = 0o120777 << 16
                new.writestr(about, old.read(about.filename))
        assert "contains links" in refused(control, broken)
        broken.write_bytes(file.read_bytes()[:-2000])
        assert "cannot be restored" in refused(control, broken)
        content = bytearray(file.read_bytes())
        content[len(content) // 2 : len(content) // 2 + 200] = bytes(200)
        broken.write_bytes(content)
        assert "cannot be restored" in refused(control, broken)
        assert "There is no file" in refused(control, tmp_path / "none.zip")
        assert control.call("engine.status")["projects"] == 0
    assert {f.relative_to(home) for f in home.rglob("*")} == before
    assert not (home.parent / "outside").exists()


def test_a_restore_that_is_cut_short_is_finished_by_the_next_engine(
    kept: tuple[Path, Path, set[tuple[str, str]]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = kept[0]
    home = copy_home(source, tmp_path / "home")
    monkeypatch.setenv("CITELOOM_HOME", str(home))
    staged = home / "restoring-x"
    (staged / "index").mkdir(parents=True)
    (staged / "catalog.db").write_text("the new catalog")
    (staged / "citeloom.toml").write_text("# new")
    (home / "catalog.db-wal").write_text("the log of the old catalog")
    (staged / "index" / "new").mkdir()
    pending_restore.schedule(staged, "aside", ["catalog.db", "index", "citeloom.toml"])

    put, steps = pending_restore._move, 0

    def cut_short(source: Path, target: Path) -> None:
        nonlocal steps
        steps += 1
        if steps in (2, 4, 6, 7):
            raise KeyboardInterrupt
        put(source, target)

    monkeypatch.setattr(pending_restore, "_move", cut_short)
    for _ in range(4):
        with pytest.raises(KeyboardInterrupt):
            pending_restore.apply()
        assert not ((home / "catalog.db-wal").exists() and (home / "catalog.db").read_text("latin-1").startswith("the"))
    pending_restore.apply()
    assert (home / "catalog.db").read_text() == "the new catalog"
    assert [f.name for f in (home / "index").iterdir()] == ["new"]
    assert (home / "citeloom.toml").read_text() == "# new"
    assert sorted(f.name for f in (home / "aside").iterdir()) == [
        "catalog.db", "catalog.db-wal", "citeloom.toml", "index",
    ]  # fmt: skip
    assert not staged.exists() and not (home / "restore.json").exists()
    (home / "restoring-y").mkdir()
    pending_restore.apply()
    assert not (home / "restoring-y").exists()
