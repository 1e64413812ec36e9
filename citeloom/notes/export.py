"""Exports notes as Markdown with Pandoc citations: one file, or a folder of files as Obsidian reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.api import notes as api
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.notes.notebook import Notebook

_AT_ONCE = 500
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f<>:"/\\|?*#^\[\]]+')  # of Windows and of Obsidian's links
_MAX_NAME = 80
_ONE_FILE = "notes.md"


@dataclass
class NoteExporter:
    """Service of `notes.export`."""

    _catalog: Catalog
    _notebook: Notebook

    @handles(api.ExportNotes)
    def export(self, request: api.ExportNotes) -> api.NoteExport:
        """Return the notes of a project, or all, as Markdown, the oldest first."""
        notes = self._all(None if request.project is None else frozenset([request.project]))
        if not request.file_per_note:
            texts = [f"## {note.title}\n\n{_facts(note)}\n\n{_body(note, {})}" for note in notes]
            return api.NoteExport((api.ExportedFile(_ONE_FILE, "\n".join(["# Notes\n", *texts])),), len(notes))
        names = _file_names(notes)
        files = [
            api.ExportedFile(f"{names[note.id]}.md", f"{_front_matter(note)}\n# {note.title}\n\n{_body(note, names)}")
            for note in notes
        ]
        return api.NoteExport(tuple(files), len(notes))

    def _all(self, only: frozenset[str] | None) -> list[api.Note]:
        found, offset, total = list[api.Note](), 0, 1
        while offset < total:
            rows, total = self._catalog.notes.page(only, limit=_AT_ONCE, offset=offset)
            found += [self._notebook.details(row, None) for row in rows]
            offset += _AT_ONCE
        return found[::-1]


def _facts(note: api.Note) -> str:
    parts = [note.type, note.memory_type, f"confidence {note.confidence}", note.created_at[:10], note.id]
    parts += [f"project {note.project}"] if note.project else []
    parts += [f"#{tag}" for tag in note.tags] + ([note.status] if note.status != "active" else [])
    return f"*{' · '.join(parts)}*"


def _front_matter(note: api.Note) -> str:
    values = {
        "id": note.id,
        "type": note.type,
        "tags": note.tags,
        "project": note.project,
        "confidence": note.confidence,
        "memory_type": note.memory_type,
        "status": note.status,
        "created": note.created_at,
    }
    # JSON is YAML, however odd a tag is.
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join(["---", *lines, "---", ""])


def _body(note: api.Note, names: dict[str, str]) -> str:
    """Return the text, the evidence as block quotes with citations, and the links of a note."""
    parts = [note.content] if note.content else []
    for passage in note.evidence:
        place = passage.cite or passage.title or passage.citekey
        gone = "" if passage.found else " (its document is no longer in the library)"
        quoted = "\n".join(f"> {line}".rstrip() for line in passage.text.splitlines())
        parts.append(f"{quoted}\n>\n> {place}{gone}")
    notes = [(link.relation_type, link.target_id, link.target_title) for link in note.links.outgoing]
    passages = {passage.chunk_id for passage in note.evidence}
    links = [
        f"- {relation}: {f'[[{names[id_]}]]' if id_ in names else f'{title} ({id_})'}"
        for relation, id_, title in notes
        if id_ not in passages
    ]
    if links:
        parts.append("\n".join(links))
    return "\n\n".join(parts) + "\n"


def _file_names(notes: Sequence[api.Note]) -> dict[str, str]:
    """Return a file name for each note, by its title; notes of the same title get a part of their id."""
    taken, names = set[str](), dict[str, str]()
    for note in notes:
        name = " ".join(_NOT_IN_NAMES.sub(" ", note.title).split())[:_MAX_NAME].strip(" .") or note.id
        if name.casefold() in taken:
            name = f"{name} {note.id[-6:]}"
        taken.add(name.casefold())
        names[note.id] = name
    return names
