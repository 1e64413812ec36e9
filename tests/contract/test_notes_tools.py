"""The toolset `notes`: a notebook beside the library, over stdio."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.contract.strict_editor import StrictEditor
from tests.support import citeloom, done

NOTE_TOOLS = [
    "add_note",
    "search_notes",
    "show_note",
    "link",
    "suggest_links",
    "suggest_generalize",
    "accept_suggestion",
    "reject_suggestion",
]
ALL = ("--toolsets", "read,write,notes")


@pytest.fixture(scope="module")
def home(shared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two projects, of which one has a paper."""
    papers = tmp_path_factory.mktemp("papers")
    (papers / "otters.md").write_text("# Otters\n\nOtters hold hands while they sleep, so that no tide parts them.\n")
    done(citeloom(shared_home, "project", "add", "otters", "--folder", str(papers)))
    done(citeloom(shared_home, "ingest", "otters"))
    done(citeloom(shared_home, "project", "add", "other"))
    return shared_home


@pytest.fixture(scope="module")
def editor(home: Path) -> Iterator[StrictEditor]:
    with StrictEditor(home, *ALL) as one:
        yield one


def passage(editor: StrictEditor) -> dict[str, Any]:
    hit: dict[str, Any] = editor.call("query_hybrid", project="otters", text="otters hold hands")["items"][0]
    return hit


def test_the_toolset_is_off_by_default_and_its_tools_say_which_of_them_write(home: Path, editor: StrictEditor) -> None:
    assert list(editor.tools)[-8:] == NOTE_TOOLS
    reading = [name for name in NOTE_TOOLS if editor.tools[name]["annotations"]["readOnlyHint"]]
    assert reading == ["search_notes", "show_note", "suggest_links", "suggest_generalize"]
    with StrictEditor(home) as one:
        assert not set(NOTE_TOOLS) & set(one.tools)
        assert one.fail("add_note", type="idea", title="x")["code"] == "INVALID_INPUT"


def test_a_note_with_evidence_is_found_shown_and_named_by_its_passage(editor: StrictEditor) -> None:
    hit = passage(editor)
    added = editor.call(
        "add_note",
        type="claim",
        title="Otters sleep hand in hand",
        content="They drift as rafts.",
        tags=["sleep"],
        context="We asked how otters keep together.",
        project="otters",
        evidence=[hit["chunk_id"]],
    )
    found = editor.call("search_notes", query="how do sea mammals stay together at night")
    assert found["results"][0]["id"] == added["id"] and "show_note" in found["hint"]
    assert set(found["results"][0]) == {"id", "type", "title", "score", "snippet", "tags", "project"}
    shown = editor.call("show_note", id=added["id"][:-4])
    assert shown["evidence"][0]["text"] == hit["render_text"] and shown["embeddings"]["context"]
    links = editor.call("get_passage", project="otters", chunk_id=hit["chunk_id"])["links"]
    assert [link["note_id"] for link in links] == [added["id"]]


def test_a_session_with_a_project_sees_and_writes_only_notes_of_it(home: Path, editor: StrictEditor) -> None:
    hit = passage(editor)
    hidden = editor.call("add_note", type="idea", title="Secret of nobody's project", evidence=[hit["chunk_id"]])["id"]
    with StrictEditor(home, "--project", "otters", *ALL) as one:
        own = one.call("add_note", type="idea", title="In the only project")
        assert own["project"] == "otters"
        assert one.fail("show_note", id=hidden)["code"] == "ENTRY_NOT_FOUND"
        assert one.fail("link", source_id=own["id"], target_id=hidden)["code"] == "ENTRY_NOT_FOUND"
        assert one.fail("add_note", type="idea", title="x", project="other")["code"] == "INVALID_PROJECT"
        assert all(note["project"] == "otters" for note in one.call("search_notes", query="secret project")["results"])
        links = one.call("get_passage", project="otters", chunk_id=hit["chunk_id"])["links"]
        assert hidden not in [link["note_id"] for link in links]
    with StrictEditor(home, "--project", "otters", "--project", "other", *ALL) as one:
        refused = one.fail("add_note", type="idea", title="Which one?")
    assert refused["code"] == "INVALID_PROJECT" and "other, otters" in refused["message"]


def test_links_and_suggestions_are_decided_over_stdio(home: Path, editor: StrictEditor) -> None:
    texts = [f"Tree canopy keeps {street} streets warm at night" for street in ("narrow", "small", "old narrow")]
    first, second, third = (editor.call("add_note", type="finding", title=text)["id"] for text in texts)
    assert editor.call("link", source_id=first, target_id=second, relation_type="supports")["created"]
    assert (
        editor.fail("link", source_id=first, target_id=second, relation_type="supports")["code"]
        == "LINK_ALREADY_EXISTS"
    )
    assert editor.fail("link", source_id=first, target_id=first)["code"] == "SELF_LINK_ERROR"
    assert editor.fail("link", source_id=first, target_id=third, relation_type="x")["code"] == "INVALID_RELATION_TYPE"
    pending = [
        one
        for one in editor.call("suggest_links")["suggestions"]
        if third in (one["entry_a"]["id"], one["entry_b"]["id"])
    ]
    accepted = editor.call("accept_suggestion", suggestion_id=pending[0]["id"])
    assert accepted["suggestion_type"] == "link" and accepted["generalize_command"] is None
    assert editor.call("reject_suggestion", suggestion_id=pending[1]["id"])["rejected"]
    for decided in pending:
        assert editor.fail("accept_suggestion", suggestion_id=decided["id"])["code"] == "SUGGESTION_NOT_FOUND"
    (cluster,) = editor.call("suggest_generalize")["suggestions"]
    prepared = editor.call("accept_suggestion", suggestion_id=cluster["id"])
    assert prepared["draft"]["memory_type"] == "semantic"
    command = prepared["generalize_command"].split()[1:]
    assert "Added" in done(citeloom(home, *command, "--title", "Canopy keeps streets warm"))


@pytest.mark.parametrize("value", [None, 7, ["x"], {"a": 1}, "", "x" * 200_001], ids=lambda value: str(value)[:10])
@pytest.mark.parametrize("tool", NOTE_TOOLS)
def test_every_argument_may_be_wrong_and_is_refused_with_a_reason(editor: StrictEditor, tool: str, value: Any) -> None:
    good = {
        "type": "idea",
        "title": "Bad input",
        "query": "x",
        "id": "01ZZZZ",
        "source_id": "01ZZZZ",
        "target_id": "01ZZZY",
        "suggestion_id": "x",
    }
    names = list(editor.tools[tool]["inputSchema"]["properties"])
    for name in names:
        given = {key: good[key] for key in names if key in good} | {name: value}
        answer = editor.request("tools/call", {"name": tool, "arguments": given})["result"]
        content = answer["structuredContent"]
        if answer["isError"]:
            assert content["error"]["code"] != "INTERNAL_ERROR" and len(content["error"]["message"]) < 700, given
    assert (
        editor.fail(tool, **{**{key: good[key] for key in names if key in good}, "unknown": 1})["code"]
        == "INVALID_INPUT"
    )


def test_two_sessions_may_write_the_same_note_at_once(home: Path) -> None:
    with StrictEditor(home, *ALL) as one, StrictEditor(home, *ALL) as other, ThreadPoolExecutor(2) as pool:

        def add(editor: StrictEditor) -> list[tuple[str, bool]]:
            notes = [editor.call("add_note", type="idea", title=f"At once {n}") for n in range(10)]
            return [(note["id"], note["created"]) for note in notes]

        of_one, of_other = pool.map(add, (one, other))
    assert [id for id, _ in of_one] == [id for id, _ in of_other]
    assert all(created != again for (_, created), (_, again) in zip(of_one, of_other, strict=True))


def test_the_command_line_lists_shows_adds_exports_and_removes(
    home: Path, editor: StrictEditor, tmp_path: Path
) -> None:
    chunk = passage(editor)["chunk_id"]
    note = json.loads(
        done(
            citeloom(
                home,
                "notes",
                "add",
                "By hand",
                "--content",
                "-",
                "--tag",
                "mine",
                "--evidence",
                chunk,
                "--json",
                stdin="Typed.",
            )
        )
    )
    assert "By hand" in done(citeloom(home, "notes", "list", "--tag", "mine"))
    assert "By hand" in done(citeloom(home, "notes", "list", "--find", "typed by hand"))
    shown = done(citeloom(home, "notes", "show", note["id"]))
    assert "Typed." in shown and "Otters hold hands" in shown
    folder = tmp_path / "vault"
    done(citeloom(home, "notes", "export", "--folder", str(folder)))
    file = folder / "By hand.md"
    file.write_text(file.read_text() + "\nMy own line.\n")
    assert "stayed as they are" in done(citeloom(home, "notes", "export", "--folder", str(folder)))
    assert "My own line." in file.read_text()
    done(citeloom(home, "notes", "export", "--folder", str(folder), "--replace"))
    assert "My own line." not in file.read_text()
    done(citeloom(home, "notes", "export", "-o", str(tmp_path / "all.md")))
    assert "## By hand" in (tmp_path / "all.md").read_text()
    done(citeloom(home, "notes", "remove", note["id"], stdin="y\n"))
    assert "ENTRY" not in citeloom(home, "notes", "show", note["id"]).stderr
    assert "not found" in citeloom(home, "notes", "show", note["id"]).stderr


def test_notes_of_a_removed_project_stay_and_that_is_said(home: Path, editor: StrictEditor) -> None:
    done(citeloom(home, "project", "add", "doomed"))
    editor.call("add_note", type="idea", title="Outlives its project", project="doomed")
    assert "notes of the project stay (1)" in citeloom(home, "project", "remove", "doomed", stdin="y\n").stderr
    assert "Outlives" in done(citeloom(home, "notes", "list", "--project", "doomed"))
