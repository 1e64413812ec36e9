"""Imports that are killed, stopped, watched or out of disk while they run lose nothing and double nothing."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.flows.steps import (
    Control,
    Project,
    assert_whole,
    begin_ingest,
    copy_home,
    engine_with,
    engines,
    four_papers,
    paper,
    rows,
    settings,
    states,
    wait_until_idle,
)
from tests.support import WAIT, citeloom, done, environment, stop_engine, wait_for

ALL_READY = dict.fromkeys(("1-reefs.md", "2-moths.md", "3-peat.md", "4-tides.md"), "ready")
NEW_TEXT = "The moth was measured again, and this time at dawn."


def after(stage: str) -> str:
    """Die when a stage of the second paper is over."""
    return f"""
def after_stage(self, stage, source):
    if stage == {stage!r} and source.endswith("2-moths.md"):
        die()
Importer.after_stage = after_stage
"""


def around(method: str, when: str, body: str) -> str:
    """Replace a method; `real` is the one that was there."""
    return f"""
real = {method}
def changed(self, *given):
    if {when}:
        {body}
    return real(self, *given)
{method} = changed
"""


SECOND = 'given[0] and given[0][0].payload["source"] == "2-moths.md"'
HALF_WRITTEN = around("EdgeCollection.upsert", SECOND, "real(self, given[0][:1]); self.flush(); die()")
ALL_WRITTEN = around("EdgeCollection.upsert", SECOND, "real(self, *given); die()")
# The row that makes the new passages the document's own, and the deletion of the old ones after it.
OWN_ROW = 'given[0].source.endswith("2-moths.md") and given[0].version and given[0].version != given[0].writing'
ROW_WRITTEN = around("Documents.save", f"{OWN_ROW} and given[0].chunks == 4", "real(self, *given); die()")
OLD_DELETED = around("EdgeCollection.delete", "True", "real(self, *given); die()")

STAGES = [after(stage) for stage in ("read", "match", "embed", "write")]
STAGE_NAMES = ["read", "match", "embed", "write"]


class Library:
    """Four papers; a data folder that knows of them, one that holds an earlier second paper, and what must come out."""

    def __init__(self, root: Path) -> None:
        self.papers = root / "papers"
        self.empty, self.earlier, undisturbed = root / "empty", root / "earlier", root / "undisturbed"
        second = four_papers(self.papers)[1]
        self.empty.mkdir()
        Project.made(self.empty, self.papers)
        stop_engine(self.empty)
        copy_home(self.empty, self.earlier)
        Project(self.earlier).ingest()
        stop_engine(self.earlier)
        self.old_ids = assert_whole(self.earlier)
        paper(second, "On the moth", *(f"The moth was seen {n} times." for n in (3, 6, 8)), NEW_TEXT)
        copy_home(self.empty, undisturbed)
        Project(undisturbed).ingest()
        stop_engine(undisturbed)
        self.ids = assert_whole(undisturbed)
        assert len(self.ids) == 13
        assert len(self.ids & self.old_ids) == 9


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = tmp_path_factory.mktemp("library")
    try:
        yield Library(root)
    finally:
        for home in ("empty", "earlier", "undisturbed"):
            for engine in engines(root / home):
                engine.kill()


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[Path]:
    """Where a copy of one of the library's data folders goes; its engine ends with the test."""
    folder = tmp_path / "copy"
    yield folder
    stop_engine(folder)


def die_while_importing(home: Path, patch: str, **options: bool) -> None:
    with engine_with(home, patch) as engine:
        begin_ingest(home, **options)
        assert engine.wait(WAIT) == -signal.SIGKILL
    (job,) = (r for r in rows(home, "SELECT * FROM jobs") if r["finished_at"] is None)
    assert job["state"] == "running"


def assert_finishes_by_itself(home: Path, library: Library) -> None:
    done(citeloom(home, "engine", "start"))
    wait_until_idle(home)
    stop_engine(home)
    assert assert_whole(home) == library.ids
    assert states(home) == ALL_READY
    assert {r["state"] for r in rows(home, "SELECT state FROM jobs")} == {"done"}


@pytest.mark.parametrize("patch", [*STAGES, HALF_WRITTEN], ids=[*STAGE_NAMES, "half written"])
def test_an_import_killed_at_any_stage_goes_on_by_itself(library: Library, copied: Path, patch: str) -> None:
    die_while_importing(copy_home(library.empty, copied), patch)
    assert_finishes_by_itself(copied, library)


@pytest.mark.parametrize(
    "patch",
    [HALF_WRITTEN, ALL_WRITTEN, ROW_WRITTEN, OLD_DELETED],
    ids=["half written", "row not written", "old not deleted", "old deleted"],
)
def test_a_replacement_killed_at_any_stage_leaves_one_text(library: Library, copied: Path, patch: str) -> None:
    die_while_importing(copy_home(library.earlier, copied), patch)
    assert_finishes_by_itself(copied, library)


def test_after_a_kill_everything_committed_is_found_before_the_import_goes_on(library: Library, copied: Path) -> None:
    die_while_importing(copy_home(library.earlier, copied), HALF_WRITTEN)
    # This engine's import waits, so that only what the killed one committed can be seen.
    with engine_with(copied, around("Importer.start", "True", "time.sleep(600)")), Control(copied) as control:
        hits = control.call("search.query", project="p", text="moth measured times", top_k=20)["items"]
        assert {h["source"] for h in hits} == set(ALL_READY)
        assert [h["source"] for h in hits].count("2-moths.md") == 3
        assert NEW_TEXT not in {h["render_text"] for h in hits}
        assert control.call("library.show_project", project="p")["chunk_count"] == 12


def test_an_import_that_keeps_killing_the_engine_is_given_up_in_the_end(library: Library, copied: Path) -> None:
    copy_home(library.empty, copied)
    die_while_importing(copied, after("embed"))
    for _ in range(2):
        with engine_with(copied, after("embed")) as engine:
            assert engine.wait(WAIT) == -signal.SIGKILL
    done(citeloom(copied, "engine", "start"))
    wait_until_idle(copied)
    (job,) = rows(copied, "SELECT state, result FROM jobs")
    assert job["state"] == "failed"
    assert "3 times" in job["result"]
    assert Project(copied).search("coral")[0]["source"] == "1-reefs.md"
    assert Project(copied).ingest()["new"] == 3


# The engine's own start looks after what a kill left while the import already goes on: the import stops in the
# middle of writing until that has happened, or some seconds have passed.
CARE_DURING_WRITING = """
writing, cared = threading.Event(), threading.Event()
warm_up, tidy, upsert = service.Service._warm_up, Collections.tidy, EdgeCollection.upsert

def late_warm_up(self):
    writing.wait(20)
    warm_up(self)

def noted_tidy(self, *given):
    tidy(self, *given)
    cared.set()

def waiting_upsert(self, points):
    writing.set()
    upsert(self, points)
    cared.wait(5)

service.Service._warm_up, Collections.tidy, EdgeCollection.upsert = late_warm_up, noted_tidy, waiting_upsert
"""


@pytest.mark.parametrize("rebuild", [False, True], ids=["import", "rebuild"])
def test_what_an_engine_mends_at_its_start_is_not_the_import_that_runs(
    library: Library, copied: Path, rebuild: bool
) -> None:
    die_while_importing(copy_home(library.empty, copied), HALF_WRITTEN, force_rebuild=rebuild)
    with engine_with(copied, CARE_DURING_WRITING):
        wait_until_idle(copied)
        stop_engine(copied)
    assert assert_whole(copied) == library.ids
    assert states(copied) == ALL_READY


STOPPED_WORKER = """
start, first = _Worker._start, []
def stopped_start(worker):
    process = start(worker)
    if not first:
        first.append(process)
        os.kill(process.pid, signal.SIGSTOP)
    return process
_Worker._start = stopped_start
"""


def test_a_killed_worker_costs_nothing(library: Library, copied: Path) -> None:
    copy_home(library.empty, copied)
    settings(copied, "[engine]\nworkers = 1\n")
    with engine_with(copied, STOPPED_WORKER) as engine:
        begin_ingest(copied)

        def stopped() -> list[psutil.Process]:
            children = psutil.Process(engine.pid).children()
            return [c for c in children if c.status() == psutil.STATUS_STOPPED]

        (worker,) = wait_for(stopped, "a worker at work")
        worker.kill()
        wait_until_idle(copied)
        stop_engine(copied)
    assert assert_whole(copied) == library.ids
    assert states(copied) == ALL_READY


def test_a_file_that_crashes_its_reader_costs_that_file_only(library: Library, copied: Path, tmp_path: Path) -> None:
    copy_home(library.empty, copied)
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if 'citeloom.conversion.worker' in sys.orig_argv:\n"
        "    from citeloom.conversion.markup import markdown_reader as markdown\n"
        "    read = markdown.read\n"
        "    def crash(path, converter):\n"
        "        if path.name == '2-moths.md':\n"
        "            os.abort()\n"
        "        return read(path, converter)\n"
        "    markdown.read = crash\n"
    )
    result = citeloom(copied, "ingest", "p", PYTHONPATH=f"{tmp_path}:{environment(copied)['PYTHONPATH']}")
    assert result.returncode == 1
    assert "3 new, 1 failed" in result.stdout
    assert "2-moths.md" in result.stderr
    assert "crashed the converter" in result.stderr
    assert "Traceback" not in result.stderr
    stop_engine(copied)
    assert len(assert_whole(copied)) == 9
    assert states(copied) == {**ALL_READY, "2-moths.md": "failed"}


SLOW = 'Importer.after_stage = lambda self, stage, source: time.sleep(0.3) if stage == "read" else None'


def some_done(control: Control) -> bool:
    jobs = control.call("engine.status")["jobs"]
    return bool(jobs) and 1 <= jobs[0].get("done", 0) <= 2


def test_a_stopped_engine_parks_its_import_and_the_next_one_finishes_it(library: Library, copied: Path) -> None:
    copy_home(library.empty, copied)
    with engine_with(copied, SLOW) as engine:
        begin_ingest(copied)
        with Control(copied) as control:
            wait_for(lambda: some_done(control), "the first paper")
        assert "has stopped" in done(citeloom(copied, "engine", "stop"))
        assert engine.wait(WAIT) == 0
    assert [r["state"] for r in rows(copied, "SELECT state FROM jobs")] == ["parked"]
    part = assert_whole(copied)
    assert part < library.ids
    assert part
    assert_finishes_by_itself(copied, library)


def test_ctrl_c_ends_an_import_after_the_document_at_hand(library: Library, copied: Path) -> None:
    copy_home(library.empty, copied)
    with engine_with(copied, SLOW):
        person = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "ingest", "p"],
            env=environment(copied),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with Control(copied) as control:
            wait_for(lambda: some_done(control), "the first paper")
        person.send_signal(signal.SIGINT)
        _, said = person.communicate(timeout=WAIT)
        assert person.returncode == 130
        assert "Go on with: citeloom ingest p" in said
        assert "Traceback" not in said
        stop_engine(copied)
    part = assert_whole(copied)
    assert part < library.ids
    assert part
    done(citeloom(copied, "ingest", "p"))
    stop_engine(copied)
    assert assert_whole(copied) == library.ids


FULL = """
def around(owner, name, when):
    real = getattr(owner, name)
    def changed(self, *given):
        if when(given[0]):
            if name == "upsert":
                real(self, given[0][:1])
            raise CiteLoomError(Code.STORAGE_ERROR, "The disk is full.", "Free some space and try again.")
        return real(self, *given)
    setattr(owner, name, changed)
"""
WHEN_FULL = {
    "the job": 'around(Jobs, "save", lambda job: job.state == "running")',
    "a passage": 'around(EdgeCollection, "upsert", lambda points: points[0].payload["source"] == "2-moths.md")',
    "the row": 'around(Documents, "save", lambda d: d.source.endswith("2-moths.md") and d.chunks == 4)',
    "whatever is long": "",
}


def _short_files() -> None:
    # A full disk of a kind: what would become longer than this cannot be written.
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))


@pytest.mark.parametrize("writing", WHEN_FULL)
def test_a_disk_that_is_full_while_something_is_written_loses_nothing(
    library: Library, copied: Path, writing: str
) -> None:
    copy_home(library.earlier, copied)
    limit = None if WHEN_FULL[writing] else _short_files
    with engine_with(copied, f"{FULL}\n{WHEN_FULL[writing]}", preexec_fn=limit):
        begin_ingest(copied)
        with Control(copied) as control:
            waits_for = wait_for(
                lambda: control.call("engine.status")["jobs"][0].get("waits_for"), "the import to wait"
            )
        assert "Free some space" in waits_for or "cannot be read or written" in waits_for
        # The old text or the new one, depending on what no longer fitted.
        assert [source for source, _ in Project(copied).found()].count("2-moths.md") in (3, 4)
        done(citeloom(copied, "engine", "stop"))
    Project(copied).ingest()
    stop_engine(copied)
    assert assert_whole(copied) == library.ids
    assert states(copied) == ALL_READY


def test_an_import_waits_before_the_disk_is_full_and_goes_on_by_itself(library: Library, copied: Path) -> None:
    copy_home(library.earlier, copied)
    settings(copied, "[engine]\nmin_free_mb = 1000000000\n")
    done(citeloom(copied, "engine", "start"))
    begin_ingest(copied)
    with Control(copied) as control:
        waits_for = wait_for(lambda: control.call("engine.status")["jobs"][0].get("waits_for"), "the import to wait")
    assert waits_for.startswith("The disk has only") and "Free some space" in waits_for
    assert waits_for in done(citeloom(copied, "engine", "status"))
    assert len(Project(copied).found()) == 12
    doctor = citeloom(copied, "doctor")
    assert doctor.returncode == 1
    assert "BAD  data folder" in doctor.stdout
    stop_engine(copied)
    assert assert_whole(copied) == library.old_ids
    settings(copied, "")
    done(citeloom(copied, "engine", "start"))
    wait_until_idle(copied)
    stop_engine(copied)
    assert assert_whole(copied) == library.ids


# A reader may be held up after it has looked at what it may see, and a writer between any two of its steps.
SLOW_STEPS = """
def slowed(method, seconds):
    def slow(self, *given, **named):
        try:
            return method(self, *given, **named)
        finally:
            time.sleep(seconds)
    return slow
EdgeCollection._visible = slowed(EdgeCollection._visible, 0.1)
EdgeCollection.upsert = slowed(EdgeCollection.upsert, 0.02)
EdgeCollection.delete = slowed(EdgeCollection.delete, 0.02)
Documents.save = slowed(Documents.save, 0.02)
"""


def test_who_reads_during_a_replacement_sees_the_old_text_or_the_new_one(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    long = folder / "long.md"
    settings(home, "[search]\nmax_top_k = 1000\n")
    versions = {word: {f"The {word} moth number {n} flew." for n in range(70 + len(word))} for word in ("old", "newer")}

    def write(word: str) -> None:
        paper(long, "Moths", *sorted(versions[word]))

    write("old")
    Project.made(home, folder).ingest()
    stop_engine(home)
    seen: list[set[str]] = []
    over = threading.Event()

    def read() -> None:
        with Control(home) as control:
            while not over.is_set():
                found = control.call("search.query", project="p", text="moth flew", top_k=1000)["items"]
                texts = [h["render_text"] for h in found]
                assert len(texts) == len(set(texts))
                seen.append(set(texts))

    with engine_with(home, SLOW_STEPS):
        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        try:
            for word in ("newer", "old"):
                write(word)
                begin_ingest(home)
                wait_until_idle(home)
        finally:
            over.set()
            for reader in readers:
                reader.join(WAIT)
        stop_engine(home)
    assert_whole(home)
    odd = [found for found in seen if found not in versions.values()]
    assert odd == [], f"{len(odd)} of {len(seen)} answers were neither: {sorted(len(found) for found in odd)}"
    assert all(version in seen for version in versions.values())
