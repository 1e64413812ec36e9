"""Finds the works of a project by their current or former citekeys. Used by every `evidence` verb."""

from __future__ import annotations

import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from citeloom.bibliography.csl_json import normalise_doi, record_from_csl
from citeloom.bibliography.references import load_references
from citeloom.catalog import Catalog
from citeloom.catalog.documents import ZOTERO_TEXT_TYPES, Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files.file_stamp import FileStamp, file_stamp
from citeloom.core.lru_cache import LruCache
from citeloom.core.types import Record
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.quotes.lexicon import trigrams
from citeloom.importing.stages.match import BY_FILE, BY_RECORD, keyed_records

log = logging.getLogger(__name__)

OWN_NOTES = ("note", "annotations")  # file types of the researcher's notes about a work, which are not its text
_MAX_CACHED = 32  # reference files
_MAX_NAMED, _MAX_KEY = 10, 80  # citekeys named in a message, and characters of each
_MAX_COMPARED = 30  # candidates compared letter by letter; the others share fewer trigrams
_MIN_SIMILARITY = 0.5
_MIN_SHARE_OF_BEST = 0.75  # of the best candidate's similarity
_MAX_LENGTH = 200  # characters of a citekey that are compared


@dataclass(frozen=True, slots=True)
class Work:
    """A work that can be cited."""

    citekey: str
    documents: tuple[Document, ...] = ()  # the work's own text first; none if it is only in the references
    csl: Mapping[str, Any] = field(default_factory=dict)
    renamed_from: str | None = None  # the former key that was requested

    @property
    def title(self) -> str:
        """The title, or the citekey of a work without one."""
        return str(self.csl.get("title") or self.citekey)

    @property
    def readable(self) -> tuple[Document, ...]:
        """The documents with text."""
        return tuple(filter(_is_readable, self.documents))

    @property
    def own_texts(self) -> tuple[Document, ...]:
        """The documents with its own text; without any, the researcher's notes about it."""
        return tuple(d for d in self.readable if d.file_type not in OWN_NOTES) or self.readable

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of its records: several if unrelated works share the citekey."""
        recorded = (record_from_csl(d.record.get("csl") or {}, files=()).title for d in self.documents if d.matched_by)
        return tuple({title.casefold(): title for title in recorded if title}.values())


@dataclass(frozen=True, slots=True)
class _References:
    """The records of a reference file, or why it could not be read."""

    stamp: FileStamp | None = None
    records: Mapping[str, Record] = field(default_factory=dict)
    problem: str = ""


class SimilarKeys:
    """Trigram index of citekeys."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = sorted(set(filter(None, keys)))
        self._by_trigram: defaultdict[str, list[int]] = defaultdict(list)
        for number, key in enumerate(self._keys):
            for trigram in _trigrams(key):
                self._by_trigram[trigram].append(number)

    def similar(self, key: str, limit: int = 3) -> list[str]:
        """Return the most similar citekeys, best first."""
        wanted = _trigrams(key)
        shared = Counter(number for trigram in wanted for number in self._by_trigram.get(trigram, ()))
        scored = []
        for number, count in shared.most_common(_MAX_COMPARED):
            candidate = self._keys[number]
            # A short key may be the beginning of a long one, so the overlap is relative to the shorter.
            overlap = count / min(len(wanted), len(_trigrams(candidate)))
            ratio = SequenceMatcher(None, _folded(key), _folded(candidate)).ratio()
            if max(overlap, ratio) >= _MIN_SIMILARITY:
                scored.append((-(overlap + ratio), candidate))
        scored.sort()
        return [candidate for score, candidate in scored[:limit] if score <= scored[0][0] * _MIN_SHARE_OF_BEST]


class Works:
    """Finds works by citekey."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._cache: LruCache[_References] = LruCache(_MAX_CACHED)
        self._read_lock = threading.Lock()  # a large file takes seconds, so only one thread reads it

    def resolve(self, project: Project, key: str) -> Work | None:
        """Return the work that has or had this citekey."""
        key = key.strip()
        if work := self._with_key(project, key):
            return work
        current = self._catalog.citekey_aliases.current(project.id, key) if key else None
        found = self._with_key(project, current) if current else None
        return replace(found, renamed_from=key) if found else None

    def get(self, project: Project, key: str) -> Work:
        """Return the work that has or had this citekey, or raise CITEKEY_NOT_FOUND with similar ones."""
        return self.find_all([project], [key])[key]

    def find_all(self, projects: Sequence[Project], keys: Iterable[str]) -> dict[str, Work]:
        """Return the works of these keys, each from the first project that has it; the error names all missing keys."""
        keys = list(dict.fromkeys(keys))
        works: dict[str, Work] = {}
        for project in projects:
            for key in keys:
                known = works.get(key)
                # A current key takes precedence over a former one, whatever the order of projects.
                if (known is None or known.renamed_from) and (found := self.resolve(project, key)):
                    works[key] = known if known and found.renamed_from else found
        if missing := [key for key in keys if key not in works]:
            raise self._not_found(projects, missing)
        return {key: works[key] for key in keys}

    def _not_found(self, projects: Sequence[Project], missing: Sequence[str]) -> CiteLoomError:
        known = self.keys(*projects)
        near = {key[:_MAX_KEY]: known.similar(key) for key in missing[:_MAX_NAMED]}
        named = "; ".join(f"'{key}'" + (f" (near: {', '.join(n)})" if n else "") for key, n in near.items())
        more = f"; and {len(missing) - _MAX_NAMED} more" if len(missing) > _MAX_NAMED else ""
        return CiteLoomError(
            Code.CITEKEY_NOT_FOUND,
            " ".join((f"No work has the citekey {named}{more}.", *self.problems(projects))),
            "List the documents to see the available citekeys.",
            missing=near,
        )

    def cited(self, project: Project, citation: Citation) -> Work | None:
        """Return the work that a manuscript cites by key or, from a word processor, by Zotero item or DOI."""
        found = self.resolve(project, citation.key)
        if found is None and (citation.zotero_items or citation.doi):
            doi = normalise_doi(citation.doi) or ""
            key = self._catalog.documents.citekey_of(project.id, citation.zotero_items, doi)
            if key is None and doi:
                listed = self._references(project).records.values()
                key = next((record.citekey for record in listed if record.doi == doi), None)
            found = self._with_key(project, key) if key else None
        return found

    def keys(self, *projects: Project) -> SimilarKeys:
        """Return an index of all citekeys of some projects, for suggestions."""
        return SimilarKeys(
            key for p in projects for key in (*self._catalog.documents.citekeys(p.id), *self._references(p).records)
        )

    def problems(self, projects: Iterable[Project]) -> list[str]:
        """Return a warning for each project whose references cannot be read."""
        return [
            f"The references of project '{p.id}' cannot be read, and works that only they name are missing: {problem}"
            for p in projects
            if (problem := self._references(p).problem)
        ]

    def all(self, project: Project) -> list[Work]:
        """Return every work of a project, sorted by citekey."""
        by_key: dict[str, list[Document]] = {}
        for document in self._catalog.documents.all(project.id):
            if document.citekey:
                by_key.setdefault(document.citekey, []).append(document)
        works = [_work(key, documents) for key, documents in by_key.items()]
        works += [
            _from_record(record) for key, record in self._references(project).records.items() if key not in by_key
        ]
        return sorted(works, key=lambda work: (work.citekey.casefold(), work.citekey))

    def _with_key(self, project: Project, key: str) -> Work | None:
        if documents := self._catalog.documents.with_citekey(project.id, key):
            return _work(key, documents)
        record = self._references(project).records.get(key)
        return _from_record(record) if record else None

    def _references(self, project: Project) -> _References:
        """Return the project's references; the file is reloaded when it has changed."""
        if not project.references_path:
            return _References()
        path = Path(project.references_path)
        with self._read_lock:
            stamp = file_stamp(path)
            known = self._cache.get(str(path))
            if known is None or known.stamp != stamp:
                # A failure is cached too: otherwise each of a thousand citations would read the broken file.
                known = _read(path, stamp)
                self._cache.put(str(path), known)
        return known


def shared_keys(works: Iterable[Work]) -> list[str]:
    """Return a warning for each citekey that several works share."""
    return [
        f"The citekey {work.citekey} belongs to several works ({'; '.join(t[:60] for t in work.titles[:_MAX_NAMED])}),"
        " and only one of them is used. Give each a citekey of its own."
        for work in works
        if len(work.documents) > 1 and len(work.titles) > 1
    ]


def _read(path: Path, stamp: FileStamp | None) -> _References:
    try:
        records = keyed_records(load_references(path))
    except CiteLoomError as error:
        log.warning("references cannot be read: %s", error)
        return _References(stamp, problem=str(error).replace(str(path), path.name))  # agents must not see folders
    return _References(stamp, {record.citekey: record for record in records})


def _is_readable(document: Document) -> bool:
    return document.state in (State.READY, State.DUPLICATE)


def _work(key: str, documents: list[Document]) -> Work:
    # A file matched only by its own metadata is left out if the work has a file that its record names.
    own = any(d.matched_by in BY_RECORD and d.file_type not in OWN_NOTES for d in documents if _is_readable(d))
    best_first = sorted((d for d in documents if not (own and d.matched_by in BY_FILE)), key=_rank)
    recorded = next((document for document in best_first if document.matched_by), best_first[0])
    return Work(key, tuple(best_first), csl_of(recorded))


def _rank(document: Document) -> tuple[bool, bool, bool, bool, str]:
    return (
        document.file_type in ZOTERO_TEXT_TYPES,
        document.by_agent,
        not _is_readable(document),
        not document.matched_by,
        document.source,
    )


def _from_record(record: Record) -> Work:
    csl = {"type": "document", **record.csl, "id": record.citekey, "citation-key": record.citekey}
    return Work(record.citekey, (), csl)


def csl_of(document: Document) -> dict[str, Any]:
    """Return a document's work as CSL-JSON: its record, completed and corrected by the document's own metadata."""
    known = document.record
    csl: dict[str, Any] = dict(known.get("csl") or {})
    recorded = record_from_csl(csl, files=())
    if document.title and document.title != recorded.title:
        csl["title"] = document.title
    if (authors := known.get("authors")) and authors != list(recorded.authors):
        csl["author"] = [_person(name) for name in authors]
    if (year := known.get("year")) is not None and year != recorded.year:
        csl["issued"] = {"date-parts": [[year]]}
    for name, variable in (("doi", "DOI"), ("url", "URL"), ("item_type", "type"), ("language", "language")):
        if (value := known.get(name)) and value != getattr(recorded, name):
            csl[variable] = value
    if (tags := known.get("tags")) and tags != list(recorded.tags):
        csl["keyword"] = ", ".join(tags)
    return {"type": "document", **csl, "id": document.citekey, "citation-key": document.citekey}


def _person(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    return {"family": family, "given": given} if comma and family and given else {"literal": name}


def _folded(key: str) -> str:
    return key[:_MAX_LENGTH].casefold()


def _trigrams(key: str) -> set[str]:
    return trigrams(" " + _folded(key))  # so that the first letter counts most
