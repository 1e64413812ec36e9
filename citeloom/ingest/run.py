"""One import from beginning to end: plan, read what can be had at once, then read whole what needs it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.documents.convert import CONVERTER_VERSION
from citeloom.documents.formats import file_type
from citeloom.errors import CiteLoomError, Code
from citeloom.index.edge import EdgeCollection, Point
from citeloom.index.filters import AnyOf
from citeloom.ingest.fetch import fetch, is_address
from citeloom.ingest.passages import STORED, document_id, source_name
from citeloom.ingest.plan import Plan, plan
from citeloom.ingest.reader import Read, Reader
from citeloom.ingest.rebuild import Rebuild
from citeloom.ingest.records import RecordFinder, refresh
from citeloom.ingest.request import ImportRequest, ImportResult
from citeloom.ingest.scan import FoundFile, Survey, survey
from citeloom.ingest.state import ImportState, Pace, Report
from citeloom.ingest.taker import Taker
from citeloom.ingest.workers import Stopped
from citeloom.ingest.writer import LiveWriter
from citeloom.store import Document, Source

if TYPE_CHECKING:
    from citeloom.ingest.importer import Importer

log = logging.getLogger(__name__)

_PAGE_OF_OCR = 10  # reading one takes as long as so many others


class Run:
    """One import."""

    def __init__(self, importer: Importer, request: ImportRequest, report: Report, stop: threading.Event) -> None:
        self.state = ImportState(importer, request, report, stop)
        self._importer = importer
        self._request = request
        self._catalog = importer.catalog
        self._stop = stop
        self._reader = Reader(self.state)
        self._later: list[FoundFile] = []  # what is to be read whole, in the second pass

    @property
    def result(self) -> ImportResult:
        """What was done so far."""
        return self.state.result

    def do(self) -> None:
        """Do what the request says."""
        project, request = self.state.project, self._request
        references = request.references_path or project.references_path
        self.state.records = RecordFinder(Path(references) if references else None)
        self.result.warnings += self.state.records.warnings
        try:
            if request.force_rebuild:
                self._rebuild()
            else:
                self._import()
        except Stopped:
            pass  # in the middle of something that the next import does again
        if not self._stop.is_set() and request.source is None:
            current = self._catalog.projects.get(project.id)
            self._catalog.projects.save(replace(current, references_hash=self.state.records.hash or None))
        self.result.stopped = self._stop.is_set()
        self.state.tell(stage="done", file="")

    def _import(self) -> None:
        state, project = self.state, self.state.project
        self._importer.check_model(project)
        collection = self._importer.open_collection(project)
        writer = LiveWriter(self._catalog, collection)
        work = self._plan()
        if state.records.hash != (project.references_hash or ""):
            with state.timed("records"):
                updated = refresh(self._catalog, project.id, state.records, work.unchanged, collection, self._stop)
                self.result.updated += updated
                self.result.skipped -= updated
        taker = Taker(state, self._reader, writer, keep=writer.note, stored=partial(_stored, collection))
        self._first_pass(work.to_read, taker)
        # First what cannot be searched yet, and what is short before what is long.
        self._second_pass(sorted(self._later, key=self._size), taker)
        if not self._stop.is_set():
            for doc_id in sorted(state.gone):
                writer.remove(project.id, doc_id)
                self.result.removed += 1
        collection.flush()

    def _rebuild(self) -> None:
        rebuild = Rebuild(self.state)
        work = self._plan(again=True)
        rebuild.carry_over({f.source for f in work.to_read})
        taker = Taker(self.state, self._reader, rebuild.writer, keep=rebuild.carry, stored=rebuild.stored)
        self.state.unread = {file.source for file in work.to_read}
        self._second_pass(work.to_read, taker)  # nobody sees it before its end: there is nothing to have early
        if not self._stop.is_set():  # else the old generation answers on; the next start deletes the unfinished one
            rebuild.finish()

    # -- planning --------------------------------------------------------------------------------------------

    def _plan(self, *, again: bool = False) -> Plan:
        state, request = self.state, self._request
        with state.timed("plan"):
            found = self._find()
            for path, error in found.problems.items():
                self.result.fail(path, error)
            if found.other_kinds:
                kinds = ", ".join(f"{kind} {n}" for kind, n in found.other_kinds.most_common(8))
                count = sum(found.other_kinds.values())
                self.result.warnings.append(f"{count} files of other kinds were left out ({kinds}).")
            known = self._catalog.documents.known_files(state.project.id)
            # Who names one file, or other languages, means more than what has changed.
            asked = bool(request.metadata or request.ocr_languages) or request.source in found.files
            work = plan(
                list(found.files.values()),
                known,
                in_scope=lambda source: not source.startswith(STORED) and found.covers(Path(source)),
                converter=CONVERTER_VERSION,
                again=again or asked,
            )
            state.gone = set(work.gone)
            if work.removes_many and not request.allow_mass_removal:
                state.gone = set()
                self.result.warnings.append(
                    f"{len(work.gone)} documents are no longer in their folder. So many are not removed without asking:"
                    f" run 'citeloom ingest {state.project.id} --remove-missing' if that is right."
                )
            self._note_pending(work.to_read, {row["source"] for row in known})
        self.result.skipped += len(work.unchanged)
        for doc_id in work.still_failed:
            document = self._catalog.documents.find(state.project.id, doc_id)
            if document:
                code = Code(document.reason_code or Code.CONVERSION_FAILED)
                self.result.fail(document.source, CiteLoomError(code, document.reason or ""))
        state.tell(total=len(work.to_read))
        return work

    def _sources(self) -> list[Source]:
        if self._request.source is None or self._request.force_rebuild:
            return self._catalog.projects.sources(self.state.project.id)
        path = Path(self._request.source)
        return [Source("file" if path.is_file() else "folder", str(path), self._request.recursive)]

    def _find(self) -> Survey:
        source = self._request.source
        if source is None or not is_address(source):
            return survey(self._sources(), strict=source is not None)
        self.state.tell(file=source, stage="fetch")
        doc_id = document_id(self.state.project.id, source)
        path = fetch(source, self._importer.downloads / doc_id).path
        stat = path.stat()
        file = FoundFile(str(path), file_type(path) or "", stat.st_size, stat.st_mtime_ns, source)
        return Survey(files={source: file})

    def _note_pending(self, files: Sequence[FoundFile], known: set[str]) -> None:
        with self._catalog.db.transaction():
            for file in files:
                if file.source not in known:
                    document = self._document(file)
                    document.title = source_name(file.source)
                    self._catalog.documents.save(document)

    def _document(self, file: FoundFile) -> Document:
        project_id = self.state.project.id
        known = self._catalog.documents.find(project_id, source=file.source)
        return known or Document(project_id, document_id(project_id, file.source), file.source, file.file_type)

    # -- the two passes --------------------------------------------------------------------------------------

    def _first_pass(self, files: Sequence[FoundFile], taker: Taker) -> None:
        """Make everything searchable that can be read at once."""
        self.state.unread = {file.source for file in files}
        self.state.pace = Pace(len(files))

        def take(file: FoundFile, reading: Future[Read]) -> None:
            self._one(file, reading, taker, 1, first=True)

        self._reader.each(files, self._reader.quick, take)

    def _second_pass(self, files: Sequence[FoundFile], taker: Taker) -> None:
        """Read documents whole."""
        sizes = {file.source: self._size(file)[1] for file in files}
        self.state.pace = Pace(sum(sizes.values()))

        def take(file: FoundFile, reading: Future[Read]) -> None:
            self._one(file, reading, taker, sizes[file.source], first=False)

        self._reader.each(files, self._reader.whole, take)

    def _size(self, file: FoundFile) -> tuple[bool, int]:
        """Whether a file can be searched, and how much work it is."""
        document = self._document(file)
        return bool(document.version), 1 + (document.pages or 1) + _PAGE_OF_OCR * document.waiting_for_ocr

    def _one(self, file: FoundFile, reading: Future[Read], taker: Taker, size: int, *, first: bool) -> None:
        state, stage = self.state, "read" if first else "convert"
        document = self._document(file)
        state.tell(file=file.source, stage=stage)
        state.unread.discard(file.source)
        was_searchable = not first and bool(document.version) and not self._request.force_rebuild
        try:
            read = reading.result()
            self._importer.after_stage(stage, file.source)
            state.check_disk()
            searchable, finished = taker.take(file, document, read, first=first)
        except Stopped:
            return
        except CiteLoomError as error:
            if error.code == Code.STORAGE_ERROR:
                raise
            taker.failed(file, document, error)
            searchable, finished = was_searchable, True
        except Exception as error:
            log.exception("import of %s failed", file.source)
            unexpected = CiteLoomError(Code.INTERNAL_ERROR, f"{type(error).__name__}: {error}.", "Run it again.")
            taker.failed(file, document, unexpected)
            searchable, finished = was_searchable, True
        if not finished:
            self._later.append(file)
        state.pace.did(size)
        state.tell(searchable=searchable - was_searchable, done=int(finished))


def _stored(collection: EdgeCollection, document: Document) -> Iterable[Point]:
    return collection.stored(AnyOf("doc_id", (document.doc_id,)), document.chunks)
