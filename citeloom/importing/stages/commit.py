"""The commit stage: matches a converted file to its record, and writes its passages with their words and its row."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from citeloom.catalog.documents import Document, State
from citeloom.conversion.convert import CONVERTER_VERSION
from citeloom.core import fault_injection as faults
from citeloom.core.errors import RETRIED_CODES, Cause, CiteLoomError, Code, unexpected
from citeloom.core.ids import passage_id, passage_set_id
from citeloom.core.jobs import JobStopped
from citeloom.core.types import Passage, Record
from citeloom.importing.import_state import ImportState
from citeloom.importing.sources.folder import FoundFile
from citeloom.importing.sources.names import shown_source, source_name
from citeloom.importing.stages.embed import embed_missing, known_vectors
from citeloom.importing.stages.match import (
    BY_ZOTERO,
    QUICK,
    RecordMatch,
    fill_row,
    identifiers_in,
    latest_record,
    record_rename,
    save_without_file,
    set_item_record,
    split_metadata,
)
from citeloom.importing.stages.passage_mapping import map_passages
from citeloom.importing.stages.payloads import embedded_text, payload
from citeloom.importing.stages.plan import document_row
from citeloom.importing.stages.read import Reader, ReadResult, text_language
from citeloom.importing.writer import LiveWriter, Writer
from citeloom.index.base import Point

log = logging.getLogger(__name__)

_MAX_ATTEMPTS = 3  # of a document that failed, if the cause may lie outside the document


@dataclass(slots=True)
class DocumentCommitter:
    """Commits converted files as documents, or records why one failed."""

    state: ImportState
    reader: Reader
    writer: Writer
    keep: Callable[[Document], object]  # called for a document that keeps its earlier text
    stored: Callable[[Document], Iterable[Point]]  # returns the current passages of a document
    embeds_at_once: bool = False  # in a rebuild, which nobody searches before its end
    same_model: bool = True  # the current passages have vectors of the same model
    update_record: Callable[[FoundFile, bool], int] = lambda file, unchanged: 0  # of a document that was not read again
    _attempts: Counter[str] = field(default_factory=Counter)  # by source: failures with a cause that may be outside
    _counted: dict[str, tuple[bool, int]] = field(default_factory=dict)  # by source: whether it was known, and passages

    def process(self, file: FoundFile, reading: Future[ReadResult], *, first: bool) -> bool:
        """Commit a file that was read, or record why it failed; return whether it is finished.

        Raises an error if something that it needs is unavailable, and JobStopped if its reading was stopped.
        """
        state = self.state
        document = document_row(state, file)  # the current row: another import may have read it meanwhile
        state.unread.discard(file.source)
        try:
            read = reading.result()
            faults.point("import.read" if first else "import.convert", file.source)
            state.check_disk()
            finished = self.commit(file, document, read, first=first)
            if first and not read.reply:
                updated = self.update_record(file, read.unchanged)
                if read.unchanged:
                    state.result.updated += updated
                    state.result.skipped -= updated
            return finished
        except JobStopped:
            raise
        except Exception as error:
            problem = unexpected(error)
            if problem is not error:
                log.exception("import of %s failed", file.source)
            if not self._has_failed(file, problem):
                state.unread.add(file.source)
                # Retries are counted here: for the import, this is a part that is unavailable.
                details = {"away": file.shown, **problem.details} if file.source in self._attempts else problem.details
                raise CiteLoomError(problem.code, problem.message, problem.next_step, **details) from error
            self.failed(file, document, problem)
            return True

    def _has_failed(self, file: FoundFile, error: CiteLoomError) -> bool:
        """Whether the document itself failed, rather than something it needs that may become available again."""
        if error.cause is Cause.UNCERTAIN:
            self._attempts[file.source] += 1
            return self._attempts[file.source] >= _MAX_ATTEMPTS
        return error.cause is Cause.DOCUMENT

    def commit(self, file: FoundFile, document: Document, read: ReadResult, *, first: bool) -> bool:
        """Commit a file that was read; return whether its document is finished."""
        state, file = self.state, read.file
        found = replace(
            document,
            size=file.size,
            mtime_ns=file.mtime_ns,
            path=file.path if file.known_as else "",
            file_type=file.file_type,
            content_hash=read.content_hash,
            # A decision applies only to the content it was made on.
            decision=document.decision if read.content_hash == document.content_hash else "",
            metadata=self._given_metadata(file)[1] or document.metadata,
        )
        # Checked again although the read stage checked: since then a duplicate may have been written or changed.
        original = None if read.unchanged or read.searchable else self.reader.original(file, read.content_hash)
        if read.unchanged or original:
            found.converter = CONVERTER_VERSION
            if original:
                if file.item:
                    set_item_record(state.catalog, found, file.item)
                self._mark_duplicate(found, original)
            self.writer.save_row(found)
            state.result.skipped += 1
            state.result.duplicates += bool(original)
            return True
        if read.searchable:
            self.writer.save_row(found)
            return False
        if read.deferred:
            self._await_slow_pages(document, found)
            return False
        if read.reply is None:  # the document that had the same content is gone
            read = self.reader.convert(file, read.content_hash, document, quick=first)
        assert read.reply is not None
        with state.timed("match"):
            converted = read.reply["converted"]
            match, claim = self._record(file, found, converted, first=first)
            record = match.record
            record_rename(state.catalog, found, record)
            fill_row(found, match, converted, claim)
        faults.point("import.matched", file.source)
        reply = self._with_printed_pages(file, found, read, record)
        final = bool(reply["final"])
        if reply["passages"]:
            self._write(file, document, found, record, reply, read.vectors)
            if file.item:
                self._replace_folder_copy(found, file)
            return final
        if final and document.converter_engine == QUICK and document.content_hash == read.content_hash:
            raise CiteLoomError(Code.CONVERSION_FAILED, "Its layout was not recognized: no passages were extracted.")
        if final:
            raise CiteLoomError(Code.CONVERSION_FAILED, "It contains no text.", "Check that it opens and has text.")
        self._await_slow_pages(document, found)
        return False

    def _await_slow_pages(self, document: Document, found: Document) -> None:
        if not document.version:  # otherwise the row describes the text that is still searchable
            found.state = State.PENDING
            self.writer.save_row(found)

    def failed(self, file: FoundFile, document: Document, error: CiteLoomError) -> None:
        """Record why a document could not be read; its earlier text is kept."""
        row = self.state.catalog.documents.find(document.project_id, document.doc_id) or document
        if row.version and (row.size, row.mtime_ns) == (file.size, file.mtime_ns):
            # A retry would fail again unless the cause was temporary or the file changes.
            if error.code not in RETRIED_CODES:
                row.converter = CONVERTER_VERSION
            quick = row.converter_engine == QUICK
            what = "Only its quick text could be read, not the whole file" if quick else "It could not be read again"
            row.warnings = [f"{what}: {error}"]
            error = CiteLoomError(error.code, f"{what}: {error}", "What was read before stays searchable.")
            self.keep(row)
        elif row.version:
            # Size and time are not updated, so that the next import tries again.
            row.warnings = [f"The file changed and could not be read again (its earlier text stays): {error}"]
            self.keep(row)
        elif error.code == Code.FILE_NOT_FOUND and file.item:
            save_without_file(self.state.catalog, row, file, str(error))
            self.state.result.without_file += 1
            return
        elif error.code == Code.FILE_NOT_FOUND:
            self.state.catalog.documents.remove(row.project_id, row.doc_id)
        else:
            row.size, row.mtime_ns, row.converter = file.size, file.mtime_ns, CONVERTER_VERSION
            row.path = file.path if file.known_as else ""
            row.state, row.reason_code, row.reason = State.FAILED, str(error.code), str(error)
            row.writing = None
            self.writer.save_row(row)
        if counted := self._counted.pop(file.source, None):
            self.state.result.count_document(row.pages or 1, replaced=counted[0], by=-1)
        self.state.result.add_failure(file.shown, error)

    def _record(
        self, file: FoundFile, document: Document, converted: dict[str, Any], *, first: bool
    ) -> tuple[RecordMatch, Mapping[str, Any]]:
        """Return the record of a file, and what an agent claimed about it when it was imported."""
        state = self.state
        if file.item:
            # The record was found before a long second pass, and may have changed since.
            later = not first and not state.request.force_rebuild
            record = latest_record(document, file.item) if later else file.item.record
            if not later or document.record_hash is None:
                document.record_hash = file.item.fingerprint
            document.zotero = file.item.zotero
            return RecordMatch(record, BY_ZOTERO), {}
        identifiers, path = identifiers_in(converted), Path(file.path)
        given = self._given_metadata(file)[0]
        stored = document.record.get("_claim") or document.record.get("_metadata") or {}
        claim = given or state.records.claim(path, identifiers) or stored
        found = state.records.find(state.catalog, document, path, identifiers, claim)
        if found.record.key_made and document.key_made and document.version and document.converter_engine == QUICK:
            # Keep the key: somebody may have cited it by now.
            found = replace(found, record=replace(found.record, citekey=document.citekey))
        return found, claim

    def _given_metadata(self, file: FoundFile) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the claim and the custom metadata that came with the request, if it named this file."""
        request = self.state.request
        return split_metadata(request.metadata if file.source == request.source else {})

    def _with_printed_pages(
        self, file: FoundFile, document: Document, read: ReadResult, record: Record
    ) -> dict[str, Any]:
        """Return the reply with the printed pages of the record, if the worker did not know them."""
        assert read.reply is not None
        if not (read.reply["final"] and document.pages and record.page_range) or record.page_range == read.page_range:
            return read.reply
        if not self.reader.is_cached(read.content_hash):
            return read.reply  # it would have to be converted again
        # Quick: it takes the cached pages, and must not wait for a worker that reads scans.
        again = self.reader.convert(file, read.content_hash, document, quick=True).reply
        return again if again and again["final"] else read.reply

    def embed(self, file: FoundFile, read: ReadResult) -> None:
        """Make the vectors of a file that was read, before it is committed."""
        if read.reply is None:
            return
        document = replace(document_row(self.state, file), content_hash=read.content_hash)
        texts = [Passage.from_json(p).embedded_text for p in read.reply["passages"]]
        read.vectors = embed_missing(self.state, self._known_vectors(document, self._earlier_passages(document)), texts)

    def _earlier_passages(self, document: Document) -> Sequence[Point]:
        return list(self.stored(document)) if document.version else []

    def _known_vectors(self, document: Document, old: Sequence[Point]) -> dict[str, Sequence[float]]:
        return known_vectors(self.state, document, old if self.same_model else ())

    def _write(
        self,
        file: FoundFile,
        before: Document,
        document: Document,
        record: Record,
        reply: dict[str, Any],
        vectors: Mapping[str, Sequence[float]],
    ) -> None:
        state = self.state
        converter = " ".join([document.converter, *document.ocr_languages])  # another OCR language gives another text
        limit = state.model_info.max_tokens
        passage_set = passage_set_id(state.project.id, document.content_hash or "", converter, limit)
        passages = [Passage.from_json(p) for p in reply["passages"]]
        old = self._earlier_passages(before)
        if passage_set == before.version and _has_other_text(passage_set, passages, old):
            # The same converter can give another text, for example with another OCR engine: that is another set.
            text = hashlib.sha256("\n".join(p.embedded_text for p in passages).encode("utf-8", "replace")).hexdigest()
            passage_set = passage_set_id(state.project.id, document.content_hash or "", f"{converter} {text}", limit)
        document.language = text_language(record.language, (p.text for p in passages))
        with state.timed("words"):
            known = vectors or self._known_vectors(document, old)
        if self.embeds_at_once:
            known = embed_missing(state, known, (p.embedded_text for p in passages))
        with state.timed("words"):
            points = self._points(document, record, passages, passage_set, known)
        document.without_vector = sum(point.dense is None for point in points)
        with state.timed("write"):
            better = before.content_hash == document.content_hash and before.version != passage_set
            self.writer.write(document, passage_set, points, map_passages(old, points) if better else {})
        faults.point("import.written", file.source)
        state.written[document.content_hash or ""] = file.source
        _, quick = self._counted.pop(file.source, (False, 0))
        state.result.chunks_written += len(points) - quick
        if not quick:
            state.result.count_document(document.pages or 1, replaced=bool(before.version))
            if document.open_claim:
                state.warnings.unconfirmed(document)
            if document.key_made and document.matched_by is None:
                state.warnings.citekey_generated(document)
        self._counted[file.source] = (bool(before.version), len(points))
        if reply["final"] and document.text_source in ("ocr", "mixed"):
            state.result.recognised += 1
            for warning in document.warnings:
                state.warnings.other(source_name(file.source), warning, f"citeloom documents {state.project.id}")

    def _points(
        self,
        document: Document,
        record: Record,
        passages: Sequence[Passage],
        passage_set: str,
        known: Mapping[str, Sequence[float]],
    ) -> list[Point]:
        """Return the passages with their words, and with the vectors that are known by text."""
        state = self.state
        texts = [p.embedded_text for p in passages]
        words = state.embed_sparse(texts, document.language)
        renamed_from = state.catalog.citekey_aliases.former_keys(document.project_id, record.citekey)
        return [
            Point(
                passage_id(passage_set, p.index),
                known.get(text),
                sparse,
                payload(state.project, document, record, p, passage_set, renamed_from),
            )
            for p, text, sparse in zip(passages, texts, words, strict=True)
        ]

    def _mark_duplicate(self, document: Document, original: str) -> None:
        """Delete the passages of a file whose content another document already has."""
        if document.version and isinstance(self.writer, LiveWriter):
            self.writer.clear(document.doc_id)
        document.version, document.chunks, document.without_vector = None, 0, 0
        of = self.state.catalog.documents.find(document.project_id, source=original)
        document.state, document.reason_code = State.DUPLICATE, None
        document.reason = f"Same content as {f'{of.citekey}, {shown_source(of)}' if of else source_name(original)}."

    def _replace_folder_copy(self, document: Document, file: FoundFile) -> None:
        """Replace the document of the same file in a folder: the Zotero record is the one to cite by."""
        known = self.state.catalog.documents
        folder_copy = known.find_same_content(document.project_id, document.content_hash or "", document.doc_id)
        if folder_copy and not folder_copy.zotero and isinstance(self.writer, LiveWriter):
            self._mark_duplicate(folder_copy, file.source)
            known.save(folder_copy)


def _has_other_text(passage_set: str, passages: Sequence[Passage], old: Iterable[Point]) -> bool:
    """Whether the passages of a set differ from those stored under its id."""
    stored = {point.id: embedded_text(point.payload) for point in old}
    return stored != {passage_id(passage_set, p.index): p.embedded_text for p in passages}
