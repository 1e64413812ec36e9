"""Output schema of each tool, derived from the type of its result; short, because agents pay for it in tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from citeloom.api.evidence import CheckReport, Finding, ResolvedKey, SearchedText, VerifyResult
from citeloom.api.importing import ImportResult
from citeloom.api.library import (
    CollectionDetails,
    DeletedDocument,
    DocumentPage,
    DocumentSummary,
    DocumentText,
    ProjectSummary,
    StoredChunks,
)
from citeloom.api.search import PassageResult, QueryResult, SearchHit
from citeloom.core.jobs import Progress

Schema = dict[str, Any]

_OPEN: Schema = {"type": "object"}
_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class ProjectList:
    """Result of list_projects."""

    projects: Sequence[ProjectSummary]
    count: int


@dataclass(frozen=True, slots=True)
class FormattedCitations:
    """Result of format_citations."""

    format: str
    style: str | None
    text: str
    entries: Sequence[str]
    renamed: Sequence[ResolvedKey]
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class HelpText:
    """Result of help."""

    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The part of the result of ingest_from_source that every answer has; counts or progress come with it."""

    project: str
    job_id: str
    status: str


def schema_of(kind: Any) -> Schema:
    """Return the JSON schema of a type; in an object, all fields are required."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        (inner,) = (argument for argument in arguments if argument is not NoneType)
        schema = schema_of(inner)
        return {**schema, "type": [schema["type"], "null"]}
    if kind in _SCALARS:
        return {"type": _SCALARS[kind]}
    if origin is Literal or (isinstance(kind, type) and issubclass(kind, StrEnum)):
        return {"type": "string"}
    if origin in (list, tuple, Sequence):
        return _array(schema_of(arguments[0]))
    return object_schema(kind) if is_dataclass(kind) else _OPEN


def object_schema(kind: Any, *without: str, **properties: Schema) -> Schema:
    """Return the schema of a result type without some of its fields, and with these properties added or replaced."""
    hints = get_type_hints(kind)
    names = [name for name in hints if name not in without]
    found = {name: properties.get(name) or schema_of(hints[name]) for name in names} | properties
    return {"type": "object", "properties": found, "required": list(found)}


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def answer_schema(kind: Any, *without: str, **properties: Schema) -> Schema:
    """Return the schema of a tool's answer: the fields of its result, and the correlation id."""
    return object_schema(kind, *without, **properties, correlation_id=schema_of(str))


PROJECTS = answer_schema(ProjectList, projects=_array(object_schema(ProjectSummary, "problem")))
INSPECTION = answer_schema(CollectionDetails, "problem", storage=_OPEN, jobs=_array(_OPEN))
QUERY_TIMES = ("embedding_seconds", "search_seconds")  # for dialects, not in answers of CiteLoom's own tools
_HIT = object_schema(SearchHit, "details", "by_words_only")
_HIT["properties"] |= {"by_words_only": schema_of(bool)}  # only where true
QUERY = answer_schema(QueryResult, *QUERY_TIMES, items=_array(_HIT))
PASSAGE = answer_schema(PassageResult, "project", links=_array(_OPEN))
DOCUMENTS = answer_schema(DocumentPage, documents=_array(object_schema(DocumentSummary, "warnings")))
DOCUMENT = answer_schema(DocumentText, "warnings", "metadata")
QUOTE = answer_schema(VerifyResult)
CITATIONS = answer_schema(FormattedCitations, renamed=_array(_OPEN))
CHECK = answer_schema(
    CheckReport,
    "edits",
    "fixable",
    "encoding",
    "file",
    "sha256",
    findings=_array(object_schema(Finding, "edit", "end_line", "end_column")),
    texts=_array(object_schema(SearchedText, "description")),
    truncated=schema_of(bool),
    truncated_count=schema_of(int),
)
HELP = answer_schema(HelpText)
INGESTION = answer_schema(Ingestion)
INGESTION["properties"] |= object_schema(ImportResult, "stages", "stopped")["properties"]
INGESTION["properties"] |= object_schema(Progress)["properties"]
STORED = answer_schema(StoredChunks)
DELETED = answer_schema(DeletedDocument)
