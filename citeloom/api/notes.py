"""Verbs of the notebook: add, search, show, link, generalize and export notes; suggestions."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.api.verbs import Request

# `status` of a note is "active", or "superseded" if another note supersedes it.


@dataclass(frozen=True, slots=True)
class NoteReference:
    """A note by id and title."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class SimilarNote:
    """A note that resembles another."""

    id: str
    title: str
    score: float


@dataclass(frozen=True, kw_only=True)
class AddedNote:
    """The new note, or the same one that was there already."""

    id: str
    title: str
    type: str
    project: str | None
    created: bool  # False: the same note was there already
    embeddings_calculated: bool
    similar_entries: tuple[SimilarNote, ...]
    suggestions_created: int
    warnings: tuple[str, ...]


class AddNote(Request[AddedNote], verb="notes.add", read_only=False):
    """Add a note."""

    type: str
    title: str
    content: str = ""
    tags: tuple[str, ...] = ()
    context: str = ""
    project: str | None = None
    confidence: int = 3
    memory_type: str = "episodic"
    evidence: tuple[str, ...] = ()  # chunk ids
    any_project: bool = False  # whether the project may be one that does not exist in CiteLoom
    visible: tuple[str, ...] | None = None  # the projects that the client may access; None: all


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note found by a search, in short."""

    id: str
    type: str
    title: str
    score: float
    snippet: str
    tags: list[str]
    project: str | None


@dataclass(frozen=True, slots=True)
class FoundNotes:
    """The notes nearest to a query, best first."""

    query: str
    total: int  # results
    results: tuple[FoundNote, ...]
    searched: int  # notes


class SearchNotes(Request[FoundNotes], verb="notes.search"):
    """Search notes by meaning and words."""

    query: str
    context: str = ""
    type: str | None = None
    project: str | None = None
    limit: int = 5
    visible: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class LinkToNote:
    """A link from a note to another note or to a passage."""

    target_id: str
    target_title: str
    relation_type: str


@dataclass(frozen=True, slots=True)
class LinkFromNote:
    """A link to a note from another note or from a passage."""

    source_id: str
    source_title: str
    relation_type: str


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """The links of a note, both ways."""

    outgoing: tuple[LinkToNote, ...]
    incoming: tuple[LinkFromNote, ...]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A passage that a note refers to."""

    chunk_id: str
    project: str
    citekey: str
    cite: str | None
    title: str
    text: str
    page_span: list[int]
    page_labels: list[str]
    relation_type: str
    found: bool  # False: its document was deleted or changed; the text is as it was when the note was linked


@dataclass(frozen=True, slots=True)
class NoteEmbeddings:
    """Which vectors a note has."""

    summary: bool
    context: bool


@dataclass(frozen=True, kw_only=True)
class Note:
    """A note with all its data."""

    id: str
    type: str
    title: str
    content: str
    context: str
    tags: list[str]
    project: str | None
    confidence: int
    status: str
    memory_type: str
    created_at: str
    updated_at: str
    last_accessed: str | None
    access_count: int
    consolidation_score: float
    embeddings: NoteEmbeddings
    links: NoteLinks
    evidence: tuple[Evidence, ...]


class ShowNote(Request[Note], verb="notes.show", read_only=False):
    """Show a note by its id or a prefix of it, and count the access."""

    id: str
    visible: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NoteSummary:
    """A note as listed."""

    id: str
    type: str
    title: str
    project: str | None
    tags: list[str]
    confidence: int
    memory_type: str
    created_at: str


@dataclass(frozen=True, slots=True)
class NotePage:
    """A page of notes, the newest first."""

    notes: tuple[NoteSummary, ...]
    total: int
    next_offset: int | None


class ListNotes(Request[NotePage], verb="notes.list"):
    """List notes."""

    project: str | None = None
    type: str | None = None
    tag: str | None = None
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class NewLink:
    """A new link between two notes, or between a note and a passage."""

    created: bool
    link_id: str
    source: NoteReference
    target: NoteReference
    relation_type: str


class LinkNotes(Request[NewLink], verb="notes.link", read_only=False):
    """Link two notes, or a note and a passage, by ids or prefixes of note ids."""

    source_id: str
    target_id: str
    relation_type: str = "related"
    visible: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SuggestedLink:
    """A suggestion to link two similar notes."""

    id: str
    entry_a: NoteReference
    entry_b: NoteReference
    score: float
    reason: str
    created_at: str


@dataclass(frozen=True, slots=True)
class SuggestedLinks:
    """Pending suggestions of links, the best first."""

    suggestions: tuple[SuggestedLink, ...]
    total_pending: int


class SuggestLinks(Request[SuggestedLinks], verb="notes.suggest_links"):
    """List pending suggestions of links."""

    limit: int = 10
    visible: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SuggestedGeneralization:
    """A suggestion to generalize similar episodic notes to a semantic one."""

    id: str
    entries: tuple[NoteReference, ...]
    score: float
    reason: str
    created_at: str


@dataclass(frozen=True, slots=True)
class SuggestedGeneralizations:
    """Pending suggestions of generalizations, the best first."""

    suggestions: tuple[SuggestedGeneralization, ...]
    total_pending: int


class SuggestGeneralizations(Request[SuggestedGeneralizations], verb="notes.suggest_generalize"):
    """List pending suggestions of generalizations."""

    limit: int = 10
    visible: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CreatedLink:
    """The two notes that a link connects."""

    source_id: str
    target_id: str


@dataclass(frozen=True, kw_only=True)
class NoteDraft:
    """A semantic note that generalizes others, to be edited before it is added."""

    type: str
    title: str
    content: str
    tags: list[str]
    memory_type: str
    project: str | None
    derived_from: tuple[NoteReference, ...]


@dataclass(frozen=True, slots=True)
class AcceptedSuggestion:
    """What accepting a suggestion has done."""

    accepted: bool
    suggestion_type: str
    action_taken: str
    link_created: CreatedLink | None
    generalize_command: str | None  # the command that adds the note
    draft: NoteDraft | None


class AcceptSuggestion(Request[AcceptedSuggestion], verb="notes.accept_suggestion", read_only=False):
    """Accept a suggestion: create the link, or prepare the semantic note."""

    suggestion_id: str
    visible: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RejectedSuggestion:
    """The suggestion that was rejected."""

    rejected: bool
    suggestion_id: str


class RejectSuggestion(Request[RejectedSuggestion], verb="notes.reject_suggestion", read_only=False):
    """Reject a suggestion for good."""

    suggestion_id: str
    visible: tuple[str, ...] | None = None


class GeneralizeNotes(Request[AddedNote], verb="notes.generalize", read_only=False):
    """Add a semantic note that is derived from episodic ones."""

    ids: tuple[str, ...]
    title: str | None = None  # None: from the draft
    content: str | None = None


class DeleteNote(Request[NoteReference], verb="notes.delete", read_only=False):
    """Delete a note and its links."""

    id: str


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A Markdown file."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class NoteExport:
    """Notes as Markdown files."""

    files: tuple[ExportedFile, ...]
    notes: int


class ExportNotes(Request[NoteExport], verb="notes.export"):
    """Export notes as Markdown: one file, or one file for each note with links between them."""

    project: str | None = None
    file_per_note: bool = False
