"""What goes away in the middle of an import is waited for, and is never held against the documents."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.faults import Pause, fault
from tests.flows.steps import (
    Control,
    Project,
    assert_whole,
    begin_ingest,
    engine_with,
    four_papers,
    kill_engine,
    paper,
    rows,
    settings,
    states,
    wait_until_idle,
)
from tests.qdrant_stand_in import QdrantStandIn
from tests.support import WAIT, Editor, citeloom, done, environment, stop_engine, wait_for

PAPERS = 60


@pytest.fixture(scope="module")
def qdrant() -> Iterator[QdrantStandIn]:
    with QdrantStandIn() as server:
        yield server


@pytest.fixture(scope="module")
def on_server(qdrant: QdrantStandIn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project of many small papers on a server, of which nothing is read yet; `other` is embedded."""
    root = tmp_path_factory.mktemp("outage")
    home = root / "home"
    home.mkdir()
    for number in range(PAPERS):
        paper(root / "papers" / f"moth-{number:02d}.md", f"Moth {number}", f"The moth of night {number} was measured.")
    paper(root / "other" / "tide.md", "On the tide", "The tide was measured at noon.")
    Project.made(home, root / "other", name="other")
    settings(home, f'[index]\nserver = "{qdrant.address}"\n')
    wait_for(lambda: citeloom(home, "index", "show").stdout.count(qdrant.address) or None, "the other settings")
    yield Project.made(home, root / "papers")
    stop_engine(home)


def job(control: Control, project: str = "p") -> dict[str, Any]:
    """The import of a project that is under way; nothing where there is none."""
    return next((one for one in control.call("engine.status")["jobs"] if one["project"] == project), {})


def waiting(control: Control) -> dict[str, Any]:
    found: dict[str, Any] = wait_for(lambda: (one := job(control)).get("waits_for") and one, "the import to wait")
    return found


def test_a_server_that_goes_away_in_the_middle_of_an_import_costs_no_document(
    on_server: Project, qdrant: QdrantStandIn
) -> None:
    home = on_server.home
    person = subprocess.Popen(
        [sys.executable, "-m", "citeloom", "sync", "p"],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with Control(home) as control:
        wait_for(lambda: job(control).get("searchable", 0) >= 5, "the first papers")
        qdrant.close()
        held_up = waiting(control)
        assert (held_up["state"], held_up["failed"]) == ("running", 0)
        assert qdrant.address in held_up["waits_for"] and held_up["done"] < PAPERS
        assert "waits_for" not in Project(home, "other").sync(), "another project's import is not held up"
        assert Project(home, "other").search("tide")[0]["source"] == "tide.md"
        assert rows(home, "SELECT doc_id FROM documents WHERE state = 'failed'") == []
    killed = kill_engine(home)
    _, said = person.communicate(timeout=WAIT)
    assert said.count("Waiting: The") == 1 and qdrant.address in said

    done(citeloom(home, "engine", "start"))
    with Control(home) as control:
        assert control.call("engine.status")["pid"] != killed
        assert qdrant.address in waiting(control)["waits_for"]
        qdrant.open()
    wait_until_idle(home)
    assert {row["state"] for row in rows(home, "SELECT state FROM jobs")} == {"done"}
    assert set(states(home).values()) == {"ready"} and len(states(home)) == PAPERS + 1
    assert on_server.search("moth of night 59")[0]["source"] == "moth-59.md"
    (collection,) = qdrant.local.get_collections().collections
    assert qdrant.local.count(collection.name).count == PAPERS == on_server.sync()["skipped"]
    assert "Everything works." in done(citeloom(home, "doctor"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A data folder on a disk of its own, which is soon full."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400m,mode=700", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk may be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
        stop_engine(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Take the last byte of a disk, as another program may."""
    with (folder / "other-program").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 65_536)


@pytest.mark.parametrize(
    ("stage", "least"), [("read", 100), ("embedded", 0)], ids=["before it is written", "in a write"]
)
def test_a_full_disk_is_waited_for_and_costs_no_document(
    small_disk: Path, tmp_path: Path, stage: str, least: int
) -> None:
    four_papers(tmp_path / "papers")
    settings(small_disk, f"[engine]\nmin_free_mb = {least}\n")
    project = Project.made(small_disk, tmp_path / "papers")
    stop_engine(small_disk)
    second = Pause(tmp_path / "second")
    with engine_with(small_disk, second.at(f"import.{stage}", "2-moths.md")) as engine:
        with second.doing(lambda: fill(small_disk)):
            begin_ingest(small_disk)
        with Control(small_disk) as control:
            assert "disk" in waiting(control)["waits_for"].lower()
            assert os.statvfs(small_disk).f_bavail == 0
            hits = control.call("search.query", project="p", text="coral")["items"]
            assert {hit["source"] for hit in hits} == {"1-reefs.md"}, "what was read before answers meanwhile"
            (small_disk / "other-program").unlink()
        wait_until_idle(small_disk)
        assert set(states(small_disk).values()) == {"ready"}
        assert len(project.found()) == 12
        assert engine.poll() is None
        stop_engine(small_disk)
    assert len(assert_whole(small_disk)) == 12


@pytest.fixture
def own_drive(tmp_path: Path) -> Iterator[Path]:
    """A data folder on a drive of its own: `connect` and `disconnect` are given it."""
    folder = tmp_path / "drive"
    for one in (folder, tmp_path / "kept"):
        one.mkdir()
    if connect(folder).returncode:
        pytest.skip("no drive may be mounted here")
    try:
        yield folder
        stop_engine(folder)
    finally:
        disconnect(folder)


def connect(drive: Path) -> subprocess.CompletedProcess[bytes]:
    kept = drive.parent / "kept"
    return subprocess.run(["mount", "--bind", str(kept), str(drive)], capture_output=True, check=False)


def disconnect(drive: Path) -> None:
    subprocess.run(["umount", "-l", str(drive)], check=True)


def test_a_data_folder_whose_drive_goes_away_is_waited_for_and_opened_anew(own_drive: Path, tmp_path: Path) -> None:
    four_papers(tmp_path / "papers")
    settings(own_drive, "[search]\nmax_top_k = 30\n")
    project = Project.made(own_drive, tmp_path / "papers")
    stop_engine(own_drive)
    second, converted = Pause(tmp_path / "second"), tmp_path / "converted"
    faults = second.at("import.read", "2-moths.md"), fault("conversion.ended", "note", value=str(converted))
    with engine_with(own_drive, *faults) as engine, Editor(own_drive) as editor:
        begin_ingest(own_drive)
        with Control(own_drive) as control:
            second.wait("the second paper")
            wait_for(lambda: converted.read_text().count("\n") == 4, "the papers that are read ahead")
            disconnect(own_drive)
            second.release()
            assert waiting(control)["failed"] == 0
            log = tmp_path / "kept" / "logs" / "engine.log"
            wait_for(lambda: "is missing" in log.read_text(), "the engine to notice")
            assert list(own_drive.iterdir()) == [], "nothing is begun in the empty place"
        connect(own_drive)
        wait_for(lambda: "the data folder is back" in log.read_text(), "the engine to notice")
        wait_until_idle(own_drive)
        assert set(states(own_drive).values()) == {"ready"}
        assert len(project.found()) == 12
        assert editor.call("query", project="p", text="coral")["items"][0]["source"] == "1-reefs.md"
        assert engine.poll() is None, "the engine has lived through it"
        stop_engine(own_drive)
    assert len(assert_whole(own_drive)) == 12
