"""Zotero as a source: attachments, notes and annotations as files to read, each with its record. Used by discovery."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from citeloom.bibliography.citekeys import make_citekey
from citeloom.bibliography.csl_json import record_from_csl
from citeloom.catalog import Catalog
from citeloom.conversion import prepared_text
from citeloom.conversion.formats import PREPARED, file_type
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file
from citeloom.core.settings import Zotero
from citeloom.core.types import Converted, Record
from citeloom.core.types import Source as Part
from citeloom.importing.sources.folder import FoundFile, ItemRecord, ReportBytes, ShouldStop, SourceContents
from citeloom.importing.sources.names import ZOTERO
from citeloom.zotero import notes
from citeloom.zotero.attachments import NO_FILE
from citeloom.zotero.csl.items import to_csl
from citeloom.zotero.gateway import ZoteroGateway, library_named
from citeloom.zotero.scope import Scope, select
from citeloom.zotero.types import AttachmentFile, Item, Library, LibrarySource, Snapshot

log = logging.getLogger(__name__)

# Part of the record's fingerprint: increase it whenever records are built differently.
_RECORD_VERSION = "records-1"
ANNOTATIONS = "annotations"  # suffix of their source, after that of their attachment
# Order of the files of one work: what a reader would open first.
_TYPE_ORDER = {"application/pdf": 0, "application/epub+zip": 1, "text/html": 2}
_SUFFIXES = {"application/pdf": ".pdf", "application/epub+zip": ".epub", "text/html": ".html"}
_MAX_NAMED = 5
_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f]')  # characters that some system forbids in file names
_MAX_STEM_LENGTH = 40  # characters: some take three bytes, and the whole path is limited too


def item_source(library: str, key: str, part: str = "") -> str:
    """Return the source of a Zotero document, which identifies it."""
    return f"{ZOTERO}{library}/items/{key}" + (f"/{part}" if part else "")


@dataclass(frozen=True, slots=True)
class ZoteroItems:
    """Finds the documents of Zotero that an import has to read."""

    zotero: ZoteroGateway
    catalog: Catalog
    folder: Path  # of fetched files, and of notes and annotations as text files
    settings: Zotero

    def scan(self, allowed: Sequence[Part], found: SourceContents, *, only: str | None, strict: bool) -> None:
        """Add to `found` the contents of the allowed parts of Zotero; with `only`, of that part alone.

        If some part of a library cannot be read, none of its documents counts as removed.
        """
        wanted = Scope.from_uri(only) if only else None
        parts: dict[str, list[tuple[Scope, str]]] = defaultdict(list)
        for part in allowed:
            scope = Scope.from_uri(part.path)
            if wanted is None or wanted.library == scope.library:
                parts[scope.library].append((scope, part.label))

        problems: list[CiteLoomError] = []

        def problem(name: str, error: CiteLoomError) -> None:
            if strict:
                raise error
            problems.append(error)
            found.problems[f"Zotero: {name}" if name else "Zotero"] = error

        try:
            source = self.zotero.open()
            libraries = source.libraries()
        except CiteLoomError as error:
            return problem("", error)
        for library_id, of_library in parts.items():
            before = len(problems)
            try:
                snapshot = source.read(library_named(libraries, library_id))
                keys = _selected(source, snapshot, of_library, problem)
                if wanted:
                    keys &= _selected(source, snapshot, [(wanted, "")], problem)
                self._add(source, snapshot, keys, found)
            except CiteLoomError as error:
                name = next((library.name for library in libraries if library.id == library_id), library_id)
                problem(name, error)
            if not wanted and len(problems) == before:
                found.libraries.add(library_id)
        return None

    def _add(self, source: LibrarySource, snapshot: Snapshot, keys: set[str], found: SourceContents) -> None:
        items = [snapshot.items[key] for key in sorted(keys)]
        citable = [item for item in items if item.type not in ("note", "attachment")]
        own = self.zotero.citekeys(source, snapshot, citable)
        found.warnings += _shared_key_warnings(own, snapshot)
        citekeys = self._with_generated_keys(snapshot.library.id, items, own)
        # The keyring is queried once, when the first file is missing.
        library_files = _LibraryFiles(
            self, source, snapshot, self.zotero.file_finder(), citekeys, cache(self.can_fetch)
        )
        for item in sorted(items, key=lambda item: (str(item.data.get("dateAdded", "")), item.key)):
            for file in library_files.files_of(item, found.other_kinds):
                found.files[file.source] = file

    def _with_generated_keys(
        self, library: str, items: Sequence[Item], own: Mapping[str, str]
    ) -> dict[str, tuple[str, bool]]:
        """Return the citekey of each item, and whether CiteLoom generated it.

        An item without a key keeps the one it had: Better BibTeX may be unavailable, and a generated key may have been
        cited since.
        """
        keys = {item.key: (own[item.key], False) for item in items if item.key in own}
        rest = [item for item in items if item.key not in own]
        if not rest:
            return keys
        before = self.catalog.documents.citekeys_by_item()
        owned = set(own.values())
        taken = owned | self.catalog.documents.citekeys()
        for item in rest:
            known = before.get((library, item.key))
            if known is None or (known[1] and known[0] in owned):
                record = _record(item, (), "", made=True)
                known = make_citekey(record.authors, record.year, record.title, taken.__contains__, stem=item.key), True
            keys[item.key] = known
            taken.add(known[0])
        return keys

    # -- getting files ---------------------------------------------------------------------------------------

    def text_path(self, name: str) -> Path:
        """Return the path of a text of Zotero."""
        return self.folder / "texts" / f"{name}{PREPARED}"

    def write_text(self, name: str, text: Callable[[], Converted], file: FoundFile) -> FoundFile:
        """Write a text of Zotero to a file, ready to be read."""
        path = self.text_path(name)
        data = prepared_text.to_bytes(text())
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_file.write(path, data, path.with_suffix(".part"))
        return replace(file, path=str(path), fetch=None)

    def can_fetch(self) -> bool:
        """Whether files may be fetched from zotero.org; a keyring that does not answer counts as no."""
        try:
            return self.settings.fetch_files and self.zotero.web() is not None
        except CiteLoomError as error:
            log.warning("files are not fetched from zotero.org: %s", error)
            return False

    def download_path(self, library: Library, attachment: Item) -> Path:
        """Return the path of a fetched file; a file that changes on zotero.org gets a new path."""
        fingerprint = attachment.md5 or _hash(attachment.data.get("dateModified"))
        name = Path(_safe_name(attachment))
        short = _NOT_IN_NAMES.sub("_", name.stem)[:_MAX_STEM_LENGTH]
        folder = f"{attachment.key}-{fingerprint[:8]}"
        return self.folder / "files" / library.id.replace("/", "-") / folder / f"{short}{name.suffix}"

    def fetch(self, library: Library, attachment: Item, report: ReportBytes, should_stop: ShouldStop) -> Path:
        """Fetch a file from zotero.org."""
        path = self.download_path(library, attachment)
        if path.exists():
            return path
        web = self.zotero.web()
        if web is None:
            raise CiteLoomError(
                Code.FILE_NOT_FOUND,
                "There is no key for zotero.org.",
                "Log in, in the settings or with 'citeloom zotero login'.",
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        limit = self.settings.max_file_mb * 1_000_000
        return web.download(library, attachment, path, max_bytes=limit, on_progress=report, stopped=should_stop)


@dataclass(frozen=True, slots=True)
class _LibraryFiles:
    """Lists the files to read of the items of one library."""

    items: ZoteroItems
    source: LibrarySource
    snapshot: Snapshot
    local_file: Callable[[Item], AttachmentFile]
    citekeys: Mapping[str, tuple[str, bool]]  # by item: its citekey, and whether CiteLoom generated it
    can_fetch: Callable[[], bool]

    def files_of(self, item: Item, other_kinds: Counter[str]) -> list[FoundFile]:
        """Return the files to read of a top-level item, the main file first; or why there are none."""
        library = self.snapshot.library
        if item.type == "note":
            return [self._note(item, item)]
        attachments = [item] if item.type == "attachment" else self._attachments(item)
        found = [file for a in attachments if (file := self._attachment(item, a, other_kinds))]
        if not found:
            what = "Its files are of types that CiteLoom cannot read." if attachments else "It has no file in Zotero."
            source = item_source(library.id, item.key)
            found.append(FoundFile("", "", 0, 0, source, self._item_record(item, ""), missing=what))
        for attachment in attachments:
            annotations = [c for c in self.snapshot.children.get(attachment.key, ()) if c.type == "annotation"]
            if annotations:
                found.append(self._annotations(item, attachment, annotations))
        found += [self._note(item, c) for c in self.snapshot.children.get(item.key, ()) if c.type == "note"]
        return found

    def _attachments(self, item: Item) -> list[Item]:
        children = self.snapshot.children.get(item.key, ())
        files = [c for c in children if c.type == "attachment" and c.data.get("linkMode") not in NO_FILE]
        return sorted(files, key=_main_file_first)

    def _attachment(self, item: Item, attachment: Item, other_kinds: Counter[str]) -> FoundFile | None:
        library = self.snapshot.library
        name = _safe_name(attachment)
        kind = file_type(name)
        if kind is None:
            other_kinds[Path(name).suffix.lower() or "no suffix"] += 1
            return None
        file = FoundFile(
            "", kind, 0, 0, item_source(library.id, attachment.key), self._item_record(item, attachment.key)
        )
        local = self.local_file(attachment)
        if local.path:
            return replace(file, path=str(local.path), size=local.size, mtime_ns=local.mtime_ns, within=local.within)
        downloaded = self.items.download_path(library, attachment)
        stamp = _change_number(attachment.md5 or str(attachment.data.get("dateModified")))
        file = replace(file, mtime_ns=stamp)
        if downloaded.exists():
            return replace(file, path=str(downloaded))
        return replace(file, missing=local.reason, fetch=partial(self._substitute, file, attachment, local.reason))

    def _substitute(
        self, file: FoundFile, attachment: Item, reason: str, report: ReportBytes, should_stop: ShouldStop
    ) -> FoundFile:
        """Return a substitute for a file that is not on this disk: a download, else the text that Zotero extracted."""
        library = self.snapshot.library
        problem = CiteLoomError(Code.FILE_NOT_FOUND, reason)
        if attachment.data.get("linkMode") in _STORED and self.can_fetch():
            try:
                return replace(file, path=str(self.items.fetch(library, attachment, report, should_stop)))
            except CiteLoomError as error:
                problem = error
        text = self.source.full_text(library, attachment.key)
        if not (text and text.strip()):
            raise problem
        plain = replace(file, file_type="fulltext")
        return self.items.write_text(
            _text_name(library, attachment.key, "text"), lambda: notes.from_full_text(text), plain
        )

    def _item_record(self, item: Item, attachment: str) -> ItemRecord:
        key, made = self.citekeys[item.key]
        paths = self.snapshot.collection_paths
        collections = tuple(sorted(paths[c] for c in item.collections if c in self.snapshot.collections))
        zotero = {"library": self.snapshot.library.id, "item": item.key, "attachment": attachment}
        fields = {name: value for name, value in item.data.items() if name != "dateModified"}
        fingerprint = _hash([_RECORD_VERSION, fields, collections, key, made])
        return ItemRecord(fingerprint, zotero, lambda: _record(item, collections, key, made=made))

    def _note(self, item: Item, note: Item) -> FoundFile:
        source = item_source(self.snapshot.library.id, note.key)
        return self._text("note", source, item, note.key, [note], partial(notes.from_note, note))

    def _annotations(self, item: Item, attachment: Item, marks: Sequence[Item]) -> FoundFile:
        source = item_source(self.snapshot.library.id, attachment.key, ANNOTATIONS)
        return self._text("annotations", source, item, attachment.key, marks, partial(notes.from_annotations, marks))

    def _text(
        self,
        kind: str,
        source: str,
        item: Item,
        key: str,
        of: Sequence[Item],
        text: Callable[[], Converted],
    ) -> FoundFile:
        """Return a file for a text stored in Zotero itself; it is written if it has changed."""
        raw = json.dumps([dict(one.data) for one in of], sort_keys=True, ensure_ascii=False)
        name = _text_name(self.snapshot.library, key, kind)
        file = FoundFile(
            str(self.items.text_path(name)), kind, len(raw), _change_number(raw), source, self._item_record(item, key)
        )
        return replace(file, fetch=lambda report, should_stop: self.items.write_text(name, text, file))


_STORED = ("imported_file", "imported_url")


def _selected(
    source: LibrarySource,
    snapshot: Snapshot,
    parts: Iterable[tuple[Scope, str]],
    problem: Callable[[str, CiteLoomError], None],
) -> set[str]:
    """Return the items of all parts; a part that no longer exists is reported, and the others are still used."""
    keys: set[str] = set()
    for scope, label in parts:
        try:
            keys |= select(snapshot, scope, source.run_search)
        except CiteLoomError as error:
            problem(label, error)
    return keys


def _main_file_first(attachment: Item) -> tuple[int, str, str]:
    kind = _TYPE_ORDER.get(str(attachment.data.get("contentType")), len(_TYPE_ORDER))
    return kind, str(attachment.data.get("dateAdded", "")), attachment.key


def _safe_name(attachment: Item) -> str:
    """Return an attachment's file name without folders, with the suffix of its content type."""
    data = attachment.data
    name = str(data.get("filename") or data.get("path") or data.get("title") or attachment.key)
    name = name.replace("\\", "/").rpartition("/")[2].removeprefix("attachments:") or attachment.key
    suffix = _SUFFIXES.get(str(data.get("contentType")), "")
    return name if file_type(name) or not suffix else f"{name}{suffix}"


def _record(item: Item, collections: tuple[str, ...], citekey: str, *, made: bool) -> Record:
    csl = to_csl(item)
    record = record_from_csl({**csl, "id": citekey, "citation-key": citekey} if citekey else csl, files=())
    title = record.title or (notes.from_note(item).title if item.type == "note" else "")
    return replace(record, citekey=citekey, key_made=made, title=title, tags=item.tags, collections=collections)


def _shared_key_warnings(keys: Mapping[str, str], snapshot: Snapshot) -> list[str]:
    """Return citekeys shared by several works: a citation by them is ambiguous."""
    works: dict[str, list[str]] = defaultdict(list)
    for item, key in keys.items():
        works[key].append(str(snapshot.items[item].data.get("title") or item))
    shared = {key: titles for key, titles in works.items() if len(titles) > 1}
    warnings = [
        f"The citekey {key} belongs to {len(titles)} items ({'; '.join(t[:60] for t in titles[:_MAX_NAMED])})."
        " Give each its own in Zotero."
        for key, titles in sorted(shared.items())[:_MAX_NAMED]
    ]
    if len(shared) > _MAX_NAMED:
        warnings.append(f"{len(shared) - _MAX_NAMED} more citekeys belong to several items.")
    return warnings


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


def _text_name(library: Library, key: str, kind: str) -> str:
    return f"{library.id.replace('/', '-')}-{key}-{kind}"


def _change_number(text: str) -> int:
    """Return a number that depends on the text, to detect changes."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:7])
