"""Dialect `rekall`: a knowledge base of entries, which are the notes of the notebook."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from citeloom.api import notes as api
from citeloom.core.errors import CiteLoomError, Code
from citeloom.tools.arguments import Arguments
from citeloom.tools.dialect import Dialect
from citeloom.tools.notes import project_of_note, visible_project
from citeloom.tools.tool import NOTES, Call, Json, ToolTable, as_json, tool, without

_TYPES = ["bug", "pattern", "decision", "pitfall", "config", "reference"]
_RELATIONS = ["related", "supersedes", "derived_from", "contradicts"]

# The service checks them, so that the error has the code of the document.
_Type = Annotated[str, Field(json_schema_extra={"enum": _TYPES})]
_Relation = Annotated[str, Field(json_schema_extra={"enum": _RELATIONS})]

_TOOLS: ToolTable = {}
_tool = partial(tool, _TOOLS, toolset=NOTES)

_GUIDES = {
    "search": """\
## Search
1. `rekall_search(query)` gives short results: id, title, score, snippet.
2. If one is relevant, `rekall_show(id)` gives all of it.
3. Cite it in your answer: "[01HX] Title".""",
    "capture": """\
## Capture
After a bug or a problem is solved: `rekall_add(type, title, content, context=conversation)`.
Types: bug, pattern, decision, pitfall, config, reference. Two to five tags in kebab-case.
The context may have 10,000 characters; a longer one is cut to the first 8,000.
When to look first: before a fix (known solutions), before a feature (known patterns), at an error (solved before?).""",
    "links": """\
## Links
`rekall_link(source_id, target_id, relation_type)`: related, supersedes, derived_from or contradicts.
`rekall_suggest_links()` and `rekall_suggest_generalize()` list suggestions; `rekall_accept_suggestion(id)` or
`rekall_reject_suggestion(id)` decides; a rejected one does not come back.""",
    "citations": """\
## Citations
In a sentence: "According to [01HX123] Fix CORS Safari, the cause …". Give the id, so that the entry can be opened.""",
}
_ALL = "all"


class Help(Arguments):
    """rekall_help."""

    topic: Annotated[
        Literal["search", "capture", "links", "citations", "all"], Field(description="a section of the guide")
    ] = "all"


class Search(Arguments):
    """rekall_search."""

    query: Annotated[str, Field(description="keywords or a question")]
    context: Annotated[str | None, Field(description="the conversation, to enrich the search by meaning")] = None
    limit: Annotated[int, Field(ge=1, le=20, description="largest number of results")] = 5
    type: Annotated[_Type | None, Field(description="only this type")] = None
    project: Annotated[str | None, Field(description="only this project")] = None


class Add(Arguments):
    """rekall_add."""

    type: Annotated[_Type, Field(description="type of the entry")]
    title: Annotated[str, Field(max_length=100, description="title (up to 100 characters)")]
    content: Annotated[str | None, Field(description="the entry in detail")] = None
    tags: Annotated[list[str] | None, Field(description="in kebab-case (2-5 recommended)")] = None
    context: Annotated[str | None, Field(description="the whole conversation, for its embedding")] = None
    project: Annotated[str | None, Field(description="name of the project, if any")] = None
    confidence: Annotated[int, Field(ge=0, le=5, description="how sure it is (0-5)")] = 3
    memory_type: Annotated[Literal["episodic", "semantic"], Field(description="kind of memory")] = "episodic"


class Id(Arguments):
    """rekall_show."""

    id: Annotated[str, Field(description="id of the entry: a ULID, or its first 5 characters or more")]


class Limit(Arguments):
    """rekall_suggest_links and rekall_suggest_generalize."""

    limit: Annotated[int, Field(ge=1, le=50)] = 10


class Link(Arguments):
    """rekall_link."""

    source_id: Annotated[str, Field(description="id of the source entry")]
    target_id: Annotated[str, Field(description="id of the target entry")]
    relation_type: Annotated[_Relation, Field(description="kind of relation")] = "related"


class SuggestionId(Arguments):
    """rekall_accept_suggestion and rekall_reject_suggestion."""

    suggestion_id: Annotated[str, Field(description="id of the suggestion")]


@_tool("Guide", Help, read_only=True)
def rekall_help(call: Call[Help]) -> Json:
    """Guide to this knowledge base: workflows, when to search and capture, how to cite. Call it once per session."""
    topic = call.arguments.topic
    guide = "\n\n".join(["# Rekall - agent guide", *_GUIDES.values()]) if topic == _ALL else _GUIDES[topic]
    return {"guide": guide, "topics_available": [*_GUIDES, _ALL]}


@_tool("Search entries", Search, read_only=True)
def rekall_search(call: Call[Search]) -> Json:
    """Search the knowledge base by words and meaning. Short results: rekall_show(id) gives the details."""
    given = call.arguments
    request = api.SearchNotes(
        query=given.query,
        context=given.context or "",
        type=None if given.type is None else _checked_type(given.type),
        project=visible_project(call, given.project),
        limit=given.limit,
        visible=call.visible_ids,
    )
    found = without(as_json(call.handle(request)), "searched")
    results = [without(one, "project") for one in found["results"]]
    return {**found, "results": results, "hint": "Use rekall_show(id) for full content and links"}


@_tool("Add an entry", Add)
def rekall_add(call: Call[Add]) -> Json:
    """Add an entry; its embeddings are calculated, and similar entries are named."""
    given = call.arguments
    request = api.AddNote(
        type=_checked_type(given.type),
        title=given.title,
        content=given.content or "",
        tags=tuple(given.tags or ()),
        context=given.context or "",
        project=project_of_note(call, given.project),
        any_project=True,
        confidence=given.confidence,
        memory_type=given.memory_type,
        visible=call.visible_ids,
    )
    added = as_json(call.handle(request))
    return without(added, "project", *(() if added["warnings"] else ("warnings",)))


@_tool("Show an entry", Id, read_only=True)
def rekall_show(call: Call[Id]) -> Json:
    """An entry with all its details and links. Call it after rekall_search."""
    shown = call.handle(api.ShowNote(id=call.arguments.id, visible=call.visible_ids))
    return without(as_json(shown), "context", "evidence")


@_tool("Suggested links", Limit, read_only=True)
def rekall_suggest_links(call: Call[Limit]) -> Json:
    """Pending suggestions of links."""
    return as_json(call.handle(api.SuggestLinks(limit=call.arguments.limit, visible=call.visible_ids)))


@_tool("Suggested generalizations", Limit, read_only=True)
def rekall_suggest_generalize(call: Call[Limit]) -> Json:
    """Pending suggestions of generalizations."""
    return as_json(call.handle(api.SuggestGeneralizations(limit=call.arguments.limit, visible=call.visible_ids)))


@_tool("Link entries", Link)
def rekall_link(call: Call[Link]) -> Json:
    """Link two entries."""
    given = call.arguments
    if given.relation_type not in _RELATIONS:
        raise CiteLoomError(
            Code.INVALID_RELATION_TYPE,
            f"Invalid relation type '{given.relation_type[:40]}'.",
            f"Valid: {', '.join(_RELATIONS)}.",
        )
    request = api.LinkNotes(
        source_id=given.source_id,
        target_id=given.target_id,
        relation_type=given.relation_type,
        visible=call.visible_ids,
    )
    return as_json(call.handle(request))


@_tool("Accept a suggestion", SuggestionId)
def rekall_accept_suggestion(call: Call[SuggestionId]) -> Json:
    """Accept a suggestion: create the link, or prepare the generalization."""
    request = api.AcceptSuggestion(suggestion_id=call.arguments.suggestion_id, visible=call.visible_ids)
    return without(as_json(call.handle(request)), "draft")


@_tool("Reject a suggestion", SuggestionId)
def rekall_reject_suggestion(call: Call[SuggestionId]) -> Json:
    """Reject a suggestion; it does not come back."""
    request = api.RejectSuggestion(suggestion_id=call.arguments.suggestion_id, visible=call.visible_ids)
    return as_json(call.handle(request))


def _checked_type(type_: str) -> str:
    if type_ in _TYPES:
        return type_
    raise CiteLoomError(Code.INVALID_ENTRY_TYPE, f"Invalid entry type '{type_[:40]}'.", f"Valid: {', '.join(_TYPES)}.")


DIALECT = Dialect(
    "rekall",
    _TOOLS,
    instructions="A knowledge base of entries. Call rekall_help() once, at the start of the session.",
)
