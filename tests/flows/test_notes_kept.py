"""Notes through kills, backups and great numbers."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

from citeloom.catalog.database import now
from citeloom.core.ids import new_ulid
from tests.faults import fault
from tests.flows.steps import Project, engine_with, four_papers
from tests.support import Editor, citeloom, done, stop_engine

NOTES = ("--toolsets", "read,write,notes")
MANY = 10_000


def test_a_kill_between_a_note_and_its_suggestions_loses_nothing(home: Path) -> None:
    with engine_with(home, fault("notes.added", "kill", "Second")) as engine, Editor(home, *NOTES) as editor:
        editor.call("add_note", type="finding", title="First: canopy warms narrow streets at night")
        second = {"type": "finding", "title": "Second: canopy keeps narrow streets warm at night"}
        assert editor.fail("add_note", **second)["code"] == "ENGINE_UNAVAILABLE"
        engine.wait(60)
        added = editor.call("add_note", **second)
        assert added["created"] is False, "it was written before the kill"
        assert [one["title"][:5] for one in added["similar_entries"]] == ["First"]
        found = editor.call("search_notes", query="warm streets at night")
        assert found["total"] == 2 and editor.call("show_note", id=added["id"])["embeddings"]["summary"]


def test_notes_come_along_in_backup_and_restore_but_not_those_of_other_projects(home: Path, tmp_path: Path) -> None:
    four_papers(tmp_path / "papers")
    project = Project.made(home, tmp_path / "papers")
    project.ingest()
    done(citeloom(home, "project", "add", "other"))
    with Editor(home, *NOTES) as editor:
        hit = editor.call("query", project="p", text="measured")["items"][0]
        kept = editor.call(
            "add_note", type="claim", title="Kept", project="p", evidence=[hit["chunk_id"]], content="Yes."
        )
        other = editor.call("add_note", type="claim", title="Of another project", project="other")
        editor.call("link", source_id=kept["id"], target_id=other["id"])
        editor.call("add_note", type="idea", title="Of no project")
        before = editor.call("show_note", id=kept["id"])
    done(citeloom(home, "project", "remove", "other", stdin="y\n"))
    whole, part = tmp_path / "whole.zip", tmp_path / "part.zip"
    done(citeloom(home, "backup", str(whole)))
    done(citeloom(home, "backup", str(part), "--project", "p"))
    for file, titles in ((whole, {"Kept", "Of another project", "Of no project"}), (part, {"Kept"})):
        restored = tmp_path / f"{file.stem}-home"
        restored.mkdir(mode=0o700)
        done(citeloom(restored, "restore", str(file), "--yes"))
        try:
            with Editor(restored, *NOTES) as editor:
                found = editor.call("search_notes", query="kept of project", limit=10)["results"]
                assert {note["title"] for note in found} == titles
                shown = editor.call("show_note", id=kept["id"])
                assert (shown["content"], shown["evidence"]) == ("Yes.", before["evidence"])
                assert shown["evidence"][0]["found"] and shown["embeddings"]["summary"]
                assert len(shown["links"]["outgoing"]) == (1 if file == whole else 0)
        finally:
            stop_engine(restored)


def test_ten_thousand_notes_are_searched_added_and_listed(home: Path) -> None:
    with Editor(home, *NOTES) as editor:
        first = editor.call("add_note", type="idea", title="Otters hold hands while they sleep")["id"]
    stop_engine(home)
    with closing(sqlite3.connect(home / "catalog.db")) as catalog:
        (model,) = catalog.execute("SELECT DISTINCT model FROM note_vectors").fetchone()
        vector = struct.pack("<384f", *([0.05] * 384))
        for number in range(MANY):
            id_ = new_ulid()
            catalog.execute(
                "INSERT INTO notes (id, type, title, content, fingerprint, created_at, updated_at)"
                " VALUES (?, 'idea', ?, 'The river was measured again.', ?, ?, ?)",
                (id_, f"River {number}", id_, now(), now()),
            )
            catalog.execute("INSERT INTO note_vectors VALUES (?, 'summary', 0, ?, ?)", (id_, model, vector))
        catalog.commit()
    with Editor(home, *NOTES) as editor:
        assert editor.call("search_notes", query="sea mammals asleep")["results"][0]["id"] == first
        assert editor.call("search_notes", query="River 4711")["results"][0]["title"] == "River 4711"
        added = editor.call("add_note", type="idea", title="Sea otters sleep hand in hand")
        assert added["similar_entries"][0]["id"] == first
    listed = done(citeloom(home, "notes", "list"))
    assert f"{MANY + 2} notes. The next: --offset 100" in listed
    assert "Otters hold hands" in done(citeloom(home, "notes", "list", "--offset", str(MANY - 50)))
