"""Which model a project's passages are embedded by: the choice, and having another one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from citeloom.errors import CiteLoomError, Code
from citeloom.index import model_choice
from citeloom.index.models import check_name
from citeloom.ingest.request import ImportRequest

if TYPE_CHECKING:
    from citeloom.engine.service import Service


def models(service: Service) -> dict[str, Any]:
    """Every dense model that can be chosen, and which one each project has."""
    return {
        "models": [asdict(choice) for choice in model_choice.choices()],
        "projects": [
            {"id": project.id, "dense_model": project.dense_model, "sparse_model": project.sparse_model or None}
            for project in service.catalog.projects.all()
        ],
    }


def choose(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """Give a project another dense model: its index is built anew beside the old one, which answers until then."""
    project, name = service.catalog.projects.get(args["id"]), str(args["model"])
    check_name(name)
    if name == project.dense_model:  # it keeps it from now on, whatever the settings say
        service.catalog.projects.keep_model(project.id)
        return {"job_id": None}
    download = bool(args.get("download"))
    if not download and not model_choice.is_here(name):
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' is not on this machine.",
            "Allow it to be downloaded, or choose one that is here.",
        )
    request = ImportRequest(project.id, force_rebuild=True, model=name, download=download)
    return {"job_id": service.jobs.submit(request).id}
