"""Who is connected, what was asked, what was done; and an engine that takes up other settings under all of that."""

from __future__ import annotations

import json
import queue
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.faults import Pause
from tests.flows.steps import (
    Control,
    Project,
    connect,
    copy_home,
    engine_with,
    engines,
    four_papers,
    hello,
    paper,
    settings,
)
from tests.support import WAIT, WRITING, Editor, citeloom, done, engine_address, environment, stop_engine, wait_for

ERAS = ["handshake", "2026-07-28"]
QUESTION = {"project": "p", "text": "how often was the coral measured?"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four papers, and beside them a data folder at rest with them as project `p`. Neither is to be changed."""
    root = tmp_path_factory.mktemp("library")
    (root / "home").mkdir()
    four_papers(root / "papers")
    try:
        Project.made(root / "home", root / "papers").ingest()
    finally:
        stop_engine(root / "home")
    return root


@pytest.fixture
def project(library: Path, tmp_path: Path) -> Iterator[Project]:
    """Four papers as project `p`, which tests may change, and a running engine."""
    home = copy_home(library / "home", tmp_path / "home")
    done(citeloom(home, "engine", "start"))
    yield Project(home)
    stop_engine(home)


class ModernEditor(Editor):
    """An editor that says who it is with every request instead of once."""

    def __init__(self, home: Path, *arguments: str, name: str = "test-editor", **more: str) -> None:
        super().__init__(home, *arguments, handshake=False, **more)
        self._meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1.0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        self.request("tools/list")

    def begin(self, method: str, params: dict[str, Any] | None = None) -> int:
        return super().begin(method, {**(params or {}), "_meta": self._meta})


def editor_of(era: str, home: Path, *arguments: str, **more: str) -> Editor:
    return (Editor if era == "handshake" else ModernEditor)(home, *arguments, **more)


class Watcher:
    """Hears the engine's events."""

    def __init__(self, home: Path) -> None:
        self._socket = connect(home, hello(home))
        self._socket.sendall(b'{"id": 1, "verb": "engine.subscribe"}\n')
        self._lines = self._socket.makefile("rb")
        assert json.loads(self._lines.readline())["ok"]
        assert json.loads(self._lines.readline())["id"] == 1
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(2)
        self._thread.join(WAIT)
        self._lines.close()
        self._socket.close()

    def _listen(self) -> None:
        for line in self._lines:
            self._events.put(json.loads(line)["event"])

    def next(self, *kinds: str) -> dict[str, Any]:
        """The next event of these kinds."""
        while (event := self._events.get(timeout=WAIT))["type"] not in kinds:
            pass
        return event


def connected(home: Path) -> list[dict[str, Any]]:
    with Control(home) as control:
        listed: list[dict[str, Any]] = control.call("engine.list_editors")
        return listed


def status(home: Path) -> dict[str, Any]:
    with Control(home) as control:
        answer: dict[str, Any] = control.call("engine.status")
        return answer


# -- editors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_an_editor_is_known_from_its_first_words_until_it_leaves(project: Project, era: str) -> None:
    home = project.home
    with Watcher(home) as watcher:
        with editor_of(era, home, "--project", "p", "--toolsets", "read", name="Quill") as editor:
            arrived = watcher.next("EditorConnected")
            (listed,) = connected(home)
            assert listed["session_id"] == arrived["session_id"]
            assert arrived["client"] == "Quill 1.0"
            assert (listed["client"], listed["version"]) == ("Quill", "1.0")
            assert (listed["projects"], listed["toolsets"]) == (["p"], ["read"])
            assert (listed["calls"], listed["last_call"], listed["last_tool"]) == (0, None, None)
            editor.call("query", **QUESTION)
            editor.fail("get_document", project="p", citekey="nobody")
            (listed,) = connected(home)
            assert (listed["calls"], listed["last_tool"]) == (2, "get_document")
            assert status(home)["editors"] == 1
        left = watcher.next("EditorConnected", "EditorLeft")
        assert (left["type"], left["session_id"]) == ("EditorLeft", arrived["session_id"])
    assert connected(home) == []


def test_an_editor_whose_bridge_is_killed_has_left(project: Project) -> None:
    with Watcher(project.home) as watcher, Editor(project.home) as editor:
        arrived = watcher.next("EditorConnected")
        editor.process.kill()
        assert watcher.next("EditorLeft")["session_id"] == arrived["session_id"]


def test_an_editor_that_never_says_who_it_is_is_listed_once_it_asks(project: Project) -> None:
    with Editor(project.home, handshake=False) as editor:
        editor.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        editor.call("query", **QUESTION)
        (listed,) = connected(project.home)
        assert (listed["client"], listed["version"], listed["calls"]) == ("unknown", "", 1)
        assert listed["projects"] is None


@pytest.mark.parametrize("era", ERAS)
def test_a_disconnected_editor_is_refused_until_its_bridge_is_started_anew(project: Project, era: str) -> None:
    home = project.home
    with Editor(home, name="Other") as other, Watcher(home) as watcher:
        with editor_of(era, home, name="Quill") as editor:
            session = watcher.next("EditorConnected")["session_id"]
            with Control(home) as control:
                assert control.call("engine.disconnect_editor", session_id=session) is True
                assert control.call("engine.disconnect_editor", session_id=session) is False
            assert watcher.next("EditorLeft")["session_id"] == session
            assert [e["client"] for e in connected(home)] == ["Other"]
            # Whether it was cut off is only seen by the bridge a moment later; then it stays so.
            wait_for(lambda: refusal(editor)["code"] == "PERMISSION_DENIED", "the refusal")
            for _ in range(2):
                error = refusal(editor)
                assert "The researcher disconnected this editor." in error["message"]
                assert "Restart CiteLoom's server in the editor" in error["message"]
            assert editor.request("tools/list")["error"]["data"]["code"] == "PERMISSION_DENIED"

            other.call("query", **QUESTION)
            settings(home, "[search]\ntop_k = 2\n")
            watcher.next("EngineStopping")
            assert refusal(editor)["code"] == "PERMISSION_DENIED", "also by the engine with other settings"
        with editor_of(era, home, name="Quill") as again:
            again.call("query", **QUESTION)


def refusal(editor: Editor) -> dict[str, Any]:
    error: dict[str, Any] = editor.fail("query", **QUESTION)
    return error


def test_a_bridge_without_an_id_is_cut_off_and_may_come_back(project: Project) -> None:
    home = project.home
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "Old", "version": "0"}}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}).encode() + b"\n"
    for _ in range(2):
        with connect(home, hello(home, "mcp")) as bridge, bridge.makefile("rb") as lines:
            assert json.loads(lines.readline())["ok"] is True
            bridge.sendall(request)
            assert "result" in json.loads(lines.readline())
            (listed,) = connected(home)
            with Control(home) as control:
                control.call("engine.disconnect_editor", session_id=listed["session_id"])
            assert lines.readline() == b""


# -- jobs and the log --------------------------------------------------------------------------------------------


def test_past_jobs_are_listed_with_their_errors_last_one_first(home: Path, tmp_path: Path) -> None:
    paper(tmp_path / "one" / "a.md", "On salt", "Salt was measured.")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "broken.pdf").write_bytes(b"%PDF-1.7 but no more than that")
    one, two = (Project.made(home, tmp_path / name, name=name) for name in ("one", "two"))
    one.ingest()
    two.ingest()
    lost = tmp_path / "two" / "references.json"
    lost.write_text("[]")
    done(citeloom(home, "ingest", "one", "--references", str(lost)))
    lost.unlink()
    citeloom(home, "ingest", "one")
    with Control(home) as control:
        jobs = control.call("activity.list_jobs")
        assert jobs["running"] == []
        past = jobs["past"]
        assert [job["project"] for job in past] == ["one", "one", "two", "one"]
        assert past[0]["state"] == "failed"
        assert past[0]["error"]["code"] == "FILE_NOT_FOUND"
        assert past[0]["result"] == {}
        assert past[2]["state"] == "done"
        assert past[2]["error"] is None
        (problem,) = past[2]["result"]["errors"]
        assert problem["source"].endswith("broken.pdf")
        assert all(job["created_at"] <= job["finished_at"] for job in past)
        assert [job["project"] for job in control.call("activity.list_jobs", project="one", limit=2)["past"]] == [
            "one"
        ] * 2


def test_passages_that_went_out_are_shown_as_they_are_now_and_lost_ones_are_said(project: Project) -> None:
    home = project.home
    with Editor(home, name="Quill") as editor:
        editor.call("query", **QUESTION)
    with Control(home) as control:
        (entry,) = control.call("activity.access_log", client="Quill 1.0")
        assert control.call("activity.access_log", client="Quill") == []
        assert control.call("activity.access_log", before=entry["id"]) == []
        asked_for = [*entry["passages"], "no-such-id"]
        shown = control.call("activity.logged_passages", project="p", chunk_ids=asked_for)
        assert [p["chunk_id"] for p in shown] == asked_for
        first, nothing = shown[0], shown[-1]
        assert first["cite"].startswith("[@")
        assert (first["title"], first["deleted"]) == ("On the coral", False)
        assert first["section_path"][0] == "On the coral"
        assert first["text"].startswith("The coral was measured")
        assert nothing["deleted"] is True
        assert nothing["text"] is None

    with Control(home) as control:
        documents = control.call("library.list_documents", project="p")["documents"]
        (reefs,) = (document for document in documents if document["source"] == "1-reefs.md")
    with Editor(home, *WRITING) as editor:
        editor.call("delete_document", project="p", doc_id=reefs["doc_id"])
    with Control(home) as control:
        after = control.call("activity.logged_passages", project="p", chunk_ids=entry["passages"])
        assert {p["deleted"] for p in after if p["chunk_id"] == first["chunk_id"]} == {True}
        assert any(not p["deleted"] for p in after)
        control.call("library.remove_project", project="p")
        gone = control.call("activity.logged_passages", project="p", chunk_ids=entry["passages"])
        assert all(p["deleted"] for p in gone)
        assert control.call("activity.clear_access_log") == 2
        assert control.call("activity.access_log") == []


def test_what_editors_asked_is_kept_as_long_as_the_settings_say(project: Project) -> None:
    home = project.home
    with Editor(home) as editor:
        for text in ("long ago", "today"):
            editor.call("query", project="p", text=text)
    stop_engine(home)
    with closing(sqlite3.connect(home / "catalog.db")) as catalog:
        catalog.execute("UPDATE access_log SET at = '2024-01-01T00:00:00.000+00:00' WHERE asked = 'long ago'")
        catalog.commit()
    done(citeloom(home, "engine", "start"))
    with Control(home) as control:
        assert [e["asked"] for e in control.call("activity.access_log")] == ["today", "long ago"]
    with Watcher(home) as watcher:
        settings(home, "[privacy]\nlog_days = 30\n")
        watcher.next("EngineStopping")
    with Control(home) as control:
        assert [e["asked"] for e in control.call("activity.access_log")] == ["today"]


# -- pause -------------------------------------------------------------------------------------------------------


def test_a_person_pauses_and_resumes_imports_on_the_command_line(
    project: Project, library: Path, tmp_path: Path
) -> None:
    home = project.home
    assert "paused" not in done(citeloom(home, "engine", "status"))
    assert "citeloom engine resume" in done(citeloom(home, "engine", "pause"))
    assert "Imports are paused" in done(citeloom(home, "engine", "status"))
    dunes = paper(tmp_path / "5-dunes.md", "On the dune", "The dune was measured.")
    with subprocess.Popen(
        [sys.executable, "-m", "citeloom", "ingest", "p", str(dunes), "--json"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as waiting:
        assert waiting.stderr and waiting.stdout
        assert "Imports are paused; this one continues after 'citeloom engine resume'." in waiting.stderr.readline()
        with Control(home) as control:
            (job,) = control.call("activity.list_jobs")["running"]
            assert job["state"] == "paused"
        with Editor(home, *WRITING) as editor:
            told = editor.call("ingest_from_source", project="p", source=str(library / "papers"))
            assert told["status"] == "running"
            assert "paused" in told["warnings"][0]
        done(citeloom(home, "engine", "resume"))
        assert json.loads(waiting.stdout.read())["new"] == 1
        assert waiting.wait(WAIT) == 0
    assert ("5-dunes.md", "The dune was measured.") in project.found("dune")


# -- other settings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
def test_a_quiet_session_goes_on_under_other_settings_as_if_nothing_had_happened(project: Project, era: str) -> None:
    home = project.home
    with editor_of(era, home, "--project", "p", name="Quill") as editor:
        assert editor.call("query", **QUESTION)["count"] == 6
        before, (known,) = engine_address(home), connected(home)
        with Watcher(home) as watcher:
            settings(home, "[search]\ntop_k = 2\n")
            assert watcher.next("EngineStopping")["reason"] == "settings changed"
        assert editor.call("query", **QUESTION)["count"] == 2
        assert engine_address(home)["pid"] == before["pid"]
        (listed,) = connected(home)
        assert (listed["since"], listed["session_id"]) == (known["since"], known["session_id"])
        assert (listed["client"], listed["projects"], listed["calls"]) == ("Quill", ["p"], 2)
    numbers = [json.loads(line).get("id") for line in editor.raw]
    assert len(numbers) == len(set(numbers))
    assert len(engines(home)) == 1


@pytest.mark.parametrize("era", ERAS)
def test_an_editor_that_asks_without_a_pause_hears_no_word_of_other_settings(project: Project, era: str) -> None:
    home = project.home
    with editor_of(era, home) as editor:
        for top_k in (2, 3):
            settings(home, f"[search]\n# {'-' * top_k}\ntop_k = {top_k}\n")
            wait_for(lambda wanted=top_k: editor.call("query", **QUESTION)["count"] == wanted, "the new settings")
        assert status(home)["editors"] == 1


def test_a_quiet_editor_stays_listed_and_can_be_disconnected_under_other_settings(project: Project) -> None:
    home = project.home
    with Editor(home, name="Quill") as editor, Watcher(home) as watcher:
        settings(home, "[search]\ntop_k = 2\n")
        watcher.next("EngineStopping")
        (listed,) = wait_for(lambda: connected(home), "the editor to reconnect")
        with Control(home) as control:
            assert control.call("engine.disconnect_editor", session_id=listed["session_id"])
        wait_for(lambda: refusal(editor)["code"] == "PERMISSION_DENIED", "the refusal")


@pytest.fixture
def asked(tmp_path: Path) -> Pause:
    """Where a question waits that has its answer: loading the model before that takes long on a busy machine."""
    return Pause(tmp_path / "asked")


def test_a_call_under_way_is_answered_before_the_engine_takes_up_other_settings(project: Project, asked: Pause) -> None:
    home = project.home
    stop_engine(home)
    with engine_with(home, asked.at("search.answered")), Editor(home) as editor, Watcher(home) as watcher:
        number = editor.begin("tools/call", {"name": "query", "arguments": QUESTION})
        asked.wait("the question to be under way")
        settings(home, "[search]\ntop_k = 2\n")
        log = home / "logs" / "engine.log"
        wait_for(lambda: "reloading the service" in log.read_text(), "the change to be seen")
        meanwhile = editor.begin("tools/call", {"name": "query", "arguments": QUESTION})
        asked.release()
        assert editor.answer(number)["result"]["structuredContent"]["count"] == 6
        assert editor.answer(meanwhile)["result"]["structuredContent"]["count"] == 2
        watcher.next("EngineStopping")
        assert editor.call("query", **QUESTION)["count"] == 2


def test_a_call_that_an_editor_cancelled_does_not_cost_it_its_session(project: Project, asked: Pause) -> None:
    home = project.home
    stop_engine(home)
    with engine_with(home, asked.at("search.answered")), Editor(home) as editor, Watcher(home) as watcher:
        number = editor.begin("tools/call", {"name": "query", "arguments": QUESTION})
        asked.wait("the question to be under way")
        editor.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        editor.call("list_projects")  # so that the engine has heard of it
        asked.release()
        (known,) = connected(home)
        settings(home, "[search]\ntop_k = 2\n")
        watcher.next("EngineStopping")
        (listed,) = wait_for(lambda: connected(home), "the editor to reconnect")
        assert listed["session_id"] == known["session_id"]
        assert editor.call("query", **QUESTION)["count"] == 2
        assert number not in [json.loads(line).get("id") for line in editor.raw], "it is not asked again"


def test_an_import_under_way_goes_on_under_other_settings(home: Path, tmp_path: Path) -> None:
    four_papers(tmp_path / "papers")
    third = Pause(tmp_path / "third")
    with engine_with(home, third.at("import.read", "3-peat.md")):
        Project.made(home, tmp_path / "papers")
        with Control(home) as control:
            job = control.call("importing.ingest", project="p", source=None)["job_id"]
            wait_for(lambda: control.call("engine.status")["coverage"]["searchable"] == 2, "two documents")
        with Watcher(home) as watcher:
            settings(home, "[search]\ntop_k = 2\n")
            watcher.next("EngineStopping")
            third.release()
        with Control(home) as control:
            wait_for(lambda: not control.call("engine.status")["jobs"], "the import to end")
            (past,) = control.call("activity.list_jobs")["past"]
            assert (past["job_id"], past["state"]) == (job, "done")
            assert past["result"]["new"] in (1, 2), "what was read before is not read again"
            assert control.call("engine.status")["coverage"]["searchable"] == 4


def test_a_settings_file_that_cannot_be_used_leaves_the_old_settings_in_force_and_is_said(project: Project) -> None:
    home = project.home
    settings(home, "[search]\ntop_q = 2\n")
    problem = wait_for(lambda: status(home)["settings_problem"], "the problem to be seen")
    assert "there is no setting search.top_q" in problem
    assert problem in done(citeloom(home, "engine", "status"))
    with Control(home) as control:
        assert [
            finding["seen"]
            for finding in control.call("maintenance.doctor")
            if finding["part"] == "settings" and not finding["ok"]
        ] == [problem]
    assert len(project.search("measured")) == 6
    settings(home, "[search]\n# nothing of its own\n")
    wait_for(lambda: status(home)["settings_problem"] is None, "the mended file to be seen")
    assert "reloading" not in (home / "logs" / "engine.log").read_text(), "for the settings are the same"


@pytest.fixture
def app_home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "app"
    folder.mkdir()
    settings(folder, "[engine]\nidle_minutes = 0.02\n")
    yield folder
    stop_engine(folder)


def test_an_engine_that_the_app_started_ends_when_the_app_has_gone(app_home: Path) -> None:
    command = [sys.executable, "-m", "citeloom.engine.main", "--started-by", "app"]
    with subprocess.Popen(command, env=environment(app_home)) as engine:
        wait_for((app_home / "engine.json").exists, "the engine to listen")
        with Control(app_home) as app:
            assert app.call("engine.status")["started_by"] == "app"
            app.call("engine.pause")
        assert engine.wait(WAIT) == 0
