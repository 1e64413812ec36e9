"""Engines for the tests of jobs: a project of four papers, and imports of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from citeloom.api.library import AddProject
from citeloom.core.jobs import Job
from citeloom.core.settings import Settings
from citeloom.engine.container import Container
from citeloom.importing.requests import ImportRequest
from citeloom.index.models.embedding import DenseModel
from tests.support import WAIT

PAPERS = ("bog", "coral", "moth", "tide")


def add_paper(folder: Path, word: str) -> None:
    (folder / f"{word}.md").write_text(f"# On the {word}\n\nThe {word} was measured.\n")


class Held:
    """Holds the first thread that comes until the test lets it go on."""

    def __init__(self) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()

    def come(self) -> None:
        if not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(WAIT)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for word in PAPERS:
        add_paper(folder, word)
    return folder


@pytest.fixture
def new_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Container]]:
    """Makes engines in one data folder, one after the other."""
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    made: list[Container] = []

    def make() -> Container:
        if made:
            made[-1].stop()
        made.append(Container(Settings()))
        made[-1].jobs.start()
        return made[-1]

    yield make
    made[-1].stop()


@pytest.fixture
def engine(new_engine: Callable[[], Container], papers: Path) -> Container:
    """An engine whose project `p` reads the papers."""
    service = new_engine()
    service.projects.add_project(AddProject(project="p", folders=[str(papers)]))
    return service


@pytest.fixture
def embedding(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Holds the first embedding of a moth."""
    held, embed = Held(), DenseModel.embed

    def hold(self: DenseModel, passages: Any, *more: Any) -> Any:
        if any("moth" in text for text in passages):
            held.come()
        return embed(self, passages, *more)

    monkeypatch.setattr(DenseModel, "embed", hold)
    yield held
    held.go_on.set()


def submit(service: Container, **options: Any) -> Job:
    """Begin an import of the project."""
    return service.jobs.submit(ImportRequest("p", **options))


def ended(service: Container, job: Job) -> dict[str, Any]:
    """Wait for a job; gives its state and its result."""
    finished, _ = service.jobs.wait(job.id, 60)
    assert finished is not None
    return {"state": finished.state, **finished.result}


def texts(engine: Container) -> set[str]:
    passages = engine.collection(engine.catalog.projects.get("p")).any_passages(100)
    return {passage.payload["chunk_text"] for passage in passages}
