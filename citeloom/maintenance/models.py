"""Request handlers for models: list, choose, download and test them."""

from __future__ import annotations

import threading
import time
from dataclasses import asdict, dataclass, field, replace

from citeloom.api.models import (
    DownloadModel,
    DownloadProgress,
    ListModels,
    ModelInfo,
    ModelList,
    ModelTrial,
    ProjectModels,
    RerankerInfo,
    TryModel,
    UseModel,
)
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.core.errors import CiteLoomError, Code, unexpected
from citeloom.core.jobs import JobQueue
from citeloom.importing.requests import ImportRequest
from citeloom.index.models import available
from citeloom.index.models.loading import check_known
from citeloom.maintenance.model_trial import try_dense, try_reranker

_ABANDONED_AFTER = 20.0  # seconds without a request after which a download ends


@dataclass
class ModelService:
    """Lists, downloads and tests models, and changes the model of a project."""

    _catalog: Catalog
    _jobs: JobQueue
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _downloads: dict[str, _Download] = field(default_factory=dict)  # by name: several clients share one download

    @handles(ListModels)
    def list_models(self, request: ListModels) -> ModelList:
        """Return all available models, which ones suit the library, and which one each project uses."""
        found, library = available.choices(), self._catalog.documents.languages()
        recommended = available.recommended(found, library)
        return ModelList(
            models=[
                ModelInfo(
                    **{**asdict(choice), "languages": list(choice.languages)}, recommended=choice.name in recommended
                )
                for choice in found
            ],
            rerankers=[RerankerInfo(**asdict(choice)) for choice in available.rerankers()],
            languages={code: count for code, count in library.items() if code},
            projects=[
                ProjectModels(project.id, project.dense_model, project.sparse_model or None)
                for project in self._catalog.projects.all()
            ],
        )

    @handles(UseModel)
    def use(self, request: UseModel) -> str | None:
        """Change the dense model of a project: a new index is built while the old one stays in use."""
        project, name = self._catalog.projects.get(request.project), request.model
        check_known(name)
        if name == project.dense_model:  # from now on independent of the settings
            self._catalog.projects.mark_model_chosen(project.id)
            return None
        if not request.download and not available.is_downloaded(name):
            raise _not_downloaded(name, "Allow the download, or choose an installed model.")
        job = self._jobs.submit(ImportRequest(project.id, force_rebuild=True, model=name, download=request.download))
        return job.id

    @handles(DownloadModel)
    def download(self, request: DownloadModel) -> DownloadProgress:
        """Start the download of a model, or return its progress.

        A download ends when no client asks for its progress any more; the next one continues it.
        """
        name = request.model
        check_known(name, rerankers=True)
        with self._lock:
            download = self._downloads.get(name)
            if download is None:
                if available.is_downloaded(name):
                    return DownloadProgress(complete=True, done=0, total=0)
                download = self._downloads[name] = _Download(name)
            if ended := not download.is_alive():
                del self._downloads[name]
        return download.progress(ended=ended)

    @handles(TryModel)
    def try_model(self, request: TryModel) -> ModelTrial:
        """Load a model, or the one of a project, and test it."""
        project = next((p for p in self._catalog.projects.all() if p.id == request.model), None)
        name = project.dense_model if project else request.model
        if project is None:
            check_known(name, rerankers=True)
        if not available.is_downloaded(name):
            raise _not_downloaded(name, f"Download it first: citeloom models download {name}")
        if name in {choice.name for choice in available.rerankers()}:
            return try_reranker(name)
        library = self._catalog.documents.languages(project.id if project else None)
        tried = try_dense(name, available.main_languages(library))
        if project and tried.dense and tried.dense.fingerprint != project.dense_fingerprint:
            problem = f"Project '{project.id}' was built with other weights: rebuild its index."
            return replace(tried, problems=[*tried.problems, problem])
        return tried


def _not_downloaded(name: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.MODEL_NOT_AVAILABLE, f"The model '{name}' is not on this machine.", next_step)


class _Download(threading.Thread):
    """A running download of a model."""

    def __init__(self, model: str) -> None:
        super().__init__(name="download", daemon=True)
        self._model = model
        self._requested_at = time.monotonic()
        self._done_and_total = (0, 0)
        self._error: CiteLoomError | None = None
        self.start()

    def progress(self, *, ended: bool) -> DownloadProgress:
        self._requested_at = time.monotonic()
        if ended and self._error:
            raise self._error
        downloaded = ended and available.is_downloaded(self._model)  # otherwise it was abandoned
        return DownloadProgress(downloaded, *self._done_and_total)

    def run(self) -> None:
        try:
            available.fetch(self._model, self._report, lambda: time.monotonic() - self._requested_at > _ABANDONED_AFTER)
        except Exception as error:
            self._error = unexpected(error)

    def _report(self, done: int, total: int) -> None:
        self._done_and_total = (min(done, total), total)
