"""Reads passages by id, with their neighbours and their page.

Called by the tool `get_passage`, `citeloom show` and the search page; `library` looks passages up by id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from citeloom.api.search import GetPassage, Neighbour, NoteOnPassage, PageText, PassageResult
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import stored_passage_id
from citeloom.core.types import Page
from citeloom.index import filters
from citeloom.index.base import Collection, ScoredPoint
from citeloom.search.hits import found_passage, neighbour

_MAX_CONTEXT = 10


@dataclass
class PassageService:
    """Service of `search.get_passage`, and lookup of passages by id.

    `read_page` returns the text of a page of a document, by project, doc_id and PDF page; `note_links` the notes on a
    passage that a client may see.
    """

    _catalog: Catalog
    _collection: Callable[[Project], Collection]
    _read_page: Callable[[Project, str, int | None], Page | None]
    _note_links: Callable[[Project, ScoredPoint, frozenset[str] | None], Sequence[NoteOnPassage]]

    @handles(GetPassage)
    def get_passage(self, request: GetPassage) -> PassageResult:
        """Return a complete passage, its neighbours, and the page on which it begins."""
        chunk_id, context = request.chunk_id, request.context
        visible = None if request.visible is None else frozenset(request.visible)
        if not 0 <= context <= _MAX_CONTEXT:
            raise CiteLoomError(
                Code.INVALID_INPUT,
                f"context is {context}.",
                f"Ask for 0 to {_MAX_CONTEXT} neighbours on each side.",
            )
        if request.project is None:
            project, hit = self._find_anywhere(chunk_id)
        else:
            project = self._catalog.projects.get(request.project)
            hit = self.get(project, chunk_id)
        before, after = self._neighbours(project, hit, context)
        page = self._read_page(project, hit.payload["doc_id"], hit.payload.get("page_start"))
        return PassageResult(
            project=project.id,
            passage=found_passage(hit, full_text=True),
            refined_from=None if hit.id in _possible_ids(project, chunk_id) else chunk_id,
            before=before,
            after=after,
            links=tuple(self._note_links(project, hit, visible)),
            page=PageText(**asdict(page), label=page.label) if page else None,
        )

    def get(self, project: Project, chunk_id: str) -> ScoredPoint:
        """Return a passage of a project by its id, or raise PASSAGE_NOT_FOUND."""
        if hit := self.find(project, chunk_id):
            return hit
        raise CiteLoomError(
            Code.PASSAGE_NOT_FOUND,
            f"No passage {chunk_id[:60]!r} in this project.",
            "Its document may have changed since: search again and use the chunk_id of a hit.",
        )

    def find(self, project: Project, chunk_id: str) -> ScoredPoint | None:
        """Return a passage by its id, by the id an agent gave it, or by the id it had before it was refined."""
        collection, ids = self._collection(project), _possible_ids(project, chunk_id)
        if found := collection.get(ids):
            return found[0]
        replacement = self._catalog.replaced_passages.find(project.id, ids[-1])
        return next(iter(collection.get([replacement])), None) if replacement else None

    def _find_anywhere(self, chunk_id: str) -> tuple[Project, ScoredPoint]:
        unreachable: CiteLoomError | None = None
        for project in self._catalog.projects.all():
            try:
                hit = self.find(project, chunk_id)
            except CiteLoomError as error:  # it may be in another one
                unreachable = error
                continue
            if hit:
                return project, hit
        raise unreachable or CiteLoomError(
            Code.PASSAGE_NOT_FOUND, f"No project has a passage {chunk_id!r}.", "'citeloom search' shows the ids."
        )

    def _neighbours(
        self, project: Project, hit: ScoredPoint, context: int
    ) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
        """Return the passages before and after one in its document, in reading order."""
        if not context:
            return (), ()
        index = hit.payload["chunk_index"]
        near = filters.Every(
            (
                filters.of_document(hit.payload["doc_id"]),
                filters.AnyOf("version", (hit.payload["version"],)),
                filters.Range("chunk_index", gte=index - context, lte=index + context),
            )
        )
        around = self._collection(project).scroll(near, 2 * context + 1)
        at = next((i for i, other in enumerate(around) if other.id == hit.id), len(around))
        return tuple(map(neighbour, around[:at])), tuple(map(neighbour, around[at + 1 :]))


def _possible_ids(project: Project, chunk_id: str) -> list[str]:
    """Return the point ids that a passage may have in the index."""
    ids = [stored_passage_id(project.id, chunk_id)]
    try:
        ids.append(str(UUID(chunk_id)))
    except ValueError:
        pass
    return ids
