"""The collections of a library as a person sees them listed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from citeloom.zotero.gateway import tree
from citeloom.zotero.types import Library, Snapshot, ZoteroCollection


def _listed(*collections: ZoteroCollection) -> list[dict[str, object]]:
    found = {collection.key: collection for collection in collections}
    listed: list[dict[str, object]] = tree(Snapshot(Library("library", "My Library"), found, {}, {}))["collections"]
    return listed


def test_what_is_inside_two_siblings_of_one_name_stays_with_its_own() -> None:
    listed = _listed(
        ZoteroCollection("AA", "Twice"),
        ZoteroCollection("BB", "Twice"),
        ZoteroCollection("CC", "Zebras", "AA"),
        ZoteroCollection("DD", "aardvarks", "BB"),
        ZoteroCollection("EE", "apes", "AA"),
    )
    assert [(one["key"], one["parent"]) for one in listed] == [
        ("AA", None),
        ("EE", "AA"),
        ("CC", "AA"),
        ("BB", None),
        ("DD", "BB"),
    ]


_names = st.sampled_from(["Owls", "owls", "Reefs", "2019/2020"])
_number = st.integers(0, 7)


@given(st.dictionaries(_number, st.tuples(_names, st.none() | _number), max_size=8))
def test_every_collection_is_listed_once_below_its_parent(shape: dict[int, tuple[str, int | None]]) -> None:
    made = [
        # Parents have smaller numbers: Zotero allows no circles. Some are gone.
        ZoteroCollection(f"K{number}", name, f"K{above}" if above is not None and above < number else None)
        for number, (name, above) in shape.items()
    ]
    listed = _listed(*made)
    assert sorted(str(one["key"]) for one in listed) == sorted(collection.key for collection in made)
    way: list[object] = []
    for one in listed:
        del way[int(str(one["depth"])) :]
        assert one["parent"] == (way[-1] if way else None)
        way.append(one["key"])
