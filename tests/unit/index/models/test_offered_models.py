"""The models that can be chosen, and which of them suit a library."""

from __future__ import annotations

from citeloom.core.settings import BUNDLED_DENSE
from citeloom.index.models.available import MULTILINGUAL, choices, recommended, rerankers

DE, ES, E5 = "jinaai/jina-embeddings-v2-base-de", "jinaai/jina-embeddings-v2-base-es", "intfloat/multilingual-e5-large"


def test_the_models_say_which_languages_they_know() -> None:
    known = {choice.name: choice for choice in choices()}
    assert next(iter(known)) == BUNDLED_DENSE
    assert [known[name].languages for name in (BUNDLED_DENSE, DE, E5)] == [("en",), ("en", "de"), (MULTILINGUAL,)]
    assert (known[E5].tokens, known[E5].dimensions, known[E5].installed) == (512, 1024, False)
    assert all(choice.languages for choice in known.values())
    assert not any("clip" in name or "code" in name for name in known)


def test_a_library_is_recommended_models_that_know_its_languages() -> None:
    found = choices()
    assert recommended(found, {}) == recommended(found, {"en": 40, "": 60}) == {BUNDLED_DENSE, "BAAI/bge-small-en-v1.5"}
    german = recommended(found, {"de": 5, "en": 5, "": 90})
    assert {DE, E5} < german and BUNDLED_DENSE not in german and ES not in german
    assert E5 in recommended(found, {"de": 5, "es": 5}) and DE not in recommended(found, {"de": 5, "es": 5})
    assert BUNDLED_DENSE in recommended(found, {"en": 99, "de": 1}), "one book decides nothing"
    assert recommended(found, {"pl": 3}) == {c.name for c in found if c.name in german and MULTILINGUAL in c.languages}


def test_cross_encoders_say_what_they_read() -> None:
    known = {choice.name: choice.description for choice in rerankers()}
    assert known["Xenova/ms-marco-MiniLM-L-6-v2"] == "English."
    assert known["jinaai/jina-reranker-v2-base-multilingual"] == "Many languages."
