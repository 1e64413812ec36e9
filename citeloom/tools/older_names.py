"""Maps deprecated tool names to current tools. They work, but are not listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.tools.arguments import ArgumentNames

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

# By older name: the current tool, and the arguments of then.
_TOOLS = {
    "find_chunks": ("query", ("project", "query", "top_k", "filters")),
    "search": ("query_hybrid", ("query", "n_results", "library", "filter")),
    "search_with_filters": ("query_hybrid", ("query", "filters", "n_results", "library")),
    "search_with_budget": ("query_hybrid", ("query", "max_tokens", "library")),
    "index_file": ("ingest_from_source", ("file_path", "library", *_OPTIONS)),
    "index_directory": ("ingest_from_source", ("dir_path", "library", *_OPTIONS)),
    "ingest_file": ("ingest_from_source", ("path", "library", *_OPTIONS)),
    "ingest_url": ("ingest_from_source", ("url", "library", *_OPTIONS)),
    "list_libraries": ("list_projects", ()),
}


def argument_names(name: str, arguments: dict[str, Any]) -> ArgumentNames | None:
    """Return what a call by an older name calls its arguments, for its errors; None for a current name."""
    if name not in _TOOLS:
        return None
    _, known = _TOOLS[name]
    used = [key for key, value in arguments.items() if value is not None]
    return ArgumentNames(known, {_current(key): key for key in (*known, *used)})


def in_older_words(error: CiteLoomError, names: ArgumentNames) -> CiteLoomError:
    """Return an error whose message, if it begins with an argument, calls it as the call did."""
    first, space, rest = error.message.partition(" ")
    if error.code == Code.INVALID_INPUT:
        error.message = f"{names.called.get(first, first)}{space}{rest}"
    return error


def _current(key: str) -> str:
    if key in _OPTIONS:
        return f"options.{key}"
    return "source" if key in _PATHS else _ARGUMENTS.get(key, key)


def resolve(name: str, arguments: dict[str, Any], only_project: Callable[[], str]) -> tuple[str, dict[str, Any]]:
    """Return the current name of a tool, and its arguments under their current names."""
    if name not in _TOOLS:
        # Current tools accept the deprecated name of the query argument too.
        if name in ("query", "query_hybrid") and "query" in arguments and "text" not in arguments:
            arguments = {"text" if key == "query" else key: value for key, value in arguments.items()}
        return name, arguments
    tool, _ = _TOOLS[name]
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
