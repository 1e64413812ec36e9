"""What is asked for, changed or refused while an import runs: nothing is lost, and nothing comes back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from citeloom.api.library import AddProject, DisallowSource, RemoveProject
from citeloom.catalog.documents import NOT_EMBEDDED, State
from citeloom.core.errors import CiteLoomError, Code
from citeloom.engine import container
from citeloom.engine.container import Container
from citeloom.importing import discovery, pipeline
from citeloom.importing.requests import ImportRequest
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.models.embedding import DenseModel
from tests.support import WAIT, wait_for
from tests.unit.engine.conftest import PAPERS, add_paper, ended, submit


def searchable(engine: Container) -> list[str]:
    documents = engine.catalog.documents.all("p")
    return sorted(Path(one.source).stem for one in documents if one.state is State.READY)


def test_what_is_added_while_an_import_ends_is_read(
    engine: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends, go_on, end = threading.Event(), threading.Event(), pipeline.ImportRun._end

    def slowly(self: pipeline.ImportRun) -> None:
        ends.set()
        assert go_on.wait(30)
        end(self)

    monkeypatch.setattr(pipeline.ImportRun, "_end", slowly)
    job = submit(engine)
    assert ends.wait(30)
    add_paper(papers, "heron")
    again = submit(engine)
    go_on.set()
    assert ended(engine, job)["state"] == ended(engine, again)["state"] == "done"
    assert "heron" in searchable(engine)


def test_what_is_added_while_an_import_waits_in_the_queue_is_read_although_it_was_planned_before(
    engine: Container, papers: Path
) -> None:
    engine.jobs.set_paused(True)
    engine.imports.sync_if_needed("p")
    add_paper(papers, "heron")
    engine.imports.sync_if_needed("p")
    engine.jobs.set_paused(False)
    wait_for(lambda: not engine.jobs.unfinished(), "the import")
    assert searchable(engine) == sorted([*PAPERS, "heron"])


def test_documents_of_a_source_that_is_removed_do_not_come_back_by_an_import_that_knew_them(
    engine: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, go_on, read = threading.Event(), threading.Event(), pipeline.ImportRun.read

    def hold(self: pipeline.ImportRun, task: Any) -> Any:
        held.set()
        assert go_on.wait(30)
        return read(self, task)

    monkeypatch.setattr(pipeline.ImportRun, "read", hold)
    job = submit(engine, source=str(papers))
    assert held.wait(30)
    engine.projects.disallow_source(DisallowSource(project="p", source=str(papers)))
    go_on.set()
    assert ended(engine, job)["state"] == "cancelled"
    wait_for(lambda: not engine.jobs.unfinished(), "the sync that removes the documents")
    assert engine.catalog.documents.all("p") == []


def test_an_import_that_waits_in_the_queue_leaves_out_a_source_that_is_removed_meanwhile(
    engine: Container, papers: Path
) -> None:
    engine.jobs.set_paused(True)
    engine.imports.sync_if_needed("p")
    engine.projects.disallow_source(DisallowSource(project="p", source=str(papers)))
    engine.jobs.set_paused(False)
    wait_for(lambda: not engine.jobs.unfinished(), "the imports")
    assert engine.catalog.documents.all("p") == []


def test_a_plan_that_waited_long_removes_nothing_that_has_come_back_since(
    engine: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(engine, submit(engine))
    text = (papers / "moth.md").read_text()
    engine.jobs.set_paused(True)
    (papers / "moth.md").unlink()
    engine.imports.sync_if_needed("p")
    (papers / "moth.md").write_text(text)
    monkeypatch.setattr(discovery, "_PLAN_SECONDS", 0.0, raising=False)
    engine.jobs.set_paused(False)
    wait_for(lambda: not engine.jobs.unfinished(), "the import")
    assert searchable(engine) == list(PAPERS)


def test_scans_wait_for_mains_power_and_are_read_by_the_next_engine_although_only_the_watcher_asked(
    engine: Container, new_engine: Callable[[], Container], papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Image.new("L", (1240, 700), 255)
    for line in range(8):
        ImageDraw.Draw(page).text((120, 80 + 60 * line), f"The heron was counted {line} times.", 0, font_size=32)
    page.save(papers / "scan.pdf", resolution=150)
    monkeypatch.setattr(container, "runs_on_battery", lambda: True)
    engine.imports.sync_if_needed("p")
    (job,) = wait_for(lambda: [one for one in engine.jobs.unfinished() if one.waits_for], "the wait for power")
    assert "battery" in job.waits_for and job.pages_waiting and job.searchable == len(PAPERS)
    monkeypatch.setattr(container, "runs_on_battery", lambda: False)
    later = new_engine()
    wait_for(lambda: not later.jobs.unfinished(), "the rest")
    assert searchable(later) == sorted([*PAPERS, "scan"])
    assert not later.catalog.documents.without_vectors("p")


def test_a_project_that_is_removed_while_its_vectors_are_made_leaves_nothing_and_holds_up_no_other(
    engine: Container, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, go_on, embed = threading.Event(), threading.Event(), DenseModel.embed

    def hold(self: DenseModel, texts: Any, *rest: Any) -> Any:
        held.set()
        assert go_on.wait(30)
        return embed(self, texts, *rest)

    monkeypatch.setattr(DenseModel, "embed", hold)
    engine.imports.sync_if_needed("p")
    assert held.wait(30)
    (tmp_path / "others").mkdir()
    add_paper(tmp_path / "others", "heron")
    engine.projects.add_project(AddProject(project="q", folders=[str(tmp_path / "others")]))
    job = engine.jobs.submit(ImportRequest("q"))
    index = engine.collections.folder(engine.catalog.projects.get("p").index_location).parent
    with ThreadPoolExecutor(1) as pool:
        removed = pool.submit(engine.projects.remove_project, RemoveProject(project="p"))
        wait_for(lambda: any(one.cancelled for one in list(engine.jobs._active.values())), "the import to be cancelled")
        go_on.set()
        assert removed.result(WAIT).note is None
    assert ended(engine, job)["state"] == "done"
    assert not engine.catalog.documents.without_vectors("q")
    assert [one.id for one in engine.catalog.projects.all()] == ["q"] and not index.exists()
    assert engine.jobs.unfinished() == []


def test_a_text_that_the_model_refuses_leaves_the_others_their_vectors(
    engine: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = DenseModel.embed

    def refuse(self: DenseModel, texts: Any, *rest: Any) -> Any:
        if any("moth" in text for text in texts):
            raise CiteLoomError(Code.EMBEDDING_FAILED, "The model failed on a text: too strange.")
        return embed(self, texts, *rest)

    monkeypatch.setattr(DenseModel, "embed", refuse)
    for _ in range(2):
        result = ended(engine, submit(engine))
        assert result["state"] == "done" and any(NOT_EMBEDDED in warning for warning in result["warnings"])
        (left,) = engine.catalog.documents.without_vectors("p")
        assert Path(left.source).stem == "moth" and left.state is State.READY
        assert len(left.warnings) == 1
    engine.imports.sync_if_needed("p")
    assert not engine.jobs.unfinished(), "the watcher does not try it again and again"


def test_a_replaced_text_that_could_not_be_deleted_is_not_found_again_after_a_rest(
    engine: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(engine, submit(engine))
    (papers / "moth.md").write_text("# On the moth\n\nThe second edition.\n")

    def fail(self: EdgeCollection, where: Any) -> None:
        raise CiteLoomError(Code.STORAGE_ERROR, "The disk is full.")

    with monkeypatch.context() as full_disk:
        full_disk.setattr(EdgeCollection, "_delete", fail)
        job = submit(engine)
        wait_for(lambda: [one for one in engine.jobs.unfinished() if one.waits_for], "the import to wait")
        engine.jobs.cancel(job.id)
        ended(engine, job)

    def texts() -> list[str]:
        passages = engine.collection(engine.catalog.projects.get("p")).any_passages(10)
        return [passage.payload["chunk_text"] for passage in passages if "moth" in passage.payload["source"]]

    assert texts() == ["The second edition."]
    engine.collections.close_unused(0)
    assert texts() == ["The second edition."]
