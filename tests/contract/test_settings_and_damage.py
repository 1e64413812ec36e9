"""What agents are told where the settings differ from the defaults, or where something of the index is gone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.strict_editor import StrictEditor
from tests.support import WRITING, citeloom, done, stop_engine

SETTINGS = """\
default_project = "zoo"

[models]
sparse = ""

[search]
top_k = 1
max_top_k = 2

[privacy]
access_log = false
agents_may_fetch = true
"""


def make_zoo(home: Path) -> None:
    """A project `zoo` with two notes that are imported."""
    folder = home / "papers"
    folder.mkdir()
    (folder / "otters.md").write_text("# Otters\n\nSea otters hold hands while they sleep.\n")
    (folder / "bees.md").write_text("# Bees\n\nHoney bees dance to tell where the flowers are.\n")
    done(citeloom(home, "project", "add", "zoo", "--folder", str(folder)))
    done(citeloom(home, "ingest", "zoo"))


# -- other settings ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def changed_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder where the settings are not the defaults."""
    home = tmp_path_factory.mktemp("changed")
    (home / "citeloom.toml").write_text(SETTINGS)
    make_zoo(home)
    done(citeloom(home, "project", "add", "other"))
    yield home
    stop_engine(home)


@pytest.fixture(scope="module")
def changed(changed_home: Path) -> Iterator[StrictEditor]:
    """An editor there."""
    with StrictEditor(changed_home, *WRITING) as editor:
        yield editor


def test_a_project_without_a_sparse_model_says_that_hybrid_search_is_not_supported(changed: StrictEditor) -> None:
    error = changed.fail("query_hybrid", project="zoo", text="otters")
    assert error["code"] == "HYBRID_NOT_SUPPORTED"
    assert "Use query" in error["message"]
    assert changed.call("query", project="zoo", text="otters")["items"][0]["citekey"] == "Otters"
    project = changed.call("list_projects")["projects"][-1]
    assert (project["id"], project["hybrid_enabled"], project["sparse_model"]) == ("zoo", False, None)
    assert changed.call("inspect_collection", project="zoo")["named_vectors"] == ["dense"]


@pytest.mark.parametrize("name", ["search", "search_with_filters", "search_with_budget"])
def test_a_search_by_an_older_name_needs_no_sparse_model(changed: StrictEditor, name: str) -> None:
    answer = changed.call(name, query="otters", library="zoo")
    assert (answer["items"][0]["citekey"], answer["fusion"]) == ("Otters", None)


def test_how_many_hits_come_and_how_many_at_most_can_be_set(changed: StrictEditor) -> None:
    assert changed.call("query", project="zoo", text="animals")["count"] == 1
    most = changed.call("query", project="zoo", text="animals", top_k=20)
    assert most["count"] == 2
    assert "from 20 to 2" in most["warnings"][0]


def test_an_older_name_without_a_project_means_the_default_project(changed: StrictEditor) -> None:
    assert changed.call("find_chunks", query="otters")["items"][0]["citekey"] == "Otters"
    assert changed.call("index_file", file_path="otters.md")["project"] == "zoo"


def test_a_default_project_outside_the_session_is_not_meant(changed_home: Path) -> None:
    with StrictEditor(changed_home, "--project", "other") as editor:
        assert editor.call("find_chunks", query="otters")["items"] == []


def test_nothing_is_kept_of_what_was_asked_where_the_access_log_is_off(
    changed: StrictEditor, changed_home: Path
) -> None:
    assert changed.call("query", project="zoo", text="otters")["correlation_id"]
    assert json.loads(done(citeloom(changed_home, "log", "--json"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "http://127.0.0.1:1/paper.pdf",
        "http://localhost/paper.pdf",
        "https://[::1]/paper.pdf",
        "http://[::ffff:127.0.0.1]/paper.pdf",
        "http://10.0.0.1/paper.pdf",
        "http://169.254.169.254/latest/meta-data",
        "http://0x7f000001/paper.pdf",
        "file:///etc/passwd",
        "ftp://example.org/paper.pdf",
        "https://",
    ],
)
def test_agents_that_may_fetch_cannot_reach_this_machine_or_its_network(changed: StrictEditor, source: str) -> None:
    error = changed.fail("ingest_from_source", project="zoo", source=source)
    assert error["code"] in ("PERMISSION_DENIED", "INVALID_INPUT", "UNSUPPORTED_FORMAT")
    assert not [d for d in changed.call("list_documents", project="zoo")["documents"] if "://" in d["source"]]


def test_a_tool_that_takes_too_long_times_out_and_the_others_go_on(home: Path) -> None:
    (home / "citeloom.toml").write_text("[timeouts]\nquery = 0\n")
    done(citeloom(home, "project", "add", "zoo"))
    with StrictEditor(home, name="hasty-editor") as editor:
        answer = editor.request("tools/call", {"name": "query", "arguments": {"project": "zoo", "text": "otters"}})
        result = answer["result"]
        assert (result["isError"], result["structuredContent"]["error"]["code"]) == (True, "TIMEOUT")
        assert "0 seconds" in result["structuredContent"]["error"]["message"]
        assert editor.call("query_hybrid", project="zoo", text="otters")["items"] == []
        assert editor.call("list_projects")["count"] == 1
    correlation_id = result["structuredContent"]["correlation_id"]
    logged = {e["correlation_id"]: e["outcome"] for e in json.loads(done(citeloom(home, "log", "--json")))}
    assert logged[correlation_id] == "TIMEOUT"
    lines = (home / "logs" / "engine.log").read_text().splitlines()
    assert any("query" in line and "incomplete" in line for line in lines)
    assert any(correlation_id in line and "TIMEOUT" in line for line in lines)


# -- models ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished_zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose engine has ended, to be copied."""
    home = tmp_path_factory.mktemp("finished")
    make_zoo(home)
    stop_engine(home)
    return home


@pytest.fixture
def folder(home: Path, finished_zoo: Path) -> Path:
    """The folder of `zoo` in a data folder of this test's own, where no engine runs yet."""
    shutil.copytree(finished_zoo, home, dirs_exist_ok=True)
    return finished_zoo / "papers"


def test_a_project_keeps_the_model_it_was_built_with(home: Path, folder: Path) -> None:
    (home / "citeloom.toml").write_text('[models]\ndense = "BAAI/bge-small-en-v1.5"\n')
    with StrictEditor(home, *WRITING) as editor:
        error = editor.fail("ingest_from_source", project="zoo", source=str(folder))
        assert error["code"] == "EMBEDDING_MISMATCH"
        assert "bge-small" in error["message"] and "--force-rebuild" in error["message"]
        # The model of the settings is not on this machine, and none is fetched without leave.
        rebuild = {"project": "zoo", "source": str(folder), "options": {"force_rebuild": True}}
        error = editor.fail("ingest_from_source", **rebuild)
        assert error["code"] == "MODEL_NOT_AVAILABLE"
        assert "bge-small" in error["message"] and "allow_download" in error["message"]
        assert editor.call("query_hybrid", project="zoo", text="otters")["items"][0]["citekey"] == "Otters"


def test_a_project_built_with_other_weights_is_not_searched_with_these(home: Path, folder: Path) -> None:
    with sqlite3.connect(home / "catalog.db") as catalog:
        catalog.execute("UPDATE projects SET dense_fingerprint = 'of other weights'")
    catalog.close()
    with StrictEditor(home, *WRITING) as editor:
        for tool, arguments in (
            ("query", {"text": "otters"}),
            ("query_hybrid", {"text": "otters"}),
            ("ingest_from_source", {"source": str(folder)}),
        ):
            error = editor.fail(tool, project="zoo", **arguments)
            assert error["code"] == "EMBEDDING_MISMATCH"
            assert "--force-rebuild" in error["message"]
        done(citeloom(home, "ingest", "zoo", "--force-rebuild"))  # as the message says
        assert editor.call("query", project="zoo", text="otters")["items"][0]["citekey"] == "Otters"


# -- an index that is gone ---------------------------------------------------------------------------------------


def test_an_index_that_is_gone_is_said_and_can_be_built_again(home: Path, folder: Path) -> None:
    shutil.rmtree(home / "index" / "proj-zoo")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("query", {"text": "otters"}),
        ("query_hybrid", {"text": "otters"}),
        ("inspect_collection", {}),
        ("get_passage", {"chunk_id": "x"}),
        ("ingest_from_source", {"source": str(folder)}),
        ("store_chunks", {"items": [{"id": "1", "text": "otter", "embedding": [0.1] * 384}]}),
    ]
    with StrictEditor(home, *WRITING) as editor:
        for tool, arguments in calls:
            error = editor.fail(tool, project="zoo", **arguments)
            assert error["code"] == "INDEX_UNAVAILABLE", tool
            assert "--force-rebuild" in error["message"]
        assert editor.call("list_projects")["count"] == 1
        assert editor.call("list_documents", project="zoo")["total"] == 2
        done(citeloom(home, "ingest", "zoo", "--force-rebuild"))  # as the message says
        assert editor.call("query_hybrid", project="zoo", text="otters")["items"][0]["citekey"] == "Otters"
