"""Old passages lead to new ones: always to the same document's, and to the same page where there is one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.importing.stages.passage_mapping import map_passages
from citeloom.index.base import Point

texts = st.lists(st.sampled_from(["salt", "grain", "trade", "coast", "ship", "Über"]), max_size=6).map(" ".join)
places = st.none() | st.tuples(st.integers(1, 5), st.integers(0, 2)).map(lambda place: (place[0], sum(place)))


def passages(name: str) -> st.SearchStrategy[list[Point]]:
    made = st.lists(st.tuples(texts, places), max_size=6)
    return made.map(lambda given: [passage(f"{name}{n}", *one) for n, one in enumerate(given)])


def passage(name: str, text: str, pages: tuple[int, int] | None) -> Point:
    first, last = pages or (None, None)
    return Point(name, [], None, {"chunk_text": text, "page_start": first, "page_end": last})


def pages(of: Point) -> set[int]:
    first, last = of.payload["page_start"], of.payload["page_end"]
    return set(range(first, last + 1)) if first else set()


def words(of: Point) -> set[str]:
    return set(of.payload["chunk_text"].casefold().split())


@given(passages("old"), passages("new"))
def test_every_old_passage_leads_to_the_best_new_one_on_its_pages(old: list[Point], new: list[Point]) -> None:
    became = map_passages(old, new)
    by_id = {one.id: one for one in new}
    for one in old:
        near = [other for other in new if pages(one) & pages(other)]
        if not near:
            if one.id in became:  # then most of its words must be there, wherever that is
                assert 2 * len(words(one) & words(by_id[became[one.id]])) > len(words(one))
            continue
        found = by_id[became[one.id]]
        assert found in near
        assert len(words(one) & words(found)) == max(len(words(one) & words(other)) for other in near)


def test_a_passage_that_was_cut_otherwise_leads_to_the_part_with_most_of_its_words() -> None:
    old = [passage("o", "Grain came by ship. Salt came over land, in carts.", (3, 3))]
    new = [
        passage("a", "Grain came by ship.", (3, 3)),
        passage("b", "Salt came over land, in carts.", (3, 3)),
        passage("c", "Grain came by ship. Salt came over land, in carts.", (9, 9)),
    ]
    assert map_passages(old, new) == {"o": "b"}


def test_a_passage_whose_page_is_left_out_now_leads_nowhere_rather_than_anywhere() -> None:
    assert map_passages([passage("o", "Figure 7", (3, 3))], [passage("a", "Grain came by ship.", (4, 4))]) == {}
