"""The import pipeline: what an import does with a document, stage by stage. `ImportRun` is the work of an import job.

    discover → plan → read → match → chunk → write words → embed → finish pages that need more

Each stage is a module: discovery, planning, and the modules in `stages`. The document queue decides when a document is
next: what makes documents searchable by words comes first, for all imports.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

from citeloom.catalog.documents import Document, State
from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import JobStopped, ReportProgress
from citeloom.importing.discovery import Discovery, ImportPlan
from citeloom.importing.document_queue import FEW
from citeloom.importing.document_task import Task
from citeloom.importing.import_progress import Lane
from citeloom.importing.import_state import ImportContext, ImportState
from citeloom.importing.rebuild import check_model
from citeloom.importing.requests import ImportCounter, ImportRequest
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.stages.commit import DocumentCommitter
from citeloom.importing.stages.embed import Batch, Embedder
from citeloom.importing.stages.match import RecordFinder, refresh, refresh_item_records
from citeloom.importing.stages.plan import document_row, record_plan, save_pending, set_removed
from citeloom.importing.stages.read import Reader, ReadResult
from citeloom.importing.writer import LiveWriter, repair

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.25  # how often a waiting import looks for what is to be removed, and at the power supply
_SIZE_STEP = 4_000_000  # bytes: files are read in the order of the sources, but much larger ones later
_OCR_PAGE_COST = 10  # one OCR page counts as this many pages
_STAGES = {Lane.WORDS: "read", Lane.VECTORS: "embed", Lane.SLOW_PAGES: "convert"}
_ON_BATTERY = (
    "The computer runs on battery: what is read is found by its words. The rest follows on mains power, or at once"
    " with engine.on_battery = true."
)


class ImportRun:
    """One import. If a server or a disk is unavailable, `run` raises that error; called again, it continues."""

    def __init__(
        self,
        context: ImportContext,
        request: ImportRequest,
        plan: ImportPlan | None,
        report: ReportProgress,
        stop: threading.Event,
        *,
        resumed: bool = False,
    ) -> None:
        self.state = ImportState(context, request, report, stop, resumed=resumed)
        self._request = request
        self._queue = context.documents
        self._catalog = context.catalog
        self._discovery = Discovery(self.state)
        self._reader = Reader(self.state, self._report_page)
        self._writer = LiveWriter(self._catalog, self.state.collection)
        self._committer = DocumentCommitter(
            self.state,
            self._reader,
            self._writer,
            self._writer.save_row,
            self._writer.stored,
            embeds_at_once=not self.state.project.hybrid_enabled,  # without words, nothing would be found
            update_record=self._update_record,
        )
        self._embedder = Embedder(self.state)
        self._plan = plan
        self._began = time.monotonic()
        self._planned = self._complete = False
        self._returned: list[Task] = []  # by the queue: not done when it ended
        self._left: dict[str, set[Lane]] = {}  # by source: what is left to do for its document
        self._sources: dict[str, str] = {}  # of documents that are embedded, by id
        self._stamps: dict[str, tuple[int, int]] = {}  # by source: size and time of the file as it was planned
        self._wrote = False
        self._found_again = threading.Event()  # somebody submitted the import again

    @property
    def result(self) -> ImportCounter:
        """The result so far."""
        return self.state.result

    @property
    def project_id(self) -> str:
        """The project of the import."""
        return self.state.project.id

    @property
    def stops(self) -> bool:
        """Whether it was asked to stop."""
        return self.state.stop.is_set()

    @property
    def _is_of_whole_project(self) -> bool:
        return self._request.source is None and not self._request.documents

    def run(self) -> None:
        """Carry out the plan; a document's stages are the methods that the document queue calls."""
        self.result.stopped, self._complete = False, False
        self.state.failed.clear()
        try:
            with suppress(JobStopped):
                if self._planned:
                    self._continue()
                else:
                    self.state.reset()
                    self._read_records()
                    self._carry_out(self._discover_and_plan())
                self._wait()
                self._end()
        finally:
            self._returned += self._queue.withdraw(self)
            self.result.stopped = not self._complete
            self.result.duration_seconds = round(time.monotonic() - self._began, 3)
            self.result.stages = {stage: round(seconds, 3) for stage, seconds in self.result.stages.items()}

    def include_new(self) -> None:
        """Include what was added or changed since the import began."""
        self._found_again.set()
        self._queue.wake_up()

    @property
    def has_new(self) -> bool:
        """Whether something was added that it has not included yet."""
        return self._found_again.is_set()

    def clean_up(self) -> None:
        """End readings in progress; what the import wrote stays."""
        self.state.failed.set()

    @property
    def is_locked(self) -> bool:
        """Whether its index is locked."""
        return self.state.context.is_locked(self.state.project)

    # -- discover and plan -----------------------------------------------------------------------------------

    def _read_records(self) -> None:
        """Read the references that documents are matched with, and check that vectors will fit to those there are."""
        own, named = self.state.project.references_path, self._request.references_path
        # References named by a person have been stored in the project by now.
        of_agent = Path(named) if named and named != own else None
        within = self._discovery.source_of(str(of_agent)) if of_agent else ""
        self.state.records = RecordFinder(Path(own) if own else None, of_agent, within)
        self.result.warnings += self.state.records.warnings
        check_model(self.state)

    def _discover_and_plan(self) -> ImportPlan:
        """Return the plan that somebody made for this import, if it is current and nothing was written since."""
        given, self._plan = self._plan, None
        if given and self._discovery.is_current(given) and given.made_at > self._queue.last_commit(self.project_id):
            return given
        with self.state.timed("plan"):
            return self._discovery.make_plan()

    def _carry_out(self, made: ImportPlan) -> None:
        state = self.state
        with state.timed("plan"):
            set_removed(state, made)
            record_plan(state, made)
        with state.lock_index():
            stale = self._update_records(made)
        state.stale = set(stale)
        self._begin_reading([*made.plan.to_read, *(made.found.files[source] for source in stale)])
        self._begin_embedding(None if self._is_of_whole_project else set(made.plan.unchanged))
        self._planned = True
        state.report()

    def _continue(self) -> None:
        """Go on after an error, unless what was unavailable still is."""
        self.state.check_disk()
        collection = self.state.collection()
        collection.any_passages(1)
        # Passages may have been being written when the index became unavailable.
        with self.state.lock_index():
            repair(self._catalog, self.state.project, collection)
        tasks, self._returned = self._returned, []
        self._queue.add(tasks)

    def _include_new(self) -> None:
        """Plan again; documents that are in work are left out, unless their file or record has changed since."""
        try:
            with self.state.timed("plan"):
                made = self._discovery.make_plan(only_changes=True)
            fresh = [
                f for f in made.plan.to_read if f.source not in self._left or self._stamps.get(f.source) != _stamp(f)
            ]
            unread = {source for source, lanes in list(self._left.items()) if Lane.WORDS in lanes}
            fresh += [f for f in made.plan.other_record if f.source in unread]  # queued or being read with the old one
            set_removed(self.state, made)
            save_pending(self.state, fresh)
            with self.state.timed("records"), self.state.lock_index():
                stale = self._update_item_records([f for f in made.plan.other_record if f.source not in unread])
            self.state.stale |= set(stale)
            self._begin_reading([*fresh, *(made.found.files[source] for source in stale)])
        except CiteLoomError as error:
            log.warning("new files in %s are left to the next import: %s", self.project_id, error)

    def _update_records(self, made: ImportPlan) -> list[str]:
        """Update the records of documents whose text is unchanged; return the sources whose printed pages change."""
        state, project, collection = self.state, self.state.project, self.state.collection()
        with state.timed("records"):
            stale = self._update_item_records(made.plan.other_record)
            again = set(made.plan.unchanged)
            if state.records.hash == (project.references_hash or "") and not state.records.makes_claims:
                again &= set(self._catalog.documents.with_doubtful_match(project.id))
            updated, pages = refresh(self._catalog, project.id, state.records, sorted(again), collection, state.stop)
        self._count_updated(updated, len(pages))
        return stale + pages

    def _update_item_records(self, files: Sequence[FoundFile]) -> list[str]:
        """Update the records of works of Zotero; return the sources whose printed pages change."""
        collection, stale = self.state.collection(), list[str]()
        for file in files:
            updated, pages = refresh_item_records(self._catalog, self.project_id, [file], collection, self.state.stop)
            stale += pages
            if file.source not in self._stamps:  # else this import has read it, and counts it as read
                self._count_updated(updated, len(pages))
        return stale

    def _count_updated(self, updated: int, to_read: int) -> None:
        self.result.updated += updated
        self.result.skipped = max(0, self.result.skipped - updated - to_read)

    def _begin_reading(self, files: Sequence[FoundFile]) -> None:
        pages = {row["source"]: row["pages"] for row in self._catalog.documents.known_files(self.project_id)}
        self.state.unread |= {file.source for file in files}
        for file in files:
            self.state.progress.add(file.source, pages.get(file.source))
            self._left[file.source] = {Lane.WORDS}
            self._stamps[file.source] = _stamp(file)
        large = len(files) > FEW
        self._queue.add([Task(self, Lane.WORDS, f.source, f, "", large, (f.size // _SIZE_STEP,)) for f in files])

    def _begin_embedding(self, within: set[str] | None) -> None:
        """Queue documents of which an earlier import has embedded only a part; of all, or of those with these ids."""
        tasks, documents = [], self._catalog.documents.without_vectors(self.project_id)
        large = len(documents) > FEW
        for document in documents:
            if document.source not in self._left and (within is None or document.doc_id in within):
                self.state.progress.add_read(document.source, document.pages)
                self._left[document.source] = {Lane.VECTORS}
                self._sources[document.doc_id] = document.source
                self._report(document)
                tasks.append(Task(self, Lane.VECTORS, document.source, None, document.doc_id, large))
        self._queue.add(tasks)

    def _wait(self) -> None:
        """Wait until nothing is left to do; meanwhile include what is new, and remove what is gone."""
        state = self.state

        def wakes() -> bool:
            return state.stop.is_set() or self._found_again.is_set()

        while True:
            is_done = self._queue.wait(self, wakes, _LOOK_SECONDS)
            if state.stop.is_set() and (self._left or not is_done):
                raise JobStopped
            if self._found_again.is_set():
                self._found_again.clear()
                self._include_new()
                continue
            words_left = self._queue.left(self, Lane.WORDS)
            if state.removed and not words_left:  # after the others were read: a file may have been moved
                self._remove_documents()
            state.context.build_search_graph(self.project_id, state.progress.stage("search graph"), state.stop)
            if is_done:
                return
            waits_for_power = self._queue.waits_for_power and not words_left
            stage, waits_for = self._stage(), _ON_BATTERY if waits_for_power else ""
            last = state.progress.last
            if (last.stage, last.waits_for) != (stage, waits_for):
                state.report(stage=stage, waits_for=waits_for)

    def _remove_documents(self) -> None:
        """Remove the documents that have left their sources."""
        removed = self._catalog.documents.by_ids(self.project_id, sorted(self.state.removed))
        for document in removed:
            with self.state.lock_index():
                self._writer.remove(document.project_id, document.doc_id)
            # A work without a readable file does not count as a removed document.
            self.result.removed += document.state != State.WITHOUT_FILE
        self.state.removed = set()

    def _end(self) -> None:
        state, project_id, records = self.state, self.project_id, self.state.records
        # The works of doubtful files may have gained or lost a file of their own.
        if doubted := self._catalog.documents.with_doubtful_match(project_id):
            with state.lock_index():
                refresh(self._catalog, project_id, records, doubted, state.collection(), state.stop)
        if self._is_of_whole_project:
            self._catalog.projects.set_references_hash(project_id, records.hash or None)
        if self._wrote:
            state.collection().flush()
        self._complete = True
        state.report(stage="done", file="")

    # -- read, match, chunk, write words; finish pages that need more ----------------------------------------

    def read(self, task: Task) -> ReadResult:
        """Read a file: its text layer, or also the pages that need more."""
        assert task.file is not None
        if self._stage() == "convert":
            self.state.report(file=task.file.shown, stage="convert")
        with self.state.progress.working(task.lane):
            is_first = task.lane is Lane.WORDS
            read = self._reader.read(task.file) if is_first else self._reader.read_slow_pages(task.file)
            if self._committer.embeds_at_once:  # here: the queue's thread must not wait for it
                self._committer.embed(task.file, read)
            return read

    def commit(self, task: Task, reading: Future[ReadResult]) -> None:
        """Match a document that was read and write it with its words; queue what is left to do for it."""
        file, first, state = task.file, task.lane is Lane.WORDS, self.state
        assert file is not None
        if first and self._stamps.get(file.source) != _stamp(file):
            return  # the file has changed since, and is read again
        failed = self.result.failed
        # If a newer text was written while the slow pages were read, these belong to an old one.
        finished = not first and document_row(state, file).content_hash != task.content_hash
        if not finished:
            with state.lock_index():
                finished = self._committer.process(file, reading, first=first)
        self._wrote = True
        left = self._left.setdefault(file.source, set())
        left.discard(task.lane)
        document = document_row(state, file)
        if not finished:
            cost = (document.pages or 1) + _OCR_PAGE_COST * document.waiting_for_ocr
            left.add(Lane.SLOW_PAGES)
            size, content = (bool(document.version), cost), document.content_hash
            self._queue.add([Task(self, Lane.SLOW_PAGES, file.source, file, "", task.large, size, content)])
        if document.without_vector:
            left.add(Lane.VECTORS)
            self._sources[document.doc_id] = file.source
            self._queue.add([Task(self, Lane.VECTORS, file.source, None, document.doc_id, task.large)])
        self._report(document, file.shown, failed=self.result.failed > failed)

    def _update_record(self, file: FoundFile, unchanged: bool) -> int:
        """Update the record of a document that was not read again; return whether it changed."""
        state = self.state
        document, collection = document_row(state, file), state.collection()
        if file.item and document.record_hash != file.item.fingerprint:
            return refresh_item_records(self._catalog, self.project_id, [file], collection, state.stop)[0]
        if unchanged and not file.item and state.records.makes_claims:
            of_project = self._catalog, self.project_id, state.records
            return refresh(*of_project, [document.doc_id], collection, state.stop)[0]
        return 0

    # -- embed -----------------------------------------------------------------------------------------------

    def next_batch(self, tasks: Sequence[Task], embedding: Batch | None) -> Batch | None:
        """Return the next passages to embed."""
        self.state.check_disk()
        return self._embedder.next_batch([task.doc_id for task in tasks], embedding)

    def embed(self, batch: Batch) -> None:
        """Make the vectors of a batch."""
        with self.state.progress.working(Lane.VECTORS):
            self._embedder.embed(batch)

    def write_vectors(self, batch: Batch) -> None:
        """Add the vectors of a batch to its passages."""
        self._embedder.write(batch)
        self._wrote = True
        for (doc_id, _), count in batch.by_version.items():
            self.state.progress.embedded(self._sources[doc_id], count)
        self.state.report(stage=self._stage(), file="")

    def finish_vectors(self, tasks: Sequence[Task]) -> None:
        """Record that all passages of some documents have vectors."""
        self._embedder.finish([task.doc_id for task in tasks])
        for task in tasks:
            self._left.get(task.source, set()).discard(Lane.VECTORS)
            if document := self._catalog.documents.find(self.project_id, task.doc_id):
                self._report(document)
            else:  # somebody deleted it
                self._left.pop(task.source, None)
                self.state.progress.forget(task.source)

    # -- progress --------------------------------------------------------------------------------------------

    def _report(self, document: Document, shown: str = "", *, failed: bool = False) -> None:
        """Report what can be done with a document by now."""
        source, progress, pages = document.source, self.state.progress, document.pages or 1
        slow = set().union(*document.slow_pages.values()) if Lane.SLOW_PAGES in self._left.get(source, ()) else set()
        waiting = document.waiting_for_ocr if slow else 0
        progress.opened(
            source,
            pages,
            passages=document.chunks if document.version else 0,
            without_vector=document.without_vector,
            waiting=waiting,
            for_layout=max(0, len(slow) - waiting),
        )
        if not self._left.get(source):
            self._left.pop(source, None)
            is_searchable = document.state in (State.READY, State.DUPLICATE)
            lost = (document.waiting_for_ocr if is_searchable else pages) if failed else 0
            progress.finished(source, searchable=is_searchable, lost=lost)
        self.result.searchable_seconds = round(progress.searchable_after, 3)
        self.state.report(file=shown, stage=self._stage())

    def _report_page(self, file: FoundFile, what: str, done: int, total: int) -> None:
        """Report how far a long reading has come."""
        if what == "fetch":
            self.state.report(stage="fetch", file=f"{file.shown}: {done} of {total} MB")
        elif self._stage() == "convert":
            self.state.report(stage="convert", file=file.shown, page=done + 1, pages=total)

    def _stage(self) -> str:
        """Return what the import waits for first."""
        return next((stage for lane, stage in _STAGES.items() if self._queue.left(self, lane)), "convert")


def _stamp(file: FoundFile) -> tuple[int, int]:
    return file.size, file.mtime_ns
