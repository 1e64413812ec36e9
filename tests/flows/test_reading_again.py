"""Documents read again because somebody asks for it: failed ones, or from scratch, wherever they came from."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from citeloom.api.library import (
    AddProject,
    AgentChunk,
    GetDocument,
    RemoveDocuments,
    RereadDocuments,
    StoreChunks,
    ZoteroPart,
)
from citeloom.api.search import Query
from citeloom.api.verbs import encode
from citeloom.catalog.documents import Document
from citeloom.core import paths
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Settings, Watch, Zotero
from citeloom.engine.container import Container
from citeloom.importing import discovery
from citeloom.importing.requests import ImportRequest
from citeloom.importing.sources.web import fetch
from citeloom.index.filters import AnyOf
from tests.flows.steps import four_papers, paper, pdf_paper
from tests.support import WAIT
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World

BROKEN = b"%PDF-1.4\nno pdf at all\n"


class LocalEngine:
    """An engine in this process with one project, and what a person does with its documents."""

    def __init__(self, settings: Settings, folders: list[Path], zotero: Sequence[ZoteroPart] = ()) -> None:
        self.service = Container(settings)
        self.service.jobs.start()
        self.service.projects.add_project(
            AddProject(project="p", folders=[str(folder) for folder in folders], zotero=zotero)
        )

    def sync(self) -> dict[str, Any]:
        return self.ended(self.service.jobs.submit(ImportRequest("p")).id)

    def reread(self, *documents: Document, **args: Any) -> dict[str, Any]:
        chosen = [document.doc_id for document in documents]
        started = self.service.documents.reread_documents(RereadDocuments(project="p", doc_ids=chosen, **args))
        return {"documents": started.documents, **(self.ended(started.job_id) if started.job_id else {})}

    def ended(self, job_id: str) -> dict[str, Any]:
        job, _ = self.service.jobs.wait(job_id, WAIT)
        assert job is not None and job.state == "done", job
        return job.result

    def document(self, part: str) -> Document:
        (found,) = (d for d in self.service.catalog.documents.all("p") if part in d.source or part in d.path)
        return found

    def rows(self) -> dict[str, Document]:
        return {d.source: d for d in self.service.catalog.documents.all("p")}

    def conversion(self, document: Document) -> Path:
        (file,) = Path(paths.conversions_folder()).glob(f"*/{document.content_hash}-*")
        return file

    def forge(self, document: Document, old: str, new: str) -> None:
        """Change what the conversion cache says of a document, as a worse converter would have."""
        file = self.conversion(document)
        text = gzip.decompress(file.read_bytes()).decode()
        assert old in text
        file.write_bytes(gzip.compress(text.replace(old, new).encode()))
        long_ago = file.stat().st_mtime - 1000
        os.utime(file, (long_ago, long_ago))

    def texts(self, words: str) -> str:
        request = Query(project="p", text=words, hybrid=True, top_k=20, full_text=True)
        return "\n".join(str(item.full_text) for item in self.service.search.query(request, Cancel()).items)

    def whole(self) -> bool:
        """Whether index and catalog agree."""
        project = self.service.catalog.projects.get("p")
        return self.service.collection(project).count() == self.service.catalog.documents.chunk_count("p")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    four_papers(tmp_path / "papers")
    return tmp_path / "papers"


@pytest.fixture
def engine(home: Path, folder: Path) -> Iterator[LocalEngine]:
    made = LocalEngine(Settings(watch=Watch(zotero=False, files=False)), [folder])
    yield made
    made.service.stop()


def test_failed_documents_are_tried_again_only_when_somebody_asks(engine: LocalEngine, folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.pdf").write_bytes(BROKEN + name.encode())
    assert engine.sync()["failed"] == 2
    before = engine.rows()
    # A sync leaves alone what failed for reasons of its own: another try would end the same.
    assert engine.sync()["failed"] == 2
    assert {s: d.updated_at for s, d in engine.rows().items()} == {s: d.updated_at for s, d in before.items()}

    again = engine.reread(failed=True)
    assert (again["documents"], again["failed"], again["skipped"], again["removed"]) == (2, 2, 0, 0)
    after = engine.rows()
    touched = {Path(s).name for s in after if after[s].updated_at != before[s].updated_at}
    assert touched == {"a.pdf", "b.pdf"}

    # A file that can be read by now, though it looks as it did.
    stat = (folder / "a.pdf").stat()
    pdf_paper(folder / "a.pdf", "crater")
    os.utime(folder / "a.pdf", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert engine.reread(engine.document("a.pdf"))["new"] == 1
    assert "crater" in engine.texts("crater")
    assert engine.reread(failed=True)["documents"] == 1
    assert engine.whole()


def test_reading_again_touches_nothing_else_of_the_project(engine: LocalEngine, folder: Path) -> None:
    engine.sync()
    (folder / "2-moths.md").unlink()
    paper(folder / "3-peat.md", "On the fen", "The fen was measured 4 times.")
    paper(folder / "5-new.md", "On the owl", "The owl was measured 4 times.")
    before = engine.rows()
    assert engine.reread(engine.document("1-reefs"), convert_again=True)["replaced"] == 1
    after = engine.rows()
    assert set(after) == set(before)
    assert [Path(s).name for s in after if after[s] != before[s]] == ["1-reefs.md"]
    assert "owl" not in engine.texts("owl") and "fen" not in engine.texts("fen") and "moth" in engine.texts("moth")


def test_from_scratch_means_that_no_conversion_of_before_counts(engine: LocalEngine) -> None:
    engine.sync()
    reefs = engine.document("1-reefs")
    engine.forge(reefs, "measured 2 times", "misread twice")
    engine.service.catalog.documents.save(reefs)

    assert engine.reread(reefs)["skipped"] == 1  # its file is as it was
    assert "misread" not in engine.texts("coral")

    again = engine.reread(reefs, convert_again=True)
    assert (again["documents"], again["replaced"], again["failed"]) == (1, 1, 0)
    assert "misread" not in gzip.decompress(engine.conversion(reefs).read_bytes()).decode()
    assert engine.document("1-reefs").version == reefs.version, "the same text is the same set of passages"
    assert engine.whole()


@pytest.mark.parametrize("damage", [b"", b"no gzip at all", None], ids=["empty", "other", "gone"])
def test_a_damaged_conversion_is_made_anew_when_somebody_reads_the_text(
    engine: LocalEngine, damage: bytes | None
) -> None:
    engine.sync()
    document = engine.document("peat")
    file = engine.conversion(document)
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    read = engine.service.texts.get_document(GetDocument(project="p", doc_id=document.doc_id), Cancel())
    assert "The bog was measured 9 times." in read.markdown
    assert gzip.decompress(file.read_bytes())


def test_another_text_of_the_same_file_takes_the_place_of_the_old_one_whole(engine: LocalEngine) -> None:
    engine.sync()
    reefs, project = engine.document("1-reefs"), engine.service.catalog.projects.get("p")
    collection = engine.service.collection(project)
    # As if another OCR engine had read it: one passage more than there will be, under the same set's name.
    (point, *_) = collection.stored(AnyOf("doc_id", (reefs.doc_id,)), 1)
    extra = type(point)(
        "00000000-0000-4000-8000-000000000001",
        point.dense,
        point.sparse,
        {**point.payload, "chunk_id": "x", "chunk_index": 3, "chunk_text": "A misread coral."},
    )
    collection.upsert([extra])
    reefs.chunks += 1
    engine.service.catalog.documents.save(reefs)
    assert "misread" in engine.texts("coral")

    engine.reread(reefs, convert_again=True)
    assert "misread" not in engine.texts("coral") and "measured 9 times" in engine.texts("coral")
    assert engine.whole()


def test_what_cannot_be_read_again_keeps_its_passages(engine: LocalEngine, folder: Path) -> None:
    pdf_paper(folder / "crater.pdf", "crater")
    engine.sync()
    before = engine.document("crater.pdf")
    (folder / "crater.pdf").write_bytes(BROKEN)
    again = engine.reread(before, convert_again=True)
    assert (again["failed"], again["replaced"]) == (1, 0)
    after = engine.document("crater.pdf")
    assert (after.state, after.version, after.chunks) == (before.state, before.version, before.chunks)
    assert "could not be read again" in after.warnings[0]

    (folder / "crater.pdf").unlink()
    again = engine.reread(after, convert_again=True)
    assert again["failed"] == 1 and "was not found" in again["errors"][0]["reason"]
    assert engine.document("crater.pdf") == after
    assert "crater" in engine.texts("crater")
    assert engine.whole()


def test_a_document_from_the_web_is_fetched_again_and_read_from_its_copy_where_the_web_is_away(
    engine: LocalEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "fetch", partial(fetch, allowed=lambda address: True))
    site = paper(tmp_path / "site" / "owls.md", "On the owl", "The owl was heard at night.").parent

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/owls.md"
    try:
        engine.ended(engine.service.jobs.submit(ImportRequest("p", address)).id)
        paper(site / "owls.md", "On the owl", "The owl was seen by day.")
        assert engine.reread(engine.document("owls"), convert_again=True)["replaced"] == 1
        assert "by day" in engine.texts("owl") and "at night" not in engine.texts("owl")
    finally:
        server.shutdown()
        server.server_close()
    again = engine.reread(engine.document("owls"), convert_again=True)
    assert (again["failed"], again["replaced"]) == (0, 1)
    assert "The earlier copy was read instead." in again["warnings"][0]
    assert "by day" in engine.texts("owl")
    assert engine.whole()


def test_works_of_zotero_are_read_again_one_by_one(home: Path, tmp_path: Path) -> None:
    world = World(tmp_path / "Zotero")
    shelf_key = world.collection("Shelf")
    items, pdfs = {}, {}
    for word in ("coral", "moth"):
        work = {"title": f"On the {word}", "citationKey": f"ada{word}", "collections": [shelf_key]}
        item = items[word] = world.add("journalArticle", **work)
        pdfs[word] = world.attach(item, f"{word}.pdf", pdf_paper(tmp_path / f"{word}.pdf", word).read_bytes())
        world.note(item, f"<p>A note on the {word}.</p>")
    with LocalZotero(world) as zotero:
        reached = Zotero(local_url=zotero.url, data_folder=str(world.data_folder))
        engine = LocalEngine(
            Settings(watch=Watch(zotero=False, files=False), zotero=reached), [], [ZoteroPart(name="Shelf")]
        )
        try:
            assert engine.sync()["new"] == 4
            before = engine.rows()
            coral, note = engine.document(pdfs["coral"]), next(d for d in before.values() if d.file_type == "note")
            engine.forge(coral, "was measured", "was misread")
            again = engine.reread(coral, note, convert_again=True)
            assert (again["documents"], again["replaced"], again["failed"]) == (2, 2, 0)
            assert "misread" not in gzip.decompress(engine.conversion(coral).read_bytes()).decode()
            after = engine.rows()
            assert {s for s in after if after[s].updated_at != before[s].updated_at} == {coral.source, note.source}
            assert after[coral.source].citekey == "adacoral"

            for lose, reason in (
                (lambda: world.remove_file(pdfs["coral"]), "not"),
                (lambda: world.move(items["coral"], []), "no longer in the project's part of Zotero"),
            ):
                lose()
                kept = engine.document(pdfs["coral"])
                again = engine.reread(kept, convert_again=True)
                assert again["failed"] == 1 and reason in again["errors"][0]["reason"]
                assert engine.document(pdfs["coral"]).version == kept.version
                assert "coral" in engine.texts("coral")
            assert engine.whole()
        finally:
            engine.service.stop()


def test_what_an_agent_stored_cannot_be_read_again(engine: LocalEngine) -> None:
    item = AgentChunk(id="1", text="An agent's own.", embedding=[1.0] + [0.0] * 383, metadata={"doc_id": "mine"})
    engine.service.agent_chunks.store_chunks(StoreChunks(project="p", items=[item]), Cancel())
    (stored,) = engine.rows().values()
    with pytest.raises(CiteLoomError) as caught:
        engine.reread(stored)
    assert caught.value.code == Code.INVALID_INPUT
    with pytest.raises(CiteLoomError) as caught:
        engine.service.documents.reread_documents(RereadDocuments(project="p", doc_ids=["nobody"]))
    assert caught.value.code == Code.DOCUMENT_NOT_FOUND
    assert engine.reread(failed=True) == {"documents": 0}


def test_several_documents_are_removed_at_once_and_their_files_stay(engine: LocalEngine, folder: Path) -> None:
    engine.sync()
    chosen = [engine.document(name).doc_id for name in ("1-reefs", "2-moths")]
    done = engine.service.documents.remove_documents(RemoveDocuments(project="p", doc_ids=[*chosen, "gone already"]))
    assert done.removed == 2
    assert done.notes == ["2 of them: Its file is still there: the next import of its folder reads it again."]
    assert {Path(source).name for source in engine.rows()} == {"3-peat.md", "4-tides.md"}
    assert "coral" not in engine.texts("coral")
    assert (folder / "1-reefs.md").exists()
    assert engine.whole()
    assert json.dumps(encode(done))
