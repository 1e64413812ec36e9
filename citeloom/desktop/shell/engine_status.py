"""What the app knows of the engine at a glance: the tray and the window say the same because both read it here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from citeloom.core.errors import CiteLoomError
from citeloom.desktop.shell.engine_tasks import EngineTasks, other_version
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.shell.tray_state import TrayState
from citeloom.desktop.text import job_text

_REFRESH_MS = 400  # many events at once make one question
# Why an engine ends that is back in a moment: nothing to worry anybody with.
_RESTARTS = ("settings changed", "a backup was restored", "the data folder is back")


@dataclass(frozen=True)
class Situation:
    """The engine as it was last seen."""

    reached: bool = False
    problem: CiteLoomError | None = None  # why it is not reached
    other_version: str | None = None
    status: dict[str, Any] = field(default_factory=dict)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)  # those under way, by id, with their progress
    troubles: tuple[str, ...] = ()  # what went wrong and has not been looked at yet

    @property
    def mood(self) -> TrayState:
        """One word for all of it."""
        wrong = self.status.get("settings_problem") or self.status.get("lost")
        if self.troubles or self.problem or self.other_version or wrong:
            return TrayState.ATTENTION
        if self.status.get("paused"):
            return TrayState.PAUSED
        return TrayState.WORKING if self.jobs or not self.reached else TrayState.IDLE

    @property
    def progress(self) -> float | None:
        """How much of the jobs under way is done, 0 to 1; None where that is not known."""
        known = [(share, job["total"]) for job in self.jobs.values() if (share := job_text.share(job)) is not None]
        return sum(share * total for share, total in known) / sum(total for _, total in known) if known else None

    def in_words(self) -> str:
        """The situation as a person would say it."""
        if self.problem:
            return self.problem.message
        if self.other_version:
            return translate("Situation", "The engine is of another version ({version})").format(
                version=self.other_version
            )
        if not self.reached:
            return translate("Situation", "Starting …")
        if self.status.get("settings_problem"):
            return translate("Situation", "The settings file cannot be used")
        if self.troubles:
            return self.troubles[-1]
        coverage = self.status.get("coverage") or {}
        counts = translate("Situation", "{searchable} of {documents} papers searchable").format(
            searchable=coverage.get("searchable", 0), documents=coverage.get("documents", 0)
        )
        if self.status.get("paused"):
            return translate("Situation", "Paused: {counts}").format(counts=counts)
        if self.jobs and all(job_text.kind_of(job) != job_text.IMPORT for job in self.jobs.values()):
            return job_text.title(next(iter(self.jobs.values())))
        if self.jobs and all(job.get("waits_for") for job in self.jobs.values()):
            return translate("Situation", "Waiting for something that is away: {counts}").format(counts=counts)
        if self.jobs:
            return translate("Situation", "Reading: {counts}").format(counts=counts)
        if not self.status.get("projects"):
            return translate("Situation", "No project yet")
        return translate("Situation", "Up to date: {counts}").format(counts=counts)


class EngineStatus(QObject):
    """Follows the engine's events and says when anything at a glance has changed."""

    changed = Signal()
    notice = Signal(str, str, bool)  # title, text, whether something is wrong: one per finished job or problem

    def __init__(self, tasks: EngineTasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = tasks
        self.now = Situation()
        self._restarts = False
        self._ended: dict[str, list[dict[str, Any]]] = {}  # imports that are over, by project, until the last one is
        self._held_up: dict[str, tuple[str, int, int]] = {}  # by project: the import that waits, how far it was
        self._refresh = QTimer(self, singleShot=True, interval=_REFRESH_MS)
        self._refresh.timeout.connect(self._ask)
        tasks.told.connect(self._on_event)
        tasks.reached.connect(self._on_reached)
        tasks.lost.connect(self._on_lost)

    def seen(self) -> None:
        """The researcher has looked at what went wrong."""
        self._set(troubles=())

    def _on_reached(self, status: dict[str, Any]) -> None:
        jobs = {job["job_id"]: job for job in status.get("jobs", [])}
        self._set(reached=True, problem=None, other_version=other_version(), status=status, jobs=jobs)

    def _on_lost(self, error: CiteLoomError) -> None:
        problem = None if self._restarts else error
        self._restarts = False
        self._set(reached=False, problem=problem, other_version=other_version(), jobs={})

    def _on_event(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind == "EngineStopping":
            self._restarts = event["reason"] in _RESTARTS
            return
        if kind == "JobQueued":
            job = {**event, "project": event["project_id"], "state": "queued"}
            self._set(jobs={**self.now.jobs, event["job_id"]: job})
        elif kind == "JobProgress":
            job = {**self.now.jobs.get(event["job_id"], {}), **event, "project": event["project_id"]}
            self._set(jobs={**self.now.jobs, event["job_id"]: job})
            self._tell_waiting(event)
        elif kind == "JobFinished":
            self._set(jobs={key: job for key, job in self.now.jobs.items() if key != event["job_id"]})
            if job_text.kind_of(event) == job_text.IMPORT:
                self._on_finished(event)
            else:
                self._tell_chore(event)
        if not self._refresh.isActive():
            self._refresh.start()

    def _ask(self) -> None:
        self._link.ask(self, "status", done=self._on_status, failed=lambda error: None)

    def _on_status(self, status: dict[str, Any]) -> None:
        known = self.now.jobs
        # Progress as the last event told it, which may be newer; the state only the status knows.
        jobs = {
            job["job_id"]: {**job, **known.get(job["job_id"], {}), "state": job["state"]}
            for job in status.get("jobs", [])
        }
        self._set(reached=True, problem=None, status=status, jobs=jobs)

    def _on_finished(self, event: dict[str, Any]) -> None:
        """Two hundred files that were dropped are two hundred imports: they are told of together, at their end."""
        project = event["project_id"]
        self._ended.setdefault(project, []).append(event)
        going = [job for job in self.now.jobs.values() if job_text.kind_of(job) == job_text.IMPORT]
        if not any(job.get("project") == project for job in going):
            self._tell_finished(project, self._ended.pop(project))

    def _tell_finished(self, project: str, events: list[dict[str, Any]]) -> None:
        def count(name: str) -> int:
            return sum(int(event["result"].get(name) or 0) for event in events)

        errors = [event["result"].get("error") or {} for event in events if event["state"] == "failed"]
        if errors:
            text = CiteLoomError.from_dict(errors[0]).message
            self._trouble(self.tr("The import of {project} failed").format(project=project), text)
            return
        processed, failed, held = (count(name) for name in ("documents_processed", "failed", "held_back"))
        if held:
            text = self.tr("{count} papers have left their source; they stay until you say otherwise.")
            self._trouble(self.tr("{project}: a sync needs you").format(project=project), text.format(count=held))
        elif failed:
            text = self.tr("{failed} could not be read, {processed} were. The list of papers says why.")
            self._trouble(
                self.tr("{project}: some papers could not be read").format(project=project),
                text.format(failed=failed, processed=processed),
            )
        elif processed and any(event["state"] == "done" for event in events):
            text = self.tr("{count} papers were read; {passages} passages can be cited.")
            self.notice.emit(
                self.tr("{project} is up to date").format(project=project),
                text.format(count=processed, passages=count("chunks_written")),
                False,
            )

    def _tell_waiting(self, event: dict[str, Any]) -> None:
        """Say once what an import waits for, until it has come further."""
        steps = (event["job_id"], event.get("searchable", 0), event.get("done", 0))
        if event.get("waits_for") and self._held_up.get(event["project_id"]) != steps:
            self._held_up[event["project_id"]] = steps
            self.notice.emit(
                self.tr("{project}: an import waits").format(project=event["project_id"]), event["waits_for"], True
            )

    def _tell_chore(self, event: dict[str, Any]) -> None:
        kind = job_text.kind_of(event)
        done, failed = {
            "move": (self.tr("{project}: the index was moved"), self.tr("The index of {project} could not be moved")),
            "compact": (
                self.tr("{project}: the index was compacted"),
                self.tr("The index of {project} could not be compacted"),
            ),
            "backup": (self.tr("The backup is made"), self.tr("The backup could not be made")),
        }[kind]
        result, project = event["result"], event["project_id"]
        if event["state"] == "failed":
            self._trouble(failed.format(project=project), CiteLoomError.from_dict(result.get("error") or {}).message)
        elif event["state"] == "done":
            self.notice.emit(done.format(project=project), job_text.end_words(kind, result), False)

    def _trouble(self, title: str, text: str) -> None:
        self._set(troubles=(*self.now.troubles, title)[-20:])
        self.notice.emit(title, text, True)

    def _set(self, **values: Any) -> None:
        self.now = replace(self.now, **values)
        self.changed.emit()
