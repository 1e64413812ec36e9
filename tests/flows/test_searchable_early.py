"""PDFs are searchable by their text layer at once; pages that need more follow, whatever comes between."""

from __future__ import annotations

import gzip
import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pypdfium2
import pytest

from citeloom.importing.sources.folder import hash_file
from citeloom.importing.stages.payloads import embedded_text
from tests.faults import Fault, Pause, as_variable, fault, set_number
from tests.flows.steps import (
    Control,
    Project,
    assert_embedded,
    assert_whole,
    begin_ingest,
    copy_home,
    counting,
    counts,
    embedded,
    engine_with,
    engines,
    kill_engine,
    paper,
    pdf_paper,
    rows,
    settings,
    states,
    stored_passages,
    stored_vectors,
    wait_until_idle,
)
from tests.support import WAIT, Editor, citeloom, done, environment, stop_engine, wait_for

SUBJECTS = {"1-reefs": "coral", "2-moths": "moth", "3-peat": "bog"}


def held(home: Path) -> Pause:
    """Where whole conversions wait; what can be had at once does not."""
    return Pause(home.with_name(f"{home.name}-whole"))


def holding(home: Path) -> Fault:
    return held(home).at("conversion.whole")


def progress(control: Control) -> dict[str, Any]:
    jobs = control.call("engine.status")["jobs"]
    return dict(jobs[0]) if jobs else {}


def shown(home: Path, chunk_id: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(done(citeloom(home, "show", chunk_id, "--json")))
    return answer


def words(text: str) -> set[str]:
    return set(text.casefold().split())


def texts(home: Path) -> set[tuple[str, str]]:
    return {(passage["source"], embedded_text(passage)) for passage in stored_passages(home)}


class Library:
    """Three PDFs: a data folder whose engine died when all were searchable, and what must come out in the end."""

    def __init__(self, root: Path) -> None:
        self.papers = root / "papers"
        self.early, undisturbed = root / "early", root / "undisturbed"
        self.conversions = undisturbed / "cache" / "conversions"
        for name, word in SUBJECTS.items():
            pdf_paper(self.papers / f"{name}.pdf", word, diagram=True)
        self.early.mkdir()
        project = Project.made(self.early, self.papers)
        stop_engine(self.early)
        copy_home(self.early, undisturbed)
        Project(undisturbed).ingest()
        stop_engine(undisturbed)
        self.ids = assert_whole(undisturbed)
        self.vectors = stored_vectors(undisturbed)
        with engine_with(self.early, holding(self.early)):
            begin_ingest(self.early)
            with Control(self.early) as control:
                wait_for(lambda: progress(control).get("stage") == "convert", "the text layers of three papers")
                assert (progress(control)["searchable"], progress(control)["done"]) == (3, 0)
            self.quick = {hit["chunk_id"]: hit for hit in project.search("measured", "--top", "20")}
            assert {hit["source"] for hit in self.quick.values()} == {f"{name}.pdf" for name in SUBJECTS}
            kill_engine(self.early)
        assert set(self.quick) <= assert_whole(self.early)
        self.new_texts = texts(undisturbed) - texts(self.early)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = tmp_path_factory.mktemp("early")
    try:
        yield Library(root)
    finally:
        for home in ("early", "undisturbed"):
            for engine in engines(root / home):
                engine.kill()


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "copy"
    yield folder
    stop_engine(folder)


def assert_read_whole(home: Path, library: Library) -> None:
    """Everything is as if nothing had happened, and every passage given out early leads to one of the same text."""
    known = Project(home).documents().values()
    assert {d["converter_engine"] for d in known} == {"docling"}
    assert not any(d["quick"] for d in known)
    for chunk_id, early in library.quick.items():
        answer = shown(home, chunk_id)
        now = answer["passage"]
        assert (answer["refined_from"], now["doc_id"]) == (chunk_id, early["doc_id"])
        assert now["page_span"][0] <= early["page_span"][1] and early["page_span"][0] <= now["page_span"][1]
        assert len(words(now["full_text"]) & words(early["render_text"])) > 0.5 * len(words(early["render_text"]))
    stop_engine(home)
    assert assert_whole(home) == library.ids
    assert set(states(home).values()) == {"ready"}


def test_an_early_text_can_be_searched_read_and_cited(library: Library, copied: Path) -> None:
    copy_home(library.early, copied)
    with engine_with(copied, holding(copied)), Editor(copied) as editor:
        hit = editor.call("query_hybrid", project="p", text="coral in May of year 2", top_k=1)["items"][0]
        assert (hit["source"], hit["page_span"], hit["cite"]) == ("1-reefs.pdf", [2, 2], f"[@{hit['citekey']}, p. 2]")
        listed = editor.call("list_documents", project="p")
        assert [(d["quick"], d["converter_engine"], d["status"]) for d in listed["documents"]] == [
            (True, "quick", "ready")
        ] * 3
        assert listed["coverage"]["searchable"] == 3
        answer = editor.call("get_passage", project="p", chunk_id=hit["chunk_id"])
        assert answer["refined_from"] is None
        assert (answer["page"]["number"], answer["page"]["text_source"]) == (2, "native")
        assert "May of year 2 the coral" in answer["page"]["text"] and "year 3" not in answer["page"]["text"]
        document = editor.call("get_document", project="p", doc_id=hit["doc_id"], pages="2-3")
        assert "year 2 the coral" in document["markdown"] and "year 1" not in document["markdown"]
    assert "quick" in done(citeloom(copied, "documents", "p"))


def test_what_comes_while_others_are_read_whole_is_searchable_before_they_are_finished(
    library: Library, copied: Path, tmp_path: Path
) -> None:
    copy_home(library.early, copied)
    elsewhere = pdf_paper(tmp_path / "elsewhere" / "newt.pdf", "newt", diagram=True)
    folder = tmp_path / "more"
    pdf_paper(folder / "eel.pdf", "eel", diagram=True)
    project = Project(copied)
    with engine_with(copied, holding(copied)):
        with Control(copied) as control:
            wait_for(lambda: progress(control).get("stage") == "convert", "the second pass")

            def found(word: str) -> bool:
                hits = control.call("search.query", project="p", text=f"the {word} was measured", top_k=3)["items"]
                return any(hit["source"] == f"{word}.pdf" for hit in hits)

            # Another file, another folder, and the same folder once more with a file that was not there before.
            control.call("importing.ingest", project="p", source=str(elsewhere))
            wait_for(lambda: found("newt"), "a file that came later")
            for word in ("eel", "owl"):
                pdf_paper(folder / f"{word}.pdf", word, diagram=True)
                control.call("importing.ingest", project="p", source=str(folder))
                wait_for(lambda word=word: found(word), "a folder that came later, or grew")
            assert [job["done"] for job in control.call("engine.status")["jobs"]] == [0, 0, 0]
        held(copied).release()
        wait_until_idle(copied)
        known = project.documents()
        assert set(known) == {*(f"{name}.pdf" for name in SUBJECTS), "newt.pdf", "eel.pdf", "owl.pdf"}
        how = {name: (d["converter_engine"], [*d["slow_pages"]], d["warnings"]) for name, d in known.items()}
        assert how == dict.fromkeys(known, ("docling", ["uncertain layout"], []))
        stop_engine(copied)
    assert assert_whole(copied) > library.ids
    assert {r["state"] for r in rows(copied, "SELECT state FROM jobs")} == {"done"}


SECOND = "2-moths.pdf"


def test_slow_pages_go_on_after_a_kill_of_the_engine_a_pause_and_a_kill_of_their_worker(
    library: Library, copied: Path, tmp_path: Path
) -> None:
    copy_home(library.early, copied)
    settings(copied, "[engine]\nworkers = 1\n")
    converted, at_second = tmp_path / "converted", Pause(tmp_path / "second")
    faults = fault("worker.convert", "note", value=str(converted)), at_second.at("worker.convert", SECOND)
    with engine_with(copied, *faults, counting(copied)):
        worker = at_second.wait("the second paper to be read")
        done(citeloom(copied, "engine", "pause"))
        wait_for(lambda: not is_running(worker), "its worker to end")
        with Control(copied) as control:
            wait_for(lambda: progress(control).get("state") == "paused", "the import to pause")
        at_second.reset()
        done(citeloom(copied, "engine", "resume"))
        psutil.Process(at_second.wait("the second paper to be read again")).kill()
        at_second.release()
        wait_until_idle(copied)
        assert_read_whole(copied, library)
    read = Counter(Path(line).name for line in converted.read_text().splitlines())
    assert read == {"1-reefs.pdf": 1, SECOND: 3, "3-peat.pdf": 1}, "what was read before is not read again"
    assert_embedded(copied, library.vectors)
    assert sum(embedded(copied)) == len(library.new_texts) > 0, "nor embedded again"


def test_slow_pages_of_a_file_that_changed_meanwhile_do_not_replace_its_new_text(home: Path, tmp_path: Path) -> None:
    changing = pdf_paper(tmp_path / "papers" / SECOND, "moth", diagram=True)
    old = Pause(tmp_path / "old")
    with engine_with(home, old.at("conversion.ended", SECOND, nth=2)), Control(home) as control:
        project = Project.made(home, changing.parent)
        begin_ingest(home)
        old.wait("the slow pages of the old file")
        pdf_paper(changing, "newt")
        begin_ingest(home)

        def found() -> bool:
            hits = control.call("search.query", project="p", text="newt", top_k=1)["items"]
            return any("newt" in hit["render_text"] for hit in hits)

        wait_for(found, "the new text")
        old.release()
        wait_until_idle(home)
        assert all("newt" in text and "moth" not in text for _, text in project.found())
        assert counts(project.sync()) == {"skipped": 1}
        stop_engine(home)
    assert_whole(home)


AT_SECOND = {
    "whole text read": [fault("import.convert", "kill", SECOND)],
    "half written": [set_number("index.batch", 1), fault("index.batch_written", "kill", SECOND)],
    "ids moved, row not written": [fault("import.row_saving", "kill", SECOND)],
    "old not deleted": [fault("import.row_saved", "kill", SECOND)],
}


@pytest.mark.parametrize("place", AT_SECOND)
def test_a_kill_while_the_early_text_is_replaced_loses_neither_text_nor_ids(
    library: Library, copied: Path, place: str
) -> None:
    copy_home(library.early, copied)
    shutil.copytree(library.conversions, copied / "cache" / "conversions")  # this is not about converting
    with engine_with(copied, *AT_SECOND[place]) as engine:
        assert engine.wait(WAIT) == -signal.SIGKILL
    done(citeloom(copied, "engine", "start"))
    wait_until_idle(copied)
    assert_read_whole(copied, library)


def is_running(process_id: int) -> bool:
    try:
        return psutil.Process(process_id).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_ctrl_c_in_a_long_conversion_ends_it_soon_and_leaves_everything_whole(
    library: Library, copied: Path, tmp_path: Path
) -> None:
    copy_home(library.early, copied)
    hour, asked = Pause(tmp_path / "hour"), tmp_path / "asked"
    faults = hour.at("worker.convert", SECOND), fault("engine.verb", "note", value=str(asked))
    person = subprocess.Popen(
        [sys.executable, "-m", "citeloom", "ingest", "p"],
        env=environment(copied, **as_variable(*faults)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    converter = hour.wait("the conversion that takes an hour")
    # The last that a command asks for before it waits for its import.
    wait_for(lambda: asked.exists() and asked.read_text().endswith("status\n"), "the command to follow the import")
    person.send_signal(signal.SIGINT)
    _, said = person.communicate(timeout=WAIT)
    assert person.returncode == 130
    assert "Stopping …" in said and "Continue with: citeloom ingest p" in said
    wait_for(lambda: not is_running(converter), "it to end")
    hour.release()
    assert len(Project(copied).found()) == len(library.quick)
    stop_engine(copied)
    assert_whole(copied)
    assert {r["state"] for r in rows(copied, "SELECT state FROM jobs")} == {"cancelled"}
    Project(copied).ingest()
    assert_read_whole(copied, library)


def test_an_engine_that_is_told_to_stop_does_not_wait_for_a_long_conversion(
    library: Library, copied: Path, tmp_path: Path
) -> None:
    copy_home(library.early, copied)
    hour = Pause(tmp_path / "hour")
    done(citeloom(copied, "engine", "start", **as_variable(hour.at("worker.convert", SECOND))))
    converter = hour.wait("the conversion that takes an hour")
    assert "has stopped" in done(citeloom(copied, "engine", "stop"))
    assert not is_running(converter)
    assert [r["state"] for r in rows(copied, "SELECT state FROM jobs")] == ["parked"]
    assert_whole(copied)


def test_a_document_that_takes_too_long_at_once_is_put_off_and_the_others_are_searchable_meanwhile(
    library: Library, copied: Path
) -> None:
    copied.mkdir()
    project = Project.made(copied, library.papers)
    stop_engine(copied)
    # The second paper hangs until the whole conversions may go on, longer than a quick reading may take.
    hangs = held(copied).at("worker.convert", SECOND)
    with engine_with(copied, holding(copied), hangs, set_number("conversion.quick_seconds", 12)):
        begin_ingest(copied)
        with Control(copied) as control:
            wait_for(lambda: progress(control).get("searchable") == 2, "the quick text of two papers")
        assert project.documents()["2-moths.pdf"]["status"] == "pending"
        held(copied).release()
        wait_until_idle(copied)
        assert {hit["source"] for hit in project.search("moth", "--top", "3")} == {"2-moths.pdf"}
        assert {d["status"] for d in project.documents().values()} == {"ready"}
    assert assert_whole(copied) == library.ids


def test_a_document_of_which_reading_it_whole_leaves_nothing_keeps_its_quick_text_and_says_so(
    library: Library, copied: Path
) -> None:
    copy_home(library.early, copied)
    conversions = shutil.copytree(library.conversions, copied / "cache" / "conversions")
    content_hash = hash_file(library.papers / SECOND)
    (conversion,) = conversions.glob(f"*/{content_hash}-*")
    converted = json.loads(gzip.decompress(conversion.read_bytes()))
    assert converted["blocks"]
    conversion.write_bytes(gzip.compress(json.dumps({**converted, "blocks": []}).encode()))
    (line,) = citeloom(copied, "ingest", "p").stderr.splitlines()
    assert "Its layout was not recognized: no passages were extracted." in line and "no text" not in line
    (note,) = Project(copied).documents()["2-moths.pdf"]["warnings"]
    assert note.startswith("Only its quick text could be read") and "no text" not in note


def test_a_document_that_cannot_be_read_whole_keeps_its_quick_text_and_is_tried_again_by_name(
    library: Library, copied: Path
) -> None:
    copy_home(library.early, copied)
    project = Project(copied)
    result = citeloom(copied, "ingest", "p", **as_variable(fault("worker.convert", "abort", SECOND)))
    assert result.returncode == 1
    assert "2 replaced, 1 failed" in result.stdout
    (line,) = result.stderr.splitlines()
    assert "2-moths.pdf: Only its quick text could be read" in line and "stays searchable" in line
    for _ in range(2):
        kept = project.documents()["2-moths.pdf"]
        assert (kept["status"], kept["quick"]) == ("ready", True)
        assert "crashed the converter" in kept["warnings"][0]
        assert {hit["source"] for hit in project.search("moth", "--top", "3")} == {"2-moths.pdf"}
        assert counts(project.ingest()) == {"skipped": 3}
    stop_engine(copied)  # the next one reads it as it should
    assert counts(project.ingest(str(library.papers / "2-moths.pdf")))["replaced"] == 1
    assert_read_whole(copied, library)


def scan(path: Path, word: str) -> Path:
    """The first two pages of the paper as a scanner gives them: pictures, without a word of text."""
    printed = pypdfium2.PdfDocument(pdf_paper(path, word))
    pictures = [page.render(scale=200 / 72, grayscale=True).to_pil() for page in list(printed)[:2]]
    printed.close()
    pictures[0].save(path, save_all=True, append_images=pictures[1:], resolution=200)
    return path


def test_a_scan_waits_for_its_words_to_be_recognised_in_the_language_of_its_record(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    pdf_paper(folder / "reefs.pdf", "coral")
    scan(folder / "moths.pdf", "moth")
    references = tmp_path / "library.json"
    record = {"id": "motte1999", "type": "article-journal", "title": "On the moth in spring", "page": "31-32"}
    references.write_text(json.dumps([{**record, "language": "de-DE", "file": str(folder / "moths.pdf")}]))
    project = Project.made(home, folder, "--references", str(references))
    stop_engine(home)
    with engine_with(home, holding(home)):
        begin_ingest(home)
        with Control(home) as control:
            wait_for(lambda: progress(control).get("stage") == "convert", "everything that can be had at once")
            assert (progress(control)["searchable"], progress(control)["total"]) == (1, 2)
        assert {name: d["status"] for name, d in project.documents().items()} == {
            "moths.pdf": "pending",
            "reefs.pdf": "ready",
        }
        held(home).release()
        wait_until_idle(home)
        known = project.documents()["moths.pdf"]
        assert (known["status"], known["text_source"], known["citekey"]) == ("ready", "ocr", "motte1999")
        assert "\tocr\t" in done(citeloom(home, "documents", "p"))
        hit = project.search("moth measured in May of year 2", "--top", "1")[0]
        assert (hit["source"], hit["cite"], hit["text_source"]) == ("moths.pdf", "[@motte1999, p. 32]", "ocr")
        assert 0.5 < hit["ocr_confidence"] <= 1
        page = shown(home, hit["chunk_id"])["page"]
        assert (page["number"], page["printed"], page["printed_from"]) == (2, "32", "record")
        assert page["text_source"] == "ocr" and 0.5 < page["ocr_confidence"] <= 1
        stop_engine(home)
    assert_whole(home)
    languages = {r["citekey"]: json.loads(r["ocr_languages"]) for r in rows(home, "SELECT * FROM documents")}
    assert languages["motte1999"] == ["de"]


def test_conversions_can_be_shown_and_deleted_and_come_back_when_they_are_needed(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    pdf_paper(folder / "reefs.pdf", "coral")
    note = paper(folder / "note.md", "On the newt", "The newt was measured.")
    project = Project.made(home, folder)
    assert "0 conversions" in done(citeloom(home, "cache"))
    project.ingest()
    paper(note, "On the newt", "The newt was measured once more.")
    project.ingest()
    said = done(citeloom(home, "cache", "show"))
    assert "3 conversions" in said and "2 belong to a document; 1 are left over" in said
    assert "1 conversions deleted" in done(citeloom(home, "cache", "prune"))
    assert "nothing is left over" in done(citeloom(home, "cache"))
    assert "2 conversions deleted" in done(citeloom(home, "cache", "prune", "--all"))
    assert counts(project.ingest()) == {"skipped": 2}
    (hit,) = project.search("newt", "--top", "1")
    with Editor(home) as editor:
        document = editor.call("get_document", project="p", doc_id=hit["doc_id"])
    assert "once more" in document["markdown"]
    assert json.loads(done(citeloom(home, "cache", "show", "--json")))["in_use"] == 1
