"""The works of a project by their citekeys: those of today, those they had before, and names that come near."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citeloom.bibliography.csl import record_from_csl
from citeloom.bibliography.references import load_references
from citeloom.engine.kept import Kept
from citeloom.engine.near_names import NearNames
from citeloom.errors import CiteLoomError, Code
from citeloom.manuscripts.model import Citation
from citeloom.model import Record
from citeloom.store import Catalog, Document, Project, State

log = logging.getLogger(__name__)

# Texts of the researcher's own about a work come after the work itself.
_ASIDE = ("note", "annotations", "fulltext")
_KEPT = 8
_MOST_NAMED = 10


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
        return tuple(d for d in self.documents if d.state in (State.READY, State.DUPLICATE))


class Works:
    """Finds works by citekey."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._references: Kept[tuple[tuple[int, int], dict[str, Record]]] = Kept(_KEPT)

    def resolve(self, project: Project, key: str) -> Work | None:
        """The work that has this citekey, or had it before."""
        key = key.strip()
        if work := self._today(project, key):
            return work
        now = self._catalog.aliases.current(project.id, key) if key else None
        found = self._today(project, now) if now else None
        return Work(found.citekey, found.documents, found.csl, renamed_from=key) if found else None

    def get(self, project: Project, key: str) -> Work:
        """The work that has this citekey, or CITEKEY_NOT_FOUND with the names that come near."""
        return self.find_all([project], [key])[key]

    def find_all(self, projects: Sequence[Project], keys: Iterable[str]) -> dict[str, Work]:
        """The works of these keys, each from the first project that has it; all that are missing are named at once."""
        works: dict[str, Work] = {}
        missing: dict[str, list[str]] = {}
        for key in dict.fromkeys(keys):
            found = next((work for p in projects if (work := self.resolve(p, key))), None)
            if found:
                works[key] = found
            else:
                missing[key] = [name for p in projects for name in self.names(p).near(key)][:3]
        if missing:
            named = "; ".join(
                f"'{key[:80]}'" + (f" (near: {', '.join(near)})" if near else "")
                for key, near in list(missing.items())[:_MOST_NAMED]
            )
            raise CiteLoomError(
                Code.CITEKEY_NOT_FOUND,
                f"No work has the citekey {named}.",
                "The list of documents gives the citekeys there are.",
                missing=missing,
            )
        return works

    def cited(self, project: Project, citation: Citation) -> Work | None:
        """The work that a manuscript cites by its key or, from a word processor, by its Zotero item or its DOI."""
        found = self.resolve(project, citation.key)
        if found is None and (citation.zotero_items or citation.doi):
            key = self._catalog.documents.citekey_of(project.id, citation.zotero_items, citation.doi)
            found = self._today(project, key) if key else None
        return found

    def names(self, project: Project) -> NearNames:
        """All citekeys of a project, to look for near ones in."""
        return NearNames([*self._catalog.documents.citekeys(project.id), *self._records(project)])

    def all(self, project: Project) -> list[Work]:
        """Every work of a project, by citekey."""
        by_key: dict[str, list[Document]] = {}
        for document in self._catalog.documents.all(project.id):
            if document.citekey:
                by_key.setdefault(document.citekey, []).append(document)
        works = [_work(key, documents) for key, documents in by_key.items()]
        works += [_recorded(record) for key, record in self._records(project).items() if key not in by_key]
        return sorted(works, key=lambda work: (work.citekey.casefold(), work.citekey))

    def _today(self, project: Project, key: str) -> Work | None:
        if documents := self._catalog.documents.with_citekey(project.id, key):
            return _work(key, documents)
        record = self._records(project).get(key)
        return _recorded(record) if record else None

    def _records(self, project: Project) -> dict[str, Record]:
        """What the project's references hold, read again when the file has changed."""
        if not project.references_path:
            return {}
        path = Path(project.references_path)
        try:
            about = path.stat()
            stamp = (about.st_mtime_ns, about.st_size)
            known = self._references.get(str(path))
            if known is None or known[0] != stamp:
                known = (stamp, {record.citekey: record for record in load_references(path).records})
                self._references.keep(str(path), known)
        except (OSError, CiteLoomError) as error:  # an import says what is wrong with them
            log.warning("the references of %s cannot be read: %s", project.id, error)
            return {}
        return known[1]


def _work(key: str, documents: list[Document]) -> Work:
    best_first = sorted(documents, key=_rank)
    recorded = next((document for document in best_first if document.matched_by), best_first[0])
    return Work(key, tuple(best_first), csl_of(recorded))


def _rank(document: Document) -> tuple[bool, bool, bool, str]:
    return (
        document.file_type in _ASIDE,
        document.state not in (State.READY, State.DUPLICATE),
        not document.matched_by,
        document.source,
    )


def _recorded(record: Record) -> Work:
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
