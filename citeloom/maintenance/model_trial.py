"""Measures a model: how well it separates relevant from irrelevant texts, by language, its speed and its memory."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.api.models import DenseTrial, LanguageTrial, ModelTrial, RerankerTrial
from citeloom.core.processes import cores, memory_megabytes
from citeloom.index.models.embedding import DenseModel
from citeloom.index.models.reranker import Reranker
from citeloom.index.models.stemming import LANGUAGES


@dataclass(frozen=True, slots=True)
class _Sample:
    """A question, a passage that answers it, and an unrelated one."""

    question: str
    relevant: str
    unrelated: str


_ENGLISH = _Sample(
    "How often are quotations wrong?",
    "About one in four citations in medical journals contains an error.",
    "Corals recover slowly after the water has been too warm.",
)
_SAMPLES = {
    "en": _ENGLISH,
    "de": _Sample(
        "Wie oft sind Zitate falsch?",
        "Etwa jede vierte Zitation in medizinischen Zeitschriften enthält einen Fehler.",
        "Korallen erholen sich langsam, nachdem das Wasser zu warm war.",
    ),
    "fr": _Sample(
        "Combien de citations sont fausses ?",
        "Environ une citation sur quatre dans les revues médicales contient une erreur.",
        "Les coraux se rétablissent lentement après un réchauffement de l'eau.",
    ),
    "es": _Sample(
        "¿Con qué frecuencia son incorrectas las citas?",
        "Cerca de una de cada cuatro citas en revistas médicas contiene un error.",
        "Los corales se recuperan despacio cuando el agua ha estado demasiado caliente.",
    ),
    "it": _Sample(
        "Quanto spesso le citazioni sono sbagliate?",
        "Circa una citazione su quattro nelle riviste mediche contiene un errore.",
        "I coralli si riprendono lentamente dopo che l'acqua è stata troppo calda.",
    ),
    "pt": _Sample(
        "Com que frequência as citações estão erradas?",
        "Cerca de uma em cada quatro citações em revistas médicas contém um erro.",
        "Os corais recuperam devagar depois de a água ter estado demasiado quente.",
    ),
    "nl": _Sample(
        "Hoe vaak zijn citaten fout?",
        "Ongeveer een op de vier verwijzingen in medische tijdschriften bevat een fout.",
        "Koralen herstellen langzaam nadat het water te warm is geweest.",
    ),
    "ru": _Sample(
        "Как часто цитаты бывают неверными?",
        "Примерно каждая четвёртая ссылка в медицинских журналах содержит ошибку.",
        "Кораллы медленно восстанавливаются после слишком тёплой воды.",
    ),
    "zh": _Sample("引文出错的频率有多高？", "医学期刊中大约四分之一的引文含有错误。", "水温过高之后，珊瑚恢复得很慢。"),
    "ja": _Sample(
        "引用はどのくらいの頻度で間違っていますか。",
        "医学雑誌の引用のおよそ四分の一に誤りがある。",
        "水温が高くなりすぎた後、サンゴの回復は遅い。",
    ),
}
_MIN_MARGIN = 0.05  # minimum difference in similarity between relevant and unrelated text
_PASSAGES = 3  # embedded per parallel task to measure the speed
_QUESTIONS = 5
_TOKENS_PER_WORD = 1.3  # approximately


def try_dense(name: str, library: Sequence[str]) -> ModelTrial:
    """Measure a dense model in English and in the languages of the library."""
    before, parallel = memory_megabytes(os.getpid()), cores()
    model = DenseModel(name, parallel)
    try:
        languages = {code: _margins(model, code) for code in dict.fromkeys(["en", *library]) if code in _SAMPLES}
        (vector,) = model.embed([_ENGLISH.relevant])
        problems = [
            f"It does not distinguish relevant texts from unrelated ones in {LANGUAGES[code].capitalize()}."
            for code, seen in languages.items()
            if seen.apart < _MIN_MARGIN
        ]
        if len(vector) != model.info.size:
            problems.append(f"Its vectors have {len(vector)} dimensions instead of {model.info.size}.")
        words = _ENGLISH.relevant.split()
        length = int(model.info.max_tokens / _TOKENS_PER_WORD)
        passages = [" ".join([str(n), *(words * (length // len(words)))]) for n in range(_PASSAGES * parallel)]
        began = time.monotonic()
        model.embed(passages)
        passage_seconds = time.monotonic() - began
        began = time.monotonic()
        for n in range(_QUESTIONS):
            model.embed_query(f"{_ENGLISH.question} {n}")
        question_seconds = (time.monotonic() - began) / _QUESTIONS
        dense = DenseTrial(
            fingerprint=model.info.fingerprint,
            dimensions=len(vector),
            tokens=model.info.max_tokens,
            languages=languages,
            not_tried=[code for code in library if code not in _SAMPLES],
            passages_per_second=max(0.1, round(len(passages) / passage_seconds, 1)),
            milliseconds_per_question=round(question_seconds * 1000, 1),
        )
        return ModelTrial(name, dense, None, max(0, round(memory_megabytes(os.getpid()) - before)), problems)
    finally:
        model.close()


def _margins(model: DenseModel, code: str) -> LanguageTrial:
    """Return the margin of the relevant text, for a question in its language and for the English one."""
    sample = _SAMPLES[code]
    relevant, unrelated = model.embed([sample.relevant, sample.unrelated])
    own, english = model.embed_query(sample.question), model.embed_query(_ENGLISH.question)
    return LanguageTrial(
        apart=round(_cosine(own, relevant) - _cosine(own, unrelated), 3),
        apart_from_english=round(_cosine(english, relevant) - _cosine(english, unrelated), 3),
    )


def try_reranker(name: str) -> ModelTrial:
    """Measure a reranker in English."""
    before = memory_megabytes(os.getpid())
    model = Reranker(name)
    relevant, unrelated = model.scores(_ENGLISH.question, [_ENGLISH.relevant, _ENGLISH.unrelated])
    began = time.monotonic()
    model.scores(_ENGLISH.question, [f"{_ENGLISH.relevant} {n} " * 8 for n in range(_PASSAGES)])
    cost = round((time.monotonic() - began) / _PASSAGES * 1000, 1)
    problems = [] if relevant > unrelated else ["It does not distinguish relevant texts from unrelated ones."]
    return ModelTrial(
        name,
        None,
        RerankerTrial(round(relevant, 3), round(unrelated, 3), cost),
        max(0, round(memory_megabytes(os.getpid()) - before)),
        problems,
    )


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    length = (sum(a * a for a in one) * sum(b * b for b in other)) ** 0.5 or 1.0
    return sum(a * b for a, b in zip(one, other, strict=True)) / length
