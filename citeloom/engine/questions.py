"""The way of a question: check, embed, one search, shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from citeloom.config import Settings
from citeloom.engine.answers import as_hit, within_budget
from citeloom.engine.cancel import Cancel
from citeloom.errors import CiteLoomError, Code
from citeloom.index import filters
from citeloom.index.collection import Collection, Fusion, Hit
from citeloom.index.models import ModelShelf
from citeloom.ingest.passages import stored_passage_id
from citeloom.store import Catalog, Project

LONGEST_QUESTION = 10_000
_MOST_NEIGHBOURS = 10


class Questions:
    """Answers questions about one project at a time."""

    def __init__(
        self,
        catalog: Catalog,
        models: ModelShelf,
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
    ) -> dict[str, Any]:
        """The passages nearest to a question, by meaning alone or by meaning and words."""
        search, warnings = self._settings.search, list[str]()
        text = _question(text)
        top_k = search.top_k if top_k is None else top_k
        if top_k < 1:
            raise _invalid(f"top_k is {top_k}.", f"Ask for 1 to {search.max_top_k} passages.")
        if top_k > search.max_top_k:
            warnings.append(f"top_k was lowered from {top_k} to {search.max_top_k}, the most that the settings allow.")
            top_k = search.max_top_k
        if max_tokens is not None and max_tokens < 1:
            raise _invalid(f"max_tokens is {max_tokens}.", "Give a positive number, or leave it out.")
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
        sparse = self._models.sparse(project.sparse_model).embed_query(text) if hybrid else None
        cancel.check()
        fusion = Fusion(search.fusion, search.rrf_k) if hybrid else None
        found = self._collection(project).search(dense, sparse, top_k, where, fusion)
        cancel.check()
        hits = [as_hit(h, max_chars=search.max_chars, full_text=full_text) for h in found]
        kept, budget = within_budget(hits, max_tokens)
        return {
            "items": kept,
            "count": len(kept),
            "dense_model": project.dense_model,
            "sparse_model": project.sparse_model or None if hybrid else None,
            "fusion": search.fusion if hybrid else None,
            "coverage": self._catalog.documents.coverage(project.id),
            **budget,
            "warnings": warnings,
        }

    def alike(self, project: Project, texts: Sequence[str], top_k: int, cancel: Cancel) -> list[Hit]:
        """The passages nearest to any of these texts, by words and meaning, lists of references included."""
        collection, model = self._collection(project), self._models.for_questions(project.dense_model)
        sparse = self._models.sparse(project.sparse_model) if project.hybrid_enabled else None
        fusion = Fusion(self._settings.search.fusion, self._settings.search.rrf_k) if sparse else None
        found: dict[str, Hit] = {}
        for text in texts:
            cancel.check()
            words = sparse.embed_query(text) if sparse else None
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
