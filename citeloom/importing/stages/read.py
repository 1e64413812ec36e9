"""The read stage: converts files in worker processes. Pages that need OCR or layout are left for a second reading."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from citeloom.catalog.documents import Document, State
from citeloom.conversion.cache import conversion_file
from citeloom.conversion.convert import CONVERTER_VERSION, QUICK_VERSION
from citeloom.conversion.limits import Limits, limits
from citeloom.conversion.ocr.languages import language_tags
from citeloom.conversion.pool import ConversionTimeout
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import document_id
from citeloom.importing.import_state import ImportState
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.sources.names import ZOTERO
from citeloom.importing.stages.match import QUICK, latest_record
from citeloom.index.models.stemming import detect

log = logging.getLogger(__name__)

_LANGUAGE_SAMPLE = 40  # to detect the language, if the record does not name it
_MEGABYTE = 1_000_000


@dataclass(slots=True)
class ReadResult:
    """The result of reading a file, or why it was not converted."""

    file: FoundFile  # as stored on this disk
    content_hash: str
    reply: dict[str, Any] | None = None  # None: not converted, because that was not necessary
    unchanged: bool = False  # its whole text is already indexed
    searchable: bool = False  # its text is indexed, except its slow pages
    page_range: str | None = None  # the record's printed pages, as sent to the worker
    deferred: bool = False  # took too long: it is read with the slow pages
    vectors: dict[str, Sequence[float]] = field(default_factory=dict)  # by text, if they were made already


OnPage = Callable[[FoundFile, str, int, int], None]  # file, what is done with it, how much of it, of how much


class Reader:
    """Reads the files of one import."""

    def __init__(self, state: ImportState, on_page: OnPage) -> None:
        self._state = state
        self._on_page = on_page
        self._workers = state.context.workers
        self._conversions = state.context.conversions
        self._settings = state.context.settings

    def read(self, file: FoundFile) -> ReadResult:
        """Read a file, except the pages that need more than its text layer; nothing if its text is known."""
        return self._read(self._fetch(file), quick=True)

    def read_slow_pages(self, file: FoundFile) -> ReadResult:
        """Read a file with the pages that need OCR or layout."""
        return self._read(self._fetch(file), quick=False)

    def _read(self, file: FoundFile, *, quick: bool) -> ReadResult:
        """Let a worker identify a file by its content, and convert it if necessary."""
        state, read = self._state, ReadResult(file, "")
        known = state.catalog.documents.find(state.project.id, source=file.source)

        def decide(content_hash: str) -> tuple[dict[str, Any], Limits] | None:
            read.content_hash = content_hash
            if quick and known and known.content_hash == content_hash and known.state == State.READY:
                read.unchanged = not state.request.metadata and not self._must_reread(known)
                read.searchable = not (state.request.metadata or read.unchanged) and _has_slow_pages(known)
            if read.unchanged or read.searchable or self.original(file, content_hash):
                return None
            request, allowed = self._request(read, known, quick=quick)
            return request, allowed

        megabytes = self._settings.engine.worker_memory_mb
        any_size = limits(None, quick=False, megabytes=megabytes, size=file.size)  # until the file is known
        about = {"path": file.path, "within": file.within, "identify": True, "quick": quick, "progress": not quick}
        try:
            reply = self._workers.convert(about, any_size, state.should_stop, self._reporter(file), decide)
        except ConversionTimeout as error:
            if not (quick and read.content_hash):
                raise
            log.info("%s is deferred: %s", file.source, error.message)
            read.deferred = True
            return read
        if not reply.get("skipped"):
            self._add_seconds(reply)
            read.reply = reply
        return read

    def read_ahead(self, files: Sequence[FoundFile]) -> Iterator[tuple[FoundFile, Future[ReadResult]]]:
        """Read files whole, some ahead, and yield them one by one in order."""
        ahead = self._workers.count * 2
        waiting: deque[tuple[FoundFile, Future[ReadResult]]] = deque()
        following = iter(files)
        with ThreadPoolExecutor(ahead, thread_name_prefix="read") as pool:
            try:
                while not self._state.should_stop():
                    for file in islice(following, ahead - len(waiting)):
                        waiting.append((file, pool.submit(self.read_slow_pages, file)))
                    if not waiting:
                        return
                    yield waiting.popleft()
            finally:
                self._state.failed.set()  # ends what is in progress if the loop was left early
                for _, reading in waiting:
                    reading.cancel()

    def convert(self, file: FoundFile, content_hash: str, known: Document | None, *, quick: bool) -> ReadResult:
        """Convert a file whose content is known."""
        read = ReadResult(file, content_hash)
        request, allowed = self._request(read, known, quick=quick)
        about = {"path": file.path, "content_hash": content_hash}  # the worker refuses any other content at this path
        read.reply = self._workers.convert({**about, **request}, allowed, self._state.should_stop, self._reporter(file))
        self._add_seconds(read.reply)
        return read

    def _request(self, read: ReadResult, known: Document | None, *, quick: bool) -> tuple[dict[str, Any], Limits]:
        """Return the options of a conversion that the record suggests, and its limits."""
        state, file, content_hash = self._state, read.file, read.content_hash
        cache = conversion_file(self._conversions, content_hash, CONVERTER_VERSION)
        since = state.request.convert_since
        info = state.model_info
        if file.item:
            later = not quick and not state.request.force_rebuild
            record = asdict(latest_record(known, file.item) if later else file.item.record)
        else:
            record = known.record if known else {}
        read.page_range = record.get("page_range")
        same = known if known and known.content_hash == content_hash else None
        request = {
            "cache_file": str(cache),
            "tokenizer": str(info.tokenizer),
            "max_tokens": info.max_tokens,
            "use_cache": not (since and cache.exists() and cache.stat().st_mtime < since),
            "quick": quick,
            "progress": not quick,
            "page_range": read.page_range,
            "ocr_languages": self._languages(record.get("language")),
            "ocr_engine": self._settings.ocr.engine,
        }
        megabytes = self._settings.engine.worker_memory_mb
        return request, limits(same, quick=quick, megabytes=megabytes, size=file.size)

    def _reporter(self, file: FoundFile) -> Callable[[dict[str, Any]], None]:
        return lambda progress: self._on_page(file, progress["stage"], progress["done"], progress["total"])

    def _add_seconds(self, reply: dict[str, Any]) -> None:
        for stage, seconds in reply["seconds"].items():
            self._state.result.add_seconds(stage, seconds)

    def is_cached(self, content_hash: str) -> bool:
        """Whether the whole conversion of a content is in the cache."""
        return conversion_file(self._conversions, content_hash, CONVERTER_VERSION).exists()

    def original(self, file: FoundFile, content_hash: str) -> str | None:
        """Return another searchable source with the same content; for a work of Zotero, only another of Zotero."""
        state, source, documents = self._state, file.source, self._state.catalog.documents
        written = state.written.get(content_hash)
        if state.request.force_rebuild:  # the catalog describes the old generation
            is_other = written and written != source and (written.startswith(ZOTERO) or not file.item)
            return written if is_other else None
        own = document_id(state.project.id, source)
        # What this import has written may have another text by now, or be removed at its end.
        of_this_import = documents.find(state.project.id, source=written) if written and written != source else None
        for known in (of_this_import, documents.find_same_content(state.project.id, content_hash, own)):
            if known is None or known.content_hash != content_hash or known.state != State.READY:
                continue
            if known.doc_id in state.removed or known.source in state.unread:
                continue
            if known.zotero or not file.item:
                return known.source
        return None

    def _fetch(self, file: FoundFile) -> FoundFile:
        """Return the file, fetched if necessary."""
        source = file.source

        def report(done: int, total: int | None) -> None:
            self._on_page(file, "fetch", done // _MEGABYTE, (total or done) // _MEGABYTE)

        began = time.monotonic()
        if file.fetch:
            file = file.fetch(report, self._state.should_stop)
            known = self._state.catalog.documents.find(self._state.project.id, source=source)
            # Zotero's extracted text, which has no pages, must not replace the text of the file.
            if file.file_type == "fulltext" and known and known.version and known.file_type != "fulltext":
                raise CiteLoomError(Code.FILE_NOT_FOUND, file.missing or "Its file is not on this disk now.")
            self._state.result.add_seconds("fetch", time.monotonic() - began)
        faults.point("import.fetch", file.path)
        return file

    def _must_reread(self, known: Document) -> bool:
        request = self._state.request
        if request.convert_since or known.converter != CONVERTER_VERSION or known.source in self._state.stale:
            return True
        if known.converter_engine == QUICK:  # its slow pages could not be read: naming the file asks for a retry
            return known.source == request.source or bool(request.documents) or request.retry_failed
        other_languages = known.ocr_languages != self._languages(known.record.get("language"))
        return bool(request.ocr_languages and known.ocr_languages and other_languages)

    def _languages(self, of_record: str | None) -> list[str]:
        return ocr_languages(of_record, self._state.request.ocr_languages, self._settings.ocr.languages)


def _has_slow_pages(known: Document) -> bool:
    """Whether the text layer alone would give less than the text that is indexed, or will be."""
    return known.converter == QUICK_VERSION or bool(known.slow_pages) or known.text_source in ("ocr", "mixed")


def ocr_languages(record: str | None, requested: Sequence[str], settings: Sequence[str]) -> list[str]:
    """Return the OCR languages: those of the request, else of the record, else of the settings."""
    return list(requested) or language_tags(record or "") or list(settings)


def text_language(record: str | None, passages: Iterable[str]) -> str:
    """Return the language of a text, such as "de": that of its record, else the detected one, or ""."""
    named = [tag.partition("-")[0] for tag in language_tags(record or "")]
    if len(named) == 1:
        return named[0]
    return detect("\n".join(islice(passages, _LANGUAGE_SAMPLE))) or next(iter(named), "")
