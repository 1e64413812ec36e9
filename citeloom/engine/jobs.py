"""The job queue: imports one after the other in a thread of their own, resumed after any end of the engine."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import asdict

from citeloom.engine.events import Events, JobFinished, JobProgress
from citeloom.errors import CiteLoomError, Code
from citeloom.ingest.importer import Importer
from citeloom.ingest.request import ImportRequest, Progress
from citeloom.store import Catalog, Job
from citeloom.store.database import now

log = logging.getLogger(__name__)

_TRIES = 3  # a job during which the engine died this often is not tried again


class JobQueue:
    """Imports waiting, the one that runs, and what became of the last ones."""

    def __init__(self, catalog: Catalog, importer: Importer, events: Events, when_idle: Callable[[], None]) -> None:
        self._catalog = catalog
        self._importer = importer
        self._events = events
        self._when_idle = when_idle
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._running: Job | None = None
        self._progress: dict[str, Progress] = {}
        self._finished: dict[str, Job] = {}
        self._owed: set[str] = set()
        self._stop = threading.Event()
        self._stop_running = threading.Event()  # ends the job that runs, in the middle of a document if need be
        self._thread = threading.Thread(target=self._work, name="imports", daemon=True)

    def start(self) -> None:
        """Begin to work, first on what an ended engine left behind."""
        for job in self._catalog.jobs.unfinished():
            tries = int(job.result.get("tries", 0))
            if tries >= _TRIES:
                error = CiteLoomError(
                    Code.INTERNAL_ERROR,
                    f"The engine ended {tries} times during this import.",
                    "Run it again with fewer files to find the one that does it.",
                )
                self._finish(job, "failed", {"error": error.as_dict()})
                continue
            self._waiting.append(job)
        self._thread.start()

    def submit(self, request: ImportRequest, *, owed_first: bool = False) -> Job:
        """Queue an import; the same request again gives the job that is under way.

        With `owed_first`, one that ended since its asker was told "running" is given once more, to tell how it ended.
        """
        wanted = request.to_json()
        with self._changed:
            if owed_first:
                for job_id in self._owed & set(self._finished):
                    if self._finished[job_id].request == wanted:
                        self._owed.discard(job_id)
                        return self._finished[job_id]
            for job in [*([self._running] if self._running else []), *self._waiting]:
                if job.request == wanted:
                    return job
            job = Job(uuid.uuid4().hex[:12], request.project_id, "ingest", wanted)
            self._catalog.jobs.save(job)
            self._waiting.append(job)
            self._changed.notify_all()
        return job

    def owe(self, job_id: str) -> None:
        """Remember that somebody waits to hear how a job ends."""
        with self._changed:
            self._owed.add(job_id)

    def wait(self, job_id: str, seconds: float) -> tuple[Job | None, Progress | None]:
        """The job once it is finished; after some seconds, None and how far it has come."""
        with self._changed:
            self._changed.wait_for(lambda: job_id in self._finished or self._stop.is_set(), seconds)
            return self._finished.get(job_id), self._progress.get(job_id)

    def busy(self, project_id: str | None = None) -> list[dict[str, object]]:
        """What waits and what runs."""
        with self._changed:
            jobs = [*([self._running] if self._running else []), *self._waiting]
        return [
            {
                "job_id": job.id,
                "project": job.project_id,
                "state": job.state,
                "source": job.request.get("source"),
                **(asdict(self._progress[job.id]) if job.id in self._progress else {}),
            }
            for job in jobs
            if project_id in (None, job.project_id)
        ]

    def drop(self, project_id: str) -> None:
        """Take a removed project's jobs out of the queue."""
        with self._changed:
            self._waiting = deque(j for j in self._waiting if j.project_id != project_id)
            if self._running and self._running.project_id == project_id:
                raise CiteLoomError(
                    Code.INVALID_INPUT,
                    f"An import of '{project_id}' is running.",
                    "Wait for it, or stop it with 'citeloom engine stop', then remove the project.",
                )

    def stop(self, seconds: float = 60.0) -> None:
        """End soon; what is left is parked for the next start."""
        self._stop.set()
        self._stop_running.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(seconds)

    def cancel(self, job_id: str) -> bool:
        """End a job for good, and soon; what it has done stays. True if there was such a job."""
        with self._changed:
            if self._running and self._running.id == job_id:
                self._stop_running.set()
                return True
            waiting = next((j for j in self._waiting if j.id == job_id), None)
            if waiting is not None:
                self._waiting.remove(waiting)
        if waiting is not None:
            self._finish(waiting, "cancelled", {})
        return waiting is not None

    def _work(self) -> None:
        while not self._stop.is_set():
            with self._changed:
                self._running = None
                if not self._waiting:
                    idle = True
                else:
                    idle = False
                    self._running = self._waiting.popleft()
                    self._stop_running.clear()
                    if self._stop.is_set():  # it came between the two lines above
                        self._stop_running.set()
            if idle:
                self._quietly(self._when_idle)
                with self._changed:
                    self._changed.wait_for(lambda: self._waiting or self._stop.is_set(), 60)
                continue
            assert self._running is not None
            self._quietly(lambda: self._run(self._running))  # type: ignore[arg-type]
        with self._changed:
            self._running = None

    def _run(self, job: Job) -> None:
        job.state = "running"
        job.result = {"tries": int(job.result.get("tries", 0)) + 1}

        def report(progress: Progress) -> None:
            self._progress[job.id] = progress
            self._events.publish(JobProgress(job.id, job.project_id, **asdict(progress)))

        try:
            self._catalog.jobs.save(job)
            result = self._importer.run(ImportRequest(**job.request), report, self._stop_running)
            parked = result.stopped and self._stop.is_set()
            state = "parked" if parked else "cancelled" if result.stopped else "done"
            outcome = result.to_json()
        except CiteLoomError as error:
            log.warning("import %s failed: %s", job.id, error)
            state, outcome = "failed", {"error": error.as_dict()}
        except Exception as error:
            log.exception("import %s failed", job.id)
            problem = CiteLoomError(Code.INTERNAL_ERROR, f"{type(error).__name__}: {error}.", "See the engine's log.")
            state, outcome = "failed", {"error": problem.as_dict()}
        self._finish(job, state, outcome)

    def _finish(self, job: Job, state: str, result: dict[str, object]) -> None:
        job.state, job.result = state, result
        if state == "parked":
            job.result = {}  # it starts afresh, with all its tries
        else:
            job.finished_at = now()
        try:
            self._catalog.jobs.save(job)
        except CiteLoomError as error:  # a full disk must not hide the outcome from whoever waits for it
            log.error("the outcome of import %s could not be kept: %s", job.id, error)
        with self._changed:
            self._finished[job.id] = job
            self._changed.notify_all()
        self._events.publish(JobFinished(job.id, job.project_id, state, result))

    @staticmethod
    def _quietly(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception:
            log.exception("the job thread goes on after an error")
