"""The notebook: adds, searches, shows, lists, generalizes and deletes notes.

Called by the tools of the toolset `notes` and by `citeloom notes`.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from citeloom.api import notes as api
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.database import now
from citeloom.catalog.notes import CONTEXT, SUMMARY, NoteRow
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import new_ulid
from citeloom.core.text.sanitize import one_line
from citeloom.notes.embedding import NoteEmbedder
from citeloom.notes.entries import EPISODIC, MAX_TITLE, SEMANTIC, Visible, check_type, find_note, visible_projects
from citeloom.notes.links import DERIVED_FROM, SUPERSEDES, LinkService
from citeloom.notes.suggestions import SuggestionService, draft_of

MAX_CONTENT, MAX_TAGS, MAX_TAG = 50_000, 20, 60
MAX_CONTEXT, CONTEXT_KEPT = 10_000, 8_000  # characters; a longer context is cut to the second
MAX_EVIDENCE = 50
_MAX_RESULTS, _MAX_QUERY = 50, 10_000
_MAX_LISTED = 1000
_SNIPPET = 100
_SIMILAR, _MAX_SIMILAR = 0.45, 5  # cosine from which a note is named as similar
_WORD = re.compile(r"\w{3,}")


@dataclass
class Notebook:
    """Service of the notes themselves."""

    _catalog: Catalog
    _embedder: NoteEmbedder
    _links: LinkService
    _suggestions: SuggestionService

    @handles(api.AddNote)
    def add(self, request: api.AddNote) -> api.AddedNote:
        """Add a note, or return the same one that is there already; file suggestions for similar ones."""
        visible, warnings = visible_projects(request.visible), list[str]()
        note = self._checked(request, visible, warnings)
        evidence = self._links.evidence(note, request.evidence, visible)
        vectors = self._embedder.embed(note)
        if not vectors:
            warnings.append("The embedding model is not available: the note is found by its words only, until it is.")
        known = self._catalog.notes.add(note, vectors, evidence)
        suggested = 0
        if known is not None:
            for passage in evidence:
                self._catalog.notes.add_passage(replace(passage, note_id=known.id))
            if _other_values(known) != _other_values(note):
                warnings.append("The same note was there already: its tags, context and confidence stay as they were.")
        else:
            faults.point("notes.added", note.title)
            self._embedder.index.add(note, vectors)
            suggested = self._suggestions.suggest_for(note, visible)
        stored = known or note
        similar = self._embedder.similar(stored, visible, _SIMILAR, _MAX_SIMILAR)
        titles = self._catalog.notes.some(id_ for id_, _ in similar)
        return api.AddedNote(
            id=stored.id,
            title=stored.title,
            type=stored.type,
            project=stored.project_id,
            created=known is None,
            embeddings_calculated=bool(self._catalog.notes.vector_kinds(stored.id)),
            similar_entries=tuple(
                api.SimilarNote(id_, titles[id_].title, score) for id_, score in similar if id_ in titles
            ),
            suggestions_created=suggested,
            warnings=tuple(warnings),
        )

    def _checked(self, request: api.AddNote, visible: Visible, warnings: list[str]) -> NoteRow:
        type_, title = check_type(request.type), one_line(request.title).strip()
        context, content = request.context.strip(), request.content.strip()
        if not 1 <= len(title) <= MAX_TITLE:
            raise _invalid(f"title has {len(title)} characters.", f"Give 1 to {MAX_TITLE}.")
        if len(content) > MAX_CONTENT:
            raise _invalid(f"content has {len(content)} characters.", f"At most {MAX_CONTENT}: divide it into notes.")
        if len(context) > MAX_CONTEXT:
            warnings.append(f"context had {len(context)} characters and was cut to the first {CONTEXT_KEPT}.")
            context = context[:CONTEXT_KEPT]
        tags = list(dict.fromkeys(one_line(tag).strip() for tag in request.tags if tag.strip()))
        if len(tags) > MAX_TAGS or any(len(tag) > MAX_TAG for tag in tags):
            raise _invalid(
                "There are too many tags, or one is too long.", f"Give at most {MAX_TAGS}, of {MAX_TAG} characters."
            )
        if not 0 <= request.confidence <= 5:
            raise _invalid(f"confidence is {request.confidence}.", "It is a number from 0 to 5.")
        if request.memory_type not in (EPISODIC, SEMANTIC):
            raise _invalid(f"There is no memory_type '{request.memory_type[:40]}'.", f"It is {EPISODIC} or {SEMANTIC}.")
        if len(request.evidence) > MAX_EVIDENCE:
            raise _invalid(f"evidence names {len(request.evidence)} passages.", f"Name at most {MAX_EVIDENCE}.")
        at = now()
        return NoteRow(
            id=new_ulid(),
            project_id=self._project(request, visible),
            type=type_,
            title=title,
            content=content,
            context=context,
            tags=tags,
            confidence=request.confidence,
            memory_type=request.memory_type,
            created_at=at,
            updated_at=at,
        )

    def _project(self, request: api.AddNote, visible: Visible) -> str | None:
        """Return the project of a new note: the given one; for a client with a single project, that one; or none."""
        named = request.project
        if named is None:
            if visible is None:
                return None
            if len(visible) > 1:
                raise CiteLoomError(
                    Code.INVALID_PROJECT, "No project is named.", f"Choose one of: {', '.join(sorted(visible))}."
                )
            (named,) = visible
        elif request.any_project and visible is None and (name := one_line(named).strip()):
            return name[:MAX_TITLE]
        return self._catalog.projects.get(named, visible).id

    @handles(api.SearchNotes)
    def search(self, request: api.SearchNotes) -> api.FoundNotes:
        """Return the notes nearest to a query by meaning and words."""
        query, visible = request.query.strip(), visible_projects(request.visible)
        if not 1 <= len(query) <= _MAX_QUERY:
            raise _invalid(f"query has {len(query)} characters.", f"Give 1 to {_MAX_QUERY}.")
        if not 1 <= request.limit <= _MAX_RESULTS:
            raise _invalid(f"limit is {request.limit}.", f"Ask for 1 to {_MAX_RESULTS} notes.")
        index, model = self._embedder.index, self._embedder.fingerprint
        found = index.search(
            query,
            self._embedder.question(query, request.context.strip()[:CONTEXT_KEPT]),
            model,
            visible=visible,
            type_=None if request.type is None else check_type(request.type),
            project=request.project,
            limit=request.limit,
        )
        notes = self._catalog.notes.some(id_ for id_, _ in found)
        results = tuple(
            api.FoundNote(
                id=id_,
                type=notes[id_].type,
                title=notes[id_].title,
                score=score,
                snippet=snippet(notes[id_].content or notes[id_].context, query),
                tags=notes[id_].tags,
                project=notes[id_].project_id,
            )
            for id_, score in found
            if id_ in notes
        )
        return api.FoundNotes(query, len(results), results, index.count(model, visible))

    @handles(api.ShowNote)
    def show(self, request: api.ShowNote) -> api.Note:
        """Return a note with its links and evidence, and count the access."""
        visible = visible_projects(request.visible)
        note = find_note(self._catalog.notes, request.id, visible)
        self._catalog.notes.count_access(note.id, now())
        return self.details(find_note(self._catalog.notes, note.id, visible), visible)

    def details(self, note: NoteRow, visible: Visible) -> api.Note:
        """Return all data of a note."""
        evidence = self._links.current_evidence(note, visible)  # first: it updates ids of passages
        links, kinds = self._links.of(note, visible), self._catalog.notes.vector_kinds(note.id)
        values = asdict(note)
        return api.Note(
            project=values.pop("project_id"),
            **values,
            status="superseded" if any(link.relation_type == SUPERSEDES for link in links.incoming) else "active",
            consolidation_score=consolidation_score(note, len(links.outgoing) + len(links.incoming)),
            embeddings=api.NoteEmbeddings(SUMMARY in kinds, CONTEXT in kinds),
            links=links,
            evidence=evidence,
        )

    @handles(api.ListNotes)
    def list_notes(self, request: api.ListNotes) -> api.NotePage:
        """Return one page of notes, the newest first."""
        if not (1 <= request.limit <= _MAX_LISTED and request.offset >= 0):
            raise _invalid(f"limit is {request.limit}, offset {request.offset}.", f"Ask for 1 to {_MAX_LISTED} notes.")
        only = None if request.project is None else frozenset([request.project])
        notes, total = self._catalog.notes.page(
            only, type_=request.type, tag=request.tag, limit=request.limit, offset=request.offset
        )
        end = request.offset + len(notes)
        return api.NotePage(
            notes=tuple(
                api.NoteSummary(n.id, n.type, n.title, n.project_id, n.tags, n.confidence, n.memory_type, n.created_at)
                for n in notes
            ),
            total=total,
            next_offset=end if end < total else None,
        )

    @handles(api.GeneralizeNotes)
    def generalize(self, request: api.GeneralizeNotes) -> api.AddedNote:
        """Add a semantic note that is derived from others."""
        named = [find_note(self._catalog.notes, id_, None) for id_ in request.ids]
        notes = list({note.id: note for note in named}.values())
        if len(notes) < 2:
            raise _invalid("A generalization needs two notes or more.", "Name their ids.")
        draft = draft_of(notes)
        added = self.add(
            api.AddNote(
                type=draft.type,
                title=request.title or draft.title,
                content=request.content or draft.content,
                tags=tuple(draft.tags),
                project=draft.project,
                memory_type=SEMANTIC,
                any_project=True,
            )
        )
        for note in notes:
            if note.id != added.id and not self._catalog.notes.are_linked(added.id, note.id):
                self._links.connect(added.id, note.id, DERIVED_FROM)
        return added

    @handles(api.DeleteNote)
    def delete(self, request: api.DeleteNote) -> api.NoteReference:
        """Delete a note with its links and suggestions."""
        note = find_note(self._catalog.notes, request.id, None)
        self._catalog.notes.delete(note.id)
        self._embedder.index.clear()
        return api.NoteReference(note.id, note.title)


def _other_values(note: NoteRow) -> tuple[object, ...]:
    """Return what is given with a note and does not make it another."""
    return note.tags, note.context, note.confidence, note.memory_type


def consolidation_score(note: NoteRow, links: int) -> float:
    """Return how well established a note is, from 0 to 1.

    0.4 for ten accesses or more, 0.3 for an access just now (halved every 30 days), 0.3 for five links or more.
    """
    recency = 0.0
    if note.last_accessed:
        days = (datetime.now(UTC) - datetime.fromisoformat(note.last_accessed)).total_seconds() / 86_400
        recency = 0.5 ** (max(0.0, days) / 30)
    return round(0.4 * min(1.0, note.access_count / 10) + 0.3 * recency + 0.3 * min(1.0, links / 5), 3)


def snippet(text: str, query: str) -> str:
    """Return about a hundred characters of a text, from its first sentence that has a word of the query."""
    flat, words = one_line(text).strip(), set(_WORD.findall(query.casefold()))
    starts = [0, *(match.end() for match in re.finditer(r"[.!?]\s+", flat))]
    for start, end in zip(starts, [*starts[1:], len(flat)], strict=True):
        if words & set(_WORD.findall(flat[start:end].casefold())):
            break
    else:
        start = 0
    cut = flat[start : start + _SNIPPET]
    if start + _SNIPPET >= len(flat):
        return cut
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut else cut}…"


def _invalid(problem: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, problem, next_step)
