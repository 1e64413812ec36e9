"""Suggestions to link and to generalize notes."""

from __future__ import annotations

import pytest

from citeloom.api.notes import AcceptSuggestion, AddedNote, RejectSuggestion, SuggestGeneralizations, SuggestLinks
from citeloom.core.errors import CiteLoomError, Code
from tests.unit.notes.conftest import HOT_NIGHTS, Notes


def test_similar_notes_are_named_and_suggested_for_a_link(notes: Notes, hot_nights: list[AddedNote]) -> None:
    assert [note.suggestions_created for note in hot_nights] == [0, 1, 3]
    assert hot_nights[1].similar_entries[0].id == hot_nights[0].id
    assert notes.add("Loans", "Use the median.").similar_entries == ()
    listed = notes.suggestions.links(SuggestLinks())
    assert listed.total_pending == 3
    assert listed.suggestions[0].score == max(one.score for one in listed.suggestions)
    assert len(notes.suggestions.links(SuggestLinks(limit=1)).suggestions) == 1


def test_an_accepted_link_is_made_and_no_longer_suggested(notes: Notes, hot_nights: list[AddedNote]) -> None:
    first = notes.suggestions.links(SuggestLinks()).suggestions[0]
    accepted = notes.suggestions.accept(AcceptSuggestion(suggestion_id=first.id))
    assert accepted.link_created is not None and accepted.suggestion_type == "link"
    assert {accepted.link_created.source_id, accepted.link_created.target_id} == {first.entry_a.id, first.entry_b.id}
    assert notes.show(first.entry_a.id).links.outgoing[0].target_id == first.entry_b.id
    assert notes.suggestions.links(SuggestLinks()).total_pending == 2
    for decide in (notes.suggestions.accept, notes.suggestions.reject):
        with pytest.raises(CiteLoomError) as refused:
            decide(AcceptSuggestion(suggestion_id=first.id))  # type: ignore[arg-type]
        assert refused.value.code == Code.SUGGESTION_NOT_FOUND


def test_episodic_notes_that_are_all_similar_are_suggested_for_a_generalization(
    notes: Notes, hot_nights: list[AddedNote]
) -> None:
    (suggested,) = notes.suggestions.generalizations(SuggestGeneralizations()).suggestions
    assert {entry.id for entry in suggested.entries} == {note.id for note in hot_nights}
    accepted = notes.suggestions.accept(AcceptSuggestion(suggestion_id=suggested.id))
    assert accepted.link_created is None and accepted.draft is not None
    assert accepted.draft.memory_type == "semantic" and len(accepted.draft.derived_from) == 3
    assert accepted.generalize_command == "citeloom notes generalize " + " ".join(sorted(n.id for n in hot_nights))


def test_a_larger_cluster_replaces_the_smaller_one_unless_that_was_rejected(
    notes: Notes, hot_nights: list[AddedNote]
) -> None:
    notes.add("Tree canopy keeps streets warm at night", "Street canopy kept the night warm in narrow streets.")
    (suggested,) = notes.suggestions.generalizations(SuggestGeneralizations()).suggestions
    assert len(suggested.entries) == 4
    notes.suggestions.reject(RejectSuggestion(suggestion_id=suggested.id))
    notes.add("Canopy warms narrow streets at night", "In narrow streets the canopy made nights warmer by 0.2 °C.")
    assert notes.suggestions.generalizations(SuggestGeneralizations()).total_pending == 0


def test_a_rejected_suggestion_never_comes_back(notes: Notes, hot_nights: list[AddedNote]) -> None:
    for one in notes.suggestions.links(SuggestLinks()).suggestions:
        assert notes.suggestions.reject(RejectSuggestion(suggestion_id=one.id)).rejected
    notes.add(*HOT_NIGHTS[0], tags=("again",))
    notes.embedder.index.clear()
    for note in hot_nights:
        row = notes.catalog.notes.some([note.id])[note.id]
        assert notes.suggestions.suggest_for(row, None) == 0
    assert notes.suggestions.links(SuggestLinks()).total_pending == 0


def test_semantic_notes_are_not_generalized(notes: Notes) -> None:
    for texts in HOT_NIGHTS:
        notes.add(*texts, memory_type="semantic")
    assert notes.suggestions.generalizations(SuggestGeneralizations()).total_pending == 0


def test_suggestions_about_notes_that_a_session_may_not_see_are_not_there_for_it(
    notes: Notes, hot_nights: list[AddedNote]
) -> None:
    some = notes.suggestions.links(SuggestLinks()).suggestions[0]
    assert notes.suggestions.links(SuggestLinks(visible=("thesis",))).total_pending == 0
    with pytest.raises(CiteLoomError) as refused:
        notes.suggestions.reject(RejectSuggestion(suggestion_id=some.id, visible=("thesis",)))
    assert refused.value.code == Code.SUGGESTION_NOT_FOUND


@pytest.mark.parametrize("limit", [0, 51, -1])
def test_a_limit_out_of_bounds_is_refused(notes: Notes, limit: int) -> None:
    with pytest.raises(CiteLoomError, match="limit"):
        notes.suggestions.links(SuggestLinks(limit=limit))


@pytest.mark.parametrize(
    ("model", "code"), [("", Code.EMBEDDINGS_DISABLED), ("some/model-that-is-nowhere", Code.MODEL_NOT_AVAILABLE)]
)
def test_without_the_model_nothing_is_suggested_and_that_is_said(notes: Notes, model: str, code: Code) -> None:
    notes.embedder._model_name = model
    assert notes.add("Kept", "And found by its words.").embeddings_calculated is False
    with pytest.raises(CiteLoomError) as refused:
        notes.suggestions.links(SuggestLinks())
    assert refused.value.code == code
