"""Finds the works of a project by their citekeys, current or former. Used by every verb of evidence."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citeloom.bibliography.csl_json import normalise_doi, record_from_csl
from citeloom.bibliography.references import load_references
from citeloom.catalog import Catalog
from citeloom.catalog.documents import TEXTS_OF_ZOTERO, Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.lru_cache import LruCache
from citeloom.core.types import Record
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.similar_keys import SimilarKeys
from citeloom.importing.stages.match import BY_FILE, BY_RECORD, with_keys

log = logging.getLogger(__name__)

_CACHED = 32  # files of references
_MAX_NAMED, _MAX_KEY = 10, 80  # citekeys named in a message, and their characters


@dataclass(frozen=True, slots=True)
class Work:
    """A work that can be cited."""

    citekey: str
    documents: tuple[Document, ...] = ()  # the work's own text first; none where only the references know it
    csl: Mapping[str, Any] = field(default_factory=dict)
    renamed_from: str | None = None  # the older key that it was asked for by

    @property
    def title(self) -> str:
        """Its title, or its key where it has none."""
        return str(self.csl.get("title") or self.citekey)

    @property
    def readable(self) -> tuple[Document, ...]:
        """The documents that have a text."""
        return tuple(filter(_is_readable, self.documents))

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of its records: several where works that have nothing to do with each other share the key."""
        said = (record_from_csl(d.record.get("csl") or {}, files=()).title for d in self.documents if d.matched_by)
        return tuple({title.casefold(): title for title in said if title}.values())


@dataclass(frozen=True, slots=True)
class _References:
    """What a file of references holds, or why it could not be read."""

    stamp: tuple[int, int] = (0, 0)
    records: Mapping[str, Record] = field(default_factory=dict)
    problem: str = ""


class Works:
    """Finds works by citekey."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._cache: LruCache[_References] = LruCache(_CACHED)
        self._reading = threading.Lock()  # a large file takes seconds, and is read once

    def resolve(self, project: Project, key: str) -> Work | None:
        """The work that has this citekey, or had it before."""
        key = key.strip()
        if work := self._with_key(project, key):
            return work
        now = self._catalog.citekey_aliases.current(project.id, key) if key else None
        found = self._with_key(project, now) if now else None
        return Work(found.citekey, found.documents, found.csl, renamed_from=key) if found else None

    def get(self, project: Project, key: str) -> Work:
        """The work that has this citekey, or CITEKEY_NOT_FOUND with similar ones."""
        return self.find_all([project], [key])[key]

    def find_all(self, projects: Sequence[Project], keys: Iterable[str]) -> dict[str, Work]:
        """The works of these keys, each from the first project that has it; all that are missing are named at once."""
        keys = list(dict.fromkeys(keys))
        works: dict[str, Work] = {}
        for project in projects:
            for key in keys:
                known = works.get(key)
                # A key that some work has today means that one, wherever another had it before.
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
            "The list of documents gives the citekeys there are.",
            missing=near,
        )

    def cited(self, project: Project, citation: Citation) -> Work | None:
        """The work that a manuscript cites by its key or, from a word processor, by its Zotero item or its DOI."""
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
        """An index of all citekeys of some projects, for suggestions."""
        return SimilarKeys(
            key for p in projects for key in (*self._catalog.documents.citekeys(p.id), *self._references(p).records)
        )

    def problems(self, projects: Iterable[Project]) -> list[str]:
        """Which references cannot be read, so that works which only they know are missing."""
        return [
            f"The references of project '{p.id}' cannot be read, and works that only they name are missing: {problem}"
            for p in projects
            if (problem := self._references(p).problem)
        ]

    def all(self, project: Project) -> list[Work]:
        """Every work of a project, by citekey."""
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
        """The project's references, read again when the file has changed."""
        if not project.references_path:
            return _References()
        path = Path(project.references_path)
        with self._reading:
            stamp = _stamp(path)
            known = self._cache.get(str(path))
            if known is None or known.stamp != stamp:
                # A failure is cached too: the file would not read better for the next of a thousand citations.
                known = _read(path, stamp)
                self._cache.put(str(path), known)
        return known


def shared_keys(works: Iterable[Work]) -> list[str]:
    """Citekeys that several works have: what a citation by them means, nobody can know."""
    return [
        f"The citekey {work.citekey} belongs to several works ({'; '.join(t[:60] for t in work.titles[:_MAX_NAMED])}),"
        " and only one of them is used. Give each a citekey of its own."
        for work in works
        if len(work.documents) > 1 and len(work.titles) > 1
    ]


def _stamp(path: Path) -> tuple[int, int]:
    try:
        about = path.stat()
    except OSError:  # reading it says what is wrong
        return 0, 0
    return about.st_mtime_ns, about.st_size


def _read(path: Path, stamp: tuple[int, int]) -> _References:
    try:
        records = with_keys(load_references(path))
    except CiteLoomError as error:
        log.warning("references cannot be read: %s", error)
        return _References(stamp, problem=str(error).replace(str(path), path.name))  # agents need no folders
    return _References(stamp, {record.citekey: record for record in records})


def _is_readable(document: Document) -> bool:
    return document.state in (State.READY, State.DUPLICATE)


def _work(key: str, documents: list[Document]) -> Work:
    # Until an import has matched them again, files that only say they are a work which has its own file are left out.
    own = any(
        d.matched_by in BY_RECORD and d.file_type not in ("note", "annotations") for d in documents if _is_readable(d)
    )
    best_first = sorted((d for d in documents if not (own and d.matched_by in BY_FILE)), key=_rank)
    recorded = next((document for document in best_first if document.matched_by), best_first[0])
    return Work(key, tuple(best_first), csl_of(recorded))


def _rank(document: Document) -> tuple[bool, bool, bool, bool, str]:
    return (
        document.file_type in TEXTS_OF_ZOTERO,
        document.by_agent,
        not _is_readable(document),
        not document.matched_by,
        document.source,
    )


def _from_record(record: Record) -> Work:
    csl = {"type": "document", **record.csl, "id": record.citekey, "citation-key": record.citekey}
    return Work(record.citekey, (), csl)


def csl_of(document: Document) -> dict[str, Any]:
    """A document's work as CSL-JSON: its record, and where that is silent or was corrected, what the document says."""
    known = document.record
    csl: dict[str, Any] = dict(known.get("csl") or {})
    said = record_from_csl(csl, files=())
    if document.title and document.title != said.title:
        csl["title"] = document.title
    if (authors := known.get("authors")) and authors != list(said.authors):
        csl["author"] = [_person(name) for name in authors]
    if (year := known.get("year")) is not None and year != said.year:
        csl["issued"] = {"date-parts": [[year]]}
    for name, variable in (("doi", "DOI"), ("url", "URL"), ("item_type", "type"), ("language", "language")):
        if (value := known.get(name)) and value != getattr(said, name):
            csl[variable] = value
    if (tags := known.get("tags")) and tags != list(said.tags):
        csl["keyword"] = ", ".join(tags)
    return {"type": "document", **csl, "id": document.citekey, "citation-key": document.citekey}


def _person(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    return {"family": family, "given": given} if comma and family and given else {"literal": name}
