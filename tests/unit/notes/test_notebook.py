"""Notes: adding, finding, showing, generalizing and deleting them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from citeloom.api.notes import AddedNote, DeleteNote, GeneralizeNotes, ListNotes, SearchNotes
from citeloom.catalog import Catalog
from citeloom.catalog.database import now
from citeloom.catalog.notes import NoteRow
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.ids import new_ulid
from citeloom.core.settings import Models
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.models.embedding import DenseModel, ModelRegistry
from citeloom.notes import embedding
from citeloom.notes.embedding import pieces
from citeloom.notes.notebook import CONTEXT_KEPT, consolidation_score, snippet
from tests.unit.notes.conftest import Notes, notes_in


def found(notes: Notes, query: str, **more: Any) -> list[str]:
    return [one.title for one in notes.notebook.search(SearchNotes(query=query, **more)).results]


def test_an_added_note_is_shown_with_all_that_was_given(notes: Notes, project: Project) -> None:
    given = {"tags": ("heat", "trees"), "context": "We spoke of trees.", "confidence": 4, "memory_type": "semantic"}
    added = notes.add("Trees at night", "They warm.", "claim", project=project.id, **given)
    assert (added.created, added.embeddings_calculated, added.warnings) == (True, True, ())
    note = notes.show(added.id)
    assert (note.type, note.title, note.content, note.project) == ("claim", "Trees at night", "They warm.", project.id)
    assert (note.tags, note.context, note.confidence, note.memory_type) == (
        ["heat", "trees"],
        *list(given.values())[1:],
    )
    assert (note.embeddings.summary, note.embeddings.context, note.status) == (True, True, "active")


def test_the_same_note_is_stored_once(notes: Notes) -> None:
    first, second = notes.add("Trees", "They warm."), notes.add("Trees", "They warm.", tags=("other",))
    assert (second.id, second.created) == (first.id, False)
    assert notes.add("Trees", "They cool.").created


def test_a_note_is_found_by_its_meaning_its_words_and_its_conversation(
    notes: Notes, hot_nights: list[AddedNote]
) -> None:
    notes.add("Loans", "Use the median of loan sizes.", context="The distribution of the Datoli company is skewed.")
    assert found(notes, "does vegetation heat cities after dark")[0] in {note.title for note in hot_nights}
    assert found(notes, "median")[0] == "Loans"
    assert found(notes, "a skewed distribution of a company")[0] == "Loans"
    assert found(notes, "it", context="The size of loans")[0] == "Loans"


def test_a_search_keeps_to_type_project_and_what_the_session_may_see(notes: Notes, project: Project) -> None:
    notes.add("Trees one", type="claim", project=project.id)
    notes.add("Trees two", type="finding")
    assert set(found(notes, "trees")) == {"Trees one", "Trees two"}
    assert found(notes, "trees", type="claim") == ["Trees one"]
    assert found(notes, "trees", project=project.id) == ["Trees one"]
    assert found(notes, "trees", visible=(project.id,)) == ["Trees one"]
    assert found(notes, "trees", visible=("other",)) == []


def test_a_session_with_projects_reaches_only_their_notes(notes: Notes, project: Project) -> None:
    without = notes.add("Without a project")
    with pytest.raises(CiteLoomError) as refused:
        notes.show(without.id, visible=(project.id,))
    assert refused.value.code == Code.ENTRY_NOT_FOUND
    assert notes.add("Its only project", visible=(project.id,)).project == project.id
    for more in ({"project": "other"}, {}):
        with pytest.raises(CiteLoomError) as refused:
            notes.add("Elsewhere", visible=(project.id, "second"), **more)
        assert refused.value.code == Code.INVALID_PROJECT


def test_a_prefix_of_the_id_names_a_note_unless_it_names_several(notes: Notes) -> None:
    at = now()
    ids = ["01AAAAA" + "B" * 19, "01AAAAC" + "B" * 19]
    for id_ in ids:
        notes.catalog.notes.add(
            NoteRow(id=id_, project_id=None, type="idea", title=id_, created_at=at, updated_at=at), [], []
        )
    assert notes.show("01aaaac").id == ids[1]
    for wrong, named in (("01AAA", ids[0]), ("01AA", "5"), ("01ZZZZZ", "not found"), ("%", "is not"), ("", "is not")):
        with pytest.raises(CiteLoomError) as refused:
            notes.show(wrong)
        assert refused.value.code == Code.ENTRY_NOT_FOUND
        assert named in str(refused.value)


def test_showing_a_note_counts_as_an_access_and_consolidates_it(notes: Notes) -> None:
    id_ = notes.add("Trees").id
    first = notes.show(id_)
    for _ in range(8):
        notes.show(id_)
    last = notes.show(id_)
    assert (first.access_count, last.access_count) == (1, 10)
    assert first.last_accessed and last.consolidation_score > first.consolidation_score
    assert last.consolidation_score == pytest.approx(0.7, abs=0.01)


def test_the_consolidation_score_fades_with_time() -> None:
    at = "2026-01-01T00:00:00.000+00:00"
    note = NoteRow(id="x", project_id=None, type="idea", title="x", created_at=at, updated_at=at)
    assert consolidation_score(note, 0) == 0
    fresh = replace(note, access_count=100, last_accessed=now())
    assert consolidation_score(fresh, 100) == pytest.approx(1.0, abs=0.01)
    assert consolidation_score(replace(fresh, last_accessed="2001-01-01T00:00:00+00:00"), 100) == pytest.approx(0.7)


def test_a_long_context_is_cut_and_that_is_said(notes: Notes) -> None:
    added = notes.add("Long", context="x" * 10_001)
    assert any("cut to the first 8000" in warning for warning in added.warnings)
    assert len(notes.show(added.id).context) == CONTEXT_KEPT
    assert notes.add("Not too long", context="x" * 10_000).warnings == ()


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"type": "poem"}, Code.INVALID_ENTRY_TYPE),
        ({"title": ""}, Code.INVALID_INPUT),
        ({"title": "x" * 101}, Code.INVALID_INPUT),
        ({"content": "x" * 50_001}, Code.INVALID_INPUT),
        ({"tags": ("x",) * 2 + ("y" * 61,)}, Code.INVALID_INPUT),
        ({"confidence": 6}, Code.INVALID_INPUT),
        ({"confidence": -1}, Code.INVALID_INPUT),
        ({"memory_type": "long"}, Code.INVALID_INPUT),
        ({"project": "nowhere"}, Code.INVALID_PROJECT),
        ({"evidence": ("no-such-passage",)}, Code.PASSAGE_NOT_FOUND),
        ({"evidence": tuple(map(str, range(51)))}, Code.INVALID_INPUT),
    ],
    ids=str,
)
def test_a_note_that_is_not_in_order_is_refused_and_not_stored(
    notes: Notes, changed: dict[str, Any], code: Code
) -> None:
    with pytest.raises(CiteLoomError) as refused:
        notes.add(**{"title": "Trees", **changed})
    assert refused.value.code == code
    assert notes.notebook.list_notes(ListNotes()).total == 0


def test_without_its_model_a_note_is_kept_and_found_by_words_until_the_model_is_there(
    catalog: Catalog, models: ModelRegistry, collection: EdgeCollection
) -> None:
    missing = notes_in(catalog, ModelRegistry(Models()), collection)
    missing.embedder._model_name = "some/model-that-is-nowhere"
    added = missing.add("Trees", "They warm the night.")
    assert not added.embeddings_calculated and "only" in added.warnings[0]
    assert found(missing, "warm") == ["Trees"] and found(missing, "hot") == []
    later = notes_in(catalog, models, collection)
    later.embedder.embed_missing()
    assert later.show(added.id).embeddings.summary
    assert found(later, "hot evenings") == ["Trees"]


def test_a_note_that_the_model_refuses_is_tried_once_and_the_others_get_their_vectors(
    catalog: Catalog, models: ModelRegistry, collection: EdgeCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = notes_in(catalog, ModelRegistry(Models()), collection)
    missing.embedder._model_name = "some/model-that-is-nowhere"
    added = [missing.add(title) for title in ("A strange note", "Trees", "Loans")]
    embed, tried = DenseModel.embed, list[str]()

    def refuse(self: DenseModel, texts: Sequence[str], *more: Any) -> list[list[float]]:
        tried.extend(texts)
        if any("strange" in text for text in texts):
            raise CiteLoomError(Code.EMBEDDING_FAILED, "The model failed on a text: too strange.")
        return embed(self, texts, *more)

    monkeypatch.setattr(DenseModel, "embed", refuse)
    monkeypatch.setattr(embedding, "_AT_ONCE", 1)
    later = notes_in(catalog, models, collection)
    for _ in range(4):
        later.embedder.embed_missing()
    assert [later.show(note.id).embeddings.summary for note in added] == [False, True, True]
    assert sum("strange" in text for text in tried) == 1
    models.release_unused(-1)
    later.embedder.embed_missing()
    assert not models._loaded, "the model is not loaded for it again"


def test_notes_are_listed_newest_first_in_pages(notes: Notes) -> None:
    for number in range(3):
        notes.add(f"Note {number}", tags=("odd",) if number % 2 else ())
    page = notes.notebook.list_notes(ListNotes(limit=2))
    assert ([n.title for n in page.notes], page.total, page.next_offset) == (["Note 2", "Note 1"], 3, 2)
    assert [n.title for n in notes.notebook.list_notes(ListNotes(limit=2, offset=2)).notes] == ["Note 0"]
    assert [n.title for n in notes.notebook.list_notes(ListNotes(tag="odd")).notes] == ["Note 1"]


def test_a_generalization_is_a_semantic_note_derived_from_others(notes: Notes, hot_nights: list[AddedNote]) -> None:
    ids = tuple(note.id for note in hot_nights)
    made = notes.notebook.generalize(GeneralizeNotes(ids=ids, title="Canopy and nights"))
    note = notes.show(made.id)
    assert (note.title, note.memory_type, note.type) == ("Canopy and nights", "semantic", "finding")
    assert {(link.target_id, link.relation_type) for link in note.links.outgoing} == {(i, "derived_from") for i in ids}
    assert all(title in note.content for title in (n.title for n in hot_nights))
    with pytest.raises(CiteLoomError, match="two notes"):
        notes.notebook.generalize(GeneralizeNotes(ids=(ids[0], ids[0])))


def test_a_deleted_note_is_gone_with_its_links_and_suggestions(notes: Notes, hot_nights: list[AddedNote]) -> None:
    doomed, other = hot_nights[0], hot_nights[1]
    notes.links.connect(doomed.id, other.id, "related")
    notes.notebook.delete(DeleteNote(id=doomed.id))
    assert doomed.title not in found(notes, "street trees warm narrow streets")
    assert notes.show(other.id).links.incoming == ()
    assert all(doomed.id not in one.note_ids for one in notes.catalog.notes.suggestions())


def test_ulids_sort_by_time_and_differ() -> None:
    made = [new_ulid() for _ in range(1000)]
    assert len(set(made)) == 1000 and {len(one) for one in made} == {26}
    assert [one[:10] for one in made] == sorted(one[:10] for one in made)


def test_a_snippet_begins_where_the_query_is_met() -> None:
    text = "First sentence. " * 10 + "Here the canopy warms the night. " + "Last sentence. " * 10
    cut = snippet(text, "canopy")
    assert cut.startswith("Here the canopy") and cut.endswith("…") and len(cut) <= 101
    assert snippet("Short\ntext", "x") == "Short text"


def test_a_text_is_embedded_in_pieces_that_the_model_reads_whole() -> None:
    text = " ".join(f"word{n}" for n in range(1000))
    parts = pieces(text)
    assert " ".join(parts) == text and max(map(len, parts)) <= 900
    assert len(pieces("x" * 100_000)) == 10 and pieces(" ") == []
