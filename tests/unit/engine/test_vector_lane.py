"""What happens while passages are embedded: a full disk, a wait for power, a deletion, a backup, a locked index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citeloom.api.engine import Pause, Resume
from citeloom.api.library import AddProject, DeleteDocument
from citeloom.core import fault_injection
from citeloom.engine import active_job, container
from citeloom.engine.container import Container
from citeloom.importing import document_queue, import_state
from citeloom.importing.requests import BackupRequest, ImportRequest
from citeloom.index.models.embedding import DenseModel
from tests.faults import set_number
from tests.support import WAIT, wait_for
from tests.unit.engine.conftest import PAPERS, Held, add_paper, ended, submit, texts


def without_vectors(engine: Container) -> list[str]:
    return [Path(one.source).stem for one in engine.catalog.documents.without_vectors("p")]


def waits_for(engine: Container) -> str:
    found: str = wait_for(lambda: next((job.waits_for for job in engine.jobs.unfinished()), ""), "the import to wait")
    return found


def test_a_disk_that_is_full_between_two_batches_is_waited_for_and_nothing_is_embedded_twice(
    engine: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = json.dumps([set_number("import.embedding_batch", 1)])
    monkeypatch.setattr(fault_injection, "RULES", fault_injection.parse(rules))
    monkeypatch.setattr(active_job, "_FIRST_DELAY", 0.05)
    embedded, full, embed = list[str](), False, DenseModel.embed

    def then_full(self: DenseModel, passages: Any, *more: Any) -> Any:
        nonlocal full
        embedded.extend(passages)
        full = len(embedded) == 2
        return embed(self, passages, *more)

    monkeypatch.setattr(DenseModel, "embed", then_full)
    monkeypatch.setattr(import_state, "free_bytes", lambda folder: 100_000_000 if full else 10**12)
    job = submit(engine)
    assert "only 100 MB left; imports leave 200 MB free" in waits_for(engine)
    assert len(embedded) == 2 == len(texts(engine)) - len(without_vectors(engine)), "what was made is kept"
    full = False
    assert ended(engine, job)["new"] == len(PAPERS)
    assert len(embedded) == len(PAPERS) and not without_vectors(engine)


def test_an_import_that_waits_for_power_can_be_paused_and_cancelled_and_the_next_one_goes_on_where_it_was(
    engine: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_queue, "_CHECK_SECONDS", 0.01)
    monkeypatch.setattr(container, "runs_on_battery", lambda: True)
    job = submit(engine)
    assert "battery" in waits_for(engine)
    engine.engine.pause(Pause())
    wait_for(lambda: [one.state for one in engine.jobs.unfinished()] == ["paused"], "the import to pause")
    engine.engine.resume(Resume())
    wait_for(lambda: [one.state for one in engine.jobs.unfinished()] == ["running"], "the import to go on")
    assert "battery" in waits_for(engine)
    assert engine.jobs.cancel(job.id) and ended(engine, job)["state"] == "cancelled"
    assert len(texts(engine)) == len(without_vectors(engine)) == len(PAPERS)
    later = submit(engine)
    assert "battery" in waits_for(engine)
    monkeypatch.setattr(container, "runs_on_battery", lambda: False)
    result = ended(engine, later)
    assert (result["state"], result["new"], result["skipped"]) == ("done", 0, len(PAPERS))
    assert not without_vectors(engine)


def test_a_document_may_be_deleted_and_a_backup_be_made_meanwhile_and_a_locked_index_holds_up_no_other_project(
    engine: Container, tmp_path: Path, papers: Path, embedding: Held
) -> None:
    job = submit(engine)
    assert embedding.reached.wait(WAIT)
    bog = engine.catalog.documents.find("p", source=str(papers / "bog.md"))
    assert bog is not None
    engine.documents.delete_document(DeleteDocument(project="p", doc_id=bog.doc_id))
    backup = engine.jobs.submit(BackupRequest(str(tmp_path / "backup.zip"), ["p"]))
    assert ended(engine, backup)["state"] == "done"

    folder = tmp_path / "more"
    folder.mkdir()
    add_paper(folder, "heron")
    engine.projects.add_project(AddProject(project="q", folders=[str(folder)]))
    with engine.indexes.lock_writers([engine.catalog.projects.get("p")], "copied"):
        embedding.go_on.set()
        assert ended(engine, engine.jobs.submit(ImportRequest("q")))["new"] == 1
        assert not engine.catalog.documents.without_vectors("q")
        assert "moth" in without_vectors(engine)
    assert ended(engine, job)["state"] == "done"
    assert not without_vectors(engine) and len(texts(engine)) == len(PAPERS) - 1
    assert ended(engine, submit(engine))["new"] == 1, "its file is still there"
    assert not without_vectors(engine) and len(texts(engine)) == len(PAPERS)
