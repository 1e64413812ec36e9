"""What becomes of an index that is damaged and of a catalog that is lost: both are said, and cost nobody else."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.steps import Project, copy_home, engines, four_papers
from tests.memory_watch import peak_memory
from tests.support import WAIT, citeloom, done, environment, stop_engine

_MAX_MEMORY = 2_500_000_000  # bytes, of the engine and the processes it starts: it has a model in it
_STORED = "The lamp of the moth trap was blue."


# An engine in which an agent stores a passage, and then ends in one way or the other.
_STORING = """
import os, signal, sys
from citeloom.api.library import AgentChunk, StoreChunks
from citeloom.core.settings import Settings
from citeloom.core.cancel import Cancel
from citeloom.engine.container import Container
service = Container(Settings())
item = AgentChunk(id="1", text=sys.argv[1], embedding=[1.0] + [0.0] * 383, metadata={"doc_id": "mine"})
service.agent_chunks.store_chunks(StoreChunks(project="p", items=[item]), Cancel())
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
service.indexes.end()
os._exit(0)
"""


def store(home: Path, ended: str) -> None:
    command = [sys.executable, "-c", _STORING, _STORED, ended]
    result = subprocess.run(command, env=environment(home), timeout=WAIT, check=False)
    assert result.returncode == (-signal.SIGKILL if ended == "killed" else 0)


@pytest.fixture(scope="module")
def two_projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two projects of four papers each."""
    root = tmp_path_factory.mktemp("two-projects")
    home = root / "home"
    home.mkdir()
    four_papers(root / "papers")
    for name in ("p", "q"):
        assert Project.made(home, root / "papers", name=name).ingest()["new"] == 4
    stop_engine(home)
    return home


@pytest.fixture
def copied(two_projects: Path, tmp_path: Path) -> Iterator[Path]:
    folder = copy_home(two_projects, tmp_path / "copy")
    yield folder
    stop_engine(folder)


def flip(home: Path, name: str, at: int) -> None:
    """Turn the bits of one byte of the index of `p`."""
    (file,) = (home / "index" / "proj-p" / "g0001").glob(f"segments/*/{name}")
    with file.open("r+b") as opened:
        opened.seek(at)
        byte = opened.read(1)[0]
        opened.seek(at)
        opened.write(bytes([byte ^ 0xFF]))


def refused(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.mark.parametrize(
    ("ended", "name", "at", "readable"),
    [("closed", "payload_storage/page_0.dat", 9, True), ("killed", "mutable_id_tracker.mappings", 20, False)],
    ids=["a text in a closed index", "an id in a killed one"],
)
def test_one_bad_byte_costs_its_own_project_only_and_a_rebuild_brings_it_back(
    copied: Path, ended: str, name: str, at: int, readable: bool
) -> None:
    store(copied, ended)
    flip(copied, name, at)
    with peak_memory(lambda: engines(copied)) as peak:
        said = refused(citeloom(copied, "search", "p", "moth"))
        assert "The index of this project" in said
        assert "citeloom ingest p --force-rebuild" in said
        assert Project(copied, "q").search("moth")[0]["source"] == "2-moths.md"
        listed = {p["id"]: p for p in json.loads(done(citeloom(copied, "project", "list", "--json")))}
        assert "The index of this project" in listed["p"]["problem"] and "problem" not in listed["q"]
        doctor = citeloom(copied, "doctor")
        assert "BAD  project p: The index of this project" in doctor.stdout
        assert "ok   project q" in doctor.stdout
        # What an agent stored is nowhere else: it is taken out of the damaged index where that can be read at all.
        rebuilt = Project(copied).ingest("--force-rebuild")
        assert rebuilt["failed"] == (0 if readable else 1)
        assert Project(copied).search("moth")[0]["source"] == "2-moths.md"
        assert (_STORED in {text for _, text in Project(copied).found("lamp trap")}) == readable
    assert 0 < peak[0] < _MAX_MEMORY


def test_an_index_whose_segments_are_gone_is_not_an_empty_project(copied: Path) -> None:
    for name in ("p", "q"):
        shutil.rmtree(next((copied / "index" / f"proj-{name}" / "g0001" / "segments").iterdir()))
    earlier = copied / "index" / "proj-q" / "g0001"  # as an earlier version left it: there is nothing to compare with
    (earlier / "checksums.json").unlink()
    shutil.rmtree(earlier / "wal")
    (earlier / "wal").mkdir()
    for name in ("p", "q"):
        said = refused(citeloom(copied, "search", name, "moth"))
        assert f"citeloom ingest {name} --force-rebuild" in said
    Project(copied).ingest("--force-rebuild")
    assert Project(copied).search("moth")[0]["source"] == "2-moths.md"


def test_a_catalog_that_is_lost_is_said_and_its_indexes_stay(copied: Path) -> None:
    before = sorted(file.name for file in (copied / "index").iterdir())
    for file in copied.glob("catalog.db*"):
        file.unlink()
    for _ in range(2):  # the new, empty catalog is there from the first start on
        started = citeloom(copied, "engine", "start")
        assert started.returncode == 0
        assert "not in the catalog: proj-p, proj-q" in started.stderr
        assert "restore a backup" in started.stderr
        doctor = citeloom(copied, "doctor")
        assert "BAD  catalog: Some indexes" in doctor.stdout
        stop_engine(copied)
    assert sorted(file.name for file in (copied / "index").iterdir()) == before
    folder = copied.parent / "papers"
    four_papers(folder)
    assert Project.made(copied, folder).ingest()["new"] == 4
    assert Project(copied).search("moth")[0]["source"] == "2-moths.md"
    (aside,) = (copied / "index").glob("lost-proj-p-*")
    assert list(aside.glob("g*/segments/*"))
    assert "proj-q" in citeloom(copied, "engine", "status").stdout
