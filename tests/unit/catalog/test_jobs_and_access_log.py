"""Jobs and the access log."""

from __future__ import annotations

from typing import Any

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.jobs import Job

MODEL = {"dense_model": "some/model", "dense_fingerprint": "f" * 16, "dense_size": 4, "sparse_model": ""}


def note(catalog: Catalog, **changes: Any) -> None:
    entry = {
        "correlation_id": "c",
        "client": "editor",
        "project_id": "thesis",
        "tool": "query",
        "asked": "salt",
        "passages": ["p1", "p2"],
        "outcome": "ok",
        "milliseconds": 1.5,
    }
    catalog.access_log.add(**{**entry, **changes})


def test_the_access_log_keeps_500_characters_of_a_question(catalog: Catalog) -> None:
    note(catalog, asked="ä" * 499 + "xyz")
    (entry,) = catalog.access_log.latest(None, 10)
    assert entry.asked == "ä" * 499 + "x"
    assert entry.passages == ["p1", "p2"]
    assert (entry.client, entry.tool, entry.outcome, entry.milliseconds) == ("editor", "query", "ok", 1.5)


def test_the_newest_calls_come_first_and_only_of_the_project_asked_for(catalog: Catalog) -> None:
    for number in range(5):
        note(catalog, asked=str(number), project_id="thesis" if number % 2 else None)
    assert [e.asked for e in catalog.access_log.latest(None, 3)] == ["4", "3", "2"]
    assert [e.asked for e in catalog.access_log.latest("thesis", 10)] == ["3", "1"]


def test_jobs_that_an_ended_engine_left_come_back_oldest_first(catalog: Catalog, project: Project) -> None:
    states = ["queued", "running", "parked", "done", "failed", "cancelled"]
    for number, state in enumerate(states):
        moment = f"2024-01-0{9 - number}"
        catalog.jobs.save(Job(state, project.id, "ingest", {"n": number}, state=state, created_at=moment))
    assert [j.id for j in catalog.jobs.unfinished()] == ["parked", "running", "queued"]
    assert [j.id for j in catalog.jobs.latest(project.id, 2)] == ["queued", "running"]


def test_a_job_saved_again_keeps_its_request_and_its_age(catalog: Catalog, project: Project) -> None:
    job = Job("j", project.id, "ingest", {"source": "/päpers"})
    catalog.jobs.save(job)
    job.state, job.result, job.finished_at = "done", {"new": 3}, "2024-01-01"
    catalog.jobs.save(job)
    assert catalog.jobs.latest(project.id) == [job]
    assert catalog.jobs.unfinished() == []


def ended(catalog: Catalog, project: Project, number: int, state: str = "done") -> None:
    moment = f"2024-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"
    catalog.jobs.save(Job(f"j{number}", project.id, "ingest", {}, state, finished_at=moment))


def test_jobs_that_have_ended_come_last_one_first_of_one_project_or_of_all(catalog: Catalog, project: Project) -> None:
    other = catalog.projects.add("other", None, MODEL)
    for number, (of, state) in enumerate([(project, "done"), (other, "failed"), (project, "cancelled")]):
        ended(catalog, of, number, state)
    for state in ("queued", "running", "parked"):
        catalog.jobs.save(Job(state, project.id, "ingest", {}, state))
    assert [j.id for j in catalog.jobs.past(None, 10)] == ["j2", "j1", "j0"]
    assert [j.id for j in catalog.jobs.past(project.id, 10)] == ["j2", "j0"]
    assert [j.id for j in catalog.jobs.past(None, 1)] == ["j2"]


def test_only_the_last_500_jobs_that_have_ended_are_kept(catalog: Catalog, project: Project) -> None:
    with catalog.db.transaction():
        for number in range(503):
            ended(catalog, project, number)
    catalog.jobs.save(Job("waits", project.id, "ingest", {}, created_at="2000-01-01"))
    assert catalog.jobs.delete_old() == 3
    kept = catalog.jobs.past(None, 1000)
    assert (len(kept), kept[0].id, kept[-1].id) == (500, "j502", "j3")
    assert [j.id for j in catalog.jobs.unfinished()] == ["waits"]


def test_the_log_is_read_on_from_an_entry_and_by_editor(catalog: Catalog) -> None:
    for number in range(6):
        note(catalog, asked=str(number), client="Quill 1" if number % 2 else "Pen 2")
    newest = catalog.access_log.latest(None, 2)
    assert [e.asked for e in newest] == ["5", "4"]
    assert [e.asked for e in catalog.access_log.latest(None, 2, before=newest[-1].id)] == ["3", "2"]
    assert [e.asked for e in catalog.access_log.latest("thesis", 9, client="Quill 1", before=newest[0].id)] == [
        "3",
        "1",
    ]
    assert catalog.access_log.latest(None, 9, before=1) == []


def test_what_is_older_than_it_is_kept_is_forgotten(catalog: Catalog) -> None:
    for asked in ("old", "new"):
        note(catalog, asked=asked)
    catalog.db.write("UPDATE access_log SET at = '2024-01-01T00:00:00.000+00:00' WHERE asked = 'old'")
    assert catalog.access_log.delete(10**12) == 0
    assert catalog.access_log.delete(30) == 1
    assert [e.asked for e in catalog.access_log.latest(None, 9)] == ["new"]
    assert catalog.access_log.delete() == 1
    assert catalog.access_log.latest(None, 9) == []


def test_what_was_cleared_is_not_on_the_disk_any_more(catalog: Catalog) -> None:
    question = "a-question-that-nobody-is-to-see"

    def on_disk() -> bool:
        files = catalog.db.path.parent.glob("catalog.db*")
        return any(question.encode() in file.read_bytes() for file in files)

    for number in range(50):
        note(catalog, asked=f"{question} {number}")
    assert on_disk()
    assert catalog.access_log.delete() == 50
    assert not on_disk()
