"""A project that is being made is whole or not there, wherever a kill or a full disk comes; the next start mends it."""

from __future__ import annotations

import json
import random
import resource
import signal
from pathlib import Path

import pytest

from citeloom.api.maintenance import CheckUp, HealthFinding
from citeloom.core.settings import Settings
from citeloom.engine.container import Container
from citeloom.index.edge.collection import EdgeCollection
from citeloom.ipc import protocol
from tests.faults import Fault, fault, set_number
from tests.flows.steps import Project, connect, engine_with, four_papers, hello, rows
from tests.support import WAIT, citeloom, done, stop_engine

_SEED = 16


def _moments(name: str) -> list[Fault]:
    """Kills while a project of this name is being made; other projects may be mended at the same time."""
    folder = f"proj-{name}"
    return [
        fault("library.project_added", "kill", name),
        fault("index.field_indexed", "kill", folder, nth=9),
        fault("index.folder_made", "kill", folder),
        fault("index.folder_renamed", "kill", folder),
        *(
            fault("library.project_add", "kill", name, value=random.Random(_SEED + n).uniform(0.02, 0.47))
            for n in range(2)
        ),
    ]


_MOMENTS = len(_moments(""))


def test_a_project_whose_making_is_killed_is_whole_or_not_there(home: Path, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    four_papers(papers)
    for number in range(_MOMENTS):
        with engine_with(home, _moments(f"p{number}")[number]) as engine, connect(home, hello(home)) as client:
            arguments = {"project": f"p{number}", "folders": [str(papers)]}
            client.sendall(protocol.encode_line({"id": 1, "verb": "library.add_project", "args": arguments}))
            assert engine.wait(WAIT) == -signal.SIGKILL
    found = examined(home)
    assert len(found) >= 4
    assert [part for part in found.values() if not part.ok] == []
    for name in found:
        shown = json.loads(done(citeloom(home, "project", "show", name, "--json")))
        assert [source["path"] for source in shown["sources"]] == [str(papers)]
    for number in range(_MOMENTS):
        if f"p{number}" not in found:
            Project.made(home, papers, name=f"p{number}")
    assert Project(home, "p0").ingest()["new"] == 4
    assert Project(home, "p1").ingest()["new"] == 4
    stop_engine(home)
    assert sorted(folder.name for folder in (home / "index").glob("*/*")) == ["g0001"] * _MOMENTS
    undisturbed = _indexes(home, f"p{_MOMENTS - 1}")
    assert all(_indexes(home, f"p{number}") == undisturbed for number in range(_MOMENTS))


def examined(home: Path) -> dict[str, HealthFinding]:
    """What the check-up says of each project; an engine that opens them all mends them first."""
    stop_engine(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITELOOM_HOME", str(home))
        service = Container(Settings())
        try:
            findings = service.doctor.check_up(CheckUp())
            return {one.part.removeprefix("project "): one for one in findings if one.part.startswith("project ")}
        finally:
            service.indexes.end()
            service.catalog.close()


def _indexes(home: Path, name: str) -> dict[str, list[str]]:
    collection = EdgeCollection.open(home / "index" / f"proj-{name}" / "g0001")
    try:
        assert collection.vectors() == (384, True)
        return collection.indexes()
    finally:
        collection.close()


def _short_files() -> None:
    # A full disk of a kind: what would become longer than this cannot be written, and an index would.
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))


@pytest.mark.parametrize(
    ("faults", "limit"),
    [([], _short_files), ([set_number("index.free_bytes", 1_000_000)], None)],
    ids=["while it is made", "before"],
)
def test_a_project_that_does_not_fit_on_the_disk_is_not_there(home: Path, faults: list[Fault], limit: object) -> None:
    with engine_with(home, *faults, preexec_fn=limit):
        refused = citeloom(home, "project", "add", "p")
        assert refused.returncode == 1
        assert "could not be created" in refused.stderr or "Free some disk space" in refused.stderr
        assert rows(home, "SELECT id FROM projects") == []
        done(citeloom(home, "engine", "stop"))
    assert list((home / "index").glob("*/*")) == []
    done(citeloom(home, "project", "add", "p"))
    (found,) = examined(home).values()
    assert found.ok, found
    stop_engine(home)
