"""The way of a question: check, embed, search, choose, shape."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core import fault_injection as faults
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Settings
from citeloom.importing.ids import stored_passage_id
from citeloom.index import filters
from citeloom.index.base import Collection, Fusion, Hit, SparseVector
from citeloom.index.models.embedding import ModelRegistry
from citeloom.search.grouping import MOST_NAMED, Chosen, choose
from citeloom.search.hits import as_hit, as_shown, within_budget
from citeloom.search.mentions import Mentions, named
from citeloom.search.rerank import CANDIDATES, rerank

LONGEST_QUESTION = 10_000
_MOST_NEIGHBOURS = 10
_FOUND_AT_FIRST, _MOST_FOUND = 3, 1000  # passages looked at: so many for each that is wanted, and at the very most
_SHARE_FOR_RERANKING = 0.7  # of a tool's time, after which the answer must be made


class SearchService:
    """Answers questions about one project at a time."""

    def __init__(
        self,
        catalog: Catalog,
        models: ModelRegistry,
        settings: Settings,
        collection: Callable[[Project], Collection],
    ) -> None:
        self._catalog = catalog
        self._models = models
        self._settings = settings
        self._collection = collection

    def query(
        self,
        project: Project,
        text: str,
        *,
        hybrid: bool,
        cancel: Cancel,
        top_k: int | None = None,
        filter_by: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        full_text: bool = False,
        per_document: int | None = None,
    ) -> dict[str, Any]:
        """The passages nearest to a question, by meaning alone or by meaning and words."""
        faults.point("search.query", text)
        began, search, warnings = time.monotonic(), self._settings.search, list[str]()
        text = _question(text)
        top_k = search.top_k if top_k is None else top_k
        if top_k < 1:
            raise _invalid(f"top_k is {top_k}.", f"Ask for 1 to {search.max_top_k} passages.")
        if top_k > search.max_top_k:
            warnings.append(f"top_k was lowered from {top_k} to {search.max_top_k}, the most that the settings allow.")
            top_k = search.max_top_k
        for name, value in (("max_tokens", max_tokens), ("per_document", per_document)):
            if value is not None and value < 1:
                raise _invalid(f"{name} is {value}.", "Give a positive number, or leave it out.")
        if hybrid and not project.hybrid_enabled:
            raise CiteLoomError(
                Code.HYBRID_NOT_SUPPORTED,
                f"Project '{project.id}' has no sparse model.",
                "Use query, or set models.sparse and rebuild the project.",
            )
        filter_by = self._with_keys_of_today(project, filter_by, warnings)
        where = filters.search_conditions(filter_by, include_references=search.include_references)
        model = self._models.for_questions(project.dense_model)
        if model.info.fingerprint != project.dense_fingerprint:
            raise CiteLoomError(
                Code.EMBEDDING_MISMATCH,
                f"The model {project.dense_model} is not the one that project '{project.id}' was built with.",
                f"Build it anew; on the command line: citeloom ingest {project.id} --force-rebuild.",
            )
        cancel.check()
        dense = model.embed_query(text)
        sparse = self._words(project, text) if hybrid else None
        cancel.check()
        look = partial(self._collection(project).search, dense, sparse, fusion=self._fusion(hybrid))
        names = named(text, partial(self._catalog.aliases.current, project.id)) if hybrid else None
        wanted = max(top_k, CANDIDATES) if search.rerank else top_k
        most = _FOUND_AT_FIRST * wanted
        while True:
            found = _found(look, most, where, names)
            chosen = choose(found, wanted, per_document=per_document, max_chars=search.max_chars)
            # Passages that say the same, or are too many of one work, leave room for others.
            if len(chosen) >= wanted or len(found) < most or most >= _MOST_FOUND:
                break
            cancel.check()
            most = min(_MOST_FOUND, 4 * most)
        cancel.check()
        limit = self._settings.timeouts.of("query_hybrid" if hybrid else "query")
        cost = self._reranked(text, chosen, began + _SHARE_FOR_RERANKING * limit, cancel, warnings)
        if cost and names:  # a cross-encoder reads passages alone, and knows neither keys nor authors
            for one in chosen:
                one.score = names.lifted(one.as_one()).score
        chosen = sorted(chosen, key=lambda one: -one.score)[:top_k]
        hits = [as_shown(one, max_chars=search.max_chars, full_text=full_text) for one in chosen]
        kept, budget = within_budget(hits, max_tokens)
        if unnamed := sum(max(0, len(one.also_in) - MOST_NAMED) for one in chosen[: len(kept)]):
            warnings.append(f"also_in names at most {MOST_NAMED} places; the same is said in {unnamed} more.")
        faults.point("search.answered", text)
        return {
            "items": kept,
            "count": len(kept),
            "dense_model": project.dense_model,
            "sparse_model": project.sparse_model or None if hybrid else None,
            "fusion": search.fusion if hybrid else None,
            "reranked": cost,
            "coverage": self._catalog.documents.coverage(project.id),
            **budget,
            "warnings": warnings,
        }

    def _reranked(
        self, text: str, chosen: list[Chosen], until: float, cancel: Cancel, warnings: list[str]
    ) -> dict[str, Any] | None:
        """Let the cross-encoder of the settings judge the passages; what that cost, None where it did not."""
        if not self._settings.search.rerank or not chosen:
            return None
        try:
            cost = rerank(self._models.reranker(self._settings.search.rerank), text, chosen, until, cancel)
        except CiteLoomError as error:
            if error.code not in (Code.MODEL_NOT_AVAILABLE, Code.EMBEDDING_FAILED):
                raise
            warnings.append(f"Not reranked: {error}")
            return None
        if cost is None:
            warnings.append("Not reranked: there was no time for it. Ask for less at once, or choose a smaller model.")
        return cost

    def _words(self, project: Project, text: str) -> SparseVector:
        """The weighted words of a question, as documents in the project's languages have them."""
        languages = self._catalog.documents.languages(project.id)
        return self._models.sparse(project.sparse_model).embed_query(text, languages)

    def _fusion(self, hybrid: bool) -> Fusion | None:
        return Fusion(self._settings.search.fusion, self._settings.search.rrf_k) if hybrid else None

    def alike(self, project: Project, texts: Sequence[str], top_k: int, cancel: Cancel) -> list[Hit]:
        """The passages nearest to any of these texts, by words and meaning, lists of references included."""
        collection, model = self._collection(project), self._models.for_questions(project.dense_model)
        fusion = self._fusion(project.hybrid_enabled)
        found: dict[str, Hit] = {}
        for text in texts:
            cancel.check()
            words = self._words(project, text) if fusion else None
            for hit in collection.search(model.embed_query(text), words, top_k, fusion=fusion):
                if hit.id not in found or found[hit.id].score < hit.score:
                    found[hit.id] = hit
        return sorted(found.values(), key=lambda hit: -hit.score)

    def nearest_in(self, project: Project, text: str, doc_ids: Sequence[str]) -> float | None:
        """How near the nearest passage of some documents comes to a text, from 0 to 1; None where they have none."""
        vector = self._models.for_questions(project.dense_model).embed_query(text)
        where = filters.AnyOf("doc_id", tuple(doc_ids))
        return next((hit.score for hit in self._collection(project).search(vector, None, 1, where)), None)

    def _with_keys_of_today(
        self, project: Project, filter_by: Mapping[str, Any] | None, warnings: list[str]
    ) -> Mapping[str, Any] | None:
        """The filter with citekeys that were renamed replaced by what they are now, and that said."""
        if not isinstance(filter_by, Mapping) or "citekey" not in filter_by:
            return filter_by

        def today(value: Any) -> Any:
            if isinstance(value, list):
                return [today(one) for one in value]
            if isinstance(value, Mapping):
                return {operator: today(one) for operator, one in value.items()}
            now = self._catalog.aliases.current(project.id, value) if isinstance(value, str) else None
            if now:
                warnings.append(f"The citekey {value} is {now} now.")
            return now or value

        return {**filter_by, "citekey": today(filter_by["citekey"])}

    def passage(self, project: Project, chunk_id: str, context: int) -> tuple[dict[str, Any], Hit]:
        """One passage whole, with the ones before and after it in its document."""
        if not 0 <= context <= _MOST_NEIGHBOURS:
            raise _invalid(f"context is {context}.", f"Ask for 0 to {_MOST_NEIGHBOURS} neighbours on each side.")
        collection = self._collection(project)
        hit = self.find_passage(project, chunk_id)
        if hit is None:
            raise CiteLoomError(
                Code.PASSAGE_NOT_FOUND,
                f"No passage {chunk_id[:60]!r} in this project.",
                "Its document may have changed since: search again and use the chunk_id of a hit.",
            )
        index = hit.payload["chunk_index"]
        near = filters.Every(
            (
                filters.AnyOf("doc_id", (hit.payload["doc_id"],)),
                filters.AnyOf("version", (hit.payload["version"],)),
                filters.Range("chunk_index", gte=index - context, lte=index + context),
            )
        )
        around = collection.scroll(near, 2 * context + 1) if context else []
        whole = [as_hit(h, max_chars=10**9, full_text=False) for h in around]
        own = as_hit(hit, max_chars=10**9, full_text=True)
        own.pop("score")
        neighbours = [
            {key: n[key] for key in ("chunk_id", "render_text", "section_path", "page_span", "page_labels", "cite")}
            for n in whole
        ]
        at = next((i for i, n in enumerate(neighbours) if n["chunk_id"] == own["chunk_id"]), len(neighbours))
        return {
            "passage": own,
            # The id that was asked for, where its document has been read better since it was given out.
            "refined_from": None if hit.id in _ids(project, chunk_id) else chunk_id,
            "before": neighbours[:at],
            "after": neighbours[at + 1 :],
            "links": [],
        }, hit

    def find_passage(self, project: Project, chunk_id: str) -> Hit | None:
        """A passage by its id, by the id that an agent stored it under, or by one it had before it was refined."""
        collection, ids = self._collection(project), _ids(project, chunk_id)
        if found := collection.get(ids):
            return found[0]
        became = self._catalog.refined.find(project.id, ids[-1])
        return next(iter(collection.get([became])), None) if became else None


def _found(look: Callable[..., list[Hit]], most: int, where: filters.Condition, names: Mentions | None) -> list[Hit]:
    """The nearest passages, best first; those that the question names are looked for by that too, and rank higher."""
    found = look(limit=most, where=where)
    if names is None or (named_ones := names.condition()) is None:
        return found
    known = {hit.id for hit in found}
    # Some only hold the words: by the ranks of this smaller search, they would seem to be better than they are.
    others = look(limit=most, where=filters.Every((where, named_ones)))
    found += [hit for hit in others if hit.id not in known and names.share(hit.payload)]
    return sorted(map(names.lifted, found), key=lambda hit: (-hit.score, hit.id))


def _ids(project: Project, chunk_id: str) -> list[str]:
    """What a passage that somebody names may be kept under."""
    ids = [stored_passage_id(project.id, chunk_id)]
    try:
        ids.append(str(UUID(chunk_id)))
    except ValueError:
        pass
    return ids


def _question(text: str) -> str:
    question = " ".join(text.split())
    if not question:
        raise _invalid("The question is empty.", "Write what you look for in a few words or a sentence.")
    if len(question) > LONGEST_QUESTION:
        raise _invalid(
            f"The question has {len(question):,} characters; at most {LONGEST_QUESTION:,} are read.",
            "Ask for the one thing you look for.",
        )
    return question


def _invalid(problem: str, next_step: str) -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, problem, next_step)
