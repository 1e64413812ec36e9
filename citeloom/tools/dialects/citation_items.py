"""What the dialects `chunk-retrieval` and `fastmcp` share: searches that rank by RRF, lean hits, errors of projects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from citeloom.api.search import Query, QueryResult, SearchHit
from citeloom.core.errors import CiteLoomError, Code
from citeloom.tools.arguments import Arguments
from citeloom.tools.tool import Call, Json

RRF = "rrf"
_OF_THE_PROJECT = ("project", "project_id")
_ITEM = ("render_text", "score", "citekey", "section", "page_span", "section_path", "doi")


ProjectName = Annotated[str, Field(description="project, such as citeloom/clean-arch")]


class Inspect(Arguments):
    """inspect_collection."""

    project: ProjectName
    sample: Annotated[int, Field(description="number of sample payloads, up to 5")] = 0


def search(call: Call[Any], text: str, *, hybrid: bool) -> QueryResult:
    """Search the project of a call; what its filters say of the project is ignored, since the project is given."""
    given = call.arguments
    filters: Mapping[str, Any] = given.filters or {}
    request = Query(
        project=call.project(given.project),
        text=text,
        hybrid=hybrid,
        top_k=given.top_k,
        filters={key: value for key, value in filters.items() if key not in _OF_THE_PROJECT} or None,
        fusion=RRF,
    )
    return call.handle(request)


def items(result: QueryResult, *, full_text: bool) -> list[Json]:
    """Return hits with the fields of the documents; the address only where there is one."""
    return [_item(hit, full_text=full_text) for hit in result.items]


def _item(hit: SearchHit, *, full_text: bool) -> Json:
    item: Json = {name: getattr(hit, name) for name in _ITEM}
    item["page_span"] = None if hit.page_span is None else list(hit.page_span)
    item["section_path"] = list(hit.section_path)
    if hit.url:
        item["url"] = hit.url
    return {**item, "full_text": hit.full_text} if full_text else item


def failure(error: CiteLoomError, *, listed: bool) -> Json:
    """Return an error; one of a project names it and the projects there are, as a list or separated by commas."""
    failed = error.as_dict()
    if error.code == Code.INVALID_PROJECT and "available_projects" in error.details:
        projects = [str(project) for project in error.details["available_projects"]]
        known = str(projects) if listed else ", ".join(projects)
        # A session that is limited to some projects is not told the names of others, not even those that it asks for.
        named = f"'{asked}' " if (asked := error.details.get("project_id")) else ""
        failed["message"] = f"Project {named}not found. Available projects: {known}"
        failed["details"] = {"project_id": asked, "available_projects": projects}
    return {"error": failed}
