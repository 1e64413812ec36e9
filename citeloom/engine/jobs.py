"""The job queue: runs imports, moves, compactions and backups, each in a thread, and resumes them after a restart."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial

from citeloom.api.events import JobFinished, JobProgress, JobQueued, Paused
from citeloom.api.verbs import encode
from citeloom.catalog import Catalog
from citeloom.catalog.database import now
from citeloom.core.errors import CiteLoomError, Code, unexpected
from citeloom.core.jobs import Job, JobRequest, JobWork, Progress, RunningJob, StartJob
from citeloom.engine.active_job import ActiveJob
from citeloom.engine.events import Events

log = logging.getLogger(__name__)

_CANCEL_SECONDS = 30.0  # for imports of the watcher to end when their project is removed
_MAX_TRIES = 3  # a job during which the engine died this often is not tried again
_IDLE_SECONDS = 60.0  # between two runs of the idle task


class JobQueue:
    """Queue of jobs. Imports run side by side: the document queue decides which document is next.

    A job that replaces an index runs alone.
    """

    def __init__(
        self, catalog: Catalog, kinds: Mapping[str, StartJob], events: Events, when_idle: Callable[[bool], None]
    ) -> None:
        self._catalog = catalog
        self._kinds = kinds
        self._events = events
        self._when_idle = when_idle  # called with whether some jobs have begun and wait
        self._changed = threading.Condition()
        self._queued: deque[Job] = deque()
        self._plans: dict[str, object] = {}  # by job id: what a queued job would plan, if somebody planned it
        self._active: dict[str, ActiveJob] = {}  # by job id
        self._progress: dict[str, Progress] = {}
        self._finished: dict[str, Job] = {}
        self._unreported: set[str] = set()
        self.paused = False  # whether imports are paused
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Start the thread; unfinished jobs of an earlier engine come first."""
        for job in self._catalog.jobs.unfinished():
            tries = int(job.result.get("tries", 0))
            if tries >= _MAX_TRIES:
                next_step = "See the engine's log ('citeloom doctor' says where it is), then try again."
                if job.kind == "ingest":
                    next_step = "Import fewer files at a time to find the one that causes it."
                message = f"The engine crashed {tries} times during this job."
                error = CiteLoomError(Code.INTERNAL_ERROR, message, next_step)
                self._finish(job, "failed", {"error": error.as_dict()})
                continue
            job.resumed = True
            self._queued.append(job)
        self._thread.start()

    def submit(self, request: JobRequest, *, is_poll: bool = False, plan: object = None) -> Job:
        """Queue a job and return it; for a request that is queued or running already, return that job.

        A running job then also includes what was added since it started. A poll, the repeated call of an agent, does
        not have that effect; it also returns, once, a job that has ended since the agent was told "running". `plan` is
        what the job would plan now, if somebody planned it already.
        """
        job = Job(uuid.uuid4().hex[:12], request.project_id, request.kind, asdict(request))
        with self._changed:
            if is_poll:
                for job_id in self._unreported & set(self._finished):
                    if self._finished[job_id].is_same(job):
                        self._unreported.discard(job_id)
                        return self._finished[job_id]
            for active in self._active.values():
                if active.job.is_same(job) and not (active.cancelled or active.ended):
                    if not is_poll:
                        active.include_new()
                        self._changed.notify_all()
                    return active.job
            for queued in self._queued:
                if queued.is_same(job):
                    if not is_poll:
                        self._plans[queued.id] = plan  # the earlier one does not know what was added since
                    return queued
            if job.project_id:
                self._catalog.jobs.save(job)
            self._queued.append(job)
            self._plans[job.id] = plan
            self._changed.notify_all()
        self._events.publish(JobQueued(job.id, job.project_id, job.kind))
        return job

    def mark_unreported(self, job_id: str) -> None:
        """Remember that a client was told "running" and may poll for the result."""
        with self._changed:
            self._unreported.add(job_id)

    def wait(self, job_id: str, seconds: float) -> tuple[Job | None, Progress | None]:
        """Wait for a job; return it and its progress, or None and its progress if it has not finished in time."""
        with self._changed:
            self._changed.wait_for(lambda: job_id in self._finished or self._stop.is_set(), seconds)
            return self._finished.get(job_id), self._progress.get(job_id)

    def unfinished(self, project_id: str | None = None) -> list[RunningJob]:
        """Return the queued and running jobs, of one project or of all."""
        with self._changed:
            jobs = [*(active.job for active in self._active.values()), *self._queued]
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
        """Return a job's state; "paused" if it is queued while imports are paused."""
        waits = job.state in ("queued", "parked") and job.can_be_paused
        return "paused" if self.paused and waits else job.state

    def set_paused(self, paused: bool) -> None:
        """Start no more imports, and stop running ones soon and queue them again; or start imports again."""
        with self._changed:
            if paused == self.paused:
                return
            self.paused = paused
            if paused:
                for active in self._active.values():
                    if active.job.can_be_paused:
                        active.stop.set()
            self._changed.notify_all()
        self._events.publish(Paused(paused))

    def retry_now(self) -> None:
        """Retry waiting jobs at once, because what they wait for may be available again."""
        with self._changed:
            for active in self._active.values():
                active.retry_now()
            self._changed.notify_all()

    def cancel_project(self, project_id: str) -> None:
        """Remove a project's jobs from the queue; refuse if one is running that a person or an agent submitted."""
        removed: list[Job] = []
        try:
            with self._changed:
                own = [active for active in self._active.values() if active.job.concerns(project_id)]
                if all(active.job.request.get("watched") for active in own):  # submitted by the watcher
                    removed += self._remove_queued(project_id)
                    for active in own:
                        active.cancelled = True
                        active.stop.set()
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: not any(a.job.id in self._active for a in own), _CANCEL_SECONDS)
                    removed += self._remove_queued(project_id)
                running = [active.job.kind for active in self._active.values() if active.job.concerns(project_id)]
                if running:
                    what = {"move": "A move", "compact": "A compaction", "backup": "A backup"}
                    raise CiteLoomError(
                        Code.INVALID_INPUT,
                        f"{what.get(running[0], 'An import')} of '{project_id}' is running.",
                        "Wait until it is done, or cancel it; then remove the project.",
                    )
        finally:
            for job in removed:
                self._cancel_queued(job)

    def stop_imports(self, project_id: str, of_source: Callable[[str], bool]) -> None:
        """Cancel a project's imports of some sources; its other imports plan again."""

        def concerned(job: Job) -> bool:
            return job.project_id == project_id and job.kind == "ingest" and of_source(job.request.get("source") or "")

        with self._changed:
            removed = [job for job in self._queued if concerned(job)]
            self._queued = deque(job for job in self._queued if job not in removed)
            for active in self._active.values():
                if active.job.project_id == project_id and active.job.kind == "ingest":
                    active.cancelled = active.cancelled or concerned(active.job)
                    active.stop.set()
            self._changed.notify_all()
        for job in removed:
            self._cancel_queued(job)

    def _remove_queued(self, project_id: str) -> list[Job]:
        removed = [job for job in self._queued if job.project_id == project_id]
        self._queued = deque(job for job in self._queued if job.project_id != project_id)
        return removed

    def _cancel_queued(self, job: Job) -> None:
        """Cancel a queued job, and clean up if it was started before and then paused or parked."""
        result: dict[str, object] = {}
        if job.kind == "move":  # its passages must not remain on a server
            try:
                move = self._kinds[job.kind](job, None, lambda progress: None, threading.Event())
                move.clean_up()
                result = encode(move.result)
            except CiteLoomError as error:
                log.warning("the data of job %s could not be deleted: %s", job.id, error)
        self._finish(job, "cancelled", result)

    def stop(self, seconds: float = 60.0) -> None:
        """Stop all threads; unfinished jobs are parked until the next start."""
        with self._changed:
            self._stop.set()
            for active in self._active.values():
                active.stop.set()
            self._changed.notify_all()
        self._thread.join(seconds)

    def cancel(self, job_id: str) -> bool:
        """Cancel a job, keeping what it has done; return whether there was such a job."""
        with self._changed:
            if active := self._active.get(job_id):
                active.cancelled = True
                active.stop.set()
                self._changed.notify_all()
                return True
            queued = next((j for j in self._queued if j.id == job_id), None)
            if queued is None:
                return False
            self._queued.remove(queued)
        self._cancel_queued(queued)
        return True

    def _run(self) -> None:
        """Start jobs, and run the idle task while there are none, or all wait for something unavailable."""
        while not self._stop.is_set():
            while (active := self._take_next()) is not None:
                threading.Thread(target=self._run_job, args=(active,), name=f"job {active.job.id}", daemon=True).start()
            with self._changed:
                waiting = [active.only_waits for active in self._active.values()]
            if all(waiting):
                self._log_errors(partial(self._when_idle, bool(waiting)))
            with self._changed:
                self._changed.wait_for(self._anything_to_do, _IDLE_SECONDS)
        with self._changed:  # jobs park themselves
            self._changed.wait_for(lambda: not self._active)

    def _next_startable(self) -> Job | None:
        """Return the next job that may start.

        One that replaces an index starts only when no other job runs, and runs alone; so do backups among each other.
        Jobs that wait for something unavailable do not count as running; but while one of them has replaced half of an
        index, no job of its project may start.
        """
        running = [a for a in self._active.values() if not a.only_waits]
        alone = any(a.job.replaces_index for a in running)
        backing_up = any(a.job.kind == "backup" for a in running)
        half_replaced = {a.job.project_id for a in self._active.values() if a.waits and a.job.replaces_index}
        for job in self._queued:
            is_blocked = alone or (running if job.replaces_index else job.project_id in half_replaced)
            is_blocked = is_blocked or (backing_up and job.kind == "backup")
            if not is_blocked and not (self.paused and job.can_be_paused):
                return job
        return None

    def _anything_to_do(self) -> bool:
        return self._stop.is_set() or self._next_startable() is not None

    def _take_next(self) -> ActiveJob | None:
        with self._changed:
            found = None if self._stop.is_set() else self._next_startable()
            if found is None:
                return None
            if found.replaces_index:  # jobs of the project that wait start again with the new index
                waiting = [a for a in self._active.values() if a.job.project_id == found.project_id]
                for active in waiting:
                    active.stop.set()
                if waiting:
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: not any(a.job.id in self._active for a in waiting))
            if found not in self._queued:  # it was cancelled meanwhile
                return None
            self._queued.remove(found)
            active = self._active[found.id] = ActiveJob(found)
            return active

    def _run_job(self, active: ActiveJob) -> None:
        """Run a job to its end; while something that it needs is unavailable, try again after a delay."""
        job = active.job
        job.state = "running"
        job.result = {"tries": int(job.result.get("tries", 0)) + 1}
        complete = False
        while not complete:
            try:
                work = active.work or self._begin(active)
                work.run()
                with self._changed:
                    complete = active.ended = work.result.stopped or not work.has_new
                continue
            except Exception as error:
                problem = unexpected(error)
                if problem is not error:
                    log.exception("job %s failed", job.id)
            progress = self._progress.get(job.id, Progress(total=0))
            if not active.stop.is_set():
                if not active.retry_after(problem, progress):
                    log.warning("job %s failed: %s", job.id, problem)
                    if active.work and job.kind == "ingest":  # a move keeps what it has copied
                        self._log_errors(active.work.clean_up)
                    self._finish(job, "failed", {"error": problem.as_dict()})
                    return
                self._publish_waiting(active, problem, progress)
                with self._changed:
                    self._changed.notify_all()  # others may start now
                    self._changed.wait_for(lambda: active.is_due, max(0.0, active.seconds_to_wait))
                    active.waits = False
            if active.stop.is_set():
                break
        self._end(active, complete=complete)

    def _begin(self, active: ActiveJob) -> JobWork:
        job = active.job
        if job.project_id:
            self._catalog.jobs.save(job)
        plan = self._plans.pop(job.id, None)
        work = self._kinds[job.kind](job, plan, partial(self._publish_progress, job), active.stop)
        with self._changed:
            active.begin(work)
        return work

    def _end(self, active: ActiveJob, *, complete: bool) -> None:
        """Finish a job that has ended or was stopped."""
        job, work = active.job, active.work
        result = encode(work.result) if work else {}
        if work and complete and not work.result.stopped:
            self._finish(job, "done", result)
        elif self._stop.is_set() and not active.cancelled and job.project_id:
            self._finish(job, "parked", result)
        else:
            is_paused = not active.cancelled and not self._stop.is_set()
            if work and (not is_paused or job.kind == "ingest"):  # a paused move continues with what it has copied
                self._log_errors(work.clean_up)
            with self._changed:
                is_paused = not active.cancelled and not self._stop.is_set()
                if is_paused:
                    self._requeue(job)
            if not is_paused:
                self._finish(job, "cancelled", result)

    def _requeue(self, job: Job) -> None:
        job.state, job.result, job.resumed = "queued", {}, True
        self._save(job)
        del self._active[job.id]
        self._queued = deque(sorted([job, *self._queued], key=lambda queued: queued.created_at))
        self._changed.notify_all()

    def _publish_progress(self, job: Job, progress: Progress) -> None:
        with self._changed:
            if (active := self._active.get(job.id)) is None or active.waits:
                return  # a reading that goes on while the job waits
            if active.waits_for_power != bool(progress.waits_for):
                active.waits_for_power = bool(progress.waits_for)
                self._changed.notify_all()  # others may start
        self._publish(job, progress)

    def _publish(self, job: Job, progress: Progress) -> None:
        self._progress[job.id] = progress
        self._events.publish(JobProgress(job_id=job.id, project_id=job.project_id, **asdict(progress)))

    def _publish_waiting(self, active: ActiveJob, error: CiteLoomError, before: Progress) -> None:
        """Publish what a job waits for; log it only once."""
        job = active.job
        if active.retries == 1:
            log.warning("job %s of %s waits: %s", job.id, job.project_id, error)
        job.result = {}  # if the engine dies meanwhile, this job is not the cause
        self._save(job)
        waiting = replace(before, file="", page=0, pages=0, eta_seconds=None, waits_for=str(error))
        self._publish(job, waiting)

    def _finish(self, job: Job, state: str, result: dict[str, object]) -> None:
        job.state, job.result = state, result
        if state == "parked":
            job.result = {}  # the number of tries starts again
        else:
            job.finished_at = now()
        self._save(job)
        with self._changed:
            self._active.pop(job.id, None)
            self._plans.pop(job.id, None)
            self._finished[job.id] = job
            self._changed.notify_all()
        self._events.publish(JobFinished(job.id, job.project_id, state, result, job.kind))

    def _save(self, job: Job) -> None:
        if not job.project_id:  # a job without a project is not stored
            return
        try:
            self._catalog.jobs.save(job)
            self._catalog.jobs.delete_old()
        except CiteLoomError as error:  # a full disk must not hide the result from the client
            log.error("the state of job %s could not be saved: %s", job.id, error)

    @staticmethod
    def _log_errors(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception:
            log.exception("error in the job thread, which continues")
