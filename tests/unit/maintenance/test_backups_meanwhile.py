"""What others do while a backup is made or restored."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.api.events import Event, JobProgress
from citeloom.api.library import AddProject, ListProjects, RemoveProject
from citeloom.api.maintenance import Restore, StartBackup
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError
from citeloom.core.settings import Settings
from citeloom.engine.container import Container


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    made = Container(Settings())
    made.jobs.start()
    yield made
    made.stop()


def test_nothing_is_taken_from_a_backup_and_no_project_is_lost_by_a_restore(service: Container, tmp_path: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        if isinstance(event, JobProgress) and event.stage == "pack":
            reached.set()
            assert go_on.wait(60)

    service.events.subscribe(hold)
    for project in ("thesis", "other"):
        service.projects.add_project(AddProject(project=project))
    file = tmp_path / "all.zip"
    job_id = service.backups.start(StartBackup(file=str(file))).job_id
    assert reached.wait(60)
    with pytest.raises(CiteLoomError, match="A backup of 'thesis' is running"):
        service.projects.remove_project(RemoveProject(project="thesis"))
    of_the_same_name = service.backups.start(StartBackup(file=str(file), projects=["other"])).job_id
    go_on.set()
    job, _ = service.jobs.wait(job_id, 60)
    assert job is not None and job.state == "done"
    job, _ = service.jobs.wait(of_the_same_name, 60)
    assert job is not None and "exists already" in str(job.result)

    for project in ("thesis", "other"):
        service.projects.remove_project(RemoveProject(project=project))
    with pytest.raises(CiteLoomError, match="There are projects already: late"):
        service.restores.restore(Restore(file=str(file)), Adding(service))
    assert [project.id for project in service.projects.list_projects(ListProjects())] == ["late"]
    assert not (tmp_path / "home" / "restore.json").exists()


class Adding(Cancel):
    """Somebody makes a project while a backup is unpacked."""

    def __init__(self, service: Container) -> None:
        super().__init__()
        self._service = service

    def check(self) -> None:
        if not self._service.projects.list_projects(ListProjects()):
            self._service.projects.add_project(AddProject(project="late"))
