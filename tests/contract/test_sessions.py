"""Sessions: what one may see, what older clients call, what is written down, and the MCP SDK's own client."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from tests.contract.strict_editor import StrictEditor
from tests.support import WRITING, Editor, citeloom, done, engine_address, environment

OPEN, CLOSED = "alpha", "omega/dossier"


@pytest.fixture(scope="module")
def two_projects(shared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two projects with a folder each; the second is the one that others must not learn of."""
    folders = {}
    for project, animal in ((OPEN, "otters"), (CLOSED, "wolves")):
        folder = tmp_path_factory.mktemp(animal)
        (folder / f"{animal}.md").write_text(f"# {animal}\n\nAll about {animal}.\n\n## More\n\nMore of {animal}.\n")
        (folder / f"sleep-of-{animal}.md").write_text(f"# Sleep\n\nThe {animal} sleep in the afternoon.\n")
        done(citeloom(shared_home, "project", "add", project, "--folder", str(folder)))
        done(citeloom(shared_home, "ingest", project))
        folders[project] = folder
    return folders


@pytest.fixture(scope="module")
def unlimited(shared_home: Path, two_projects: dict[str, Path]) -> Iterator[StrictEditor]:
    """A session that may see both projects."""
    with StrictEditor(shared_home, *WRITING) as editor:
        yield editor


@pytest.fixture(scope="module")
def limited(shared_home: Path, two_projects: dict[str, Path]) -> Iterator[StrictEditor]:
    """A session that may see only the first project."""
    with StrictEditor(shared_home, *WRITING, "--project", OPEN) as editor:
        yield editor


@pytest.fixture(scope="module")
def hidden(unlimited: StrictEditor) -> dict[str, Any]:
    """A passage of the project that the limited session may not see."""
    return unlimited.call("query", project=CLOSED, text="wolves")["items"][0]


# -- what a session may see --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "visible"),
    [
        ([], [OPEN, CLOSED]),
        (["--project", OPEN], [OPEN]),
        ([f"--project={CLOSED}"], [CLOSED]),
        (["--project", CLOSED, "--project", OPEN], [OPEN, CLOSED]),
        (["--project", "no-such-project"], []),
    ],
)
def test_a_session_lists_only_the_projects_it_may_see(
    shared_home: Path, two_projects: dict[str, Path], options: list[str], visible: list[str]
) -> None:
    with StrictEditor(shared_home, *WRITING, *options) as editor:
        answer = editor.call("list_projects")
    assert ([p["id"] for p in answer["projects"]], answer["count"]) == (visible, len(visible))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("inspect_collection", {}),
        ("query", {"text": "wolves"}),
        ("query_hybrid", {"text": "wolves"}),
        ("get_passage", {"chunk_id": "x"}),
        ("list_documents", {}),
        ("get_document", {"citekey": "Wolves"}),
        ("ingest_from_source", {"source": "wolves.md"}),
        ("store_chunks", {"items": [{"id": "1", "text": "wolf", "embedding": [0.1] * 384}]}),
        ("delete_document", {"doc_id": "x"}),
        ("search", {"query": "wolves"}),
    ],
)
def test_a_session_limited_to_one_project_cannot_name_another(
    limited: StrictEditor, tool: str, arguments: dict[str, Any]
) -> None:
    answers = []
    for project in (CLOSED, "there/is-no-such-project"):
        error = limited.fail(tool, project=project, **arguments)
        assert error["code"] == "INVALID_PROJECT"
        assert error["details"]["choices"] == [OPEN]
        answers.append(error)
    assert answers[0] == answers[1], "one can tell that the project exists"
    assert CLOSED not in json.dumps(answers[0])


def test_ids_and_files_of_another_project_lead_nowhere(
    limited: StrictEditor, unlimited: StrictEditor, two_projects: dict[str, Path], hidden: dict[str, Any]
) -> None:
    def code(tool: str, **arguments: Any) -> str:
        return str(limited.fail(tool, project=OPEN, **arguments)["code"])

    assert code("get_passage", chunk_id=hidden["chunk_id"]) == "PASSAGE_NOT_FOUND"
    assert code("get_document", doc_id=hidden["doc_id"]) == "DOCUMENT_NOT_FOUND"
    assert code("get_document", citekey=hidden["citekey"]) == "CITEKEY_NOT_FOUND"
    assert code("delete_document", doc_id=hidden["doc_id"]) == "DOCUMENT_NOT_FOUND"
    assert code("ingest_from_source", source=str(two_projects[CLOSED] / "wolves.md")) == "PERMISSION_DENIED"
    for filters in ({"doc_id": hidden["doc_id"]}, {"source": hidden["source"]}):
        assert limited.call("query", project=OPEN, text="wolves", filters=filters)["items"] == []
    assert unlimited.call("get_passage", project=CLOSED, chunk_id=hidden["chunk_id"])["passage"]


def test_nothing_a_limited_session_ever_receives_names_the_other_project(
    limited: StrictEditor, two_projects: dict[str, Path]
) -> None:
    limited.call("help")
    limited.call("inspect_collection", project=OPEN, sample=5)
    limited.call("query_hybrid", project=OPEN, text="wolves and their dossier", top_k=20)
    limited.fail("query", project="omega", text="wolves")
    received = b"".join(limited.raw).decode()
    assert OPEN in received
    assert "omega" not in received and str(two_projects[CLOSED]) not in received


# -- older names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "fusion", "count"),
    [
        ("find_chunks", {"query": "otters"}, None, 3),
        ("find_chunks", {"query": "otters", "library": OPEN, "n_results": 2}, None, 2),
        ("search", {"query": "otters", "n_results": 1, "filter": None}, "blend", 1),
        ("search", {"text": "otters", "project": OPEN, "top_k": 2}, "blend", 2),
        ("search_with_filters", {"query": "otters", "filter": {"source_file": "otters.md"}}, "blend", 2),
        ("search_with_filters", {"query": "otters", "library": OPEN, "filter": {"source": "x.md"}}, "blend", 0),
        ("search_with_budget", {"query": "otters", "max_tokens": 20}, "blend", 3),
        ("search_with_budget", {"query": "otters", "max_tokens": 8}, "blend", 1),
    ],
)
def test_a_search_by_an_older_name_means_the_only_project_of_the_session(
    limited: StrictEditor, name: str, arguments: dict[str, Any], fusion: str | None, count: int
) -> None:
    answer = limited.call(name, **arguments)
    assert (answer["fusion"], answer["count"]) == (fusion, count)
    assert all("otters" in hit["source"] for hit in answer["items"])


def test_a_budgeted_search_by_its_older_name_has_a_budget_without_being_given_one(limited: StrictEditor) -> None:
    answer = limited.call("search_with_budget", query="otters")
    assert answer["budget_utilized"] == pytest.approx(answer["total_tokens"] / 3000, abs=0.001)


@pytest.mark.parametrize(
    ("name", "arguments", "skipped"),
    [
        ("index_file", {"file_path": "{folder}/otters.md"}, 1),
        ("index_directory", {"dir_path": "{folder}", "recursive": False}, 2),
        ("ingest_file", {"path": "otters.md", "library": OPEN}, 1),
    ],
)
def test_an_import_by_an_older_name_takes_its_older_arguments(
    limited: StrictEditor, two_projects: dict[str, Path], name: str, arguments: dict[str, Any], skipped: int
) -> None:
    given = {k: v.format(folder=two_projects[OPEN]) if isinstance(v, str) else v for k, v in arguments.items()}
    answer = limited.call(name, **given)
    assert (answer["project"], answer["status"], answer["skipped"]) == (OPEN, "done", skipped)


@pytest.mark.parametrize(
    ("name", "arguments", "said", "known"),
    [
        ("index_directory", {}, "dir_path: field required", ["dir_path", "library", "recursive"]),
        ("index_directory", {"dir_path": 5}, "dir_path: ", ["dir_path", "library", "recursive"]),
        ("index_directory", {"dir_path": "x", "recursive": "perhaps"}, "recursive: ", ["dir_path", "library"]),
        ("index_directory", {"dir_path": " "}, "dir_path is empty", []),
        ("ingest_url", {"file": "x.md"}, "url: field required; file: ", ["url", "library", "metadata"]),
        ("search", {"n_results": 3}, "query: field required", ["query", "n_results", "library", "filter"]),
        ("search", {"query": "otters", "n_results": 0}, "n_results is 0", []),
        ("search", {"query": "otters", "top_k": 0}, "top_k is 0", []),
    ],
    ids=lambda value: str(value)[:30],
)
def test_the_errors_of_an_older_name_speak_of_its_arguments(
    limited: StrictEditor, name: str, arguments: dict[str, Any], said: str, known: list[str]
) -> None:
    error = limited.fail(name, **arguments)
    assert error["code"] == "INVALID_INPUT"
    assert said in error["message"] and "source" not in error["message"] and "options." not in error["message"]
    assert set(known) <= set(error["details"].get("valid", []))


def test_ingest_url_is_an_import_and_the_web_is_closed_unless_the_researcher_opens_it(limited: StrictEditor) -> None:
    for name, arguments in (
        ("ingest_url", {"url": "https://example.org/paper.pdf"}),
        ("ingest_from_source", {"project": OPEN, "source": "https://example.org/paper.pdf"}),
    ):
        error = limited.fail(name, **arguments)
        assert error["code"] == "PERMISSION_DENIED"
        assert "agents_may_fetch" in error["message"]


def test_list_libraries_lists_the_projects(limited: StrictEditor) -> None:
    assert limited.call("list_libraries", anything="at all")["projects"] == limited.call("list_projects")["projects"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("search", {"query": "otters"}), ("find_chunks", {"query": "otters"}), ("index_file", {"file_path": "otters.md"})],
)
def test_an_older_name_without_a_project_is_refused_with_the_choices_where_there_are_several(
    unlimited: StrictEditor, name: str, arguments: dict[str, Any]
) -> None:
    error = unlimited.fail(name, **arguments)
    assert (error["code"], error["details"]["choices"]) == ("INVALID_PROJECT", [OPEN, CLOSED])
    assert OPEN in error["message"] and CLOSED in error["message"]


def test_todays_names_never_guess_the_project(limited: StrictEditor) -> None:
    assert limited.fail("query", text="otters")["code"] == "INVALID_INPUT"


# -- what is written down ----------------------------------------------------------------------------------------


def test_every_call_is_in_the_access_log_with_who_asked_what_and_which_passages_went_out(
    shared_home: Path, two_projects: dict[str, Path]
) -> None:
    with StrictEditor(shared_home, name="diary-editor") as editor:
        found = editor.call("query_hybrid", project=OPEN, text="when do otters sleep", top_k=2)
        read = editor.call("get_passage", project=OPEN, chunk_id=found["items"][0]["chunk_id"])
        old = editor.call("search", project=OPEN, query="otters", n_results=1)
        listed = editor.call("list_projects")
        refused = editor.request(
            "tools/call", {"name": "query", "arguments": {"project": OPEN, "text": "otters", "top_k": 0}}
        )["result"]["structuredContent"]
    answers = [found, read, old, listed, refused]
    ids = [answer["correlation_id"] for answer in answers]
    assert len(set(ids)) == len(ids)

    entries = json.loads(done(citeloom(shared_home, "log", "--json")))
    mine = {entry["correlation_id"]: entry for entry in entries if entry["client"].startswith("diary-editor")}
    assert set(mine) == set(ids)
    assert {entry["client"] for entry in mine.values()} == {"diary-editor 1.0"}
    told = [(mine[i]["tool"], mine[i]["project_id"], mine[i]["outcome"], len(mine[i]["passages"])) for i in ids]
    neighbours = 1 + len(read["before"]) + len(read["after"])
    assert told == [
        ("query_hybrid", OPEN, "ok", 2),
        ("get_passage", OPEN, "ok", neighbours),
        ("query_hybrid", OPEN, "ok", 1),
        ("list_projects", None, "ok", 0),
        ("query", OPEN, "INVALID_INPUT", 0),
    ]
    assert mine[ids[0]]["passages"] == [hit["chunk_id"] for hit in found["items"]]
    assert mine[ids[0]]["asked"] == "when do otters sleep"

    log = (shared_home / "logs" / "engine.log").read_text()
    assert all(i in log for i in ids)


def test_the_engines_token_is_in_no_answer_and_in_no_log(shared_home: Path, unlimited: StrictEditor) -> None:
    unlimited.call("inspect_collection", project=OPEN, sample=5)
    unlimited.fail("query", project="nowhere", text="x")
    token = engine_address(shared_home)["token"]
    assert len(token) >= 16
    assert token.encode() not in b"".join(unlimited.raw)
    assert token not in done(citeloom(shared_home, "log", "--json"))
    assert not [file.name for file in (shared_home / "logs").iterdir() if token in file.read_text()]


# -- the MCP SDK's own client ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_lists_calls_and_is_told_of_failures(
    shared_home: Path, two_projects: dict[str, Path], mode: str
) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "citeloom", "mcp", *WRITING, "--project", OPEN],
        env=environment(shared_home),
    )
    reports: list[float] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    async def talk() -> tuple[Any, Any, Any, Any]:
        async with Client(server, mode=mode) as client:
            return (
                await client.list_tools(),
                await client.call_tool("query_hybrid", {"project": OPEN, "text": "otters"}),
                await client.call_tool("query_hybrid", {"project": CLOSED, "text": "wolves"}),
                await client.call_tool(
                    "ingest_from_source",
                    {"project": OPEN, "source": str(two_projects[OPEN]), "options": {"force_rebuild": True}},
                    progress_callback=report,
                ),
            )

    listed, found, refused, imported = anyio.run(talk)
    with Editor(shared_home, *WRITING) as editor:
        names = [tool["name"] for tool in editor.request("tools/list")["result"]["tools"]]
    assert [tool.name for tool in listed.tools] == names
    assert (found.is_error, found.structured_content["count"]) == (False, 3)
    assert json.loads(found.content[0].text) == found.structured_content
    assert (refused.is_error, refused.structured_content["error"]["code"]) == (True, "INVALID_PROJECT")
    assert (imported.structured_content["replaced"], reports[-1]) == (2, 100)
    last = json.loads(done(citeloom(shared_home, "log", "--json", "--limit", "1")))[0]
    assert (last["tool"], last["client"].split()[0]) == ("ingest_from_source", "mcp")
