"""The work of a rebuild job: reads everything again into a new generation of the index, which then replaces the old."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

from citeloom.core.errors import CiteLoomError
from citeloom.core.jobs import JobStopped, ReportProgress
from citeloom.importing.discovery import Discovery
from citeloom.importing.import_progress import Lane
from citeloom.importing.import_state import ImportContext, ImportState
from citeloom.importing.rebuild import Rebuild
from citeloom.importing.requests import ImportCounter, ImportRequest
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.stages.commit import DocumentCommitter
from citeloom.importing.stages.match import RecordFinder
from citeloom.importing.stages.plan import document_row, record_plan, set_removed
from citeloom.importing.stages.read import Reader, ReadResult


class RebuildRun:
    """One rebuild. It runs alone, and reads documents whole: nobody can search the new generation before its end."""

    has_new = False

    def __init__(
        self, context: ImportContext, request: ImportRequest, report: ReportProgress, stop: threading.Event
    ) -> None:
        self.state = ImportState(context, request, report, stop)
        self._discovery = Discovery(self.state)
        self._reader = Reader(self.state, self._report_page)
        self._rebuild: Rebuild | None = None
        self._committer: DocumentCommitter | None = None
        self._began = time.monotonic()
        self._left: dict[str, FoundFile] = {}  # by source
        self._finished = False

    @property
    def result(self) -> ImportCounter:
        """The result so far."""
        return self.state.result

    def run(self) -> None:
        """Build the new generation and make it the one in use; after an error, continue where it stopped."""
        self.state.failed.clear()
        try:
            with suppress(JobStopped):
                if self._rebuild is None:
                    rebuild = self._begin()
                else:
                    rebuild = self._rebuild
                    self.state.check_disk()
                    rebuild.collection.any_passages(1)
                self._read_all(rebuild)
                if not self.state.stop.is_set():  # else the old generation stays in use
                    rebuild.catch_up()
                    self._rebuild = None  # a generation that cannot replace the old one is closed
                    rebuild.finish()
                    self._finished = True
                    self.state.catalog.projects.set_references_hash(
                        self.state.project.id, self.state.records.hash or None
                    )
                    self.state.report(stage="done", file="")
        finally:
            self.result.stopped = not self._finished
            self.result.duration_seconds = round(time.monotonic() - self._began, 3)
            self.result.stages = {stage: round(seconds, 3) for stage, seconds in self.result.stages.items()}

    def include_new(self) -> None:
        """Do nothing: the next import includes what is new."""

    def clean_up(self) -> None:
        """Close an unfinished generation; the next start deletes it."""
        rebuild, self._rebuild = self._rebuild, None
        if rebuild:
            with suppress(CiteLoomError):  # it may be closed, or its server unreachable
                rebuild.collection.close()

    def _begin(self) -> Rebuild:
        state = self.state
        state.reset()
        references = state.project.references_path
        state.records = RecordFinder(Path(references) if references else None)
        self.result.warnings += state.records.warnings
        rebuild = self._rebuild = Rebuild(state)
        self._committer = DocumentCommitter(
            state,
            self._reader,
            rebuild.writer,
            rebuild.copy_document,
            rebuild.stored,
            embeds_at_once=True,
            same_model=rebuild.same_model,
        )
        with state.timed("plan"):
            made = self._discovery.make_plan(again=True)
            set_removed(state, made)
            record_plan(state, made)
        self._left = {file.source: file for file in made.plan.to_read}
        state.unread = set(self._left)
        for source in self._left:
            state.progress.add(source)
        state.report()
        rebuild.copy_unread_documents(set(self._left))
        return rebuild

    def _read_all(self, rebuild: Rebuild) -> None:
        assert self._committer is not None
        for file, reading in self._reader.read_ahead(list(self._left.values())):
            self.state.report(file=file.shown, stage="convert")
            failed = self.result.failed
            with self.state.progress.working(Lane.WORDS):
                self._committer.process(file, reading, first=False)
            del self._left[file.source]
            self._report(file, reading, failed=self.result.failed > failed)
            rebuild.build_search_graph()
        if self.state.stop.is_set():
            raise JobStopped

    def _report(self, file: FoundFile, reading: Future[ReadResult], *, failed: bool) -> None:
        reply = None if reading.exception() else reading.result().reply
        passages = len(reply["passages"]) if reply else 0
        pages = int(reply["converted"]["pages"]) if reply else document_row(self.state, file).pages or 1
        self.state.progress.opened(file.source, pages or 1, passages=passages, without_vector=0)
        self.state.progress.finished(file.source, searchable=not failed, lost=pages or 1 if failed else 0)
        self.state.report()

    def _report_page(self, file: FoundFile, what: str, done: int, total: int) -> None:
        """Report how far a long reading has come."""
        if what == "fetch":
            self.state.report(stage="fetch", file=f"{file.shown}: {done} of {total} MB")
        else:
            self.state.report(file=file.shown, page=done + 1, pages=total)
