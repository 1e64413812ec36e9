"""Passages that an agent made and embedded itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from citeloom.citekeys import make_citekey
from citeloom.clean_text import one_line
from citeloom.errors import CiteLoomError, Code
from citeloom.index.collection import Collection, Point
from citeloom.index.filters import AnyOf, section_keys, section_names
from citeloom.ingest.passages import STORED, document_id, passage_set_id, stored_passage_id
from citeloom.json_values import YEARS, is_whole
from citeloom.store import Catalog, Document, Project, State

MOST_ITEMS = 500
FULL_BATCH = 100
_MOST_LABELS = 50
_MOST_PAGES = 1_000_000  # of a document, and of its passages
_LARGEST = 1e18  # its square still fits into the index's numbers

_TEXTS = ("citekey", "doi", "url", "title", "item_type", "section", "source", "text_source")
_LISTS = ("authors", "tags", "collections", "section_path", "page_labels")
_NUMBERS = ("year", "page_start", "page_end", "chunk_index")
_TEXT_SOURCES = ("native", "ocr", "annotation", "note")


def points(project: Project, items: list[dict[str, Any]]) -> tuple[list[Point], dict[str, dict[str, Any]], list[str]]:
    """The passages to write, their documents, and what the agent should know. All are checked before any is written."""
    if not 1 <= len(items) <= MOST_ITEMS:
        raise _invalid(f"There are {len(items)} items.", f"Send {FULL_BATCH} to {MOST_ITEMS} at a time.")
    warnings = []
    if len(items) < FULL_BATCH:
        warnings.append(f"Fewer than {FULL_BATCH} items: taken as the last batch.")
    made: dict[str, Point] = {}
    documents: dict[str, dict[str, Any]] = {}
    for position, item in enumerate(items):
        _check_vector(project, position, item["embedding"])
        metadata = _metadata(position, item.get("metadata") or {})
        model = (item.get("metadata") or {}).get("embed_model")
        if model is not None and model != project.dense_model:
            raise CiteLoomError(
                Code.EMBEDDING_MISMATCH,
                f"items[{position}] was embedded by {model}, this project uses {project.dense_model}.",
                "Embed with that model. Nothing was written.",
            )
        if not str(item["id"]).strip() or not str(item["text"]).strip():
            raise _invalid(f"items[{position}] has an empty id or text.", "Nothing was written.")
        if one_line(str(item["id"])) != str(item["id"]):  # it could not be named as it is shown
            raise _invalid(f"items[{position}].id has control characters in it.", "Nothing was written.")
        key = str(
            (item.get("metadata") or {}).get("doc_id") or metadata.get("source") or metadata.get("citekey") or "agent"
        )
        if not metadata.get("citekey"):
            # Without a key it could not be cited.
            made_key = make_citekey(metadata.get("authors", ()), metadata.get("year"), metadata.get("title") or key, ())
            metadata |= {"citekey": made_key, "citekey_made": True}
        source = STORED + key
        doc_id = document_id(project.id, source)
        documents.setdefault(doc_id, {**metadata, "source": source})
        point_id = stored_passage_id(project.id, str(item["id"]))
        made[point_id] = Point(
            point_id, item["embedding"], None, _payload(project, item, metadata, doc_id, key, position)
        )
    if len(made) < len(items):
        warnings.append(
            f"{len(items) - len(made)} items had an id that another item of the batch had too: the last one counts."
        )
    return list(made.values()), documents, warnings


def note(catalog: Catalog, collection: Collection, project: Project, documents: dict[str, dict[str, Any]]) -> None:
    """Keep a row for each document that the passages belong to."""
    for doc_id, metadata in documents.items():
        document = catalog.documents.find(project.id, doc_id) or Document(project.id, doc_id, metadata["source"])
        document.state = State.READY
        document.file_type = "stored"
        document.citekey, document.key_made = metadata["citekey"], bool(metadata.get("citekey_made"))
        document.title = metadata.get("title") or document.title or metadata["source"].removeprefix(STORED)
        document.version = _set(project, metadata["source"])
        document.chunks = collection.count(AnyOf("doc_id", (doc_id,)))
        catalog.documents.save(document)


def text(collection: Collection, document: Document) -> str:
    """The passages of a stored document, one after the other."""
    hits = collection.scroll(AnyOf("doc_id", (document.doc_id,)), limit=max(1, document.chunks))
    return "\n\n".join(h.payload["chunk_text"] for h in hits)


def _set(project: Project, source: str) -> str:
    return passage_set_id(project.id, source, "stored", 0)


def _payload(
    project: Project, item: dict[str, Any], metadata: dict[str, Any], doc_id: str, key: str, position: int
) -> dict[str, Any]:
    path = metadata.get("section_path") or []
    return {
        "authors": [],
        "tags": [],
        "collections": [],
        "page_labels": [],
        "text_source": "native",
        "item_type": "document",
        "source": Path(key).name,
        "chunk_index": position,
        **metadata,
        "project_id": project.id,
        "doc_id": doc_id,
        "chunk_id": str(item["id"]),
        "section": metadata.get("section") or (path[-1] if path else None),
        "section_path": path,
        "heading_chain": " > ".join(path),
        "section_keys": section_keys(path),
        "section_names": section_names(path),
        "source_path": STORED + key,
        "file_type": "stored",
        "chunk_text": str(item["text"]),
        "embed_model": project.dense_model,
        "sparse_model": project.sparse_model or None,
        "version": _set(project, STORED + key),
        "content_hash": None,
    }


def _metadata(position: int, given: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    span = given.get("page_span")
    if span is not None:
        if not isinstance(span, list) or len(span) != 2:
            raise _invalid(f"items[{position}].metadata.page_span is not two pages.", "Write it as [33, 34].")
        given = {**given, "page_start": span[0], "page_end": span[1]}
    for key in (*_TEXTS, *_LISTS, *_NUMBERS):
        value = given.get(key)
        if value is None:
            continue
        bounds = YEARS if key == "year" else (0, _MOST_PAGES)
        if key in _NUMBERS and not is_whole(value, *bounds):
            raise _invalid(
                f"items[{position}].metadata.{key} is {value!r}.",
                f"It must be a whole number from {bounds[0]} to {bounds[1]}. Nothing was written.",
            )
        if key in _LISTS:
            known[key] = [str(v) for v in (value if isinstance(value, list) else [value])]
        else:
            known[key] = value if key in _NUMBERS else str(value)
    first, last = known.get("page_start", known.get("page_end")), known.get("page_end", known.get("page_start"))
    if first is not None:
        if first < 1 or last < first:
            raise _invalid(f"items[{position}].metadata says pages {first} to {last}.", "Nothing was written.")
        known["page_start"], known["page_end"] = first, last
        known.setdefault("page_labels", [str(page) for page in range(first, min(last, first + _MOST_LABELS) + 1)])
    if known.get("text_source", "native") not in _TEXT_SOURCES:
        raise _invalid(f"items[{position}].metadata.text_source is unknown.", f"It can be: {', '.join(_TEXT_SOURCES)}.")
    return known


def _check_vector(project: Project, position: int, vector: Any) -> None:
    if len(vector) != project.dense_size:
        raise CiteLoomError(
            Code.EMBEDDING_MISMATCH,
            f"items[{position}].embedding has {len(vector)} numbers, {project.dense_model} gives {project.dense_size}.",
            "Embed with the project's model. Nothing was written.",
            expected=project.dense_size,
            got=len(vector),
        )
    if not any(vector) or not all(abs(x) <= _LARGEST for x in vector):
        raise _invalid(f"items[{position}].embedding is all zero or holds no finite number.", "Nothing was written.")


def _invalid(problem: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, problem, next_step)
