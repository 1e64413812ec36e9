"""Searches a project: checks and embeds the question, searches the index, groups and reranks the hits.

Called by the tools `query` and `query_hybrid`, `citeloom search` and the search page; `evidence` searches
for similar passages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from citeloom.api.search import Query, QueryResult, RerankCost
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.catalog.coverage import EmbeddingState
from citeloom.catalog.projects import Project
from citeloom.core import fault_injection as faults
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import FUSIONS, MAX_TOP_K, Settings
from citeloom.core.types import Coverage
from citeloom.index import filters
from citeloom.index.base import Collection, Fusion, ScoredPoint, SparseVector
from citeloom.index.models.embedding import DenseModel, ModelRegistry
from citeloom.index.models.reranker import Reranker
from citeloom.search.grouping import MAX_ALSO_IN, HitGroup, group_hits
from citeloom.search.hits import search_hit, within_budget
from citeloom.search.indexes import rebuild_step
from citeloom.search.mentions import Mentions, find_mentions
from citeloom.search.project_filters import search_conditions

MAX_QUESTION = 10_000  # characters
_FIRST_PER_HIT, _MAX_FOUND = 3, 1000  # passages requested from the index: at first per wanted hit, and at most
_CANDIDATES = 30  # hits that are reranked
_RERANK_BATCH = 5  # texts scored between two checks of the deadline
_RERANK_SHARE = 0.7  # of a tool's time limit, at which reranking must have ended


@dataclass(slots=True)
class _Timing:
    """Seconds spent on the parts of a query."""

    embedding: float = 0.0
    search: float = 0.0

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Add the duration of the block to a part."""
        began = time.monotonic()
        yield
        setattr(self, part, getattr(self, part) + time.monotonic() - began)


@dataclass
class SearchService:
    """Service of `search.query`, and search for similar passages."""

    _catalog: Catalog
    _models: ModelRegistry
    _settings: Settings
    _collection: Callable[[Project], Collection]

    @handles(Query)
    def query(self, request: Query, cancel: Cancel) -> QueryResult:
        """Return the passages nearest to a question, by meaning alone or by meaning and words."""
        faults.point("search.query", request.text)
        began, search, warnings = time.monotonic(), self._settings.search, list[str]()
        project = self._catalog.projects.get(request.project)
        text, top_k = _checked_question(request.text), self._checked_top_k(request, warnings)
        fusion, timing = self._checked_fusion(request), _Timing()
        hybrid = project.hybrid_enabled if request.hybrid is None else request.hybrid
        if hybrid and not project.hybrid_enabled:
            raise CiteLoomError(
                Code.HYBRID_NOT_SUPPORTED,
                f"Project '{project.id}' has no sparse model.",
                "Use query, or set models.sparse and rebuild the project.",
            )
        wanted = max(top_k, _CANDIDATES) if search.rerank else top_k
        mentions = find_mentions(text, partial(self._catalog.citekey_aliases.current, project.id)) if hybrid else None
        groups = self._groups(
            project,
            request,
            text,
            wanted,
            mentions,
            fusion if hybrid else None,
            cancel=cancel,
            timing=timing,
            warnings=warnings,
        )
        cancel.check()
        limit = self._settings.timeouts.of("query_hybrid" if hybrid else "query")
        cost = self._rerank(text, groups, began + _RERANK_SHARE * limit, cancel, warnings)
        if cost and mentions:  # a cross-encoder sees only the passages, neither keys nor authors
            for group in groups:
                group.score = mentions.boosted(group.merged()).score
        groups = sorted(groups, key=lambda group: -group.score)[:top_k]
        modified = self._file_times(project, groups) if request.details else None
        hits = [
            search_hit(group, max_chars=search.max_chars, full_text=request.full_text, modified=modified)
            for group in groups
        ]
        items, tokens = within_budget(hits, request.max_tokens)
        if omitted := sum(max(0, len(group.also_in) - MAX_ALSO_IN) for group in groups[: len(items)]):
            warnings.append(f"also_in names at most {MAX_ALSO_IN} places; the same is said in {omitted} more.")
        coverage = self._catalog.documents.coverage(project.id)
        warnings += _not_seen(coverage, project, hybrid=hybrid)
        faults.point("search.answered", text)
        return QueryResult(
            items=items,
            count=len(items),
            dense_model=project.dense_model,
            sparse_model=project.sparse_model or None if hybrid else None,
            fusion=fusion.method if hybrid else None,
            reranked=cost,
            coverage=coverage,
            total_tokens=tokens,
            budget_utilized=round(tokens / request.max_tokens, 3) if request.max_tokens else None,
            truncated=len(items) < len(hits),
            truncated_count=len(hits) - len(items),
            warnings=tuple(warnings),
            embedding_seconds=round(timing.embedding, 4),
            search_seconds=round(timing.search, 4),
        )

    def _file_times(self, project: Project, groups: Sequence[HitGroup]) -> dict[str, str | None]:
        """Return the times of the files of the found documents, by id."""
        doc_ids = [str(group.best.payload.get("doc_id", "")) for group in groups]
        return {d.doc_id: d.last_modified for d in self._catalog.documents.by_ids(project.id, doc_ids)}

    def _checked_top_k(self, request: Query, warnings: list[str]) -> int:
        usual, largest = self._settings.search.top_k_of(request.project)
        if request.max_top_k is not None:
            if not 1 <= request.max_top_k <= MAX_TOP_K:
                raise _invalid(f"max_top_k is {request.max_top_k}.", f"Give a number from 1 to {MAX_TOP_K}.")
            largest = request.max_top_k
        top_k = min(usual, largest) if request.top_k is None else request.top_k
        if top_k < 1:
            raise _invalid(f"top_k is {top_k}.", f"Ask for 1 to {largest} passages.")
        if top_k > largest:
            allowed = "the most that can be asked for" if request.max_top_k else "the most that the settings allow"
            warnings.append(f"top_k was lowered from {top_k} to {largest}, {allowed}.")
            top_k = largest
        for name, value in (("max_tokens", request.max_tokens), ("per_document", request.per_document)):
            if value is not None and value < 1:
                raise _invalid(f"{name} is {value}.", "Give a positive number, or leave it out.")
        return top_k

    def _groups(
        self,
        project: Project,
        request: Query,
        text: str,
        wanted: int,
        mentions: Mentions | None,
        fusion: Fusion | None,
        *,
        cancel: Cancel,
        timing: _Timing,
        warnings: list[str],
    ) -> list[HitGroup]:
        """Embed the question, search the index and group the hits, with a growing limit until there are enough."""
        search = self._settings.search
        where = search_conditions(
            self._catalog, project, request.filters, warnings, include_references=search.include_references
        )
        embedded = self._catalog.documents.embedding_state(project.id)
        model = self._model(project) if embedded is not EmbeddingState.NONE else None
        cancel.check()
        with timing.of("embedding"):
            dense = model.embed_query(text) if model else None
            sparse = self._sparse(project, text) if fusion else None
        cancel.check()
        collection, some_without_vector = self._collection(project), embedded is not EmbeddingState.ALL
        find = partial(collection.search, dense, sparse, fusion=fusion, some_without_vector=some_without_vector)
        unembedded = collection.scroll if some_without_vector else None
        limit = _FIRST_PER_HIT * wanted
        while True:
            with timing.of("search"):
                found = _search_with_mentions(find, limit, where, mentions, unembedded)
            groups = group_hits(found, wanted, per_document=request.per_document, max_chars=search.max_chars)
            # Duplicates and limits per work reduce the number of groups.
            if len(groups) >= wanted or len(found) < limit or limit >= _MAX_FOUND:
                return groups
            cancel.check()
            limit = min(_MAX_FOUND, 4 * limit)

    def _model(self, project: Project) -> DenseModel:
        """Return the model of a project; raise EMBEDDING_MISMATCH if its vectors are of another version."""
        model = self._models.dense(project.dense_model)
        if model.info.fingerprint != project.dense_fingerprint:
            raise CiteLoomError(
                Code.EMBEDDING_MISMATCH,
                f"The model {project.dense_model} is not the one that project '{project.id}' was built with.",
                rebuild_step(project.id),
            )
        return model

    def _rerank(
        self, text: str, groups: list[HitGroup], deadline: float, cancel: Cancel, warnings: list[str]
    ) -> RerankCost | None:
        """Rerank with the cross-encoder of the settings; None if there is none or it failed."""
        if not self._settings.search.rerank or not groups:
            return None
        try:
            cost = rerank(self._models.reranker(self._settings.search.rerank), text, groups, deadline, cancel)
        except CiteLoomError as error:
            if error.code not in (Code.MODEL_NOT_AVAILABLE, Code.EMBEDDING_FAILED):
                raise
            warnings.append(f"Not reranked: {error}")
            return None
        if cost is None:
            warnings.append("Not reranked: there was no time for it. Ask for less at once, or choose a smaller model.")
        return cost

    def _sparse(self, project: Project, text: str) -> SparseVector:
        """Return the sparse vector of a question, in the languages of the project's documents."""
        languages = self._catalog.documents.languages(project.id)
        return self._models.sparse(project.sparse_model).embed_query(text, languages)

    def _checked_fusion(self, request: Query) -> Fusion:
        method = request.fusion or self._settings.search.fusion
        if method not in FUSIONS:
            raise _invalid(f"There is no fusion '{method[:40]}'.", f"It can be: {', '.join(FUSIONS)}.")
        return Fusion(method, self._settings.search.rrf_k)

    def similar(self, project: Project, texts: Sequence[str], top_k: int, cancel: Cancel) -> list[ScoredPoint]:
        """Return the passages nearest to any of these texts by words and meaning, including reference lists."""
        collection, embedded = self._collection(project), self._catalog.documents.embedding_state(project.id)
        model = self._models.dense(project.dense_model) if embedded is not EmbeddingState.NONE else None
        search = self._settings.search
        fusion = Fusion(search.fusion, search.rrf_k) if project.hybrid_enabled else None
        some_without_vector = embedded is not EmbeddingState.ALL
        found: dict[str, ScoredPoint] = {}
        for text in texts:
            cancel.check()
            dense = model.embed_query(text) if model else None
            sparse = self._sparse(project, text) if fusion else None
            for hit in collection.search(dense, sparse, top_k, fusion=fusion, some_without_vector=some_without_vector):
                if hit.id not in found or found[hit.id].score < hit.score:
                    found[hit.id] = hit
        return sorted(found.values(), key=lambda hit: -hit.score)

    def best_score_in(self, project: Project, text: str, doc_ids: Sequence[str]) -> float | None:
        """Return the score of the nearest passage of some documents by meaning, from 0 to 1.

        None if they have no passages, or some that are not embedded yet: one of these may be nearer.
        """
        collection, where = self._collection(project), filters.AnyOf("doc_id", tuple(doc_ids))
        embedded = self._catalog.documents.embedding_state(project.id)
        if embedded is not EmbeddingState.ALL and collection.count_without_vectors(where):
            return None
        vector = self._models.dense(project.dense_model).embed_query(text)
        return next((hit.score for hit in collection.search(vector, None, 1, where)), None)


def _search_with_mentions(
    find: Callable[..., list[ScoredPoint]],
    limit: int,
    where: filters.Condition,
    mentions: Mentions | None,
    unembedded: Callable[[filters.Condition, int], list[ScoredPoint]] | None,
) -> list[ScoredPoint]:
    """Return the nearest passages, best first; mentioned ones are also searched for separately and rank higher.

    A search by words alone does not find a passage that shares no word with its citekey: with `unembedded`, mentioned
    passages that have no vector are read too.
    """
    found = find(limit=limit, where=where)
    if mentions is None or (mentioned := mentions.condition()) is None:
        return found
    known = {hit.id for hit in found}
    # Some only contain the words: the ranks of this smaller search would overrate them.
    others = {hit.id: hit for hit in find(limit=limit, where=filters.Every((where, mentioned)))}
    if unembedded:
        for hit in unembedded(filters.Every((where, mentioned, filters.WITHOUT_VECTOR)), limit):
            others.setdefault(hit.id, replace(hit, score=0.0, by_words_only=True))
    found += [hit for id, hit in others.items() if id not in known and mentions.share(hit.payload)]
    return sorted(map(mentions.boosted, found), key=lambda hit: (-hit.score, hit.id))


def rerank(
    reranker: Reranker, question: str, groups: Sequence[HitGroup], deadline: float, cancel: Cancel
) -> RerankCost | None:
    """Set the scores of hits to the cross-encoder's; None, without changes, if `deadline` would be missed."""
    began, scores = time.monotonic(), list[float]()
    texts = [str(group.merged().payload.get("chunk_text", "")) for group in groups]
    for start in range(0, len(texts), _RERANK_BATCH):
        cancel.check()
        # The time of the first batches predicts the rest.
        seconds_per_text = (time.monotonic() - began) / start if start else 0.0
        if time.monotonic() + seconds_per_text * (len(texts) - start) > deadline:
            return None
        scores += reranker.scores(question, texts[start : start + _RERANK_BATCH])
    for group, score in zip(groups, scores, strict=True):
        group.score = round(min(1.0, max(0.0, score)), 4)
    return RerankCost(reranker.name, len(texts), round(time.monotonic() - began, 3))


def _not_seen(coverage: Coverage, project: Project, *, hybrid: bool) -> list[str]:
    """Return a note about the searchable documents that were not compared by meaning, if there are any."""
    count = coverage.searchable - coverage.by_meaning
    if not count:
        return []
    verb = "is" if count == 1 else "are"
    if hybrid:
        return [f"{count} of {coverage.searchable} documents {verb} found by words only, until embedded."]
    step = "query_hybrid finds them by their words" if project.hybrid_enabled else "found as soon as they are"
    return [f"{count} of {coverage.searchable} searchable documents {verb} not embedded yet: {step}."]


def _checked_question(text: str) -> str:
    question = " ".join(text.split())
    if not question:
        raise _invalid("The question is empty.", "Write what you look for in a few words or a sentence.")
    if len(question) > MAX_QUESTION:
        raise _invalid(
            f"The question has {len(question):,} characters; at most {MAX_QUESTION:,} are read.",
            "Ask for the one thing you look for.",
        )
    return question


def _invalid(problem: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, problem, next_step)
