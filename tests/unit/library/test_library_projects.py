"""Projects and what they read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.api.library import AddProject, ZoteroPart
from citeloom.core.settings import Settings, Zotero
from citeloom.engine.container import Container
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World


@pytest.fixture
def zotero(tmp_path: Path) -> Iterator[LocalZotero]:
    with LocalZotero(World(tmp_path / "Zotero")) as running:
        yield running


@pytest.fixture
def service(tmp_path: Path, zotero: LocalZotero, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITELOOM_WATCH", "off")
    made = Container(Settings(zotero=Zotero(source="local", local_url=zotero.url)))
    made.jobs.start()
    yield made
    made.stop()


def test_zotero_is_read_once_for_a_project_of_many_collections(service: Container, zotero: LocalZotero) -> None:
    keys = [zotero.world.collection(name) for name in ("Owls", "Reefs", "Dunes")]
    shown = service.projects.add_project(
        AddProject(project="birds", zotero=[ZoteroPart(name=key, library="library") for key in keys])
    )
    assert [source.label for source in shown.sources] == ["Owls", "Reefs", "Dunes"]
    assert [request.path for request in zotero.requests].count("/api/users/0/items") == 1
