"""Links between notes, and between notes and passages. Words of a passage are copied: they outlive its document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citeloom.api import notes as api
from citeloom.api.search import NoteOnPassage
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.database import now
from citeloom.catalog.notes import NoteLink, NotePassage, NoteRow
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import new_ulid
from citeloom.core.text.normalize import letters_and_digits
from citeloom.index.base import Collection, ScoredPoint
from citeloom.index.filters import of_document
from citeloom.notes.entries import Visible, find_note, visible_projects
from citeloom.search.hits import found_passage
from citeloom.search.passages import PassageService

SUPERSEDES, DERIVED_FROM, SUPPORTS = "supersedes", "derived_from", "supports"
RELATIONS = ("related", SUPERSEDES, DERIVED_FROM, "contradicts", SUPPORTS)
_MAX_TEXT = 4_000  # characters of a passage that are copied
_RECOGNISED_BY = 120  # letters and digits by which a passage is found again in its document
_FEWEST_LETTERS = 40  # a shorter passage is found again only as a whole
_MAX_PASSAGES = 5_000  # of a document that are looked through for it


@dataclass
class LinkService:
    """Creates and resolves links."""

    _catalog: Catalog
    _passages: PassageService
    _collection: Callable[[Project], Collection]

    @handles(api.LinkNotes)
    def link(self, request: api.LinkNotes) -> api.NewLink:
        """Link two notes, or a note and a passage; raise LINK_ALREADY_EXISTS for one that is there."""
        visible = visible_projects(request.visible)
        relation = request.relation_type
        if relation not in RELATIONS:
            raise CiteLoomError(
                Code.INVALID_RELATION_TYPE,
                f"There is no relation '{relation[:40]}'.",
                f"Relations: {', '.join(RELATIONS)}.",
                valid=list(RELATIONS),
            )
        source, target = self._end(request.source_id, visible), self._end(request.target_id, visible)
        if isinstance(source, NoteRow) and isinstance(target, NoteRow):
            id_ = self.connect(source.id, target.id, relation)
        elif isinstance(source, NoteRow):
            assert not isinstance(target, NoteRow)
            id_ = self._add_passage(_copied(source.id, *target, relation))
        elif isinstance(target, NoteRow):
            id_ = self._add_passage(_copied(target.id, *source, relation, from_passage=True))
        else:
            raise CiteLoomError(
                Code.ENTRY_NOT_FOUND, "Both ids are those of passages.", "A link needs a note on one side at least."
            )
        return api.NewLink(True, id_, _reference(source), _reference(target), relation)

    def connect(self, source_id: str, target_id: str, relation: str) -> str:
        """Link two notes and return the id of the link."""
        if source_id == target_id:
            raise CiteLoomError(Code.SELF_LINK_ERROR, "A note cannot be linked to itself.", "Name two notes.")
        link = NoteLink(id=new_ulid(), source_id=source_id, target_id=target_id, relation=relation, created_at=now())
        if not self._catalog.notes.add_link(link):
            raise _exists()
        return link.id

    def _add_passage(self, passage: NotePassage) -> str:
        if not self._catalog.notes.add_passage(passage):
            raise _exists()
        return passage.id

    def _end(self, id_: str, visible: Visible) -> NoteRow | tuple[Project, ScoredPoint]:
        """Return the note or the passage that an id names; ids of notes are tried first."""
        try:
            return find_note(self._catalog.notes, id_, visible)
        except CiteLoomError as error:
            if "choices" in error.details:  # the prefix of several notes
                raise
            if found := self._find_passage(id_, None, visible):
                return found
            raise CiteLoomError(
                Code.ENTRY_NOT_FOUND, f"Entry with ID '{id_[:60]}' not found.", "Give the id of a note or of a passage."
            ) from None

    def evidence(self, note: NoteRow, chunk_ids: Sequence[str], visible: Visible) -> list[NotePassage]:
        """Return the links of a new note to the passages that support it."""
        found = []
        for chunk_id in dict.fromkeys(chunk_ids):
            passage = self._find_passage(chunk_id, note.project_id, visible)
            if passage is None:
                raise CiteLoomError(
                    Code.PASSAGE_NOT_FOUND,
                    f"No passage {chunk_id[:60]!r}.",
                    "Give the chunk_id of a hit. The note was not added.",
                )
            found.append(_copied(note.id, *passage, SUPPORTS, from_passage=True))
        return found

    def _find_passage(
        self, chunk_id: str, project_id: str | None, visible: Visible
    ) -> tuple[Project, ScoredPoint] | None:
        """Return a passage and its project; the note's own project is searched first."""
        projects = [p for p in self._catalog.projects.all() if visible is None or p.id in visible]
        unreachable: CiteLoomError | None = None
        for project in sorted(projects, key=lambda one: one.id != project_id):
            try:
                hit = self._passages.find(project, chunk_id)
            except CiteLoomError as error:  # it may be in another one
                unreachable = error
                continue
            if hit:
                return project, hit
        if unreachable:
            raise unreachable
        return None

    def of(self, note: NoteRow, visible: Visible) -> api.NoteLinks:
        """Return the links of a note, both ways; links to what the client may not access are left out."""
        links, passages = self._catalog.notes.links(note.id), self._catalog.notes.passages(note.id)
        others = self._catalog.notes.some(id_ for link in links for id_ in (link.source_id, link.target_id))
        others = {id_: one for id_, one in others.items() if visible is None or one.project_id in visible}
        passages = [one for one in passages if visible is None or one.project_id in visible]
        outgoing = [
            api.LinkToNote(link.target_id, others[link.target_id].title, link.relation)
            for link in links
            if link.source_id == note.id and link.target_id in others
        ]
        incoming = [
            api.LinkFromNote(link.source_id, others[link.source_id].title, link.relation)
            for link in links
            if link.target_id == note.id and link.source_id in others
        ]
        outgoing += [api.LinkToNote(p.chunk_id, _name(p), p.relation) for p in passages if not p.from_passage]
        incoming += [api.LinkFromNote(p.chunk_id, _name(p), p.relation) for p in passages if p.from_passage]
        return api.NoteLinks(tuple(outgoing), tuple(incoming))

    def current_evidence(self, note: NoteRow, visible: Visible) -> tuple[api.Evidence, ...]:
        """Return the passages of a note as they are now, or as they were when they were linked."""
        found = []
        for passage in self._catalog.notes.passages(note.id):
            if visible is not None and passage.project_id not in visible:
                continue
            hit = self._current(passage)
            shown = found_passage(hit) if hit else None
            found.append(
                api.Evidence(
                    chunk_id=shown.chunk_id if shown else passage.chunk_id,
                    project=passage.project_id,
                    citekey=shown.citekey if shown else passage.citekey,
                    cite=shown.cite if shown else passage.cite,
                    title=(shown.title or "") if shown else passage.title,
                    text=passage.text,
                    page_span=list(shown.page_span or ()) if shown else passage.page_span,
                    page_labels=list(shown.page_labels) if shown else passage.page_labels,
                    relation_type=passage.relation,
                    found=shown is not None,
                )
            )
        return tuple(found)

    def _current(self, passage: NotePassage) -> ScoredPoint | None:
        """Return the passage of a link; if its document was read again, the one that has its words now."""
        project = next((p for p in self._catalog.projects.all() if p.id == passage.project_id), None)
        if project is None:
            return None
        try:
            hit = self._passages.find(project, passage.chunk_id) or self._with_same_words(project, passage)
        except CiteLoomError:  # the index is not available: the copy is shown
            return None
        if hit and (chunk_id := hit.payload.get("chunk_id", hit.id)) != passage.chunk_id:
            self._catalog.notes.move_passage(passage.id, chunk_id)
        return hit

    def _with_same_words(self, project: Project, passage: NotePassage) -> ScoredPoint | None:
        text = letters_and_digits(passage.text)
        words = text[:_RECOGNISED_BY]
        if not words or self._catalog.documents.find(project.id, passage.doc_id) is None:
            return None
        around = self._collection(project).scroll(of_document(passage.doc_id), _MAX_PASSAGES)
        texts = {hit.id: letters_and_digits(hit.payload.get("chunk_text", "")) for hit in around}
        if len(text) < _FEWEST_LETTERS:  # "see above" may be said anywhere
            return next((hit for hit in around if texts[hit.id] == text), None)
        return next((hit for hit in around if words in texts[hit.id]), None)


def notes_on_passage(catalog: Catalog, project: Project, hit: ScoredPoint, visible: Visible) -> list[NoteOnPassage]:
    """Return the notes that refer to a passage, now or before its document was read again."""
    chunk_id = hit.payload.get("chunk_id", hit.id)
    return [
        NoteOnPassage(note.id, note.type, note.title, link.relation)
        for link, note in catalog.notes.on_document(project.id, hit.payload["doc_id"], visible)
        if chunk_id in (link.chunk_id, catalog.replaced_passages.find(project.id, link.chunk_id))
    ]


def _copied(
    note_id: str, project: Project, hit: ScoredPoint, relation: str, *, from_passage: bool = False
) -> NotePassage:
    passage = found_passage(hit)
    return NotePassage(
        id=new_ulid(),
        note_id=note_id,
        relation=relation,
        from_passage=from_passage,
        project_id=project.id,
        chunk_id=passage.chunk_id,
        doc_id=passage.doc_id,
        citekey=passage.citekey,
        cite=passage.cite,
        title=passage.title or "",
        text=passage.render_text[:_MAX_TEXT],
        page_span=list(passage.page_span or ()),
        page_labels=list(passage.page_labels),
        created_at=now(),
    )


def _reference(end: NoteRow | tuple[Project, ScoredPoint]) -> api.NoteReference:
    if isinstance(end, NoteRow):
        return api.NoteReference(end.id, end.title)
    passage = found_passage(end[1])
    return api.NoteReference(passage.chunk_id, passage.cite or passage.title or passage.source)


def _name(passage: NotePassage) -> str:
    return passage.cite or passage.title or passage.citekey


def _exists() -> CiteLoomError:
    return CiteLoomError(
        Code.LINK_ALREADY_EXISTS,
        "The link exists already.",
        "Nothing was changed.",
    )
