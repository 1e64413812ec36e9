"""Jobs and the access log."""

from __future__ import annotations

from typing import Any

from citeloom.store import Catalog, Job, Project


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
    catalog.access.add(**{**entry, **changes})


def test_the_access_log_keeps_500_characters_of_a_question(catalog: Catalog) -> None:
    note(catalog, asked="ä" * 499 + "xyz")
    (entry,) = catalog.access.latest(None, 10)
    assert entry["asked"] == "ä" * 499 + "x"
    assert entry["passages"] == ["p1", "p2"]
    assert (entry["client"], entry["tool"], entry["outcome"], entry["milliseconds"]) == ("editor", "query", "ok", 1.5)


def test_the_newest_calls_come_first_and_only_of_the_project_asked_for(catalog: Catalog) -> None:
    for number in range(5):
        note(catalog, asked=str(number), project_id="thesis" if number % 2 else None)
    assert [e["asked"] for e in catalog.access.latest(None, 3)] == ["4", "3", "2"]
    assert [e["asked"] for e in catalog.access.latest("thesis", 10)] == ["3", "1"]


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
