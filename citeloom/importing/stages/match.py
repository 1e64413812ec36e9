"""The match stage: finds the record of a file in the project's references, or creates one from the file itself."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from citeloom.bibliography.citekeys import make_citekey
from citeloom.bibliography.matching import Matcher
from citeloom.bibliography.references import References, load_references, read_references
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.conversion.convert import CONVERTER_VERSION, QUICK_VERSION
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.open_within import open_within
from citeloom.core.json_values import YEARS
from citeloom.core.types import Record
from citeloom.importing.sources.folder import FoundFile, ItemRecord, hash_file
from citeloom.importing.sources.names import shown_source
from citeloom.importing.stages.payloads import record_values
from citeloom.index.base import Collection
from citeloom.index.filters import of_document

QUICK = "quick"  # converter engine of a text that the whole conversion will replace
BY_ZOTERO = "zotero"  # match method: the file came with its record
BY_RESEARCHER = "confirmed"  # match method: the researcher confirmed it
AGENT = "agent"  # value of claimed_by: only an agent says which work the document is
CONFIRMED, REFUSED = "confirmed", "refused"  # the researcher's decisions on such a claim
BY_FILE = ("name", "doi", "title")  # match methods that use the file
BY_RECORD = ("file", BY_ZOTERO)  # match methods that use the record

_DESCRIBING = ("tags", "collections", "language")  # fields of a claim that do not identify the work
LISTS = ("authors", "tags", "collections")
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


def keyed_records(references: References) -> list[Record]:
    """Return all records by citekey; a key is generated for records that have none."""
    records, taken = list(references.records), {record.citekey for record in references.records}
    for record in references.keyless:
        key = make_citekey(record.authors, record.year, record.title, taken.__contains__)
        taken.add(key)
        records.append(replace(record, citekey=key, key_made=True))
    return records


@dataclass(frozen=True, slots=True)
class RecordMatch:
    """The record of a file, how it was found, and the work that it is claimed to be without certainty."""

    record: Record
    by: str | None  # None: created from the file
    claimed: str = ""
    claimed_by: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether the file identifies itself as a work that already has another file."""
        return self.claimed_by in BY_FILE


class RecordFinder:
    """Matches files with the references of a project; references named by an agent only give claims.

    `within` is the folder that the agent may read: its references must be inside it.
    """

    def __init__(self, references: Path | None, of_agent: Path | None = None, within: str = "") -> None:
        self.warnings: tuple[str, ...] = ()
        self.hash = ""
        self._by_key: dict[str, Record] = {}
        self._matcher: Matcher | None = None
        if references is not None:
            data = read_references(references)
            loaded = load_references(references, data)
            self.warnings = loaded.warnings
            self.hash = hashlib.sha256(data).hexdigest()
            records = keyed_records(loaded)
            self._by_key = {r.citekey: r for r in records}
            self._matcher = Matcher(records, references.parent)
        self._of_agent: Matcher | None = None
        if of_agent is not None:
            data = read_references(of_agent, lambda path: open_within(path, within))
            loaded = load_references(of_agent, data)
            self.warnings += loaded.warnings
            self._of_agent = Matcher(keyed_records(loaded), of_agent.parent)

    def with_key(self, citekey: str) -> Record | None:
        """Return the record of a citekey."""
        return self._by_key.get(citekey)

    @property
    def makes_claims(self) -> bool:
        """Whether an agent named references."""
        return self._of_agent is not None

    def claim(self, path: Path, identifiers: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the references named by an agent claim about a file."""
        match = self._of_agent.match(path, **identifiers) if self._of_agent else None
        record = _as_stored(match.record) if match else {}
        return {key: record[key] for key in METADATA_KEYS if record.get(key)}

    def find(
        self, catalog: Catalog, document: Document, path: Path, identifiers: Mapping[str, Any], claim: Mapping[str, Any]
    ) -> RecordMatch:
        """Return the record of a document from the references, or create one. An agent's claim decides nothing.

        `identifiers` has the title, the DOIs and the first text of the file.
        """
        if document.decision == CONFIRMED:
            record = self.with_key(document.citekey) or stored_record(document)
            return RecordMatch(record, BY_RESEARCHER, document.claimed_citekey, document.claimed_by)
        rows, project_id, doc_id = catalog.documents, document.project_id, document.doc_id
        match = self._matcher.match(path, **identifiers) if self._matcher else None
        doubtful = (
            match
            and match.by != "file"
            and (
                rows.has_own_file(project_id, match.record.citekey, doc_id)
                or self._names_other_files(match.record, path, document.content_hash)
            )
        )
        claimed = claimed_key(claim)
        if match and not doubtful:
            claimed = "" if claimed == match.record.citekey else claimed
            return RecordMatch(match.record, match.by, claimed, AGENT if claimed else "")
        name = identifiers["title"] or re.sub(r"[_\s]+", " ", path.stem)
        record = with_metadata(Record("", name), {key: claim[key] for key in _DESCRIBING if key in claim})
        refused = match and document.decision == REFUSED and match.record.citekey == document.claimed_citekey
        if not match or refused:  # with a citekey of its own, a doubtful document would look like another work

            def is_taken(key: str) -> bool:
                return key in self._by_key or rows.has_citekey(project_id, key, doc_id)

            key = make_citekey(record.authors, record.year, name or path.stem, is_taken)
            record = replace(record, citekey=key, key_made=True)
        if match:
            return RecordMatch(record, None, match.record.citekey, match.by)
        return RecordMatch(record, None, claimed, AGENT if claimed else "")

    def _names_other_files(self, record: Record, path: Path, content_hash: str | None) -> bool:
        """Whether a record names existing files, and none of them has the content of this one."""
        others = self._matcher.other_files(record, path) if self._matcher else []
        return bool(others) and not any(_same_content(other, path, content_hash) for other in others)


def claimed_key(claim: Mapping[str, Any]) -> str:
    """Return the work that a claim names by citekey."""
    return str(claim.get("citekey") or "").strip()


def _same_content(other: Path, path: Path, content_hash: str | None) -> bool:
    try:
        if path.is_file() and path.stat().st_size != other.stat().st_size:
            return False
        return hash_file(other) == content_hash
    except OSError:
        return False


def split_metadata(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the part of the given metadata that claims a record, and the custom part."""
    claim = {key: value for key, value in given.items() if key in METADATA_KEYS}
    return claim, {key: value for key, value in given.items() if key not in METADATA_KEYS and value is not None}


def with_metadata(record: Record, metadata: Mapping[str, Any]) -> Record:
    """Return a record updated with the given metadata."""
    known = {k: v for k, v in metadata.items() if k in METADATA_KEYS and v is not None}
    for key in LISTS:
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


def fill_row(document: Document, found: RecordMatch, converted: Mapping[str, Any], claim: Mapping[str, Any]) -> None:
    """Copy the fields of record and conversion into a document's row."""
    _set_match(document, found)
    document.title = found.record.title or converted["title"]
    # Needed to match again when the references change.
    document.record |= {"_seen": identifiers_in(converted), "_claim": dict(claim)}
    document.pages = converted["pages"] or None
    document.word_coverage = converted["word_coverage"]
    document.converter = converted["converter"]
    document.converter_engine = QUICK if document.converter == QUICK_VERSION else converted["engine"]
    document.fallback_reason = converted["fallback_reason"]
    document.text_source = converted["text_source"]
    document.ocr_share = converted["ocr_share"]
    document.ocr_languages = converted["ocr_languages"]
    document.waiting_for_ocr = converted["waiting_for_ocr"]
    document.slow_pages = {reason: list(pages) for reason, pages in converted.get("slow_pages", {}).items()}
    document.warnings = converted["warnings"]


_CLAIM_SOURCES = {"name": "its file name", "doi": "the DOI printed in it", "title": "its title", AGENT: "an agent"}


def why_unconfirmed(document: Document) -> str:
    """Return why a document does not count as the work that it is claimed to be."""
    claim = f"{shown_source(document)} is {document.claimed_citekey} according to {_CLAIM_SOURCES[document.claimed_by]}"
    return f"{claim}." if document.claimed_by == AGENT else f"{claim}, but that work has another file."


def identifiers_in(converted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a conversion that identify the work."""
    return {key: converted[key] for key in ("title", "dois", "first_text")}


def refresh(
    catalog: Catalog,
    project_id: str,
    records: RecordFinder,
    doc_ids: Sequence[str],
    collection: Collection,
    stop: threading.Event,
) -> tuple[int, list[str]]:
    """Update payload and row of documents whose record changed; nothing is converted or embedded.

    Return their number, and the sources of those whose passages must be rebuilt because printed pages changed.
    """
    updated, other_pages = 0, []
    for doc_id in doc_ids:
        document = catalog.documents.find(project_id, doc_id)
        if document is None or document.state != State.READY or document.zotero or stop.is_set():
            continue
        claim = document.record.get("_claim", {})
        found = _match_again(catalog, records, document)
        if found is None or (_is_stored(document, found) and document.record.get("_claim", {}) == claim):
            continue
        other_range = document.pages and found.record.page_range != document.record.get("page_range")
        if other_range and not found.doubtful:  # a document that is no longer the work is updated at once
            other_pages.append(document.source)
            continue
        replace_record(catalog, collection, document, found)
        updated += 1
    return updated, other_pages


def refresh_item_records(
    catalog: Catalog, project_id: str, files: Sequence[FoundFile], collection: Collection, stop: threading.Event
) -> tuple[int, list[str]]:
    """Like `refresh`, for documents of Zotero, which come with their records."""
    updated, other_pages = 0, []
    for file in files:
        document = catalog.documents.find(project_id, source=file.source)
        if document is None or file.item is None or stop.is_set():
            continue
        record = file.item.record
        other_range = document.version and document.pages and record.page_range != document.record.get("page_range")
        stale = other_range and not file.missing
        document.record_hash, document.zotero = file.item.fingerprint, file.item.zotero
        if stale:
            document.converter = ""  # marks it as to be read, until its passages have the new pages
        rewritten = replace_record(catalog, collection, document, RecordMatch(record, BY_ZOTERO))
        if stale:
            other_pages.append(file.source)
        else:
            updated += rewritten
    return updated, other_pages


def latest_record(document: Document | None, item: ItemRecord) -> Record:
    """Return a work's record, taken from its row if another import has updated it since the work was found."""
    if document is None or document.record_hash in (None, item.fingerprint):
        return item.record
    return stored_record(document)


def stored_record(document: Document) -> Record:
    """Return the record in a document's row."""
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in _record_fields(document).items()}
    return Record(**values)


def set_item_record(catalog: Catalog, document: Document, item: ItemRecord) -> None:
    """Copy the Zotero record into the row of a document without a text of its own."""
    record_rename(catalog, document, item.record)
    _set_match(document, RecordMatch(item.record, BY_ZOTERO))
    document.zotero, document.record_hash = item.zotero, item.fingerprint


def save_without_file(catalog: Catalog, document: Document, file: FoundFile, reason: str) -> None:
    """Record that a work has nothing to read, and why."""
    if file.item:
        set_item_record(catalog, document, file.item)
    document.size, document.mtime_ns, document.path = file.size, file.mtime_ns, file.path
    document.converter = CONVERTER_VERSION
    document.state, document.reason_code, document.reason = State.WITHOUT_FILE, str(Code.FILE_NOT_FOUND), reason
    document.file_type = file.file_type
    catalog.documents.save(document)


def replace_record(catalog: Catalog, collection: Collection, document: Document, found: RecordMatch) -> bool:
    """Replace the record of a document's row and passages; return whether passages were rewritten."""
    record_rename(catalog, document, found.record)
    kept = {key: value for key, value in document.record.items() if key.startswith("_")}
    before = _record_fields(document), document.open_claim
    _set_match(document, found)
    document.record |= kept
    changed = (_as_stored(found.record), document.open_claim) != before and bool(document.version)
    passages = of_document(document.doc_id)
    if changed and not document.citekey:  # before its row: after a kill in between, its passages must not be citable
        collection.rewrite(passages, record_values(found.record, (), document.open_claim))
    catalog.documents.save(document)
    if changed and document.citekey:
        renamed_from = catalog.citekey_aliases.former_keys(document.project_id, document.citekey)
        collection.rewrite(passages, record_values(found.record, renamed_from, document.open_claim))
    return changed


def record_rename(catalog: Catalog, document: Document, record: Record) -> None:
    """Record the citekey that a document is about to lose, unless it was only claimed."""
    if document.matched_by == BY_RESEARCHER or not record.citekey:
        return
    if document.citekey and document.citekey != record.citekey:
        catalog.citekey_aliases.add(document.project_id, document.citekey, record.citekey)


def _match_again(catalog: Catalog, records: RecordFinder, document: Document) -> RecordMatch | None:
    identifiers, found = document.record.get("_seen"), None
    if identifiers:
        path = Path(document.source)
        claim = records.claim(path, identifiers) or document.record.get("_claim", {})
        document.record["_claim"] = claim
        found = records.find(catalog, document, path, identifiers, claim)
        if found.by is not None or found.doubtful:
            return found
    # No file, DOI or title matches: a citekey in the references still does, unless its work has another file.
    record = records.with_key(document.citekey) if document.matched_by else None
    if record and not catalog.documents.has_own_file(document.project_id, record.citekey, document.doc_id):
        return RecordMatch(record, document.matched_by, document.claimed_citekey, document.claimed_by)
    return found


def _is_stored(document: Document, found: RecordMatch) -> bool:
    claim = (document.matched_by, document.claimed_citekey, document.claimed_by)
    return _as_stored(found.record) == _record_fields(document) and (found.by, found.claimed, found.claimed_by) == claim


def _set_match(document: Document, found: RecordMatch) -> None:
    record = found.record
    document.citekey, document.key_made, document.matched_by = record.citekey, record.key_made, found.by
    document.title, document.record = record.title, _as_stored(record)
    if found.by != BY_RESEARCHER and (document.decision == CONFIRMED or found.claimed != document.claimed_citekey):
        document.decision = ""  # it was made on another claim
    document.claimed_citekey, document.claimed_by = found.claimed, found.claimed_by


def _as_stored(record: Record) -> dict[str, Any]:
    """Return the record in the form stored in the row."""
    stored: dict[str, Any] = json.loads(json.dumps(asdict(record)))
    return stored


def _record_fields(document: Document) -> dict[str, Any]:
    return {key: value for key, value in document.record.items() if not key.startswith("_")}
