"""Imports that are killed, stopped, watched or out of disk while they run lose nothing and double nothing."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Set
from pathlib import Path

import psutil
import pytest

from tests.faults import Fault, Pause, as_variable, fault, set_number
from tests.flows.steps import (
    Control,
    Project,
    assert_embedded,
    assert_whole,
    begin_ingest,
    copy_home,
    counting,
    embedded,
    engine_with,
    engines,
    four_papers,
    paper,
    rows,
    settings,
    states,
    stored_vectors,
    wait_until_idle,
)
from tests.support import WAIT, citeloom, done, environment, stop_engine, wait_for

ALL_READY = dict.fromkeys(("1-reefs.md", "2-moths.md", "3-peat.md", "4-tides.md"), "ready")
NEW_TEXT = "The moth was measured again, and this time at dawn."


SECOND = "2-moths.md"
ONE_BY_ONE = set_number("index.batch", 1)
HALF_WRITTEN = [ONE_BY_ONE, fault("index.batch_written", "kill", SECOND)]
STAGES = {stage: [fault(f"import.{stage}", "kill", SECOND)] for stage in ("read", "matched", "embedded", "written")}
STAGES["third vectors"] = [set_number("import.embedding_batch", 2), fault("index.vectors_written", "kill", nth=3)]
REPLACING = {
    "half written": HALF_WRITTEN,
    "row not written": [fault("index.batch_written", "kill", SECOND)],
    "old not deleted": [fault("import.row_saved", "kill", SECOND)],
    "old deleted": [fault("index.deleted", "kill")],
}


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
        self.vectors = stored_vectors(self.earlier)
        paper(second, "On the moth", *(f"The moth was seen {n} times." for n in (3, 6, 8)), NEW_TEXT)
        copy_home(self.empty, undisturbed)
        Project(undisturbed).ingest()
        stop_engine(undisturbed)
        self.ids = assert_whole(undisturbed)
        self.vectors |= stored_vectors(undisturbed)
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


def die_while_importing(home: Path, *faults: Fault, **options: bool) -> None:
    with engine_with(home, *faults, counting(home)) as engine:
        begin_ingest(home, **options)
        assert engine.wait(WAIT) == -signal.SIGKILL
    (job,) = (r for r in rows(home, "SELECT * FROM jobs") if r["finished_at"] is None)
    assert job["state"] == "running"


def assert_finishes_by_itself(home: Path, library: Library, *, known: Set[str] = frozenset()) -> None:
    """The next engine completes everything, and embeds nothing again but the batches that were in work."""
    before = embedded(home)
    done(citeloom(home, "engine", "start", **as_variable(counting(home))))
    wait_until_idle(home)
    stop_engine(home)
    assert assert_whole(home) == library.ids
    assert_embedded(home, library.vectors)
    assert states(home) == ALL_READY
    again = sum(embedded(home)) - len(library.ids - known)
    assert 0 <= again <= sum(before[-2:]), "one batch is embedded while the last one is written"
    assert {r["state"] for r in rows(home, "SELECT state FROM jobs")} == {"done"}


@pytest.mark.parametrize("faults", [*STAGES.values(), HALF_WRITTEN], ids=[*STAGES, "half written"])
def test_an_import_killed_at_any_stage_goes_on_by_itself(library: Library, copied: Path, faults: list[Fault]) -> None:
    die_while_importing(copy_home(library.empty, copied), *faults)
    assert_finishes_by_itself(copied, library)


@pytest.mark.parametrize("faults", REPLACING.values(), ids=REPLACING)
def test_a_replacement_killed_at_any_stage_leaves_one_text(library: Library, copied: Path, faults: list[Fault]) -> None:
    die_while_importing(copy_home(library.earlier, copied), *faults)
    assert_finishes_by_itself(copied, library, known=library.old_ids)


def test_two_imports_killed_together_both_go_on_by_themselves(library: Library, copied: Path, tmp_path: Path) -> None:
    copy_home(library.empty, copied)
    for number, name in enumerate(("heron", "otter", "perch")):
        paper(
            tmp_path / "others" / f"{name}.md",
            f"On the {name}",
            *(f"The {name} was seen {n + number} times." for n in (3, 6)),
        )
    others = Project.made(copied, tmp_path / "others", name="q")
    stop_engine(copied)
    embedding, in_words = Pause(tmp_path / "embedding"), fault("import.written", "kill", "otter.md")
    with engine_with(copied, embedding.at("import.embedded"), in_words, counting(copied)) as engine:
        begin_ingest(copied)
        embedding.wait("the vectors of one import")
        with Control(copied) as control:
            control.call("importing.ingest", project=others.name)
        assert engine.wait(WAIT) == -signal.SIGKILL
    assert [job["state"] for job in rows(copied, "SELECT state FROM jobs")] == ["running", "running"]
    (lost,) = embedded(copied)  # the batch that was not written yet
    done(citeloom(copied, "engine", "start", **as_variable(counting(copied))))
    wait_until_idle(copied)
    stop_engine(copied)
    assert assert_whole(copied) == library.ids and len(assert_whole(copied, "q")) == 6
    assert_embedded(copied, library.vectors)
    assert None not in stored_vectors(copied, "q").values()
    assert sum(embedded(copied)) == lost + len(library.ids) + 6
    assert {job["state"] for job in rows(copied, "SELECT state FROM jobs")} == {"done"}


def test_after_a_kill_everything_committed_is_found_before_the_import_goes_on(library: Library, copied: Path) -> None:
    die_while_importing(copy_home(library.earlier, copied), *HALF_WRITTEN)
    # This engine's import waits, so that only what the killed one committed can be seen.
    with engine_with(copied, fault("import.begin", "sleep", value=600)), Control(copied) as control:
        hits = control.call("search.query", project="p", text="moth measured times", top_k=20)["items"]
        assert {h["source"] for h in hits} == set(ALL_READY)
        assert [h["source"] for h in hits].count("2-moths.md") == 3
        assert NEW_TEXT not in {h["render_text"] for h in hits}
        assert control.call("library.show_project", project="p")["chunk_count"] == 12


def test_an_import_that_keeps_killing_the_engine_is_given_up_in_the_end(library: Library, copied: Path) -> None:
    copy_home(library.empty, copied)
    die_while_importing(copied, *STAGES["matched"])
    for _ in range(2):
        with engine_with(copied, *STAGES["matched"]) as engine:
            assert engine.wait(WAIT) == -signal.SIGKILL
    done(citeloom(copied, "engine", "start"))
    wait_until_idle(copied)
    (job,) = rows(copied, "SELECT state, result FROM jobs")
    assert job["state"] == "failed"
    assert "3 times" in job["result"]
    assert Project(copied).search("coral")[0]["source"] == "1-reefs.md"
    assert Project(copied).ingest()["new"] == 3


@pytest.mark.parametrize("rebuild", [False, True], ids=["import", "rebuild"])
def test_what_an_engine_mends_at_its_start_is_not_the_import_that_runs(
    library: Library, copied: Path, tmp_path: Path, rebuild: bool
) -> None:
    die_while_importing(copy_home(library.empty, copied), *HALF_WRITTEN, force_rebuild=rebuild)
    # The engine's own start looks after what a kill left while the import already goes on: the import stops in the
    # middle of writing until that has happened, or some seconds have passed.
    start, writing, cared = Pause(tmp_path / "start"), Pause(tmp_path / "writing"), tmp_path / "cared"
    with engine_with(
        copied,
        start.at("engine.warm_up"),
        writing.at("index.batch_written"),
        fault("index.tidied", "note", value=str(cared)),
    ):
        writing.wait("the import to write")
        start.release()
        until = time.monotonic() + 5
        while not cared.exists() and time.monotonic() < until:
            time.sleep(0.05)
        writing.release()
        wait_until_idle(copied)
        stop_engine(copied)
    assert assert_whole(copied) == library.ids
    assert states(copied) == ALL_READY


def test_a_file_that_changes_while_its_text_is_embedded_is_read_again_and_no_text_gets_the_vector_of_another(
    library: Library, copied: Path, tmp_path: Path
) -> None:
    copied.mkdir()
    second, old_text = four_papers(tmp_path / "papers")[1], Pause(tmp_path / "old-text")
    new_text = fault("import.embedded", "kill", SECOND, nth=2)
    with engine_with(copied, old_text.at("import.embedded", SECOND, nth=1), new_text, counting(copied)) as engine:
        Project.made(copied, tmp_path / "papers")
        begin_ingest(copied)
        old_text.wait("the old text to be embedded")
        paper(second, "On the moth", *(f"The moth was seen {n} times." for n in (3, 6, 8)))
        begin_ingest(copied)
        with Control(copied) as control:

            def is_found() -> bool:
                hits = control.call("search.query", project="p", text="how often was it seen", top_k=1)["items"]
                return any("seen" in hit["render_text"] for hit in hits)

            wait_for(is_found, "the new text")
        old_text.release()
        assert engine.wait(WAIT) == -signal.SIGKILL
    done(citeloom(copied, "engine", "start"))
    wait_until_idle(copied)
    stop_engine(copied)
    assert len(assert_whole(copied)) == len(stored_vectors(copied).keys() & library.vectors.keys()) == 12
    assert_embedded(copied, library.vectors)
    assert rows(copied, "SELECT source FROM documents WHERE without_vector") == []


def test_a_killed_worker_costs_nothing(library: Library, copied: Path, tmp_path: Path) -> None:
    copy_home(library.empty, copied)
    settings(copied, "[engine]\nworkers = 1\n")
    at_work = Pause(tmp_path / "at-work")
    with engine_with(copied, at_work.at("worker.convert")):
        begin_ingest(copied)
        psutil.Process(at_work.wait("a worker at work")).kill()
        at_work.release()
        wait_until_idle(copied)
        stop_engine(copied)
    assert assert_whole(copied) == library.ids
    assert states(copied) == ALL_READY


def test_a_file_that_crashes_its_reader_costs_that_file_only(library: Library, copied: Path) -> None:
    copy_home(library.empty, copied)
    result = citeloom(copied, "ingest", "p", **as_variable(fault("worker.convert", "abort", SECOND)))
    assert result.returncode == 1
    assert "3 new, 1 failed" in result.stdout
    assert "2-moths.md" in result.stderr
    assert "crashed the converter" in result.stderr
    assert "Traceback" not in result.stderr
    stop_engine(copied)
    assert len(assert_whole(copied)) == 9
    assert states(copied) == {**ALL_READY, "2-moths.md": "failed"}


SLOW = fault("import.read", "sleep", value=0.3)


def some_done(control: Control) -> bool:
    jobs = control.call("engine.status")["jobs"]
    return bool(jobs) and 1 <= jobs[0].get("searchable", 0) <= 2


def test_a_stopped_engine_parks_its_import_and_the_next_one_finishes_it(library: Library, copied: Path) -> None:
    copy_home(library.empty, copied)
    with engine_with(copied, SLOW, counting(copied)) as engine:
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


def test_ctrl_c_ends_an_import_after_the_document_at_hand(library: Library, copied: Path, tmp_path: Path) -> None:
    copy_home(library.empty, copied)
    third, asked = Pause(tmp_path / "third"), tmp_path / "asked"
    with engine_with(copied, third.at("import.read", "3-peat.md"), fault("engine.verb", "note", value=str(asked))):
        person = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "ingest", "p"],
            env=environment(copied),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        third.wait("the third paper")
        # The last that a command asks for before it waits for its import.
        wait_for(lambda: asked.read_text().endswith("status\n"), "the command to follow the import")
        person.send_signal(signal.SIGINT)
        wait_for(lambda: "cancel" in asked.read_text(), "the engine to be told")
        third.release()
        _, said = person.communicate(timeout=WAIT)
        assert person.returncode == 130
        assert "Continue with: citeloom ingest p" in said
        assert "Traceback" not in said
        stop_engine(copied)
    part = assert_whole(copied)
    assert part < library.ids
    assert part
    done(citeloom(copied, "ingest", "p"))
    stop_engine(copied)
    assert assert_whole(copied) == library.ids


WHEN_FULL = {
    "the job": [fault("catalog.job_saving", "fail", "running")],
    "a passage": [ONE_BY_ONE, fault("index.batch_written", "fail", SECOND)],
    "a vector": [fault("index.vectors_written", "fail")],
    "the row": [fault("import.row_saving", "fail", SECOND)],
    "whatever is long": [],
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
    with engine_with(copied, *WHEN_FULL[writing], preexec_fn=limit):
        begin_ingest(copied)
        with Control(copied) as control:
            waits_for = wait_for(
                lambda: control.call("engine.status")["jobs"][0].get("waits_for"), "the import to wait"
            )
        assert "Free some disk space" in waits_for or "cannot be read or written" in waits_for
        # The old text or the new one, depending on what no longer fitted.
        assert [source for source, _ in Project(copied).found()].count("2-moths.md") in (3, 4)
        done(citeloom(copied, "engine", "stop"))
    Project(copied).ingest()
    stop_engine(copied)
    assert assert_whole(copied) == library.ids
    assert_embedded(copied, library.vectors)
    assert states(copied) == ALL_READY


def test_an_import_waits_before_the_disk_is_full_and_goes_on_by_itself(library: Library, copied: Path) -> None:
    copy_home(library.earlier, copied)
    settings(copied, "[engine]\nmin_free_mb = 1000000000\n")
    done(citeloom(copied, "engine", "start"))
    begin_ingest(copied)
    with Control(copied) as control:
        waits_for = wait_for(lambda: control.call("engine.status")["jobs"][0].get("waits_for"), "the import to wait")
    assert waits_for.startswith("The disk has only") and "Free some disk space" in waits_for
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
SLOW_STEPS = [
    fault("index.visible", "sleep", value=0.1),
    *(fault(step, "sleep", value=0.02) for step in ("index.batch_written", "index.deleted", "catalog.document_saved")),
]


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

    with engine_with(home, *SLOW_STEPS):
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
