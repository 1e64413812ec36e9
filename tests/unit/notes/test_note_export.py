"""Notes as Markdown: one file, or a folder for Obsidian."""

from __future__ import annotations

import json

from citeloom.api.notes import ExportNotes
from citeloom.catalog.notes import NotePassage
from citeloom.core.ids import new_ulid
from tests.unit.notes.conftest import Notes


def with_evidence(notes: Notes, title: str) -> str:
    id_ = notes.add(title, "They warm.", tags=("heat: day", "trees")).id
    passage = NotePassage(
        id=new_ulid(), note_id=id_, relation="supports", from_passage=True, project_id="gone", chunk_id="c", doc_id="d",
        citekey="key", cite="[@key, p. 3]", title="Title", text="First line.\nSecond line.", created_at="2026",
    )  # fmt: skip
    notes.catalog.notes.add_passage(passage)
    return id_


def test_one_file_has_every_note_with_quotations_and_citations(notes: Notes) -> None:
    with_evidence(notes, "Trees: warm?")
    notes.add("Second")
    made = notes.exporter.export(ExportNotes())
    (file,) = made.files
    assert (file.name, made.notes) == ("notes.md", 2)
    assert file.text.index("## Trees: warm?") < file.text.index("## Second")
    assert "> First line.\n> Second line.\n>\n> [@key, p. 3]" in file.text


def test_a_folder_has_a_file_for_each_note_with_front_matter_and_links(notes: Notes) -> None:
    first, second = with_evidence(notes, 'Trees: "warm"/cold?'), notes.add("Second").id
    notes.links.connect(first, second, "supersedes")
    same = notes.add("second", "Another of the same name.").id
    files = {file.name: file.text for file in notes.exporter.export(ExportNotes(file_per_note=True)).files}
    assert set(files) == {"Trees warm cold.md", "Second.md", f"second {same[-6:]}.md"}
    text = files["Trees warm cold.md"]
    front = dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())
    assert (json.loads(front["id"]), json.loads(front["tags"])) == (first, ["heat: day", "trees"])
    assert "- supersedes: [[Second]]" in text


def test_only_the_notes_of_a_project_are_exported(notes: Notes) -> None:
    notes.add("Here", project="thesis", any_project=True)
    notes.add("Elsewhere")
    made = notes.exporter.export(ExportNotes(project="thesis"))
    assert made.notes == 1 and "Elsewhere" not in made.files[0].text
