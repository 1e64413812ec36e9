"""The import pipeline: discover and plan, read quickly, match and commit, then convert whole documents.

`ImportRun` is the work of an import job; the job queue calls `run_first_pass` and `run_second_pass`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from heapq import heappop, heappush
from pathlib import Path

from citeloom.catalog.documents import Document, State
from citeloom.core import fault_injection as faults
from citeloom.core.errors import Cause, CiteLoomError, Code, unexpected
from citeloom.core.ids import document_id
from citeloom.core.jobs import JobStopped, RateEstimator, ReportProgress
from citeloom.importing.discovery import Discovery
from citeloom.importing.import_state import ImportContext, ImportState
from citeloom.importing.planning import Plan
from citeloom.importing.rebuild import Rebuild, check_model
from citeloom.importing.requests import ImportCounter, ImportRequest
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.sources.names import source_name
from citeloom.importing.stages.commit import DocumentCommitter
from citeloom.importing.stages.match import (
    RecordFinder,
    refresh,
    refresh_item_records,
    save_without_file,
    set_item_record,
)
from citeloom.importing.stages.read import Reader, ReadResult
from citeloom.importing.writer import LiveWriter, repair
from citeloom.index.base import Collection

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.25  # how often a long import checks for waiting work
_OCR_PAGE_COST = 10  # one OCR page counts as this many text pages
_MAX_ATTEMPTS = 3  # of a document that failed, if the cause may lie outside the document

_QueuedFile = tuple[bool, int, str, FoundFile]  # searchable, size in pages, source, file


class ImportRun:
    """One import, in two passes: a quick one that makes documents searchable, and a slow one for whole conversions.

    If a server, a disk or a model is unavailable, a pass ends with that error and no document counts as failed;
    called again, it continues where it stopped.
    """

    def __init__(
        self, context: ImportContext, request: ImportRequest, report: ReportProgress, stop: threading.Event
    ) -> None:
        faults.point("import.begin", request.project_id)
        self.state = ImportState(context, request, report, stop)
        self._request = request
        self._catalog = context.catalog
        self._stop = stop
        self._discovery = Discovery(self.state)
        self._reader = Reader(self.state)
        self._writer = LiveWriter(self._catalog, self._collection)
        self._committer: DocumentCommitter | None = None
        self._began = time.monotonic()
        # Files to convert whole: those that are not searchable yet come first, short ones before long ones.
        self._second_queue: list[_QueuedFile] = []
        self._planned = False
        self._first_queue: deque[FoundFile] = deque()  # remaining files of the first pass, or of a rebuild
        self._reading: dict[str, _QueuedFile] = {}  # by source: files being converted whole
        self._attempts: Counter[str] = Counter()  # by source: failures whose cause may lie outside the document
        self._skipped: set[str] = set()  # sources that another import has read since
        self._rebuild: Rebuild | None = None
        self._to_reread: set[str] = set()  # sources that a rebuild reads again instead of copying
        self._rebuilt = False
        self.changed_sources: set[str] = set()  # sources whose text this import has changed or will change

    @property
    def result(self) -> ImportCounter:
        """The result so far."""
        return self.state.result

    @property
    def pages_left(self) -> int:
        """Pages that the second pass has yet to read."""
        return sum(size for _, size, _, _ in self._second_queue)

    def run_first_pass(self) -> None:
        """Make searchable what can be read quickly; a rebuild is done entirely in this pass."""
        self.state.failed.clear()
        with suppress(JobStopped):  # the next import repeats what was interrupted
            if self._planned:
                self._check_available()
            else:
                self._begin()
            if self._rebuild:
                self._continue_rebuild(self._rebuild)
            else:
                self._continue_import()

    def _begin(self) -> None:
        """Plan from scratch: an interrupted plan is discarded."""
        self.clean_up()
        self.state.reset()
        own, named = self.state.project.references_path, self._request.references_path
        # References named by a person have been stored in the project by now.
        of_agent = Path(named) if named and named != own else None
        within = self._discovery.source_of(str(of_agent)) if of_agent else ""
        self.state.records = RecordFinder(Path(own) if own else None, of_agent, within)
        self.result.warnings += self.state.records.warnings
        if self._request.force_rebuild:
            self._begin_rebuild()
        else:
            self._begin_import()
        self._planned = True

    def _check_available(self) -> None:
        """Raise an error early if disk or index is still unavailable, before many files are read in vain."""
        self.state.check_disk()
        if self._rebuild:
            self._rebuild.collection.any_passages(1)
            return
        self._collection().any_passages(1)
        # Passages may have been being written when the index became unavailable.
        repair(self._catalog, self.state.project, self._collection())

    def run_second_pass(self, give_way: Callable[[], None]) -> None:
        """Convert whole documents; `give_way` is called often, to let other jobs run in between."""
        self.state.rate = RateEstimator(self.pages_left)
        if self.state.failed.is_set() and not self._stop.is_set():
            self._check_available()
            self.state.failed.clear()

        def process(file: FoundFile, reading: Future[ReadResult]) -> None:
            try:
                self._process(file, reading, self._priority(file)[1], give_way, first=False)
            except CiteLoomError:
                self._requeue([file])
                raise
            self._reading.pop(file.source, None)

        with suppress(JobStopped):
            self._reader.read_ahead(self._next_of_second_pass, self._reader.whole, process, self._requeue)
        self._end()

    def include_new(self) -> None:
        """Read what was added or changed since the first pass; removals are left to the next import."""
        if self._request.force_rebuild:
            return
        known = {*self._reading, *(source for _, _, source, _ in self._second_queue)}
        found = self._discovery.find()
        fresh = [file for file in self._discovery.plan(found, only_changes=True).to_read if file.source not in known]
        self._save_pending(fresh)
        self.state.report(total=len(fresh))
        try:
            with suppress(JobStopped):
                self._fill_first_queue(fresh)
                self._run_pass(first=True)
        except CiteLoomError as error:
            if error.cause is Cause.DOCUMENT:
                raise
            log.info("new files in %s are read later: %s", self.state.project.id, error)
        finally:
            self.state.failed.clear()  # conversions already started continue
            for file in self._first_queue:
                heappush(self._second_queue, (*self._priority(file), file.source, file))
            self._first_queue.clear()
        self.state.rate.add_work(sum(size for _, size, source, _ in self._second_queue if source not in known))

    def skip(self, sources: set[str]) -> None:
        """Skip documents that another import has read since."""
        self._skipped |= sources

    def clean_up(self) -> None:
        """Clean up after a cancellation: what was written stays, an unfinished rebuild is closed."""
        rebuild, self._rebuild = self._rebuild, None
        if rebuild and not self._rebuilt:
            with suppress(CiteLoomError):  # it may be closed, or its server unreachable
                rebuild.collection.close()  # the next start deletes it

    def _end(self) -> None:
        project_id, records = self.state.project.id, self.state.records
        stopped = self._stop.is_set() and not self._rebuilt
        # The works of doubtful files may have gained or lost a file of their own.
        if not stopped and (doubted := self._catalog.documents.with_doubtful_match(project_id)):
            collection = self.state.context.open_collection(self._catalog.projects.get(project_id))
            refresh(self._catalog, project_id, records, doubted, collection, self._stop)
        if not stopped and self._request.source is None and not self._request.documents:
            self._catalog.projects.set_references_hash(project_id, records.hash or None)
        self.result.stopped = stopped
        self.result.duration_seconds = round(time.monotonic() - self._began, 3)
        self.result.stages = {stage: round(seconds, 3) for stage, seconds in self.result.stages.items()}
        self.state.report(stage="done", file="")

    def _begin_import(self) -> None:
        state, writer = self.state, self._writer
        check_model(state)
        self._committer = DocumentCommitter(state, self._reader, writer, writer.save_row, writer.stored)
        found, plan = self._plan()
        stale = self._refresh(plan)
        state.stale = set(stale)
        state.report(total=len(stale))
        self._fill_first_queue([*plan.to_read, *(found[source] for source in stale)])

    def _continue_import(self) -> None:
        self._run_pass(first=True)
        if not self._stop.is_set():
            removed = self._catalog.documents.by_ids(self.state.project.id, sorted(self.state.removed))
            for document in removed:
                self._writer.remove(document.project_id, document.doc_id)
                self.changed_sources.add(document.source)
                # A work without a readable file does not count as a removed document.
                self.result.removed += document.state != State.WITHOUT_FILE
        self._collection().flush()

    def _collection(self) -> Collection:
        return self.state.context.open_collection(self.state.project)

    def _refresh(self, plan: Plan) -> list[str]:
        """Update the records of documents whose text is unchanged; return the sources whose printed pages change."""
        state, project, stop = self.state, self.state.project, self._stop
        collection = self._collection()
        with state.timed("records"):
            updated, stale = refresh_item_records(self._catalog, project.id, plan.other_record, collection, stop)
            again = set(plan.unchanged)
            if state.records.hash == (project.references_hash or "") and not state.records.makes_claims:
                again &= set(self._catalog.documents.with_doubtful_match(project.id))
            more, pages = refresh(self._catalog, project.id, state.records, sorted(again), collection, stop)
            updated, stale = updated + more, stale + pages
        self.result.updated += updated
        self.result.skipped = max(0, self.result.skipped - updated - len(stale))
        return stale

    def _begin_rebuild(self) -> None:
        rebuild = self._rebuild = Rebuild(self.state)
        self._committer = DocumentCommitter(
            self.state, self._reader, rebuild.writer, rebuild.copy_document, rebuild.stored
        )
        _, plan = self._plan(again=True)
        self._fill_first_queue(plan.to_read)
        self._to_reread = {file.source for file in self._first_queue}

    def _continue_rebuild(self, rebuild: Rebuild) -> None:
        rebuild.copy_unread_documents(self._to_reread)
        # The new generation is invisible until it is finished, so a quick first pass would gain nothing.
        self._run_pass(first=False)
        if not self._stop.is_set():  # else the old generation stays in use; the next start deletes the new one
            rebuild.catch_up()
            self._planned = False  # a generation that cannot replace the old one is closed
            rebuild.finish()
            self._rebuilt = True

    # -- planning --------------------------------------------------------------------------------------------

    def _plan(self, *, again: bool = False) -> tuple[dict[str, FoundFile], Plan]:
        """Return the files found, by source, and what to do with them."""
        state = self.state
        with state.timed("plan"):
            found = self._discovery.find()
            for path, error in found.problems.items():
                self.result.add_failure(path, error)
            if found.other_kinds:
                kinds = ", ".join(f"{kind} {n}" for kind, n in found.other_kinds.most_common(8))
                count = sum(found.other_kinds.values())
                self.result.warnings.append(f"{count} files of other types were skipped ({kinds}).")
            self.result.warnings += found.warnings
            plan = self._discovery.plan(found, again=again)
            state.removed = {*plan.removed, *plan.disallowed}
            if plan.removes_many and not self._request.allow_mass_removal:
                state.removed = set(plan.disallowed)
                self.result.held_back = len(plan.removed)
                self.result.warnings.append(
                    f"{len(plan.removed)} documents are no longer in their source."
                    " So many are not removed without confirmation: confirm it when you sync;"
                    f" on the command line, 'citeloom sync {state.project.id} --yes'."
                )
            self._save_pending(plan.to_read)
            for file in plan.without_file:
                save_without_file(self._catalog, self._document(file), file, file.missing)
        self.result.without_file += len(plan.without_file) + len(plan.still_without)
        if not self._request.force_rebuild:  # a rebuild counts what it carries over
            self.result.skipped += len(plan.unchanged)
        for doc_id in plan.still_failed:
            document = self._catalog.documents.find(state.project.id, doc_id)
            if document:
                code = Code(document.reason_code or Code.CONVERSION_FAILED)
                self.result.add_failure(document.source, CiteLoomError(code, document.reason or ""))
        state.report(total=len(plan.to_read))
        return found.files, plan

    def _save_pending(self, files: Sequence[FoundFile]) -> None:
        known = {row["source"] for row in self._catalog.documents.known_files(self.state.project.id)}
        fresh = [(file, self._document(file)) for file in files if file.source not in known]
        for file, document in fresh:  # before the catalog is locked: thousands of records take a while
            document.title = source_name(file.source)
            if file.item:
                set_item_record(self._catalog, document, file.item)
        with self._catalog.db.transaction():
            for _, document in fresh:
                self._catalog.documents.save(document)

    def _document(self, file: FoundFile) -> Document:
        project_id = self.state.project.id
        known = self._catalog.documents.find(project_id, source=file.source)
        return known or Document(project_id, document_id(project_id, file.source), file.source, file.file_type)

    # -- the two passes --------------------------------------------------------------------------------------

    def _fill_first_queue(self, files: Iterable[FoundFile]) -> None:
        self._first_queue = deque(files)
        self.state.unread = {file.source for file in self._first_queue}

    def _run_pass(self, *, first: bool) -> None:
        """Read the first queue, quickly or whole."""
        size_of = {file.source: 1 if first else self._priority(file)[1] for file in self._first_queue}
        rate, self.state.rate = self.state.rate, RateEstimator(sum(size_of.values()))

        def process(file: FoundFile, reading: Future[ReadResult]) -> None:
            try:
                self._process(file, reading, size_of[file.source], lambda: None, first=first)
            except CiteLoomError:
                self.state.unread.add(file.source)
                if file.source in self._attempts:  # retried after the others
                    self._first_queue.append(file)
                else:
                    self._first_queue.appendleft(file)
                raise

        self._reader.read_ahead(
            lambda: self._first_queue.popleft() if self._first_queue else None,
            self._reader.quick if first else self._reader.whole,
            process,
            lambda files: self._first_queue.extendleft(reversed(files)),
        )
        self.state.rate = rate

    def _next_of_second_pass(self) -> FoundFile | None:
        while self._second_queue:
            one = heappop(self._second_queue)
            _, _, source, file = one
            if source not in self._skipped:
                self._reading[source] = one
                return file
            self.state.report(done=1)
        return None

    def _requeue(self, files: Sequence[FoundFile]) -> None:
        for file in files:
            heappush(self._second_queue, self._reading.pop(file.source))

    def _priority(self, file: FoundFile) -> tuple[bool, int]:
        """Return whether a file is searchable, and the cost of its second pass in pages."""
        document = self._document(file)
        return bool(document.version), 1 + (document.pages or 1) + _OCR_PAGE_COST * document.waiting_for_ocr

    def _wait(self, file: FoundFile, reading: Future[ReadResult], size: int, give_way: Callable[[], None]) -> None:
        """Wait for a file to be read, and report progress if that takes long."""
        reported = None
        while not reading.done() and not self._stop.is_set():
            give_way()
            wait([reading], _POLL_SECONDS)
            progress = self._reader.progress.get(file.source)
            if progress and progress != reported:
                reported, (what, done, pages) = progress, progress
                if what == "fetch":
                    self.state.report(stage="fetch", file=f"{file.shown}: {done} of {pages} MB")
                    continue
                self.state.rate.under_way = _OCR_PAGE_COST * done if what == "ocr" else max(0, size - 1 - pages + done)
                self.state.report(file=file.shown, page=done + 1, pages=pages)

    def _process(
        self, file: FoundFile, reading: Future[ReadResult], size: int, give_way: Callable[[], None], *, first: bool
    ) -> None:
        state, stage, committer = self.state, "read" if first else "convert", self._committer
        assert committer is not None
        state.report(file=file.shown, stage=stage)
        self._wait(file, reading, size, give_way)
        document = self._document(file)  # the current row: another import may have read it meanwhile
        state.unread.discard(file.source)
        if file.source in self._skipped:
            state.report(done=1)
            return
        was_searchable = not first and bool(document.version) and not self._request.force_rebuild
        try:
            read = reading.result()
            faults.point("import.read" if first else "import.convert", file.source)
            state.check_disk()
            searchable, finished = committer.commit(file, document, read, first=first)
            if first and file.item and not read.reply and document.record_hash != file.item.fingerprint:
                updated, _ = refresh_item_records(
                    self._catalog, state.project.id, [file], self._collection(), self._stop
                )
                if read.unchanged:
                    self.result.updated += updated
                    self.result.skipped -= updated
            elif read.unchanged and state.records.makes_claims:
                updated, _ = refresh(
                    self._catalog, state.project.id, state.records, [document.doc_id], self._collection(), self._stop
                )
                self.result.updated += updated
                self.result.skipped -= updated
        except JobStopped:
            return
        except Exception as error:
            problem = unexpected(error)
            if problem is not error:
                log.exception("import of %s failed", file.source)
            if not self._has_failed(file, problem):
                # Retries are counted here: for the import, this is a part that is unavailable.
                details = {"away": file.shown, **problem.details} if file.source in self._attempts else problem.details
                raise CiteLoomError(problem.code, problem.message, problem.next_step, **details) from error
            committer.failed(file, document, problem)
            searchable, finished = was_searchable, True
        else:
            if not read.unchanged:
                self.changed_sources.add(file.source)
        if not finished:
            searchable_now, size_left = self._priority(file)
            # A file that took too long for the quick pass waits until all others are searchable.
            heappush(self._second_queue, (searchable_now or read.deferred, size_left, file.source, file))
        state.rate.advance(size)
        state.report(searchable=searchable - was_searchable, done=int(finished))
        if self._rebuild:
            self._rebuild.build_search_graph()
        else:
            state.context.build_search_graph(state.project.id, state.building_graph(), self._stop)

    def _has_failed(self, file: FoundFile, error: CiteLoomError) -> bool:
        """Whether the document itself failed, rather than something it needs that may become available again."""
        if error.cause is Cause.UNCERTAIN:
            self._attempts[file.source] += 1
            return self._attempts[file.source] >= _MAX_ATTEMPTS
        return error.cause is Cause.DOCUMENT
