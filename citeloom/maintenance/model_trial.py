"""A trial of a model: whether it tells near texts from far ones, in which languages, how fast, in how much memory."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.processes import megabytes
from citeloom.index.models.available import is_downloaded, main_languages, rerankers
from citeloom.index.models.embedding import DenseModel
from citeloom.index.models.loading import check_known
from citeloom.index.models.reranker import Reranker
from citeloom.index.models.stemming import LANGUAGES

if TYPE_CHECKING:
    from citeloom.engine.container import Service


@dataclass(frozen=True, slots=True)
class _Words:
    """A question, a passage that answers it, and one that speaks of something else."""

    question: str
    near: str
    far: str


_ENGLISH = _Words(
    "How often are quotations wrong?",
    "About one in four citations in medical journals contains an error.",
    "Corals recover slowly after the water has been too warm.",
)
_WORDS = {
    "en": _ENGLISH,
    "de": _Words(
        "Wie oft sind Zitate falsch?",
        "Etwa jede vierte Zitation in medizinischen Zeitschriften enthält einen Fehler.",
        "Korallen erholen sich langsam, nachdem das Wasser zu warm war.",
    ),
    "fr": _Words(
        "Combien de citations sont fausses ?",
        "Environ une citation sur quatre dans les revues médicales contient une erreur.",
        "Les coraux se rétablissent lentement après un réchauffement de l'eau.",
    ),
    "es": _Words(
        "¿Con qué frecuencia son incorrectas las citas?",
        "Cerca de una de cada cuatro citas en revistas médicas contiene un error.",
        "Los corales se recuperan despacio cuando el agua ha estado demasiado caliente.",
    ),
    "it": _Words(
        "Quanto spesso le citazioni sono sbagliate?",
        "Circa una citazione su quattro nelle riviste mediche contiene un errore.",
        "I coralli si riprendono lentamente dopo che l'acqua è stata troppo calda.",
    ),
    "pt": _Words(
        "Com que frequência as citações estão erradas?",
        "Cerca de uma em cada quatro citações em revistas médicas contém um erro.",
        "Os corais recuperam devagar depois de a água ter estado demasiado quente.",
    ),
    "nl": _Words(
        "Hoe vaak zijn citaten fout?",
        "Ongeveer een op de vier verwijzingen in medische tijdschriften bevat een fout.",
        "Koralen herstellen langzaam nadat het water te warm is geweest.",
    ),
    "ru": _Words(
        "Как часто цитаты бывают неверными?",
        "Примерно каждая четвёртая ссылка в медицинских журналах содержит ошибку.",
        "Кораллы медленно восстанавливаются после слишком тёплой воды.",
    ),
    "zh": _Words("引文出错的频率有多高？", "医学期刊中大约四分之一的引文含有错误。", "水温过高之后，珊瑚恢复得很慢。"),
    "ja": _Words(
        "引用はどのくらいの頻度で間違っていますか。",
        "医学雑誌の引用のおよそ四分の一に誤りがある。",
        "水温が高くなりすぎた後、サンゴの回復は遅い。",
    ),
}
_CLEARLY = 0.05  # by which a near text must be nearer than a far one
_PASSAGES = 3  # embedded to measure the speed, for each thing that is done at once
_QUESTIONS = 5
_TOKENS_OF_A_WORD = 1.3  # about


def trial(service: Service, args: dict[str, Any]) -> dict[str, Any]:
    """Load a model, or the one that a project has, and try it."""
    asked = str(args["model"])
    project = next((p for p in service.catalog.projects.all() if p.id == asked), None)
    name = project.dense_model if project else asked
    if project is None:
        check_known(name)
    if not is_downloaded(name):
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' is not on this machine.",
            f"Fetch it first: citeloom models download {name}",
        )
    if name in {choice.name for choice in rerankers()}:
        return _try_reranker(name)
    library = service.catalog.documents.languages(project.id if project else None)
    tried = _try_dense(name, main_languages(library))
    if project and tried["fingerprint"] != project.dense_fingerprint:
        tried["problems"].append(f"Project '{project.id}' was built with other weights: build its index anew.")
    return tried


def _try_dense(name: str, library: Sequence[str]) -> dict[str, Any]:
    before, at_once = megabytes(os.getpid()), os.cpu_count() or 2
    model = DenseModel(name, at_once)
    try:
        languages = {code: _told_apart(model, code) for code in dict.fromkeys(["en", *library]) if code in _WORDS}
        (vector,) = model.embed([_ENGLISH.near])
        problems = [
            f"It does not tell near texts from far ones in {LANGUAGES[code].capitalize()}."
            for code, seen in languages.items()
            if seen["apart"] < _CLEARLY
        ]
        if len(vector) != model.info.size:
            problems.append(f"Its vectors have {len(vector)} dimensions instead of {model.info.size}.")
        words = _ENGLISH.near.split()
        length = int(model.info.max_tokens / _TOKENS_OF_A_WORD)
        passages = [" ".join([str(n), *(words * (length // len(words)))]) for n in range(_PASSAGES * at_once)]
        began = time.monotonic()
        model.embed(passages)
        embedding = time.monotonic() - began
        began = time.monotonic()
        for n in range(_QUESTIONS):
            model.embed_query(f"{_ENGLISH.question} {n}")
        asking = (time.monotonic() - began) / _QUESTIONS
        return {
            "model": name,
            "kind": "dense",
            "fingerprint": model.info.fingerprint,
            "dimensions": len(vector),
            "tokens": model.info.max_tokens,
            "languages": languages,
            "not_tried": [code for code in library if code not in _WORDS],
            "passages_per_second": max(0.1, round(len(passages) / embedding, 1)),
            "milliseconds_per_question": round(asking * 1000, 1),
            "megabytes": max(0, round(megabytes(os.getpid()) - before)),
            "problems": problems,
        }
    finally:
        model.close()


def _told_apart(model: DenseModel, code: str) -> dict[str, Any]:
    """How much nearer the near text is, to a question in its language and to the English one."""
    words = _WORDS[code]
    near, far = model.embed([words.near, words.far])
    own, english = model.embed_query(words.question), model.embed_query(_ENGLISH.question)
    return {
        "apart": round(_dot(own, near) - _dot(own, far), 3),
        "apart_from_english": round(_dot(english, near) - _dot(english, far), 3),
    }


def _try_reranker(name: str) -> dict[str, Any]:
    before = megabytes(os.getpid())
    model = Reranker(name)
    near, far = model.scores(_ENGLISH.question, [_ENGLISH.near, _ENGLISH.far])
    began = time.monotonic()
    model.scores(_ENGLISH.question, [f"{_ENGLISH.near} {n} " * 8 for n in range(_PASSAGES)])
    return {
        "model": name,
        "kind": "reranker",
        "near": round(near, 3),
        "far": round(far, 3),
        "milliseconds_per_passage": round((time.monotonic() - began) / _PASSAGES * 1000, 1),
        "megabytes": max(0, round(megabytes(os.getpid()) - before)),
        "problems": [] if near > far else ["It does not tell near texts from far ones."],
    }


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    length = (sum(a * a for a in one) * sum(b * b for b in other)) ** 0.5 or 1.0
    return sum(a * b for a, b in zip(one, other, strict=True)) / length
