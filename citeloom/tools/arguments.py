"""Arguments of each tool: one model provides both the schema that agents read and the validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.json_values import refuse_large_integers


class Arguments(BaseModel):
    """Arguments of a tool; an unknown one is refused rather than ignored."""

    model_config = ConfigDict(extra="forbid")


class NoArguments(Arguments):
    """Nothing."""


class InProject(Arguments):
    """A tool that works in one project."""

    project: str


class Inspect(InProject):
    """inspect_collection."""

    sample: Annotated[int, Field(description="sample payloads, 0-5")] = 0


class Query(InProject):
    """query and query_hybrid."""

    text: Annotated[str, Field(description="question or phrase")]
    top_k: Annotated[int | None, Field(description="1-20, default 6")] = None
    filters: Annotated[
        dict[str, Any] | None,
        Field(
            description="AND of: citekey, claimed_citekey, doc_id, author, title, year, tags (all), collections,"
            " item_type, section_prefix, exclude_sections, text_source, page, file_type, source. Value, list, or"
            ' {"$gte|$lte|$gt|$lt|$ne|$in|$contains": v}'
        ),
    ] = None
    max_tokens: Annotated[int | None, Field(description="budget for all passages")] = None
    full_text: bool = False
    per_document: Annotated[int | None, Field(description="at most so many hits of one work")] = None


class GetPassage(InProject):
    """get_passage."""

    chunk_id: str
    context: Annotated[int, Field(description="neighbours on each side, 0-10")] = 1


class ListDocuments(InProject):
    """list_documents."""

    status: Annotated[str | None, Field(description="ready, pending, failed, duplicate or without_file")] = None
    limit: Annotated[int, Field(description="1-1000")] = 20
    offset: int = 0


class GetDocument(InProject):
    """get_document."""

    doc_id: str | None = None
    citekey: str | None = None
    pages: Annotated[str | int | None, Field(description='PDF pages: "3" or "3-5"')] = None


class VerifyQuote(InProject):
    """verify_quote."""

    quote: Annotated[str, Field(description="as the manuscript has it")]
    citekey: Annotated[str | None, Field(description="the work it is said to be from")] = None
    page: Annotated[str | int | None, Field(description="the page claimed, as printed")] = None


class FormatCitations(InProject):
    """format_citations."""

    citekeys: Annotated[list[str], Field(description='citekeys, or as in Pandoc: "[see @key, p. 33; @other]"')]
    style: Annotated[str, Field(description="CSL style by id or title")] = "apa"
    format: Annotated[str, Field(description="bibliography, citation, bibtex or csl-json")] = "bibliography"


class CheckCitations(InProject):
    """check_citations."""

    text: Annotated[str, Field(description="Markdown, LaTeX, Typst, Org or AsciiDoc; up to 50,000 characters")]


class Help(Arguments):
    """help."""

    topic: Annotated[str | None, Field(description="search, filters, cite or ingest")] = None


class IngestOptions(Arguments):
    """The options of ingest_from_source."""

    ocr_languages: list[str] | None = None
    references_path: Annotated[str | None, Field(description="CSL-JSON or .bib")] = None
    force_rebuild: bool = False
    recursive: bool = True
    metadata: Annotated[
        dict[str, Any] | None, Field(description="of one file, a claim: citekey, title, authors, year …")
    ] = None


class Ingest(InProject):
    """ingest_from_source."""

    source: Annotated[
        str, Field(description="file or folder it may read, zotero, zotero:collection/…, zotero:tag/…, or https://…")
    ]
    options: IngestOptions | None = None


class ChunkItem(Arguments):
    """One passage of store_chunks."""

    id: str
    text: str
    embedding: list[float]
    metadata: Annotated[
        dict[str, Any] | None,
        Field(
            description="doc_id, citekey, title, authors, year, doi, section_path, page_span, page_labels, tags,"
            " embed_model …"
        ),
    ] = None


class StoreChunks(InProject):
    """store_chunks."""

    items: list[ChunkItem]


class DeleteDocument(InProject):
    """delete_document."""

    doc_id: str


@dataclass(frozen=True, slots=True)
class ArgumentNames:
    """The names of arguments in a call by an older name, for its errors."""

    known: tuple[str, ...]
    called: Mapping[str, str]  # by their current names, such as options.recursive


def validate(model: type[Arguments], given: dict[str, Any], names: ArgumentNames | None = None) -> Any:
    """Validate arguments; raise INVALID_INPUT that says which one is wrong and why."""
    refuse_large_integers(given)
    try:
        return model.model_validate(given)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)[:3]
        places = [[str(p) for p in one["loc"] if not str(p).startswith("function-")] for one in errors]
        called = names.called if names else {}
        problems = [
            f"{called.get(place := '.'.join(path), place) or 'arguments'}: {one['msg'].lower()}"
            for path, one in zip(places, errors, strict=True)
        ]
        inside, holder = _model_of(model, places[0])
        if names or not inside or errors[0]["type"] not in ("extra_forbidden", "missing"):
            valid = list(names.known if names else model.model_fields)
            listed = f"Arguments are: {', '.join(valid) or 'none'}."
        else:
            valid = list(holder.model_fields)
            listed = f"{inside} can have: {', '.join(valid)}."
        raise CiteLoomError(
            Code.INVALID_INPUT, f"Bad arguments: {'; '.join(problems)}.", listed, valid=valid
        ) from error


def _model_of(model: type[BaseModel], path: Sequence[str]) -> tuple[str, type[BaseModel]]:
    """Return the model that has the last part of a path as a field, and where it is; "" for `model` itself."""
    inside: list[str] = []
    for part in path[:-1]:
        field = model.model_fields.get(part)
        if inner := _model_in(field.annotation) if field else None:
            model = inner
            inside.append(part)
    return ".".join(inside), model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def schema(model: type[Arguments]) -> dict[str, Any]:
    """Return the model's JSON schema without parts that only cost tokens."""
    full = model.model_json_schema()
    definitions = full.pop("$defs", {})
    lean: dict[str, Any] = _lean(full, definitions)
    return lean


def _lean(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_lean(n, definitions) for n in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _lean(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            made[key] = {name: _lean(v, definitions) for name, v in value.items()}
        elif key == "anyOf":
            choices = [_lean(v, definitions) for v in value if v != {"type": "null"}]
            if len(choices) == 1:
                made.update(choices[0])
            else:
                made["type"] = [c["type"] for c in choices]
        elif key == "title" or (key == "default" and value is None):
            continue
        elif key == "description" and node.get("type") == "object" and "properties" in node:
            continue  # the models' docstrings are not meant for agents
        elif key == "additionalProperties" and (value is True or "properties" in node):
            continue
        else:
            made[key] = _lean(value, definitions)
    return made
