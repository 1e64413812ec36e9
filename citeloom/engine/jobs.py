"""The job queue: imports and other work, one after the other in one thread, resumed after any end of the engine."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial

from citeloom.catalog import Catalog
from citeloom.catalog.database import now
from citeloom.core.errors import CiteLoomError, Code, unexpected
from citeloom.core.jobs import Job, JobRequest, Progress, RunningJob, StartJob
from citeloom.engine.events import Events, JobFinished, JobProgress, JobQueued, Paused
from citeloom.engine.running_job import Begun

log = logging.getLogger(__name__)

_LITTLE = 100  # pages: whole documents so short need not wait for those of another import
_PATIENCE = 30.0  # seconds for an import to end that nobody waits for
_TRIES = 3  # a job during which the engine died this often is not tried again
_IDLE = 60.0  # seconds between two looks at whether there is something to do where nothing is


class JobQueue:
    """Jobs waiting, those under way, and what became of the last ones.

    All work is done by one thread. What makes documents searchable comes first: while an import reads whole documents,
    which may take hours, the first pass of another is done in between.
    """

    def __init__(
        self, catalog: Catalog, kinds: Mapping[str, StartJob], events: Events, when_idle: Callable[[], None]
    ) -> None:
        self._catalog = catalog
        self._kinds = kinds
        self._events = events
        self._when_idle = when_idle
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._begun: dict[str, Begun] = {}  # by job id
        self._at_work: list[Begun] = []  # whose second pass has begun: the last one goes on, the others give way
        self._progress: dict[str, Progress] = {}
        self._finished: dict[str, Job] = {}
        self._owed: set[str] = set()
        self._paused = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="imports", daemon=True)

    def start(self) -> None:
        """StartJob to work, first on what an ended engine left behind."""
        for job in self._catalog.jobs.unfinished():
            tries = int(job.result.get("tries", 0))
            if tries >= _TRIES:
                importing = "Run an import again with fewer files to find the one that does it."
                error = CiteLoomError(
                    Code.INTERNAL_ERROR,
                    f"The engine ended {tries} times during this.",
                    importing if job.kind == "ingest" else "Look into the engine's log; then try it again.",
                )
                self._finish(job, "failed", {"error": error.as_dict()})
                continue
            self._waiting.append(job)
        self._thread.start()

    def submit(self, request: JobRequest, *, owed_first: bool = False) -> Job:
        """Queue a job; the same request again gives the job that is under way, which looks for what is new.

        With `owed_first` it is only asked after: one that ended since its asker was told "running" is given once more,
        to tell how it ended.
        """
        job = Job(uuid.uuid4().hex[:12], request.project_id, request.kind, request.to_json())
        with self._changed:
            if owed_first:
                for job_id in self._owed & set(self._finished):
                    if _same(self._finished[job_id], job):
                        self._owed.discard(job_id)
                        return self._finished[job_id]
            for begun in self._begun.values():
                enough = job.request.get("watched") and begun.searchable
                if _same(begun.job, job) and not begun.cancelled and not enough:
                    begun.look_again |= not owed_first
                    if not owed_first:
                        begun.try_now()
                        self._changed.notify_all()
                    return begun.job
            for waiting in self._waiting:
                if _same(waiting, job):
                    return waiting
            if job.project_id:
                self._catalog.jobs.save(job)
            self._waiting.append(job)
            self._changed.notify_all()
        self._events.publish(JobQueued(job.id, job.project_id, job.kind))
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

    def busy(self, project_id: str | None = None) -> list[RunningJob]:
        """What waits and what runs."""
        with self._changed:
            jobs = [*(begun.job for begun in self._begun.values()), *self._waiting]
        return [
            RunningJob(
                job_id=job.id,
                project=job.project_id,
                kind=job.kind,
                state=self.state(job),
                source=job.request.get("source"),
                **(asdict(self._progress[job.id]) if job.id in self._progress else {}),
            )
            for job in jobs
            if project_id in (None, job.project_id)
        ]

    def state(self, job: Job) -> str:
        """A job's state; one that waits because imports are paused says so."""
        waits = job.state in ("queued", "parked") and _heeds_a_pause(job)
        return "paused" if self._paused and waits else job.state

    @property
    def paused(self) -> bool:
        """Whether imports are paused."""
        return self._paused

    def pause(self) -> None:
        """StartJob nothing more; what runs stops soon and waits once more."""
        self._set_paused(True)

    def resume(self) -> None:
        """Go on."""
        self._set_paused(False)

    def _set_paused(self, paused: bool) -> None:
        with self._changed:
            if paused == self._paused:
                return
            self._paused = paused
            if paused:
                for begun in self._begun.values():
                    if _heeds_a_pause(begun.job):
                        begun.stop.set()
            self._changed.notify_all()
        self._events.publish(Paused(paused))

    def try_now(self) -> None:
        """Something may be back that jobs wait for: they need not wait any longer."""
        with self._changed:
            for begun in self._begun.values():
                begun.try_now()
            self._changed.notify_all()

    def drop(self, project_id: str) -> None:
        """Take a project's jobs out of the queue, to remove it; refuses while one runs that somebody asked for."""
        dropped: list[Job] = []
        try:
            with self._changed:
                own = [begun for begun in self._begun.values() if _concerns(begun.job, project_id)]
                if all(begun.job.request.get("watched") for begun in own):  # nobody asked for them
                    dropped += self._take_waiting(project_id)
                    for begun in own:
                        begun.cancelled = True
                        begun.stop.set()
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: not any(begun.job.id in self._begun for begun in own), _PATIENCE)
                    dropped += self._take_waiting(project_id)
                running = [begun.job.kind for begun in self._begun.values() if _concerns(begun.job, project_id)]
                if running:
                    what = {"move": "A move", "compact": "A compaction", "backup": "A backup"}
                    raise CiteLoomError(
                        Code.INVALID_INPUT,
                        f"{what.get(running[0], 'An import')} of '{project_id}' is running.",
                        "Wait until it is done, or cancel it; then remove the project.",
                    )
        finally:
            for job in dropped:
                self._cancelled_while_waiting(job)

    def _take_waiting(self, project_id: str) -> list[Job]:
        taken = [job for job in self._waiting if job.project_id == project_id]
        self._waiting = deque(job for job in self._waiting if job.project_id != project_id)
        return taken

    def _cancelled_while_waiting(self, job: Job) -> None:
        """End a job that waits; one that was paused or parked may have left something behind."""
        result: dict[str, object] = {}
        if job.kind == "move":  # its passages must not stay on a server
            try:
                move = self._kinds[job.kind](job.request, lambda progress: None, threading.Event())
                move.give_up()
                result = move.result.to_json()
            except CiteLoomError as error:
                log.warning("what the job %s left could not be deleted: %s", job.id, error)
        self._finish(job, "cancelled", result)

    def stop(self, seconds: float = 60.0) -> None:
        """End soon; what is left is parked for the next start."""
        with self._changed:
            self._stop.set()
            for begun in self._begun.values():
                begun.stop.set()
            self._changed.notify_all()
        self._thread.join(seconds)

    def cancel(self, job_id: str) -> bool:
        """End a job for good, and soon; what it has done stays. True if there was such a job."""
        with self._changed:
            if begun := self._begun.get(job_id):
                begun.cancelled = True
                begun.stop.set()
                self._changed.notify_all()
                return True
            waiting = next((j for j in self._waiting if j.id == job_id), None)
            if waiting is not None:
                self._waiting.remove(waiting)
        if waiting is not None:
            self._cancelled_while_waiting(waiting)
        return waiting is not None

    def _work(self) -> None:
        while not self._stop.is_set():
            self._quietly(self._serve)
            ready = [begun for begun in self._begun.values() if begun.is_due and (begun.searchable or not begun.waits)]
            if ready:
                self._quietly(partial(self._go_on, min(ready, key=lambda begun: begun.left)))
                continue
            if not self._begun:
                self._quietly(self._when_idle)
            with self._changed:
                seconds = min((begun.seconds_to_wait for begun in self._begun.values()), default=_IDLE)
                self._changed.wait_for(self._anything_to_do, max(0.0, seconds))
        for begun in list(self._begun.values()):
            self._quietly(partial(self._go_on, begun))

    def _serve(self) -> None:
        """Do at once what somebody waits for: first passes, a second look, and the end of what has little left."""
        while not self._stop.is_set() and (job := self._next()) is not None:
            self._begin(self._begun[job.id])
        for begun in list(self._begun.values()):
            if begun.waits and begun.is_due and not begun.searchable and not begun.stop.is_set():
                self._begin(begun)
        for begun in list(self._begun.values()):
            if begun.look_again and begun.searchable and begun.run and not begun.waits and not begun.stop.is_set():
                begun.look_again = False
                self._quietly(begun.run.look_again)
        for begun in list(self._begun.values()):
            ended = begun.job.id not in self._begun  # meanwhile, by what another one gave way to
            if ended or begun in self._at_work:
                continue
            if begun.stop.is_set() or (begun.searchable and begun.is_due and begun.left <= _LITTLE):
                self._go_on(begun)

    def _startable(self) -> Job | None:
        """The next job that may begin: one that replaces what others write to waits until nothing is under way.

        What waits for something that is away is not under way, and need not be waited for; only who would write into
        an index that is half replaced has to.
        """
        going = [begun for begun in self._begun.values() if not begun.waits]
        held = {b.job.project_id for b in self._begun.values() if b.waits and _replaces_the_index(b.job)}
        free = (job for job in self._waiting if not (self._paused and _heeds_a_pause(job)))
        return next((j for j in free if not (going if _replaces_the_index(j) else j.project_id in held)), None)

    def _anything_to_do(self) -> bool:
        due = any(begun.is_due for begun in self._begun.values())
        return due or self._stop.is_set() or self._startable() is not None

    def _next(self) -> Job | None:
        with self._changed:
            if (found := self._startable()) is not None:
                self._waiting.remove(found)
                if _replaces_the_index(found):  # what waits for the index that is there begins once more with the other
                    for begun in [b for b in self._begun.values() if b.job.project_id == found.project_id]:
                        if begun.run:
                            self._quietly(begun.run.give_up)
                        self._queue_again(begun.job)
                begun = self._begun[found.id] = Begun(found)
                if self._stop.is_set():
                    begun.stop.set()
            return found

    def _begin(self, begun: Begun) -> None:
        """Make searchable what can be read at once."""
        job = begun.job
        job.state = "running"
        job.result = {"tries": int(job.result.get("tries", 0)) + 1}

        def report(progress: Progress) -> None:
            self._progress[job.id] = progress
            self._events.publish(JobProgress(job.id, job.project_id, **asdict(progress)))

        def first() -> None:
            if job.project_id:
                self._catalog.jobs.save(job)
            if begun.run is None:
                begun.run = self._kinds[job.kind](job.request, report, begun.stop)
            begun.run.first()

        if self._try(begun, first):
            begun.searchable = True
            for other in self._begun.values():
                if other is not begun and other.run and begun.run and other.job.project_id == job.project_id:
                    other.run.leave(begun.run.touched)

    def _go_on(self, begun: Begun) -> None:
        """Read whole what has still to be."""
        run = begun.run
        if run is not None:
            self._at_work.append(begun)
            try:
                if not self._try(begun, partial(run.second, self._serve)):
                    return
            finally:
                self._at_work.remove(begun)
        result = run.result.to_json() if run else {}  # something was away before it could begin
        if run and not run.result.stopped:
            self._finish(begun.job, "done", result)
        elif self._stop.is_set() and not begun.cancelled and begun.job.project_id:
            self._finish(begun.job, "parked", result)
        elif not self._waits_again(begun):
            if run:
                self._quietly(run.give_up)
            self._finish(begun.job, "cancelled", result)

    def _waits_again(self, begun: Begun) -> bool:
        """Put a job that was paused back to where it waited, unless somebody has cancelled it."""
        with self._changed:
            if begun.cancelled or self._stop.is_set():
                return False
            self._queue_again(begun.job)
        return True

    def _queue_again(self, job: Job) -> None:
        job.state, job.result = "queued", {}
        self._keep(job)
        del self._begun[job.id]
        self._waiting = deque(sorted([job, *self._waiting], key=lambda one: one.created_at))
        self._changed.notify_all()

    def _try(self, begun: Begun, work: Callable[[], None]) -> bool:
        """Do a part of a job; if it fails, the job has failed, or waits for what is away."""
        begun.waits = False
        try:
            work()
            return True
        except Exception as error:
            problem = unexpected(error)
            if problem is not error:
                log.exception("job %s failed", begun.job.id)
        progress = self._progress.get(begun.job.id, Progress(total=0))
        if begun.wait_for(problem, progress):
            self._say_waiting(begun, problem, progress)
        else:
            log.warning("job %s failed: %s", begun.job.id, problem)
            self._finish(begun.job, "failed", {"error": problem.as_dict()})
        return False

    def _say_waiting(self, begun: Begun, error: CiteLoomError, before: Progress) -> None:
        """Say what a job waits for; in the log only once."""
        job = begun.job
        if begun.in_vain == 1:
            log.warning("job %s of %s waits: %s", job.id, job.project_id, error)
        progress = replace(before, stage="wait", file="", page=0, pages=0, eta_seconds=None, waits_for=str(error))
        self._progress[job.id] = progress
        job.result = {}  # an engine that ends while it waits does not end because of it
        self._keep(job)
        self._events.publish(JobProgress(job.id, job.project_id, **asdict(progress)))

    def _finish(self, job: Job, state: str, result: dict[str, object]) -> None:
        job.state, job.result = state, result
        if state == "parked":
            job.result = {}  # it starts afresh, with all its tries
        else:
            job.finished_at = now()
        self._keep(job)
        with self._changed:
            self._begun.pop(job.id, None)
            self._finished[job.id] = job
            self._changed.notify_all()
        self._events.publish(JobFinished(job.id, job.project_id, state, result, job.kind))

    def _keep(self, job: Job) -> None:
        if not job.project_id:  # it ends with the engine
            return
        try:
            self._catalog.jobs.save(job)
            self._catalog.jobs.forget_old()
        except CiteLoomError as error:  # a full disk must not hide the outcome from whoever waits for it
            log.error("the state of job %s could not be kept: %s", job.id, error)

    @staticmethod
    def _quietly(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception:
            log.exception("the job thread goes on after an error")


def _same(one: Job, other: Job) -> bool:
    return (one.kind, one.request) == (other.kind, other.request)


def _concerns(job: Job, project_id: str) -> bool:
    return project_id in (job.project_id, *job.request.get("projects", ()))


def _replaces_the_index(job: Job) -> bool:
    return job.kind in ("move", "compact") or bool(job.request.get("force_rebuild"))


def _heeds_a_pause(job: Job) -> bool:
    """Whether a pause of imports is meant for it: a backup changes nothing."""
    return job.kind != "backup"
