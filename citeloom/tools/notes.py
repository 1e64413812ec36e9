"""The tools of the toolset `notes`: the researcher's notebook. Used by the session."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from citeloom.api import notes as api
from citeloom.tools.arguments import Arguments
from citeloom.tools.results import answer_schema, schema_of
from citeloom.tools.tool import NOTES, Call, Json, ToolTable, as_json, tool

TOOLS: ToolTable = {}
_tool = partial(tool, TOOLS, toolset=NOTES)

_TYPES = "claim, finding, method, question, decision, idea, reference"


class AddNote(Arguments):
    """add_note."""

    type: Annotated[str, Field(description=_TYPES)]
    title: Annotated[str, Field(max_length=100)]
    content: str = ""
    tags: tuple[str, ...] = ()
    context: Annotated[str, Field(description="the conversation it comes from, up to 10,000 characters")] = ""
    project: str | None = None
    confidence: Annotated[int, Field(ge=0, le=5)] = 3
    memory_type: Annotated[str, Field(description="episodic or semantic")] = "episodic"
    evidence: Annotated[tuple[str, ...], Field(description="chunk_ids it rests on")] = ()


class SearchNotes(Arguments):
    """search_notes."""

    query: str
    context: Annotated[str, Field(description="the conversation, for the meaning")] = ""
    type: str | None = None
    project: str | None = None
    limit: Annotated[int, Field(ge=1, le=50)] = 5


class NoteId(Arguments):
    """show_note."""

    id: Annotated[str, Field(description="the id, or its first 5 characters or more")]


class LinkNotes(Arguments):
    """link."""

    source_id: Annotated[str, Field(description="a note, or the chunk_id of a passage")]
    target_id: str
    relation_type: Annotated[str, Field(description="related, supersedes, derived_from, contradicts, supports")] = (
        "related"
    )


class Limit(Arguments):
    """suggest_links and suggest_generalize."""

    limit: Annotated[int, Field(ge=1, le=50)] = 10


class SuggestionId(Arguments):
    """accept_suggestion and reject_suggestion."""

    suggestion_id: str


def project_of_note(call: Call[Any], named: str | None) -> str | None:
    """Return the project of a new note: without a name, the default one of a session that is limited to projects."""
    return call.project(None) if named is None and call.visible is not None else named


def visible_project(call: Call[Any], named: str | None) -> str | None:
    """Return the project that a search of notes is limited to; notes may be of projects that were removed."""
    if named is not None and call.visible is not None:
        return call.project(named)
    return named


@_tool("Add a note", AddNote, answer_schema(api.AddedNote))
def add_note(call: Call[AddNote]) -> Json:
    """Note a claim, finding or question, with the passages it rests on. Names similar notes."""
    given = call.arguments
    request = api.AddNote(
        type=given.type,
        title=given.title,
        content=given.content,
        tags=given.tags,
        context=given.context,
        project=project_of_note(call, given.project),
        confidence=given.confidence,
        memory_type=given.memory_type,
        evidence=given.evidence,
        visible=call.visible_ids,
    )
    return as_json(call.handle(request))


@_tool("Search notes", SearchNotes, answer_schema(api.FoundNotes, hint=schema_of(str)), read_only=True)
def search_notes(call: Call[SearchNotes]) -> Json:
    """Search notes by meaning and words; short results, show_note gives the whole."""
    given = call.arguments
    request = api.SearchNotes(
        query=given.query,
        context=given.context,
        type=given.type,
        project=visible_project(call, given.project),
        limit=given.limit,
        visible=call.visible_ids,
    )
    return {**as_json(call.handle(request)), "hint": "show_note(id) gives the whole note, its links and passages."}


@_tool("Show a note", NoteId, answer_schema(api.Note), read_only=True)
def show_note(call: Call[NoteId]) -> Json:
    """A note with its links, both ways, and the passages it rests on."""
    return as_json(call.handle(api.ShowNote(id=call.arguments.id, visible=call.visible_ids)))


@_tool("Link notes", LinkNotes, answer_schema(api.NewLink))
def link(call: Call[LinkNotes]) -> Json:
    """Link a note to another note or to a passage."""
    given = call.arguments
    request = api.LinkNotes(
        source_id=given.source_id,
        target_id=given.target_id,
        relation_type=given.relation_type,
        visible=call.visible_ids,
    )
    return as_json(call.handle(request))


@_tool("Suggested links", Limit, answer_schema(api.SuggestedLinks), read_only=True)
def suggest_links(call: Call[Limit]) -> Json:
    """Similar notes that could be linked."""
    return as_json(call.handle(api.SuggestLinks(limit=call.arguments.limit, visible=call.visible_ids)))


@_tool("Suggested generalizations", Limit, answer_schema(api.SuggestedGeneralizations), read_only=True)
def suggest_generalize(call: Call[Limit]) -> Json:
    """Groups of similar episodic notes that could become one semantic note."""
    return as_json(call.handle(api.SuggestGeneralizations(limit=call.arguments.limit, visible=call.visible_ids)))


@_tool("Accept a suggestion", SuggestionId, answer_schema(api.AcceptedSuggestion))
def accept_suggestion(call: Call[SuggestionId]) -> Json:
    """Make the suggested link, or get the draft of the semantic note."""
    request = api.AcceptSuggestion(suggestion_id=call.arguments.suggestion_id, visible=call.visible_ids)
    return as_json(call.handle(request))


@_tool("Reject a suggestion", SuggestionId, answer_schema(api.RejectedSuggestion))
def reject_suggestion(call: Call[SuggestionId]) -> Json:
    """Reject a suggestion for good."""
    request = api.RejectSuggestion(suggestion_id=call.arguments.suggestion_id, visible=call.visible_ids)
    return as_json(call.handle(request))
