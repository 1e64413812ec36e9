"""What the tray and the window say of the engine, and when the researcher is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs
from pytestqt.qtbot import QtBot

from citeloom.api.maintenance import BackupResult, MoveResult
from citeloom.api.verbs import encode
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import RunningJob
from citeloom.desktop.shell.engine_status import EngineSnapshot
from citeloom.desktop.shell.icons import TrayState
from citeloom.desktop.shell.tray import tray_state
from tests.desktop.fake_engine_tasks import a_status, fake_context

STATUS = a_status(
    projects=2,
    coverage={"documents": 150, "searchable": 142, "by_meaning": 142, "pending": 0, "failed": 5, "without_file": 3},
)
PROGRESS = {"type": "JobProgress", "job_id": "j", "project_id": "thesis", "total": 10, "searchable": 10, "done": 2}
PAGES = {"pages_total": 40, "pages_by_words": 30, "pages_embedded": 2, "eta_seconds": 9.0}
JOB = RunningJob(job_id="j", project="thesis", stage="read", total=10, searchable=10, done=2, **PAGES)  # type: ignore[arg-type]
LOST = CiteLoomError(Code.ENGINE_UNAVAILABLE, "The engine ended.", "")


@pytest.mark.parametrize(
    ("situation", "shown", "words"),
    [
        (EngineSnapshot(), TrayState.WORKING, "Starting …"),
        (EngineSnapshot(True, status=STATUS), TrayState.IDLE, "Up to date: 142 of 150 papers searchable"),
        (
            EngineSnapshot(True, status=STATUS, jobs={"j": JOB}),
            TrayState.WORKING,
            "Reading: 10 of 10 papers read · 30 of 40 pages found by words, 2 by meaning · about 9 s left",
        ),
        (
            EngineSnapshot(True, status=STATUS, jobs={"j": replace(JOB, total=0, pages_total=0, eta_seconds=None)}),
            TrayState.WORKING,
            "Reading: 142 of 150 papers searchable",
        ),
        (
            EngineSnapshot(
                True, status=STATUS, jobs={"j": replace(JOB, pages_waiting=10, waits_for="The disk is full.")}
            ),
            TrayState.WORKING,
            "Waiting: 10 of 10 papers read · 30 of 40 pages found by words, 2 by meaning, 10 waiting for OCR",
        ),
        (
            EngineSnapshot(True, status=structs.replace(STATUS, paused=True)),
            TrayState.PAUSED,
            "Paused: 142 of 150 papers searchable",
        ),
        (EngineSnapshot(True, status=structs.replace(STATUS, projects=0)), TrayState.IDLE, "No project yet"),
        (EngineSnapshot(problem=LOST), TrayState.ATTENTION, "The engine ended."),
        (EngineSnapshot(True, status=STATUS, unseen_problems=("It failed",)), TrayState.ATTENTION, "It failed"),
        (
            EngineSnapshot(True, other_version="9.9", status=STATUS),
            TrayState.ATTENTION,
            "The engine has another version (9.9)",
        ),
        (
            EngineSnapshot(True, status=structs.replace(STATUS, settings_problem="line 3")),
            TrayState.ATTENTION,
            "The settings file cannot be used",
        ),
    ],
    ids=[
        "starting",
        "idle",
        "working",
        "planning",
        "waiting",
        "paused",
        "empty",
        "lost",
        "trouble",
        "version",
        "settings",
    ],
)
def test_the_state_is_said_in_words(qapp: object, situation: EngineSnapshot, shown: TrayState, words: str) -> None:
    assert (tray_state(situation), situation.summary()) == (shown, words)


def test_the_progress_is_that_of_all_imports_or_of_another_job() -> None:
    move = RunningJob(job_id="m", project="thesis", kind="move", stage="copy", total=4, done=1)
    assert EngineSnapshot(True, jobs={"j": JOB}).progress == 0.4
    assert EngineSnapshot(True, jobs={"j": JOB, "i": replace(JOB, pages_embedded=30), "m": move}).progress == 0.575
    assert EngineSnapshot(True, jobs={"m": move}).progress == 0.25
    assert EngineSnapshot(True, jobs={"j": replace(JOB, pages_total=0)}).progress is None


def finished(**result: Any) -> dict[str, Any]:
    state = result.pop("state", "done")
    return {"type": "JobFinished", "job_id": "j", "project_id": "thesis", "state": state, "result": result}


@pytest.mark.parametrize(
    ("event", "title", "wrong"),
    [
        (finished(documents_processed=3, chunks_written=70), "thesis is up to date", False),
        (finished(documents_processed=3, failed=2), "thesis: some papers could not be read", True),
        (finished(held_back=30), "thesis: a sync needs your decision", True),
        (finished(state="failed", error=LOST.as_dict()), "The import of thesis failed", True),
    ],
    ids=["read", "some failed", "held back", "failed"],
)
def test_an_import_that_ends_is_told_once(
    qapp: object, qtbot: QtBot, event: dict[str, Any], title: str, wrong: bool
) -> None:
    context, tasks = fake_context(engine_status=STATUS)
    notices: list[tuple[Any, ...]] = []
    context.engine_status.notice.connect(lambda *said: notices.append(said))
    for _ in range(200):
        tasks.publish(PROGRESS)
    tasks.publish(event)
    assert [(n[0], n[2]) for n in notices] == [(title, wrong)]
    assert (tray_state(context.engine_status.current) == TrayState.ATTENTION) is wrong
    context.engine_status.mark_seen()
    assert not context.engine_status.current.unseen_problems
    qtbot.waitUntil(lambda: ("engine_status", {}) in tasks.asked)
    assert len(tasks.asked) == 1, "two hundred events make one question"


@pytest.mark.parametrize("project", ["thesis", ""], ids=["move", "backup"])
def test_other_jobs_are_told_by_what_they_are(qapp: object, project: str) -> None:
    context, tasks = fake_context(engine_status=STATUS)
    notices: list[tuple[Any, ...]] = []
    context.engine_status.notice.connect(lambda *said: notices.append(said))
    kind, what = ("move", "Moving the index of thesis") if project else ("backup", "Making a backup")
    tasks.connected.emit(STATUS)
    tasks.publish({"type": "JobQueued", "job_id": "j", "project_id": project, "kind": kind})
    assert context.engine_status.current.summary() == what
    tasks.publish({**PROGRESS, "project_id": project, "stage": "copy", "searchable": 0})
    assert (context.engine_status.current.summary(), context.engine_status.current.progress) == (
        what,
        pytest.approx(0.2),
    )
    move = MoveResult(project=project, origin="embedded", to="http://far", passages=70, written=70, bytes=None)
    backup = BackupResult(file="/b.zip", projects=[], passages=70, bytes=5_000_000)
    for event in (finished(**encode(move if project else backup)), finished(state="failed", error=LOST.as_dict())):
        tasks.publish({**event, "project_id": project, "kind": kind})
    (_, well, wrong), (title, why, also_wrong) = notices
    assert "70" in well and ("http://far" in well or "/b.zip" in well) and (wrong, also_wrong) == (False, True)
    assert title.endswith("could not be moved" if project else "could not be made") and why == LOST.message


@pytest.mark.parametrize("reason", ["settings changed", "a backup was restored", "the data folder is back"])
def test_an_engine_that_starts_anew_is_no_trouble(qapp: object, reason: str) -> None:
    context, tasks = fake_context(engine_status=STATUS)
    tasks.connected.emit(STATUS)
    tasks.publish({"type": "EngineStopping", "reason": reason})
    tasks.disconnected.emit(LOST)
    assert (tray_state(context.engine_status.current), context.engine_status.current.summary()) == (
        TrayState.WORKING,
        "Starting …",
    )
    tasks.disconnected.emit(LOST)  # it did not come back
    assert context.engine_status.current.problem is LOST


def test_many_imports_of_a_project_are_told_of_together_at_their_end(qapp: object) -> None:
    context, tasks = fake_context(engine_status=STATUS)
    notices: list[tuple[Any, ...]] = []
    context.engine_status.notice.connect(lambda *said: notices.append(said))
    for number in range(200):
        tasks.publish({"type": "JobQueued", "job_id": f"j{number}", "project_id": "thesis"})
    tasks.publish({"type": "JobQueued", "job_id": "later", "project_id": "thesis", "kind": "compact"})
    for number in range(200):
        assert not notices
        tasks.publish({**finished(documents_processed=1, chunks_written=3), "job_id": f"j{number}"})
    assert notices == [("thesis is up to date", "200 papers were read; 600 passages can be cited.", False)]


@pytest.mark.parametrize("event", [finished(skipped=40), finished(state="cancelled", documents_processed=1)], ids=str)
def test_an_import_with_nothing_new_is_not_told(qapp: object, event: dict[str, Any]) -> None:
    context, tasks = fake_context(engine_status=STATUS)
    notices: list[Any] = []
    context.engine_status.notice.connect(lambda *said: notices.append(said))
    tasks.publish(event)
    assert not notices


def test_a_job_that_goes_on_is_not_said_to_be_paused_any_more(qapp: object, qtbot: QtBot) -> None:
    job = RunningJob(job_id="j", project="thesis", state="paused")
    context, tasks = fake_context(
        engine_status=structs.replace(STATUS, jobs=[replace(job, state="running", searchable=1)])
    )
    tasks.connected.emit(structs.replace(STATUS, paused=True, jobs=[job]))
    tasks.publish(PROGRESS)
    qtbot.waitUntil(lambda: context.engine_status.current.jobs["j"].state == "running")
    assert context.engine_status.current.jobs["j"].searchable == 10, "an event is newer than the answer that it crossed"
