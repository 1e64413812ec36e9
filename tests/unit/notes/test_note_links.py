"""Links between notes, and to passages that change or go."""

from __future__ import annotations

import pytest

from citeloom.api.notes import AddedNote, LinkNotes
from citeloom.api.search import NoteOnPassage
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Point
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.filters import of_document
from citeloom.notes.links import notes_on_passage
from tests.points import ident, point
from tests.unit.notes.conftest import Notes

WORDS = "Watering of trees doubled the night-time benefit, in all three of the cities where it was measured."


@pytest.fixture
def passage(catalog: Catalog, collection: EdgeCollection, project: Project) -> Point:
    """A passage of a document in the library."""
    catalog.documents.save(Document(project.id, "d", "/papers/d.pdf", state=State.READY, citekey="nakamura2022"))
    made = point(
        1, chunk_id=ident(1), chunk_text=WORDS, citekey="nakamura2022", page_start=3, page_end=3, page_labels=["1047"]
    )
    collection.upsert([made])
    return made


def error(notes: Notes, source: str, target: str, relation: str = "related", **more: tuple[str, ...]) -> Code:
    with pytest.raises(CiteLoomError) as refused:
        notes.links.link(LinkNotes(source_id=source, target_id=target, relation_type=relation, **more))
    return refused.value.code


def test_a_link_is_seen_from_both_notes(notes: Notes) -> None:
    one, other = notes.add("One"), notes.add("Other")
    made = notes.links.link(LinkNotes(source_id=one.id, target_id=other.id, relation_type="supersedes"))
    assert (made.created, made.source.id, made.target.title) == (True, one.id, "Other")
    (out,) = notes.show(one.id).links.outgoing
    assert (out.target_id, out.target_title, out.relation_type) == (other.id, "Other", "supersedes")
    shown = notes.show(other.id)
    assert [link.source_id for link in shown.links.incoming] == [one.id]
    assert (shown.status, notes.show(one.id).status) == ("superseded", "active")


def test_a_circle_of_links_is_no_problem_and_a_second_equal_link_is_refused(notes: Notes) -> None:
    ids = [notes.add(f"Note {n}").id for n in range(3)]
    for source, target in zip(ids, [*ids[1:], ids[0]], strict=True):
        notes.links.link(LinkNotes(source_id=source, target_id=target, relation_type="supersedes"))
    assert all(len(notes.show(id_).links.outgoing) == 1 for id_ in ids)
    assert error(notes, ids[0], ids[1], "supersedes") == Code.LINK_ALREADY_EXISTS
    assert error(notes, ids[0], ids[0]) == Code.SELF_LINK_ERROR
    assert error(notes, ids[0], ids[1], "likes") == Code.INVALID_RELATION_TYPE
    assert error(notes, ids[0], "01ZZZZZZ") == Code.ENTRY_NOT_FOUND


def test_a_session_links_only_what_it_may_see(notes: Notes, project: Project, passage: Point) -> None:
    own, other = notes.add("Own", project=project.id), notes.add("Without a project")
    assert error(notes, own.id, other.id, visible=(project.id,)) == Code.ENTRY_NOT_FOUND
    notes.links.connect(own.id, other.id, "related")
    assert notes.show(own.id, visible=(project.id,)).links.outgoing == ()
    notes.links.link(LinkNotes(source_id=other.id, target_id=passage.id))
    assert error(notes, own.id, passage.id, visible=("elsewhere",)) == Code.ENTRY_NOT_FOUND


def test_evidence_is_shown_with_words_citation_and_page_and_on_the_passage(
    notes: Notes, project: Project, passage: Point, collection: EdgeCollection
) -> None:
    note = notes.add("Watering helps", evidence=(passage.id,))
    (shown,) = notes.show(note.id).evidence
    assert (shown.text, shown.cite, shown.page_span) == (WORDS, "[@nakamura2022, p. 1047]", [3, 3])
    assert (shown.relation_type, shown.found) == ("supports", True)
    (hit,) = collection.get([passage.id])
    assert notes_on_passage(notes.catalog, project, hit, None) == [
        NoteOnPassage(note.id, "finding", "Watering helps", "supports")
    ]
    assert notes_on_passage(notes.catalog, project, hit, frozenset([project.id])) == [], "it belongs to no project"


def test_the_same_note_with_other_evidence_gets_it_and_says_what_was_not_changed(notes: Notes, passage: Point) -> None:
    first = notes.add("Watering helps", tags=("water",))
    again = notes.add("Watering helps", evidence=(passage.id,))
    assert (again.id, again.created) == (first.id, False) and "stay as they were" in again.warnings[0]
    assert [one.chunk_id for one in notes.show(first.id).evidence] == [passage.id]


def test_a_passage_is_linked_in_either_direction(notes: Notes, passage: Point) -> None:
    note = notes.add("Watering is dear")
    made = notes.links.link(LinkNotes(source_id=passage.id, target_id=note.id, relation_type="contradicts"))
    assert made.source.title == "[@nakamura2022, p. 1047]"
    notes.links.link(LinkNotes(source_id=note.id, target_id=passage.id))
    links = notes.show(note.id).links
    assert [link.source_id for link in links.incoming] == [link.target_id for link in links.outgoing] == [passage.id]
    assert error(notes, note.id, passage.id) == Code.LINK_ALREADY_EXISTS
    assert error(notes, passage.id, passage.id) == Code.ENTRY_NOT_FOUND


@pytest.mark.parametrize("recorded", [True, False], ids=["by the import", "by its words"])
def test_evidence_follows_a_passage_whose_document_was_read_again(
    notes: Notes, project: Project, passage: Point, collection: EdgeCollection, recorded: bool
) -> None:
    note = notes.add("Watering helps", evidence=(passage.id,))
    collection.delete(of_document("d"))
    text = f"{WORDS} So it was said." if recorded else f"Before. {WORDS}"
    collection.upsert([point(7, "v2", chunk_id=ident(7), chunk_text=text, citekey="nakamura2023", page_start=4)])
    if recorded:
        notes.catalog.replaced_passages.record(project.id, "d", {passage.id: ident(7)})
    (shown,) = notes.show(note.id).evidence
    assert (shown.chunk_id, shown.citekey, shown.text, shown.found) == (ident(7), "nakamura2023", WORDS, True)
    (hit,) = collection.get([ident(7)])
    assert [link.note_id for link in notes_on_passage(notes.catalog, project, hit, None)] == [note.id]


def test_a_short_passage_is_found_again_only_as_a_whole(
    notes: Notes, project: Project, passage: Point, collection: EdgeCollection
) -> None:
    collection.upsert([point(3, chunk_id=ident(3), chunk_text="See above.", page_start=40)])
    note = notes.add("A reference", evidence=(ident(3),))
    collection.delete(of_document("d"))
    collection.upsert([point(4, "v2", chunk_id=ident(4), chunk_text="As we see above, it rains.", page_start=3)])
    assert notes.show(note.id).evidence[0].found is False
    collection.upsert([point(5, "v2", chunk_id=ident(5), chunk_text="see above", page_start=41)])
    (shown,) = notes.show(note.id).evidence
    assert (shown.chunk_id, shown.found) == (ident(5), True)


def test_evidence_outlives_its_document_and_its_project(
    notes: Notes, project: Project, passage: Point, collection: EdgeCollection
) -> None:
    note = notes.add("Watering helps", project=project.id, evidence=(passage.id,))
    for remove in (
        lambda: (collection.delete(of_document("d")), notes.catalog.documents.remove(project.id, "d")),
        lambda: notes.catalog.projects.remove(project.id),
    ):
        remove()
        shown = notes.show(note.id)
        (evidence,) = shown.evidence
        assert (evidence.text, evidence.cite, evidence.found) == (WORDS, "[@nakamura2022, p. 1047]", False)
        assert shown.project == project.id


def test_notes_of_the_hot_nights_are_linked_once(notes: Notes, hot_nights: list[AddedNote]) -> None:
    ids = [note.id for note in hot_nights]
    notes.links.connect(ids[0], ids[1], "supports")
    assert notes.catalog.notes.are_linked(ids[1], ids[0]) and not notes.catalog.notes.are_linked(ids[0], ids[2])
