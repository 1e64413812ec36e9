"""Which work a file is: its record from the project's references, or one made from the file itself."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from citeloom.bibliography.match import Matcher
from citeloom.bibliography.references import References, load_references, read_references
from citeloom.citekeys import make_citekey
from citeloom.documents.convert import CONVERTER_VERSION, QUICK_VERSION
from citeloom.errors import CiteLoomError, Code
from citeloom.index.collection import Collection
from citeloom.index.filters import AnyOf
from citeloom.ingest.passages import record_values
from citeloom.ingest.scan import FoundFile, Work
from citeloom.ingest.within import open_within
from citeloom.json_values import YEARS
from citeloom.model import Record
from citeloom.store import Catalog, Document, State

QUICK = "quick"  # the engine of a text that the whole conversion has still to replace
BY_ZOTERO = "zotero"  # how a record was found that needed no finding

METADATA_KEYS = (
    "citekey",
    "title",
    "authors",
    "year",
    "doi",
    "url",
    "item_type",
    "tags",
    "collections",
    "language",
)


def with_keys(references: References) -> list[Record]:
    """All records, also those that the reference manager gave no key, under keys that are made for them."""
    records, taken = list(references.records), {record.citekey for record in references.records}
    for record in references.keyless:
        key = make_citekey(record.authors, record.year, record.title, taken)
        taken.add(key)
        records.append(replace(record, citekey=key, key_made=True))
    return records


class RecordFinder:
    """The references of a project, ready to be matched with files."""

    def __init__(self, references: Path | None, within: str = "") -> None:
        self.warnings: tuple[str, ...] = ()
        self.hash = ""
        self._by_key: dict[str, Record] = {}
        self._matcher: Matcher | None = None
        if references is not None:
            data = read_references(references, lambda path: open_within(path, within))
            loaded = load_references(references, data)
            self.warnings = loaded.warnings
            self.hash = hashlib.sha256(data).hexdigest()
            records = with_keys(loaded)
            self._by_key = {r.citekey: r for r in records}
            self._matcher = Matcher(records, references.parent)

    def of_key(self, citekey: str) -> Record | None:
        """The record under a citekey."""
        return self._by_key.get(citekey)

    def find(
        self,
        path: Path,
        *,
        title: str,
        dois: Sequence[str],
        first_text: str,
        metadata: Mapping[str, Any],
        taken: Container[str],
    ) -> tuple[Record, str | None]:
        """The record of a file and how it was found; None: it was made from the file."""
        match = self._matcher.match(path, dois, title, first_text) if self._matcher else None
        if match:
            return _with(match.record, metadata), match.by
        name = title or re.sub(r"[_\s]+", " ", path.stem)
        record = _with(Record(citekey="", title=name, item_type="document"), metadata)
        if not record.citekey:
            key = make_citekey(record.authors, record.year, record.title or path.stem, _Either(taken, self._by_key))
            record = replace(record, citekey=key, key_made=True)
        return record, None


class KeysOfOthers:
    """The citekeys that other documents of the project have."""

    def __init__(self, catalog: Catalog, document: Document) -> None:
        self._catalog = catalog
        self._document = document

    def __contains__(self, key: object) -> bool:
        return self._catalog.documents.has_citekey(self._document.project_id, str(key), self._document.doc_id)


class _Either:
    def __init__(self, *of: Container[str]) -> None:
        self._of = of

    def __contains__(self, key: object) -> bool:
        return any(key in one for one in self._of)


def _with(record: Record, metadata: Mapping[str, Any]) -> Record:
    known = {k: v for k, v in metadata.items() if k in METADATA_KEYS and v is not None}
    for key in ("authors", "tags", "collections"):
        if key in known:
            values = known[key] if isinstance(known[key], list) else [known[key]]
            known[key] = tuple(str(v) for v in values)
    for key in ("citekey", "title", "doi", "url", "item_type", "language"):
        if key in known:
            known[key] = str(known[key])
    if "year" in known:
        written = str(known["year"])
        if not re.fullmatch(r"-?[0-9]{1,4}", written):
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"metadata.year is {written!r}.",
                f"Give the year as a whole number from {YEARS[0]} to {YEARS[1]}, such as 2019.",
            )
        known["year"] = int(written)
    return replace(record, **known) if known else record


def describe(
    document: Document, record: Record, by: str | None, converted: Mapping[str, Any], metadata: Mapping[str, Any]
) -> None:
    """Write into a document's row what its record and its conversion say."""
    _take_record(document, record, by)
    document.title = record.title or converted["title"]
    # What a later match with changed references needs.
    seen = {"title": converted["title"], "dois": converted["dois"], "first_text": converted["first_text"]}
    document.record |= {"_seen": seen, "_metadata": dict(metadata)}
    document.pages = converted["pages"] or None
    document.word_coverage = converted["word_coverage"]
    document.converter = converted["converter"]
    document.converter_engine = QUICK if converted["converter"] == QUICK_VERSION else converted["engine"]
    document.fallback_reason = converted["fallback_reason"]
    document.text_source = converted["text_source"]
    document.ocr_share = converted["ocr_share"]
    document.ocr_languages = list(converted["ocr_languages"])
    document.waiting_for_ocr = converted["waiting_for_ocr"]
    document.warnings = list(converted["warnings"])


def refresh(
    catalog: Catalog,
    project_id: str,
    records: RecordFinder,
    doc_ids: Sequence[str],
    collection: Collection,
    stop: threading.Event,
) -> tuple[int, list[str]]:
    """Rewrite payload and row of documents whose record changed; nothing is converted or embedded.

    Gives how many there were, and the sources of those whose passages must be made anew: their printed pages changed.
    """
    updated, other_pages = 0, []
    for doc_id in doc_ids:
        document = catalog.documents.find(project_id, doc_id)
        if document is None or document.state != State.READY or document.zotero or stop.is_set():
            continue
        found = _record_again(catalog, records, document)
        if found is None or (_plain(found[0]) == _known(document) and found[1] == document.matched_by):
            continue
        record, by = found
        if document.pages and record.page_range != document.record.get("page_range"):
            other_pages.append(document.source)
            continue
        _rewrite(catalog, collection, document, record, by)
        updated += 1
    return updated, other_pages


def refresh_works(
    catalog: Catalog, project_id: str, files: Sequence[FoundFile], collection: Collection, stop: threading.Event
) -> tuple[int, list[str]]:
    """The same for documents of Zotero, whose records need no finding."""
    updated, other_pages = 0, []
    for file in files:
        document = catalog.documents.find(project_id, source=file.source)
        if document is None or file.work is None or stop.is_set():
            continue
        record = file.work.record
        others = document.version and document.pages and record.page_range != document.record.get("page_range")
        anew = others and not file.missing
        document.record_hash, document.zotero = file.work.fingerprint, file.work.zotero
        if anew:
            document.converter = ""  # to be read until its passages have the new pages
        rewritten = _rewrite(catalog, collection, document, record, BY_ZOTERO)
        if anew:
            other_pages.append(file.source)
        else:
            updated += rewritten
    return updated, other_pages


def latest_record(document: Document | None, work: Work) -> Record:
    """A work's record: as its row has it, where another import has brought that up to date since the work was found."""
    if document is None or document.record_hash in (None, work.fingerprint):
        return work.record
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in _known(document).items()}
    return Record(**values)


def take_work(document: Document, work: Work, catalog: Catalog | None = None) -> None:
    """Write into the row of a document without a text of its own what Zotero says of it."""
    if catalog:
        note_rename(catalog, document, work.record)
    _take_record(document, work.record, BY_ZOTERO)
    document.zotero, document.record_hash = work.zotero, work.fingerprint


def note_without_file(catalog: Catalog, document: Document, file: FoundFile, reason: str) -> None:
    """Keep that a work has nothing to read, and why."""
    if file.work:
        take_work(document, file.work, catalog)
    document.size, document.mtime_ns, document.path = file.size, file.mtime_ns, file.path
    document.converter = CONVERTER_VERSION
    document.state, document.reason_code, document.reason = State.WITHOUT_FILE, str(Code.FILE_NOT_FOUND), reason
    document.file_type = file.file_type
    catalog.documents.save(document)


def _rewrite(catalog: Catalog, collection: Collection, document: Document, record: Record, by: str | None) -> bool:
    """Give a document's row, and its passages if it has any, another record; whether passages were rewritten."""
    note_rename(catalog, document, record)
    kept = {key: value for key, value in document.record.items() if key.startswith("_")}
    changed = _plain(record) != _known(document)
    _take_record(document, record, by)
    document.record |= kept
    catalog.documents.save(document)
    if not (changed and document.version):
        return False
    renamed_from = catalog.aliases.of(document.project_id, record.citekey)
    collection.rewrite(AnyOf("doc_id", (document.doc_id,)), record_values(record, renamed_from))
    return True


def note_rename(catalog: Catalog, document: Document, record: Record) -> None:
    """Remember the citekey that a document is about to lose."""
    if document.citekey and document.citekey != record.citekey:
        catalog.aliases.note(document.project_id, document.citekey, record.citekey)


def _record_again(catalog: Catalog, records: RecordFinder, document: Document) -> tuple[Record, str | None] | None:
    seen, metadata = document.record.get("_seen"), document.record.get("_metadata", {})
    if seen:
        taken = KeysOfOthers(catalog, document)
        found = records.find(Path(document.source), metadata=metadata, taken=taken, **seen)
        if found[1] is not None:
            return found
    # No file, DOI or title leads there: a key that is in the references still does.
    if not document.key_made and (record := records.of_key(document.citekey)):
        return record, document.matched_by
    return found if seen else None


def _take_record(document: Document, record: Record, by: str | None) -> None:
    document.citekey, document.key_made, document.matched_by = record.citekey, record.key_made, by
    document.title, document.record = record.title, _plain(record)


def _plain(record: Record) -> dict[str, Any]:
    """The record as its row keeps it."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(record)))
    return plain


def _known(document: Document) -> dict[str, Any]:
    return {key: value for key, value in document.record.items() if not key.startswith("_")}
