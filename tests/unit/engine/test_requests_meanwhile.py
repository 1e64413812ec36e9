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
from citeloom.conversion.pool import WorkerPool
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Models, Settings
from citeloom.engine import container
from citeloom.engine.container import Container
from citeloom.importing import discovery, pipeline
from citeloom.importing.requests import ImportRequest
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.models.embedding import DenseModel
from citeloom.search.indexes import Indexes
from tests.support import WAIT, wait_for
from tests.unit.engine.conftest import PAPERS, Held, add_paper, ended, submit, texts


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


def test_a_text_that_was_read_slowly_does_not_take_the_place_of_a_newer_one(
    engine: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, convert, committed = Held(), WorkerPool.convert, list[str]()
    commit = pipeline.ImportRun.commit

    def slowly(self: WorkerPool, request: dict[str, Any], *more: Any) -> dict[str, Any]:
        reply = convert(self, request, *more)
        if request["path"].endswith("moth.md"):
            held.come()
        return reply

    def note(self: pipeline.ImportRun, task: Any, reading: Any) -> None:
        commit(self, task, reading)
        committed.append(Path(task.source).stem)

    monkeypatch.setattr(WorkerPool, "convert", slowly)
    monkeypatch.setattr(pipeline.ImportRun, "commit", note)
    job = submit(engine)
    assert held.reached.wait(WAIT)
    (papers / "moth.md").write_text("# On the moth\n\nThe moth was measured anew.\n")
    submit(engine)
    wait_for(lambda: "The moth was measured anew." in texts(engine), "the new text")
    held.go_on.set()
    result = ended(engine, job)
    assert (result["state"], result["new"], result["replaced"]) == ("done", len(PAPERS), 0)
    assert committed.count("moth") == 2 and "The moth was measured anew." in texts(engine)
    assert len(texts(engine)) == len(PAPERS) and searchable(engine) == list(PAPERS)
    assert not engine.catalog.documents.without_vectors("p")


@pytest.mark.parametrize("written_anew", [False, True])
def test_a_file_that_is_renamed_during_an_import_is_no_duplicate_of_what_it_was(
    engine: Container, papers: Path, embedding: Held, written_anew: bool
) -> None:
    job = submit(engine)
    assert embedding.reached.wait(WAIT)
    (papers / "moth.md").rename(papers / "moth of 1999.md")
    if written_anew:
        (papers / "moth.md").write_text("# On the moth\n\nThe moth was measured anew.\n")
    submit(engine)

    def is_read() -> bool:
        document = engine.catalog.documents.find("p", source=str(papers / "moth of 1999.md"))
        return document is not None and document.state is not State.PENDING

    wait_for(is_read, "the file at its new place")
    embedding.go_on.set()
    assert ended(engine, job)["state"] == "done"
    renamed = {*PAPERS, "moth of 1999"} - (set() if written_anew else {"moth"})
    assert set(searchable(engine)) == renamed == {Path(one.source).stem for one in engine.catalog.documents.all("p")}
    assert "The moth was measured." in texts(engine)


def test_a_project_without_words_does_not_hold_up_the_others_while_it_is_embedded(
    engine: Container, tmp_path: Path, papers: Path, embedding: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    add_paper(folder, "heron")
    engine.projects.add_project(AddProject(project="q", folders=[str(folder)]))
    monkeypatch.setattr(engine.projects, "_settings", Settings(models=Models(sparse="")))
    engine.projects.add_project(AddProject(project="without-words", folders=[str(papers)]))
    first = engine.jobs.submit(ImportRequest("without-words"))
    assert embedding.reached.wait(WAIT)
    assert ended(engine, engine.jobs.submit(ImportRequest("q")))["new"] == 1
    embedding.go_on.set()
    assert ended(engine, first)["new"] == len(PAPERS)
    documents = engine.catalog.documents.all("without-words")
    assert [one.without_vector for one in documents] == [0] * len(PAPERS)
    assert engine.collection(engine.catalog.projects.get("without-words")).count() == len(PAPERS)


def test_an_index_that_is_away_is_asked_once_for_vectors_that_were_made_before(
    engine: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.projects.add_project(AddProject(project="twin", folders=[str(papers)]))
    assert ended(engine, engine.jobs.submit(ImportRequest("twin")))["new"] == len(PAPERS)
    asked, get = list[str](), Indexes._get_or_create

    def away(self: Indexes, project: Any) -> Any:
        if project.id == "twin":
            asked.append(project.id)
            raise CiteLoomError(Code.INDEX_UNAVAILABLE, "The server does not answer.")
        return get(self, project)

    monkeypatch.setattr(Indexes, "_get_or_create", away)
    assert ended(engine, submit(engine))["new"] == len(PAPERS)
    assert not engine.catalog.documents.without_vectors("p")
    assert asked == ["twin"]


def test_a_refused_text_that_was_replaced_meanwhile_is_not_complained_about(
    engine: Container, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, embed = Held(), DenseModel.embed

    def refuse(self: DenseModel, passages: Any, *more: Any) -> Any:
        if any("moth was measured" in text for text in passages):
            held.come()
            raise CiteLoomError(Code.EMBEDDING_FAILED, "The model failed on a text: too strange.")
        return embed(self, passages, *more)

    monkeypatch.setattr(DenseModel, "embed", refuse)
    job = submit(engine)
    assert held.reached.wait(WAIT)
    (papers / "moth.md").write_text("# On the moth\n\nIt was measured anew.\n")
    submit(engine)
    wait_for(lambda: "It was measured anew." in texts(engine), "the new text")
    held.go_on.set()
    result = ended(engine, job)
    assert result["state"] == "done" and not any(NOT_EMBEDDED in warning for warning in result["warnings"])
    assert [one.warnings for one in engine.catalog.documents.all("p")] == [[]] * len(PAPERS)
    assert not engine.catalog.documents.without_vectors("p")
