"""Which model a project's passages are embedded by: the choice, having another one, and fetching it."""

from __future__ import annotations

import threading
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.importing.requests import ImportRequest
from citeloom.index.models import available
from citeloom.index.models.loading import check_known, check_name

if TYPE_CHECKING:
    from citeloom.engine.container import Service

_PATIENCE = 20.0  # seconds after which a download ends that nobody asks for any more


def models(service: Service) -> dict[str, Any]:
    """Every model that can be chosen, which ones suit the library, and which one each project has."""
    found, library = available.choices(), service.catalog.documents.languages()
    suit = available.recommended(found, library)
    return {
        "models": [{**asdict(choice), "recommended": choice.name in suit} for choice in found],
        "rerankers": [asdict(choice) for choice in available.rerankers()],
        "languages": {code: count for code, count in library.items() if code},
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
    if not download and not available.is_downloaded(name):
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' is not on this machine.",
            "Allow it to be downloaded, or choose one that is here.",
        )
    request = ImportRequest(project.id, force_rebuild=True, model=name, download=download)
    return {"job_id": service.jobs.submit(request).id}


def download(args: dict[str, Any]) -> dict[str, Any]:
    """Fetch a model, and say how far that is; to be asked again and again until it is `here`.

    A download that nobody asks after any more ends; what it has is kept for the next one.
    """
    name = str(args["model"])
    check_known(name)
    with _LOCK:
        under_way = _UNDER_WAY.get(name)
        if under_way is None:
            if available.is_downloaded(name):
                return {"here": True, "done": 0, "total": 0}
            under_way = _UNDER_WAY[name] = _Download(name)
    return under_way.asked()


class _Download:
    """A download that is under way."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._asked_at = time.monotonic()
        self._far = (0, 0)
        self._error: CiteLoomError | None = None
        self._thread = threading.Thread(target=self._fetch, name="download", daemon=True)
        self._thread.start()

    def asked(self) -> dict[str, Any]:
        self._asked_at = time.monotonic()
        ended = not self._thread.is_alive()
        if ended:
            with _LOCK:
                _UNDER_WAY.pop(self._name, None)
        if self._error:
            raise self._error
        here = ended and available.is_downloaded(self._name)  # else it ended because nobody had asked for long
        return {"here": here, "done": self._far[0], "total": self._far[1]}

    def _fetch(self) -> None:
        try:
            available.fetch(self._name, self._tell, self._forgotten)
        except CiteLoomError as error:
            self._error = error
        except Exception as error:
            self._error = CiteLoomError(
                Code.INTERNAL_ERROR, f"{type(error).__name__}: {error}.", "The engine's log says more."
            )

    def _tell(self, done: int, total: int) -> None:
        self._far = (min(done, total), total)

    def _forgotten(self) -> bool:
        return time.monotonic() - self._asked_at > _PATIENCE


_LOCK = threading.Lock()
_UNDER_WAY: dict[str, _Download] = {}  # by name: two who want the same model wait for one download
