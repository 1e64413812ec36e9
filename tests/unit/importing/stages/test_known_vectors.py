"""What was embedded once is not embedded again, unless its words were taken for another language's."""

from __future__ import annotations

from functools import partial

from citeloom.core.settings import BUNDLED_SPARSE
from citeloom.importing.stages.commit import known_vectors
from citeloom.index.base import Point
from citeloom.index.models.embedding import SparseModel


def test_a_text_whose_language_is_known_by_now_keeps_its_meaning_and_gets_the_stems_of_its_language() -> None:
    sparse, text = SparseModel(BUNDLED_SPARSE), "Die Verträge von Münster"
    (unknown,), (german,) = sparse.embed([text]), sparse.embed([text], "de")
    old = [Point("id", [1.0, 2.0], unknown, {"chunk_text": text, "heading_chain": ""})]
    assert known_vectors(old, None) == {text: ([1.0, 2.0], unknown)}
    assert known_vectors(old, partial(sparse.embed, language="de")) == {text: ([1.0, 2.0], german)}
    assert german != unknown
