"""One import from beginning to end: plan, read in workers, match, embed, write."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.documents.convert import CONVERTER_VERSION
from citeloom.documents.formats import file_type
from citeloom.errors import CiteLoomError, Code
from citeloom.index.edge import Point, SparseVector
from citeloom.index.filters import AnyOf
from citeloom.index.models import DenseInfo, DenseModel, SparseModel
from citeloom.ingest.fetch import fetch, is_address
from citeloom.ingest.passages import STORED, document_id, passage_id, passage_set_id, payload, source_name
from citeloom.ingest.plan import Plan, plan
from citeloom.ingest.records import KeysOfOthers, RecordFinder, describe, refresh
from citeloom.ingest.request import ImportRequest, ImportResult, Progress
from citeloom.ingest.scan import FoundFile, Survey, hash_file, survey
from citeloom.ingest.workers import conversion_file
from citeloom.ingest.writer import LiveWriter, RebuildWriter, Writer
from citeloom.model import Passage, Record
from citeloom.store import Document, Project, Source, State

if TYPE_CHECKING:
    from citeloom.ingest.importer import Importer

log = logging.getLogger(__name__)

Report = Callable[[Progress], None]


@dataclass(slots=True)
class _Read:
    """A file as it came back from the worker, or what kept it from coming."""

    content_hash: str
    reply: dict[str, Any] | None = None  # None: it did not have to be converted
    unchanged: bool = False


class Run:
    """The state of one import."""

    def __init__(self, importer: Importer, request: ImportRequest, report: Report, stop: threading.Event) -> None:
        self.importer = importer
        self.catalog = importer.catalog
        self.request = request
        self.report = report
        self.stop = stop
        self.project = self.catalog.projects.get(request.project_id)
        self.result = ImportResult(dense_model=self.project.dense_model, sparse_model=self.project.sparse_model or None)
        self.old: Project | None = None  # in a rebuild: the project as it was
        self.progress = Progress(total=0)
        self.gone: set[str] = set()
        self.unread: set[str] = set()  # sources that this import has still to read: their text may become another
        self.written: dict[str, str] = {}  # content hash → source, of what this import has written

    # -- the whole way ---------------------------------------------------------------------------------------

    def do(self) -> None:
        """Do what the request says."""
        project, request = self.project, self.request
        references = request.references_path or project.references_path
        self.records = RecordFinder(Path(references) if references else None)
        self.result.warnings += self.records.warnings
        if request.ocr_languages:
            self.result.warnings.append("This version recognises no text in pictures: ocr_languages was not used.")
        if request.force_rebuild:
            self._rebuild()
        else:
            self.importer.check_model(project)
            collection = self.importer.open_collection(project)
            writer = LiveWriter(self.catalog, collection)
            work = self._plan()
            if self.records.hash != (project.references_hash or ""):
                with self._timed("records"):
                    updated = refresh(self.catalog, project.id, self.records, work.unchanged, collection, self.stop)
                    self.result.updated += updated
                    self.result.skipped -= updated
            self._read_all(work, writer)
            if not self.stop.is_set():
                self._remove(writer)
            collection.flush()
        if not self.stop.is_set() and request.source is None:
            current = self.catalog.projects.get(project.id)
            self.catalog.projects.save(replace(current, references_hash=self.records.hash or None))
        self.result.stopped = self.stop.is_set()
        self._tell(stage="done", file="")

    @cached_property
    def dense(self) -> DenseModel:
        """Loaded when the first passage has to be embedded: most imports find nothing changed."""
        return self.importer.models.for_imports(self.project.dense_model)

    @cached_property
    def sparse(self) -> SparseModel | None:
        """The sparse model, where the project has one."""
        name = self.project.sparse_model
        return self.importer.models.sparse(name) if name else None

    @property
    def model_info(self) -> DenseInfo:
        """Limits of the dense model."""
        return self.importer.models.info(self.project.dense_model)

    def _sources(self) -> list[Source]:
        if self.request.source is None or self.request.force_rebuild:
            return self.catalog.projects.sources(self.project.id)
        path = Path(self.request.source)
        return [Source("file" if path.is_file() else "folder", str(path), self.request.recursive)]

    def _plan(self, *, again: bool = False) -> Plan:
        with self._timed("plan"):
            found = self._find()
            for path, error in found.problems.items():
                self.result.fail(path, error)
            if found.other_kinds:
                kinds = ", ".join(f"{kind} {n}" for kind, n in found.other_kinds.most_common(8))
                count = sum(found.other_kinds.values())
                self.result.warnings.append(f"{count} files of other kinds were left out ({kinds}).")
            known = self.catalog.documents.known_files(self.project.id)
            work = plan(
                list(found.files.values()),
                known,
                in_scope=lambda source: not source.startswith(STORED) and found.covers(Path(source)),
                converter=CONVERTER_VERSION,
                again=again or bool(self.request.metadata),
            )
            self.gone = set(work.gone)
            if work.removes_many and not self.request.allow_mass_removal:
                self.gone = set()
                self.result.warnings.append(
                    f"{len(work.gone)} documents are no longer in their folder. So many are not removed without asking:"
                    f" run 'citeloom ingest {self.project.id} --remove-missing' if that is right."
                )
            self._note_pending(work.to_read, {row["source"] for row in known})
        self.result.skipped += len(work.unchanged)
        for doc_id in work.still_failed:
            document = self.catalog.documents.find(self.project.id, doc_id)
            if document:
                code = Code(document.reason_code or Code.CONVERSION_FAILED)
                self.result.fail(document.source, CiteLoomError(code, document.reason or ""))
        self._tell(total=len(work.to_read), failed=self.result.failed)
        return work

    def _find(self) -> Survey:
        source = self.request.source
        if source is None or not is_address(source):
            return survey(self._sources(), strict=source is not None)
        self._tell(file=source, stage="fetch")
        doc_id = document_id(self.project.id, source)
        path = fetch(source, self.importer.downloads / doc_id).path
        stat = path.stat()
        file = FoundFile(str(path), file_type(path) or "", stat.st_size, stat.st_mtime_ns, source)
        return Survey(files={source: file})

    def _note_pending(self, files: Sequence[FoundFile], known: set[str]) -> None:
        with self.catalog.db.transaction():
            for file in files:
                if file.source not in known:
                    doc_id = document_id(self.project.id, file.source)
                    document = Document(
                        self.project.id, doc_id, file.source, file.file_type, title=source_name(file.source)
                    )
                    self.catalog.documents.save(document)

    # -- reading: in worker processes, a little ahead of the writing ----------------------------------------

    def _read_all(self, work: Plan, writer: Writer) -> None:
        ahead = self.importer.workers.count * 2
        self.unread = {file.source for file in work.to_read}
        waiting: deque[tuple[FoundFile, Future[_Read]]] = deque()
        files = iter(work.to_read)
        with ThreadPoolExecutor(ahead, thread_name_prefix="read") as pool:
            try:
                while not self.stop.is_set():
                    while len(waiting) < ahead and (file := next(files, None)) is not None:
                        waiting.append((file, pool.submit(self._read, file)))
                    if not waiting:
                        break
                    file, reading = waiting.popleft()
                    self._one(file, reading, writer)
            finally:
                for _, reading in waiting:
                    reading.cancel()

    def _read(self, file: FoundFile) -> _Read:
        if self.stop.is_set():
            return _Read("")
        path = Path(file.path)
        began = time.monotonic()
        content_hash = hash_file(path)
        hashed = time.monotonic()
        self.result.spent("fetch", hashed - began)
        known = self.catalog.documents.find(self.project.id, source=file.source)
        rebuilding = self.request.force_rebuild
        same = known and (known.content_hash, known.converter) == (content_hash, CONVERTER_VERSION)
        if not rebuilding and known and same and known.state == State.READY and not self.request.metadata:
            return _Read(content_hash, unchanged=True)
        if self._twin(file.source, content_hash):
            return _Read(content_hash)
        return _Read(content_hash, self._convert(file, content_hash))

    def _convert(self, file: FoundFile, content_hash: str) -> dict[str, Any]:
        cache = conversion_file(self.importer.conversions, content_hash, CONVERTER_VERSION)
        info = self.model_info
        reply = self.importer.workers.convert(
            {
                "path": file.path,
                "cache_file": str(cache),
                "tokenizer": str(info.tokenizer),
                "max_tokens": info.max_tokens,
                "use_cache": True,
            }
        )
        if hash_file(Path(file.path)) != content_hash:
            # Converted was perhaps another text than the one that was hashed: it must not be found under that hash.
            cache.unlink(missing_ok=True)
            raise CiteLoomError(
                Code.CONVERSION_FAILED, "It changed while it was being read.", "The next import reads it again."
            )
        for stage, seconds in reply["seconds"].items():
            self.result.spent(stage, seconds)
        return reply

    def _twin(self, source: str, content_hash: str) -> str | None:
        """Where the same content is searchable already, other than here."""
        if (twin := self.written.get(content_hash)) and twin != source:
            return twin
        if self.request.force_rebuild:
            return None  # the catalog speaks of the old generation
        known = self.catalog.documents.same_content(self.project.id, content_hash, document_id(self.project.id, source))
        if known is None or known.doc_id in self.gone or known.source in self.unread:
            return None
        return known.source

    def _drop_passages(self, document: Document, writer: Writer) -> None:
        """Forget the passages of a file whose new content another file has already."""
        if document.version and isinstance(writer, LiveWriter):
            writer.remove(self.project.id, document.doc_id)
        document.version, document.chunks = None, 0

    # -- one document ----------------------------------------------------------------------------------------

    def _one(self, file: FoundFile, reading: Future[_Read], writer: Writer) -> None:
        document = self.catalog.documents.find(self.project.id, source=file.source) or Document(
            self.project.id, document_id(self.project.id, file.source), file.source, file.file_type
        )
        self._tell(file=file.source, stage="convert")
        self.unread.discard(file.source)
        try:
            read = reading.result()
            if self.stop.is_set() and not read.content_hash:
                return
            self.importer.after_stage("convert", file.source)
            self._check_disk()
            self._take(file, document, read, writer)
        except CiteLoomError as error:
            if error.code == Code.STORAGE_ERROR:
                raise
            self._failed(file, document, error, writer)
        except Exception as error:
            log.exception("import of %s failed", file.source)
            unexpected = CiteLoomError(Code.INTERNAL_ERROR, f"{type(error).__name__}: {error}.", "Run it again.")
            self._failed(file, document, unexpected, writer)
        self._tell(done=self.progress.done + 1, failed=self.result.failed, chunks_written=self.result.chunks_written)

    def _take(self, file: FoundFile, document: Document, read: _Read, writer: Writer) -> None:
        before = document.version
        document.size, document.mtime_ns = file.size, file.mtime_ns
        document.file_type, document.converter = file.file_type, CONVERTER_VERSION
        document.content_hash = read.content_hash
        # Asked again although reading asked: a twin may have been written, or have got another text, since.
        twin = None if read.unchanged else self._twin(file.source, read.content_hash)
        if read.unchanged or twin:
            self.result.skipped += 1
            if twin:
                self._drop_passages(document, writer)
                document.state, document.reason_code = State.DUPLICATE, None
                document.reason = f"Same content as {twin}."
            writer.note(document)
            return
        reply = read.reply or self._convert(file, read.content_hash)
        converted = reply["converted"]
        named = file.source == self.request.source
        metadata = (named and self.request.metadata) or document.record.get("_metadata", {})
        with self._timed("match"):
            record, by = self.records.find(
                Path(file.path),
                title=converted["title"],
                dois=converted["dois"],
                first_text=converted["first_text"],
                metadata=metadata,
                taken=KeysOfOthers(self.catalog, document),
            )
            if by is None and record.key_made:
                self.result.warnings.append(
                    f"{source_name(file.source)} is in none of the references; its key {record.citekey} was made."
                )
            describe(document, record, by, converted, metadata)
        self.importer.after_stage("match", file.source)
        passages = [Passage.from_json(p) for p in reply["passages"]]
        if not passages:
            raise CiteLoomError(Code.CONVERSION_FAILED, "There is no text in it.", "Check that it opens and has text.")
        limit = self.model_info.max_tokens
        passage_set = passage_set_id(self.project.id, read.content_hash, CONVERTER_VERSION, limit)
        self._tell(stage="embed")
        with self._timed("embed"):
            points = self._points(document, record, passages, passage_set)
        self.importer.after_stage("embed", file.source)
        self._tell(stage="write")
        with self._timed("write"):
            writer.write(document, passage_set, points)
        self.importer.after_stage("write", file.source)
        self.written[read.content_hash] = file.source
        self.result.chunks_written += len(points)
        self.result.documents_processed += 1
        if before:
            self.result.replaced += 1
        else:
            self.result.new += 1

    def _points(self, document: Document, record: Record, passages: Sequence[Passage], passage_set: str) -> list[Point]:
        embedded = self._embed([p.embedded_text for p in passages])
        return [
            Point(passage_id(passage_set, p.index), *vectors, payload(self.project, document, record, p, passage_set))
            for p, vectors in zip(passages, embedded, strict=True)
        ]

    def _embed(self, texts: Sequence[str]) -> Iterator[tuple[list[float], SparseVector | None]]:
        """Dense and sparse vector of each text."""
        words = self.sparse.embed(texts) if self.sparse else [None] * len(texts)
        return zip(self.dense.embed(texts), words, strict=True)

    def _failed(self, file: FoundFile, document: Document, error: CiteLoomError, writer: Writer) -> None:
        self.result.fail(file.source, error)
        if document.version:
            # Its earlier text stays searchable; size and date stay old, so that the next import tries again.
            kept = self.catalog.documents.find(self.project.id, document.doc_id) or document
            kept.warnings = [f"The file changed and could not be read again: {error}"]
            if self.old is None:
                writer.note(kept)
            else:
                self._carry(self.old, kept, writer)
            return
        if error.code == Code.FILE_NOT_FOUND:
            self.catalog.documents.remove(self.project.id, document.doc_id)
            return
        document.size, document.mtime_ns, document.converter = file.size, file.mtime_ns, CONVERTER_VERSION
        document.state, document.reason_code, document.reason = State.FAILED, str(error.code), str(error)
        document.writing = None
        writer.note(document)

    # -- what is not reading ---------------------------------------------------------------------------------

    def _remove(self, writer: LiveWriter) -> None:
        for doc_id in sorted(self.gone):
            writer.remove(self.project.id, doc_id)
            self.result.removed += 1

    def _rebuild(self) -> None:
        old = self.old = self.project
        info = self.importer.models.info(self.importer.settings.models.dense)
        self.project = replace(
            old,
            dense_model=info.name,
            dense_fingerprint=info.fingerprint,
            dense_size=info.size,
            sparse_model=self.importer.settings.models.sparse,
            generation=old.generation + 1,
        )
        self.result.dense_model, self.result.sparse_model = info.name, self.project.sparse_model or None
        try:
            self.importer.open_collection(old)  # so that nobody tidies away what is built from here on
        except CiteLoomError as error:
            self.result.warnings.append(f"{error.message} It is built anew from the files.")
        collection = self.importer.collections.create(
            old.collection, self.project.generation, info.size, sparse=bool(self.project.sparse_model)
        )
        writer = RebuildWriter(self.catalog, collection)
        work = self._plan(again=True)
        self._carry_over(old, {f.source for f in work.to_read}, writer)
        self._read_all(work, writer)
        if self.stop.is_set():
            return  # the old generation answers on; the next start deletes the unfinished one
        self.importer.collections.adopt(old.collection, self.project.generation, collection)
        writer.finish(self.project, sorted(self.gone))
        self.importer.collections.retire(old.collection, self.project.generation)
        self.result.removed += len(self.gone)

    def _carry_over(self, old: Project, read_again: set[str], writer: Writer) -> None:
        """Take along documents that have no file to read now: stored by an agent, or on an absent drive."""
        for document in self.catalog.documents.all(old.id):
            if document.source in read_again or document.doc_id in self.gone or document.state != State.READY:
                continue
            if self._carry(old, document, writer):
                self.result.skipped += 1
            else:
                self.result.fail(document.source, CiteLoomError(Code.INDEX_UNAVAILABLE, document.reason or ""))

    def _carry(self, old: Project, document: Document, writer: Writer) -> bool:
        """Write a document's passages of the old generation into the new one, embedded anew."""
        try:
            before = self.importer.collections.get(old.collection, old.generation)
            hits = before.scroll(AnyOf("doc_id", (document.doc_id,)), limit=max(1, document.chunks))
        except CiteLoomError as error:
            document.state, document.reason_code, document.reason = State.FAILED, str(error.code), str(error)
            document.version, document.chunks = None, 0
            writer.note(document)
            return False
        texts = [f"{h.payload.get('heading_chain') or ''}\n{h.payload['chunk_text']}".strip() for h in hits]
        models = {"embed_model": self.project.dense_model, "sparse_model": self.project.sparse_model or None}
        embedded = zip(hits, self._embed(texts), strict=True)
        points = [Point(hit.id, *vectors, {**hit.payload, **models}) for hit, vectors in embedded]
        writer.write(document, document.version or "", points)
        return True

    # -- small things ----------------------------------------------------------------------------------------

    def _check_disk(self) -> None:
        least = self.importer.settings.engine.min_free_mb
        free = shutil.disk_usage(self.importer.catalog.db.path.parent).free // 1_000_000
        if free < least:
            raise CiteLoomError(
                Code.STORAGE_ERROR,
                f"The disk has only {free} MB left; the import stopped before it was full. Nothing is lost.",
                "Free some space and run it again: it goes on from there.",
            )

    def _tell(self, **changes: Any) -> None:
        self.progress = replace(self.progress, **changes)
        self.report(self.progress)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.result.spent(stage, time.monotonic() - began)
