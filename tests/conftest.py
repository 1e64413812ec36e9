"""Fixtures for tests of the real program."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.ipc.launch import FileLock
from tests.support import SAMPLE, WAIT, Editor, citeloom, done, stop_engine

# Most engines of a test run are never asked anything: loading the model ahead would be half of their time.
os.environ["CITELOOM_WARM_UP"] = "off"
# An engine that must compile the program anew takes half as long again to start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Half of the waiting in a test run is for the disk: catalog and index make sure of every write. Where the machine has
# memory for it, the data folders of tests live there; a process that is killed leaves them as it would on a disk. What
# are holes in Qdrant's files on a disk is memory there, so the folders of a module are deleted at its end.
_MEMORY = "/dev/shm"
if "TMPDIR" not in os.environ and Path(_MEMORY).is_dir():
    _about = os.statvfs(_MEMORY)
    if _about.f_bavail * _about.f_frsize > 20_000_000_000 and not _about.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = _MEMORY

_OF_THE_SESSION = ("sample", "import", "index")  # folders that several modules use


@pytest.fixture(scope="module", autouse=True)
def _module_folders(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Delete the folders that a module's fixtures have made, unless one of its tests failed."""
    base, failed = tmp_path_factory.getbasetemp(), request.session.testsfailed
    before = set(base.iterdir())
    yield
    if request.session.testsfailed == failed:
        for folder in set(base.iterdir()) - before:
            if not folder.name.startswith(_OF_THE_SESSION):
                shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A data folder of its own; its engine ends with the test."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    yield folder
    stop_engine(folder)


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with the sample library as project `sample/library`. Read it, do not change it."""
    folder = tmp_path_factory.mktemp("sample") / "home"
    subprocess.run(["cp", "-a", str(_imported_sample(tmp_path_factory)), str(folder)], check=True, timeout=WAIT)
    yield folder
    stop_engine(folder)


def _imported_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The imported sample library at rest, made once for all processes of a test run."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / "imported-sample"
    making = FileLock(str(base / "imported-sample.lock"))
    assert making.acquire(WAIT), "another process has been importing the sample library for too long"
    try:
        if not folder.exists():
            unfinished = base / "importing-sample"
            sources = ("--references", str(SAMPLE / "library.json"), "--folder", str(SAMPLE / "papers"))
            try:
                done(citeloom(unfinished, "project", "add", "sample/library", *sources))
                done(citeloom(unfinished, "ingest", "sample/library"))
            finally:
                stop_engine(unfinished)
            unfinished.rename(folder)
    finally:
        making.release()
    return folder


@pytest.fixture
def with_sample_conversions(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of its own that need not convert the sample papers again."""
    kept = _imported_sample(tmp_path_factory) / "cache" / "conversions"
    shutil.copytree(kept, home / "cache" / "conversions")
    return home


@pytest.fixture(scope="session")
def sample_editor(sample_home: Path) -> Iterator[Editor]:
    """An editor connected to the sample library. Ask it, do not change anything."""
    with Editor(sample_home) as editor:
        yield editor
