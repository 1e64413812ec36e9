"""Names, titles, passages and questions that try to steer a terminal, hide words or forge lines do so nowhere."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.strict_editor import StrictEditor
from tests.support import WAIT, WRITING, citeloom, done, environment

FORGED = "2026-11-18 12:00:00,000 INFO forged"
STEERING = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e\U000e0041\u2066\x7f"
HOSTILE = f"{STEERING}\r\n{FORGED}\u2028"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\ud800-\udfff\U000e0000-\U000e007f]")
QUOTE = "Sea otters hold each other by the paw while they are asleep"
EVIL = QUOTE.replace("paw", f"pa{STEERING}w").replace("asleep", f"asl\u202e{STEERING}eep")
PROJECT = "zoo"


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for part in pair for text in strings(part))
    elif isinstance(value, list):
        yield from (text for part in value for text in strings(part))


@pytest.fixture(scope="module")
def zoo(shared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a project in which everything that others write is hostile."""
    folder = tmp_path_factory.mktemp("zoo")
    name = f"otters {STEERING}\n{FORGED}.md".encode()
    text = f"# Otters asleep in the kelp of the north {STEERING}\n\n## Asleep {STEERING}\n\n{EVIL}.\n"
    (folder / os.fsdecode(name)).write_text(text)
    (folder / os.fsdecode(b"bees \xff\xfe.md")).write_text("# Bees\n\nBees dance in the dark of the hive.\n")
    (folder / os.fsdecode(f"broken {STEERING}.pdf".encode())).write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 9)
    records = [
        {
            "id": f"otter{STEERING}2020",
            "type": "article-journal",
            "title": f"Otters asleep in the kelp of the north {STEERING}",
            "author": [{"family": f"Ott{HOSTILE}", "given": "A."}],
            "issued": {"date-parts": [[2020]]},
            "keyword": f"sleep{HOSTILE},paws",
        }
    ]
    references = folder / "references.json"
    references.write_text(json.dumps(records))
    bib = folder / "more.bib"
    bib.write_text(f"@book{{bee1999, title = {{Bees {STEERING}}}, author = {{B{STEERING}, C.}}, year = 1999}}\n")
    done(citeloom(shared_home, "project", "add", PROJECT, "--folder", str(folder), "--references", str(references)))
    done(citeloom(shared_home, "project", "add", "bees", "--references", str(bib)))
    imported = citeloom(shared_home, "ingest", PROJECT)
    # The third is a file name that is no text: it is told, and told safely.
    assert "1 new, 2 failed" in imported.stdout, imported
    assert not UNSAFE.search(imported.stdout + imported.stderr)
    assert len([line for line in imported.stderr.splitlines() if line.startswith("Failed: ")]) == 2
    return shared_home


@pytest.fixture(scope="module")
def hostile_editor(zoo: Path) -> Iterator[StrictEditor]:
    """An editor that calls itself by a hostile name."""
    with StrictEditor(zoo, *WRITING, name=f"editor{HOSTILE}{'x' * 3000}") as editor:
        yield editor


def test_every_text_that_an_agent_gets_is_clean(hostile_editor: StrictEditor) -> None:
    editor = hostile_editor
    hit = editor.call("query_hybrid", project=PROJECT, text=f"otters asleep {HOSTILE}", full_text=True)["items"][0]
    assert QUOTE in hit["full_text"].replace("[31m31m", "").replace("]0;owned", "")
    stored = {
        "id": "bee",
        "text": f"Bees {HOSTILE} dance.",
        "embedding": [0.1] * 384,
        "metadata": {"title": f"Bees {HOSTILE}", "tags": [HOSTILE], "section_path": [HOSTILE]},
    }
    editor.call("store_chunks", project=PROJECT, items=[stored])
    editor.call("query", project=PROJECT, text="bees", top_k=10)
    editor.call("inspect_collection", project=PROJECT, sample=5)
    editor.call("get_passage", project=PROJECT, chunk_id=hit["chunk_id"])
    editor.call("get_document", project=PROJECT, doc_id=hit["doc_id"])
    editor.call("list_documents", project=PROJECT)
    editor.call("check_citations", project=PROJECT, text=f"“{EVIL}” [@otter{STEERING}2020] [@{hit['citekey']}]")
    for tool, arguments in (
        ("query", {"text": "x", "filters": {HOSTILE: 1}}),
        ("query", {"text": "x", HOSTILE: 1}),
        ("get_document", {"citekey": HOSTILE}),
        ("get_passage", {"chunk_id": HOSTILE}),
        ("format_citations", {"citekeys": [HOSTILE], "style": HOSTILE}),
        ("store_chunks", {"items": [{**stored, "id": f"bee{STEERING}"}]}),
        (f"tool{HOSTILE}", {}),
    ):
        editor.fail(tool, project=PROJECT, **arguments)
    editor.fail("query", project=HOSTILE, text="x")
    editor.request(f"no/such{HOSTILE}")
    for line in editor.raw:
        message = json.loads(line)
        inner = [json.loads(part["text"]) for part in (message.get("result") or {}).get("content", [])]
        assert not [text for text in strings([message, inner]) if UNSAFE.search(text)]


def test_a_work_and_a_tag_are_found_by_what_an_agent_was_shown_of_them(hostile_editor: StrictEditor) -> None:
    key, tag = (re.sub(UNSAFE, "", text) for text in (f"otter{STEERING}2020", "paws"))
    hit = hostile_editor.call("query", project=PROJECT, text="otters", filters={"citekey": key, "tags": [tag]})
    assert [item["citekey"] for item in hit["items"]] == [key]
    assert hostile_editor.call("get_document", project=PROJECT, citekey=key)["citekey"] == key


def test_a_quotation_of_what_an_agent_was_shown_is_exact(hostile_editor: StrictEditor) -> None:
    shown = hostile_editor.call("query_hybrid", project=PROJECT, text="otters asleep")["items"][0]["render_text"]
    assert not UNSAFE.search(shown)
    verdict = hostile_editor.call("verify_quote", project=PROJECT, quote=shown)
    assert verdict["verdict"] == "exact"


COMMANDS = {
    "search": ["search", PROJECT, f"otters asleep {STEERING}"],
    "documents": ["documents", PROJECT],
    "log": ["log"],
    "verify": ["verify", PROJECT, f"{QUOTE} {STEERING}"],
    "cite": ["cite", f"otter{STEERING}2020", "--project", PROJECT],
    "project show": ["project", "show", PROJECT],
    "doctor": ["doctor"],
    "status": ["engine", "status"],
    "unknown project": ["search", f"no{HOSTILE}", "x"],
    "unknown passage": ["show", f"no{HOSTILE}"],
    "unknown command": [f"no{HOSTILE}"],
    "unknown option": ["search", f"--no{HOSTILE}"],
    "unknown filter": ["search", PROJECT, "x", "--filter", f"a{HOSTILE}"],
    "traceback": ["search", f"no{HOSTILE}", "x", "--debug"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_that_is_printed_steers_the_terminal(zoo: Path, hostile_editor: StrictEditor, name: str) -> None:
    printed = citeloom(zoo, *COMMANDS[name])
    both = printed.stdout + printed.stderr
    assert both.strip() and not UNSAFE.search(both)
    if name in ("log", "unknown project"):
        assert not [line for line in both.splitlines() if line.startswith("2026-11-18 12:00")]


@pytest.mark.parametrize("name", ["search", "documents", "log", "project show"])
def test_json_that_is_printed_is_safe_and_loses_nothing(zoo: Path, name: str) -> None:
    printed = done(citeloom(zoo, *COMMANDS[name], "--json"))
    assert not UNSAFE.search(printed)
    if name == "documents":
        assert any(STEERING in document["source"] for document in json.loads(printed))


def test_on_a_terminal_the_only_commands_are_our_own_colours(zoo: Path, hostile_editor: StrictEditor) -> None:
    for command in ("documents", "search", "log", "export"):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "citeloom", *COMMANDS.get(command, [command, PROJECT])],
            env=environment(zoo, TERM="xterm-256color"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        printed = b""
        try:
            while data := os.read(ours, 65_536):
                printed += data
        except OSError:  # Linux says so that nobody writes there any more
            pass
        assert process.wait(WAIT) == 0
        os.close(ours)
        text = printed.decode().replace("\r\n", "\n").replace("\r", "")
        assert "\x1b[1m" in text or command == "export"
        assert not UNSAFE.search(re.sub(r"\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b\[(?!31m)[0-9;]*m", "", text))


def test_no_line_of_the_engines_log_is_forged(zoo: Path, hostile_editor: StrictEditor) -> None:
    hostile_editor.fail(f"tool{HOSTILE}")
    text = (zoo / "logs" / "engine.log").read_text(encoding="utf-8")
    assert "\\x1b]0;owned" in text
    assert not UNSAFE.search(text)
    assert not [line for line in text.splitlines() if line.startswith("2026-11-18 12:00:00,000")]


def test_the_log_of_calls_keeps_of_long_names_and_questions_their_beginning(
    zoo: Path, hostile_editor: StrictEditor
) -> None:
    hostile_editor.fail("t" * 100_000, project="p" * 100_000, text="q" * 100_000)
    (entry,) = json.loads(done(citeloom(zoo, "log", "--json", "--limit", "1")))
    assert max(len(str(value)) for value in entry.values()) <= 500
    assert entry["client"].startswith("editor")


def test_no_answer_says_back_more_than_a_kilobyte_of_an_argument(hostile_editor: StrictEditor) -> None:
    long = "ü" * 20_000
    calls: list[tuple[str, dict[str, Any]]] = [
        (long, {}),
        ("query", {"project": long, "text": "x"}),
        ("query", {"project": PROJECT, "text": long}),
        ("query", {"project": PROJECT, "text": "x", long: 1}),
        ("query", {"project": PROJECT, "text": "x", "top_k": long}),
        ("query", {"project": PROJECT, "text": "x", "filters": {long: 1}}),
        ("query", {"project": PROJECT, "text": "x", "filters": {"citekey": {long: 1}}}),
        ("query", {"project": PROJECT, "text": "x", "filters": {"citekey": [[long]]}}),
        ("query", {"project": PROJECT, "text": "x", "filters": {"year": long}}),
        ("get_passage", {"project": PROJECT, "chunk_id": long}),
        ("list_documents", {"project": PROJECT, "status": long}),
        ("get_document", {"project": PROJECT, "doc_id": long}),
        ("get_document", {"project": PROJECT, "citekey": long}),
        ("get_document", {"project": PROJECT, "citekey": "bees", "pages": long}),
        ("verify_quote", {"project": PROJECT, "quote": QUOTE, "citekey": long}),
        ("verify_quote", {"project": PROJECT, "quote": QUOTE, "page": long}),
        ("verify_quote", {"project": PROJECT, "quote": f"{long} is what they said of it"}),
        ("format_citations", {"project": PROJECT, "citekeys": [long[:1999]] * 5}),
        ("format_citations", {"project": PROJECT, "citekeys": [long]}),
        ("format_citations", {"project": PROJECT, "citekeys": ["bees"], "style": long}),
        ("format_citations", {"project": PROJECT, "citekeys": ["bees"], "format": long}),
        ("check_citations", {"project": PROJECT, "text": f"“{long}” [@{long}, p. {long}]"[:49_000]}),
        ("check_citations", {"project": PROJECT, "text": f"“{long}” [@bees, p. {long}]"[:49_000]}),
        ("help", {"topic": long}),
        ("ingest_from_source", {"project": PROJECT, "source": long}),
        ("ingest_from_source", {"project": PROJECT, "source": f"https://{long}"}),
        ("ingest_from_source", {"project": PROJECT, "source": "zotero:collection/" + long}),
        ("ingest_from_source", {"project": PROJECT, "source": ".", "options": {"metadata": {long: 1}}}),
        ("ingest_from_source", {"project": PROJECT, "source": ".", "options": {"references_path": long}}),
        ("store_chunks", {"project": PROJECT, "items": [{"id": "a", "text": "b", "embedding": [long]}]}),
        ("delete_document", {"project": PROJECT, "doc_id": long}),
    ]
    for tool, arguments in calls:
        answer = hostile_editor.request("tools/call", {"name": tool, "arguments": arguments})
        said = json.loads(answer["result"]["content"][0]["text"]) if "result" in answer else answer["error"]
        repeated = [text.count("ü") for text in strings(said)]
        assert max(repeated) <= 500, (tool, [*arguments])
        assert sum(repeated) <= (2_000 if tool == "check_citations" else 500), (tool, [*arguments])


@pytest.mark.parametrize("year", ["1" + "0" * 400, "-1" + "0" * 400, "10000000000000000", "10000", "1e400", "NaN"])
def test_a_year_that_no_index_can_hold_is_refused_with_the_range(hostile_editor: StrictEditor, year: str) -> None:
    for tool, arguments in (
        ("query", '"text": "x", "filters": {"year": {"$gte": YEAR}}'),
        ("query", '"text": "x", "filters": {"page": YEAR}'),
        ("list_documents", '"offset": YEAR'),
        ("store_chunks", '"items": [{"id": "a", "text": "b", "embedding": EMBEDDING, "metadata": {"year": YEAR}}]'),
        ("ingest_from_source", '"source": ".", "options": {"metadata": {"year": YEAR}}'),
    ):
        if year == "10000" and tool != "store_chunks":
            continue  # that is a number that one can look for
        params = f'{{"name": "{tool}", "arguments": {{"project": "{PROJECT}", {arguments}}}}}'
        params = params.replace("YEAR", year).replace("EMBEDDING", json.dumps([0.1] * 384))
        number = f"{tool} {arguments[:40]} {year[:20]}"
        line = f'{{"jsonrpc": "2.0", "id": {json.dumps(number)}, "method": "tools/call", "params": {params}}}\n'
        hostile_editor.send_raw(line.encode())
        error = hostile_editor.answer(number)["result"]["structuredContent"]["error"]  # type: ignore[arg-type]
        assert error["code"] == "INVALID_INPUT", error
        assert (
            "from -" in error["message"]
            or "between -" in error["message"]
            or tool in ("list_documents", "ingest_from_source")
        )
