"""A paper is found by its words before it is embedded, and what was embedded once is never embedded again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.faults import Pause, set_number
from tests.flows.steps import (
    Control,
    Project,
    assert_embedded,
    assert_whole,
    begin_ingest,
    counting,
    embedded,
    engine_with,
    four_papers,
    settings,
    stored_vectors,
    wait_until_idle,
)
from tests.support import Editor, citeloom, done, stop_engine, wait_for

PAPERS, PASSAGES, BATCH = 4, 12, 5


def without_vector(editor: Editor) -> int:
    return sum(row["without_vector"] for row in editor.call("list_documents", project="p")["documents"])


def coverage(answer: dict[str, Any]) -> tuple[int, int]:
    return answer["coverage"]["searchable"], answer["coverage"]["by_meaning"]


def test_a_paper_is_found_and_verified_by_its_words_before_it_is_embedded_and_embedded_once(
    home: Path, tmp_path: Path
) -> None:
    papers, references, first = tmp_path / "papers", tmp_path / "library.json", Pause(tmp_path / "first")
    _, moths, *_ = four_papers(papers)
    record = {"id": "moth1999", "type": "article-journal", "title": "On the moth", "file": str(moths)}
    references.write_text(json.dumps([record]))
    faults = first.at("import.embedded"), set_number("import.embedding_batch", BATCH), counting(home)
    with engine_with(home, *faults), Control(home) as control, Editor(home) as editor:
        project = Project.made(home, papers, "--references", str(references))
        begin_ingest(home)
        first.wait("the first batch")

        def ask(text: str) -> dict[str, Any]:
            return editor.call("query_hybrid", project="p", text=text)

        seen = wait_for(lambda: found if coverage(found := ask("tide"))[0] == PAPERS else None, "the words of all")
        assert coverage(seen) == (PAPERS, 0)
        assert f"{PAPERS} of {PAPERS} documents are found by words only" in seen["warnings"][0]
        for text, source in (
            ("how often was the tide measured", "4-tides.md"),
            ('"the bog was measured 5 times"', "3-peat.md"),
            ("moth1999", "2-moths.md"),
        ):
            hit = ask(text)["items"][0]
            assert (hit["source"], hit["by_words_only"]) == (source, True)
        quote = {"project": "p", "quote": "The moth was measured 9 times.", "citekey": "moth1999"}
        assert editor.call("verify_quote", **quote)["verdict"] == "exact"
        by_meaning = editor.call("query", project="p", text="moth")
        assert by_meaning["items"] == [] and coverage(by_meaning) == (PAPERS, 0)
        assert "4 of 4 searchable documents are not embedded yet: query_hybrid" in by_meaning["warnings"][0]
        (job,) = control.call("engine.status")["jobs"]
        assert (job["stage"], job["searchable"], job["done"]) == ("embed", PAPERS, 0)
        assert (job["pages_by_words"], job["pages_embedded"]) == (job["pages_total"], 0)

        done(citeloom(home, "engine", "pause"))
        first.release()
        wait_for(lambda: control.call("engine.status")["jobs"][0]["state"] == "paused", "the import to pause")
        (kept,) = embedded(home)
        assert 0 < kept <= BATCH and without_vector(editor) == PASSAGES - kept, "what was in work is kept"
        searchable, embedded_papers = coverage(ask("tide"))
        assert (searchable, embedded_papers) == (PAPERS, kept // (PASSAGES // PAPERS)), "one paper after the other"
        done(citeloom(home, "engine", "resume"))
        wait_until_idle(home)
        seen = editor.call("query", project="p", text="moth")
        assert (
            coverage(seen) == (PAPERS, PAPERS) and seen["warnings"] == [] and seen["items"][0]["source"] == moths.name
        )
        assert not any("by_words_only" in hit for hit in ask("moth")["items"])
        assert sum(embedded(home)) == PASSAGES

        doc_ids = [row["doc_id"] for row in editor.call("list_documents", project="p")["documents"]]
        again: list[Callable[[], object]] = [
            lambda: control.call("library.reread_documents", project="p", doc_ids=doc_ids, convert_again=True),
            lambda: project.ingest("--force-rebuild"),
            lambda: Project.made(home, papers, name="q").sync(),
        ]
        for read in again:
            read()
            wait_until_idle(home)
        assert sum(embedded(home)) == PASSAGES, "texts that were embedded before are not embedded again"
        assert coverage(ask("tide")) == coverage(editor.call("query", project="q", text="tide")) == (PAPERS, PAPERS)
    stop_engine(home)
    assert len(assert_whole(home)) == len(assert_whole(home, "q")) == PASSAGES
    assert_embedded(home, stored_vectors(home), "q")


def test_what_an_import_of_a_folder_left_without_vectors_is_embedded_when_it_is_asked_for_again(
    home: Path, tmp_path: Path
) -> None:
    four_papers(tmp_path / "papers")
    first = Pause(tmp_path / "first")
    batch = set_number("import.embedding_batch", BATCH)
    with engine_with(home, first.at("import.embedded"), batch, counting(home)), Control(home) as control:
        done(citeloom(home, "project", "add", "p"))
        folder = {"project": "p", "source": str(tmp_path / "papers")}
        job_id = control.call("importing.ingest", **folder)["job_id"]
        first.wait("the words of the papers")
        control.call("engine.cancel_job", job_id=job_id)
        first.release()
        wait_until_idle(home)
        left = control.call("library.show_project", project="p")["coverage"]
        assert left["searchable"] == PAPERS > left["by_meaning"]
        control.call("importing.ingest", **folder)
        wait_until_idle(home)
        assert control.call("library.show_project", project="p")["coverage"]["by_meaning"] == PAPERS
        assert sum(embedded(home)) == PASSAGES


def test_settings_that_change_while_vectors_are_made_cost_none_of_them(home: Path, tmp_path: Path) -> None:
    four_papers(tmp_path / "papers")
    first = Pause(tmp_path / "first")
    with engine_with(home, first.at("import.embedded"), set_number("import.embedding_batch", BATCH), counting(home)):
        Project.made(home, tmp_path / "papers")
        begin_ingest(home)
        first.wait("the first batch")
        with Control(home) as control:
            settings(home, "[engine]\nworkers = 1\n")
            control.wait_for_end()
        first.release()
        wait_until_idle(home)
        with Control(home) as control:
            coverage = control.call("library.show_project", project="p")["coverage"]
        assert (coverage["searchable"], coverage["by_meaning"]) == (PAPERS, PAPERS)
        assert sum(embedded(home)) == PASSAGES
    stop_engine(home)
    assert len(assert_whole(home)) == PASSAGES
