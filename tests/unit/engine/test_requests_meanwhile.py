"""What is asked for, changed or refused while an import runs: nothing is lost, and nothing comes back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from citeloom.api.library import AddProject, DisallowSource
from citeloom.catalog.documents import NOT_EMBEDDED, State
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job
from citeloom.core.settings import Engine, Settings
from citeloom.engine import container
from citeloom.engine.container import Container
from citeloom.importing import pipeline
from citeloom.importing.requests import ImportRequest
from citeloom.index.models.embedding import DenseModel
from tests.support import wait_for

PAPERS = ("bog", "coral", "moth", "tide")


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for word in PAPERS:
        add(folder, word)
    return folder


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, papers: Path) -> Iterator[Container]:
    """An engine whose project `p` reads the papers."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    made = Container(Settings(engine=Engine(workers=1)))
    made.jobs.start()
    made.projects.add_project(AddProject(project="p", folders=[str(papers)]))
    yield made
    made.stop()


def add(folder: Path, word: str) -> None:
    (folder / f"{word}.md").write_text(f"# On the {word}\n\nThe {word} was measured.\n")


def sync(service: Container, **options: Any) -> Job:
    return service.jobs.submit(ImportRequest("p", **options))


def ended(service: Container, job: Job) -> dict[str, Any]:
    finished, _ = service.jobs.wait(job.id, 60)
    assert finished is not None
    return {"state": finished.state, **finished.result}


def searchable(service: Container) -> list[str]:
    documents = service.catalog.documents.all("p")
    return sorted(Path(one.source).stem for one in documents if one.state is State.READY)


def test_what_is_added_while_an_import_ends_is_read(
    service: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends, go_on, end = threading.Event(), threading.Event(), pipeline.ImportRun._end

    def slowly(self: pipeline.ImportRun) -> None:
        ends.set()
        assert go_on.wait(30)
        end(self)

    monkeypatch.setattr(pipeline.ImportRun, "_end", slowly)
    job = sync(service)
    assert ends.wait(30)
    add(papers, "heron")
    again = sync(service)
    go_on.set()
    assert ended(service, job)["state"] == ended(service, again)["state"] == "done"
    assert "heron" in searchable(service)


def test_what_is_added_while_an_import_waits_in_the_queue_is_read_although_it_was_planned_before(
    service: Container, papers: Path
) -> None:
    service.jobs.set_paused(True)
    service.imports.sync_if_needed("p")
    add(papers, "heron")
    service.imports.sync_if_needed("p")
    service.jobs.set_paused(False)
    wait_for(lambda: not service.jobs.unfinished(), "the import")
    assert searchable(service) == sorted([*PAPERS, "heron"])


def test_documents_of_a_source_that_is_removed_do_not_come_back_by_an_import_that_knew_them(
    service: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, go_on, read = threading.Event(), threading.Event(), pipeline.ImportRun.read

    def hold(self: pipeline.ImportRun, task: Any) -> Any:
        held.set()
        assert go_on.wait(30)
        return read(self, task)

    monkeypatch.setattr(pipeline.ImportRun, "read", hold)
    job = sync(service, source=str(papers))
    assert held.wait(30)
    service.projects.disallow_source(DisallowSource(project="p", source=str(papers)))
    go_on.set()
    assert ended(service, job)["state"] == "cancelled"
    wait_for(lambda: not service.jobs.unfinished(), "the sync that removes the documents")
    assert service.catalog.documents.all("p") == []


def test_scans_wait_for_mains_power_and_are_read_by_the_next_engine_although_only_the_watcher_asked(
    service: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Image.new("L", (1240, 700), 255)
    for line in range(8):
        ImageDraw.Draw(page).text((120, 80 + 60 * line), f"The heron was counted {line} times.", 0, font_size=32)
    page.save(papers / "scan.pdf", resolution=150)
    monkeypatch.setattr(container, "runs_on_battery", lambda: True)
    service.imports.sync_if_needed("p")
    (job,) = wait_for(lambda: [one for one in service.jobs.unfinished() if one.waits_for], "the wait for power")
    assert "battery" in job.waits_for and job.pages_waiting and job.searchable == len(PAPERS)
    service.stop()
    monkeypatch.setattr(container, "runs_on_battery", lambda: False)
    later = Container(Settings(engine=Engine(workers=1)))
    later.jobs.start()
    wait_for(lambda: not later.jobs.unfinished(), "the rest")
    try:
        assert searchable(later) == sorted([*PAPERS, "scan"])
        assert not later.catalog.documents.without_vectors("p")
    finally:
        later.stop()


def test_a_text_that_the_model_refuses_leaves_the_others_their_vectors(
    service: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = DenseModel.embed

    def refuse(self: DenseModel, texts: Any, *rest: Any) -> Any:
        if any("moth" in text for text in texts):
            raise CiteLoomError(Code.EMBEDDING_FAILED, "The model failed on a text: too strange.")
        return embed(self, texts, *rest)

    monkeypatch.setattr(DenseModel, "embed", refuse)
    for _ in range(2):
        result = ended(service, sync(service))
        assert result["state"] == "done" and any(NOT_EMBEDDED in warning for warning in result["warnings"])
        (left,) = service.catalog.documents.without_vectors("p")
        assert Path(left.source).stem == "moth" and left.state is State.READY
        assert len(left.warnings) == 1
    service.imports.sync_if_needed("p")
    assert not service.jobs.unfinished(), "the watcher does not try it again and again"
