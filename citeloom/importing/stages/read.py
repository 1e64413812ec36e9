"""The read stage: converts files in worker processes, first quickly, then the whole document."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from citeloom.catalog.documents import Document, State
from citeloom.conversion.cache import conversion_file
from citeloom.conversion.convert import CONVERTER_VERSION
from citeloom.conversion.limits import limits
from citeloom.conversion.ocr.languages import language_tags
from citeloom.conversion.pool import ConversionTimeout
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import document_id
from citeloom.importing.import_state import ImportState
from citeloom.importing.sources.folder import FoundFile, hash_file
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
    searchable: bool = False  # a text of this content is indexed, but not that of the whole conversion
    page_range: str | None = None  # the record's printed pages, as sent to the worker
    deferred: bool = False  # could not be read quickly


class Reader:
    """Reads the files of one import."""

    def __init__(self, state: ImportState) -> None:
        self._state = state
        self._workers = state.context.workers
        self._conversions = state.context.conversions
        self._settings = state.context.settings
        self.progress: dict[str, tuple[str, int, int]] = {}  # by source: stage, page, number of pages

    def read_ahead(
        self,
        next_file: Callable[[], FoundFile | None],
        read: Callable[[FoundFile], ReadResult],
        process: Callable[[FoundFile, Future[ReadResult]], None],
        give_back: Callable[[Sequence[FoundFile]], None],
    ) -> None:
        """Read files a little ahead of their processing; `process` gets them one by one, in order.

        If it raises an error, the files read ahead are passed to `give_back`.
        """
        ahead = self._workers.count * 2
        waiting: deque[tuple[FoundFile, Future[ReadResult]]] = deque()
        with ThreadPoolExecutor(ahead, thread_name_prefix="read") as pool:
            try:
                while not self._state.stop.is_set():
                    while len(waiting) < ahead and (file := next_file()) is not None:
                        waiting.append((file, pool.submit(read, file)))
                    if not waiting:
                        break
                    process(*waiting.popleft())
            except BaseException:
                self._state.failed.set()
                give_back([file for file, _ in waiting])
                raise
            finally:
                for _, reading in waiting:
                    reading.cancel()

    def quick(self, file: FoundFile) -> ReadResult:
        """Read what can be read quickly of a file; for many formats that is all of it."""
        state, request = self._state, self._state.request
        file, content_hash = self._fetch(file)
        known = state.catalog.documents.find(state.project.id, source=file.source)
        if known and known.content_hash == content_hash and known.state == State.READY:
            if not request.metadata and not self._must_reread(known):
                return ReadResult(file, content_hash, unchanged=True)
            if not request.metadata and known.version:
                return ReadResult(file, content_hash, searchable=True)
        if self.original(file, content_hash):
            return ReadResult(file, content_hash)
        try:
            return self.convert(file, content_hash, known, quick=True)
        except ConversionTimeout as error:
            log.info("%s is deferred: %s", file.source, error.message)
            return ReadResult(file, content_hash, deferred=True)

    def whole(self, file: FoundFile) -> ReadResult:
        """Read the whole file."""
        file, content_hash = self._fetch(file)
        if self.original(file, content_hash):
            return ReadResult(file, content_hash)
        known = self._state.catalog.documents.find(self._state.project.id, source=file.source)
        return self.convert(file, content_hash, known, quick=False)

    def convert(self, file: FoundFile, content_hash: str, known: Document | None, *, quick: bool) -> ReadResult:
        """Convert a file in a worker process, with the options that its record suggests."""
        state = self._state
        cache = conversion_file(self._conversions, content_hash, CONVERTER_VERSION)
        since = state.request.convert_since
        info = state.model_info
        if file.item:
            later = not quick and not state.request.force_rebuild
            record = asdict(latest_record(known, file.item) if later else file.item.record)
        else:
            record = known.record if known else {}
        page_range = record.get("page_range")
        same = known if known and known.content_hash == content_hash else None
        allowed = limits(same, quick=quick, megabytes=self._settings.engine.worker_memory_mb, size=file.size)
        request: dict[str, Any] = {
            "path": file.path,
            "content_hash": content_hash,  # the worker refuses any other content at this path
            "cache_file": str(cache),
            "tokenizer": str(info.tokenizer),
            "max_tokens": info.max_tokens,
            "use_cache": not (since and cache.exists() and cache.stat().st_mtime < since),
            "quick": quick,
            "progress": not quick,
            "page_range": page_range,
            "ocr_languages": self._languages(record.get("language")),
            "ocr_engine": self._settings.ocr.engine,
        }

        def report(progress: dict[str, Any]) -> None:
            self.progress[file.source] = (progress["stage"], progress["done"], progress["total"])

        reply = self._workers.convert(request, allowed, state.should_stop, report)
        self.progress.pop(file.source, None)
        for stage, seconds in reply["seconds"].items():
            state.result.add_seconds(stage, seconds)
        return ReadResult(file, content_hash, reply, page_range=page_range)

    def is_cached(self, content_hash: str) -> bool:
        """Whether the whole conversion of a content is in the cache."""
        return conversion_file(self._conversions, content_hash, CONVERTER_VERSION).exists()

    def original(self, file: FoundFile, content_hash: str) -> str | None:
        """Return another searchable source with the same content; for a work of Zotero, only another of Zotero."""
        state, source = self._state, file.source
        original = state.written.get(content_hash)
        if original and original != source and (original.startswith(ZOTERO) or not file.item):
            return original
        if state.request.force_rebuild:
            return None  # in a rebuild, the catalog describes the old generation
        own = document_id(state.project.id, source)
        known = state.catalog.documents.find_same_content(state.project.id, content_hash, own)
        if known is None or known.doc_id in state.removed or known.source in state.unread:
            return None
        return known.source if known.zotero or not file.item else None

    def _fetch(self, file: FoundFile) -> tuple[FoundFile, str]:
        """Return the file, fetched if necessary, and the hash of its content."""
        source = file.source

        def report(done: int, total: int | None) -> None:
            self.progress[source] = ("fetch", done // _MEGABYTE, (total or done) // _MEGABYTE)

        began = time.monotonic()
        if file.fetch:
            file = file.fetch(report, self._state.should_stop)
            self.progress.pop(source, None)
            known = self._state.catalog.documents.find(self._state.project.id, source=source)
            # Zotero's extracted text, which has no pages, must not replace the text of the file.
            if file.file_type == "fulltext" and known and known.version and known.file_type != "fulltext":
                raise CiteLoomError(Code.FILE_NOT_FOUND, file.missing or "Its file is not on this disk now.")
        faults.point("import.fetch", file.path)
        content_hash = hash_file(Path(file.path), file.within)
        self._state.result.add_seconds("fetch", time.monotonic() - began)
        return file, content_hash

    def _must_reread(self, known: Document) -> bool:
        request = self._state.request
        if request.convert_since or known.converter != CONVERTER_VERSION or known.source in self._state.stale:
            return True
        if known.converter_engine == QUICK:  # its whole conversion failed: naming the file asks for a retry
            return known.source == request.source or bool(request.documents) or request.retry_failed
        other_languages = known.ocr_languages != self._languages(known.record.get("language"))
        return bool(request.ocr_languages and known.ocr_languages and other_languages)

    def _languages(self, of_record: str | None) -> list[str]:
        return ocr_languages(of_record, self._state.request.ocr_languages, self._settings.ocr.languages)


def ocr_languages(record: str | None, requested: Sequence[str], settings: Sequence[str]) -> list[str]:
    """Return the OCR languages: those of the request, else of the record, else of the settings."""
    return list(requested) or language_tags(record or "") or list(settings)


def text_language(record: str | None, passages: Iterable[str]) -> str:
    """Return the language of a text, such as "de": that of its record, else the detected one, or ""."""
    named = [tag.partition("-")[0] for tag in language_tags(record or "")]
    if len(named) == 1:
        return named[0]
    return detect("\n".join(islice(passages, _LANGUAGE_SAMPLE))) or next(iter(named), "")
