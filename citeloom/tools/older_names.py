"""Maps deprecated tool names to current tools. They work, but are not listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ARGUMENTS = {
    "query": "text",
    "n_results": "top_k",
    "filter": "filters",
    "library": "project",
    "project_id": "project",
}
_FILTERS = {"source_file": "source", "file_format": "file_type", "page_number": "page"}
_PATHS = ("file_path", "dir_path", "path", "url")
_OPTIONS = ("recursive", "metadata", "force_rebuild", "references_path", "ocr_languages")

_TOOLS = {
    "find_chunks": "query",
    "search": "query_hybrid",
    "search_with_filters": "query_hybrid",
    "search_with_budget": "query_hybrid",
    "index_file": "ingest_from_source",
    "index_directory": "ingest_from_source",
    "ingest_file": "ingest_from_source",
    "ingest_url": "ingest_from_source",
    "list_libraries": "list_projects",
}


def resolve(name: str, arguments: dict[str, Any], only_project: Callable[[], str]) -> tuple[str, dict[str, Any]]:
    """Return the current name of a tool, and its arguments under their current names."""
    if name not in _TOOLS:
        # Current tools accept the deprecated name of the query argument too.
        if name in ("query", "query_hybrid") and "query" in arguments and "text" not in arguments:
            arguments = {"text" if key == "query" else key: value for key, value in arguments.items()}
        return name, arguments
    tool = _TOOLS[name]
    if tool == "list_projects":
        return tool, {}
    made = {_ARGUMENTS.get(key, key): value for key, value in arguments.items() if value is not None}
    if isinstance(made.get("filters"), dict):
        made["filters"] = {_FILTERS.get(key, key): value for key, value in made["filters"].items()}
    if name == "search_with_budget":
        made.setdefault("max_tokens", 3000)
    if tool == "ingest_from_source":
        options = {key: made.pop(key) for key in _OPTIONS if key in made}
        for key in _PATHS:
            if key in made:
                made["source"] = made.pop(key)
        if options:
            made["options"] = options
    if "project" not in made:
        made["project"] = only_project()
    return tool, made
