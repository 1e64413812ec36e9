"""Words by the stems of their language: one project may hold several, and a question finds passages in each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import BUNDLED_SPARSE
from citeloom.index.base import SparseVector
from citeloom.index.models.embedding import SparseModel
from citeloom.index.models.stemming import LANGUAGES, code_of, detect, question_vector

PROSE = {
    "en": "The treaties between the cities were kept in the archives, but their origin is not always known to us.",
    "de": "Die Verträge zwischen den Städten sind in den Archiven erhalten, aber ihre Herkunft ist nicht bekannt.",
    "fr": "Les contrats entre les villes ont été conservés dans les archives, mais leur origine n'est pas connue.",
    "es": "Los contratos entre las ciudades se conservan en los archivos, pero su origen no siempre es conocido.",
    "it": "I contratti tra le città sono conservati negli archivi, ma la loro provenienza non è sempre nota.",
    "pt": "Os contratos entre as cidades foram conservados nos arquivos, mas a sua origem nem sempre é conhecida.",
    "nl": "De contracten tussen de steden zijn in de archieven bewaard, maar hun herkomst is niet altijd bekend.",
    "sv": "Avtalen mellan städerna har bevarats i arkiven, men deras ursprung är inte alltid känt för oss.",
    "ru": "Договоры между городами хранятся в архивах, но их происхождение не всегда известно тем, кто их читает.",
    "zh": "城市之间的合同保存在档案馆中，但历史学家并不总是知道它们的来源。",
    "ja": "都市間の契約は公文書館に保存されているが、その出所は必ずしも歴史家に知られていない。",
}


def found(question: SparseVector, passage: SparseVector) -> bool:
    return bool(set(question.indices) & set(passage.indices))


@pytest.mark.parametrize("code", PROSE)
def test_one_sentence_of_prose_tells_its_language(code: str) -> None:
    assert detect(PROSE[code]) == code


@pytest.mark.parametrize("text", ["", "1914", "Provenienz", "lorem ipsum dolor", "α β γ = δ", "x" * 100_000])
def test_what_does_not_tell_its_language_has_none(text: str) -> None:
    assert detect(text) == ""


def test_inflected_words_are_found_in_each_language_of_a_project() -> None:
    sparse = SparseModel(BUNDLED_SPARSE)
    (german,) = sparse.embed(["Der Vertrag von Münster"], "de")
    (english,) = sparse.embed(["A contract of Münster"], "en")
    (unknown,) = sparse.embed(["A contract of Münster"])
    for question, passage in (("Verträge", german), ("contracts", english), ("contracts", unknown)):
        assert found(sparse.embed_query(question, ["de"]), passage)
    assert not found(sparse.embed_query("Verträge"), german), "nobody said that there are German documents"
    assert unknown == english, "what an earlier version embedded is English"


def test_one_language_for_all_finds_what_was_embedded_by_it_and_in_english() -> None:
    german, auto = SparseModel(BUNDLED_SPARSE, "german"), SparseModel(BUNDLED_SPARSE)
    assert found(german.embed_query("Verträge"), german.embed(["Der Vertrag"], "fr")[0])
    assert found(german.embed_query("contracts"), auto.embed(["A contract"])[0])


def test_common_words_of_the_questions_language_count_in_none() -> None:
    (english,) = SparseModel(BUNDLED_SPARSE).embed(['He said "der Mann" and "die Frau"'], "en")
    assert not found(question_vector("Wie alt war der Krieg und die Stadt?", ["de"]), english)
    war = question_vector("causes of the civil war", ["de"])  # a stop word in German, not in this question
    assert found(war, SparseModel(BUNDLED_SPARSE).embed(["War and peace"], "en")[0])


@given(st.text(max_size=60), st.sets(st.sampled_from([*LANGUAGES, "", "pl"])))
def test_each_stem_of_any_question_counts_once(text: str, codes: set[str]) -> None:
    words = question_vector(text, codes)
    assert len(words.indices) == len(set(words.indices)) == len(words.values)
    assert all(value > 0 for value in words.values)


def test_a_language_is_named_as_people_write_it() -> None:
    assert (code_of("German"), code_of("de"), code_of(" english ")) == ("de", "de", "en")
    with pytest.raises(CiteLoomError, match="german") as caught:
        SparseModel(BUNDLED_SPARSE, "klingon")
    assert caught.value.code == Code.INVALID_INPUT
