"""Instruction prefixes of embedding models for questions and passages, which fastembed does not add."""

from __future__ import annotations

from dataclasses import dataclass

from citeloom.core.errors import CiteLoomError, Code


@dataclass(frozen=True, slots=True)
class Instruction:
    """Prefixes of the texts that a model embeds."""

    question: str = ""
    passage: str = ""


_NONE = Instruction()
_SEARCHING = Instruction("Represent this sentence for searching relevant passages: ")
# By prefix of the model's name, from the model cards; the longest matching prefix counts. jina v3 has tasks instead,
# which fastembed sets.
_BY_FAMILY = {
    "baai/bge-": _SEARCHING,
    "baai/bge-small-zh": Instruction("为这个句子生成表示以用于检索相关文章："),
    "mixedbread-ai/mxbai-embed": _SEARCHING,
    "snowflake/snowflake-arctic-embed": _SEARCHING,
    "nomic-ai/nomic-embed-text": Instruction("search_query: ", "search_document: "),
    "intfloat/multilingual-e5": Instruction("query: ", "passage: "),
    "google/embeddinggemma": Instruction("task: search result | query: ", "title: none | text: "),
    "qwen/qwen3-embedding": Instruction(
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
    ),
    "citeloom/": _NONE,
    "sentence-transformers/": _NONE,
    "jinaai/jina-embeddings": _NONE,
    "thenlper/gte": _NONE,
    "ibm-granite/granite-embedding": _NONE,
    "minishlab/potion": _NONE,
}


def instruction(model: str) -> Instruction:
    """Return the prefixes of a model. Raises MODEL_NOT_AVAILABLE for an unknown family, which would work badly."""
    fitting = [family for family in _BY_FAMILY if model.lower().startswith(family)]
    if not fitting:
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{model}' is of a kind that CiteLoom cannot use.",
            "Choose another model: 'citeloom models list' names them.",
        )
    return _BY_FAMILY[max(fitting, key=len)]
