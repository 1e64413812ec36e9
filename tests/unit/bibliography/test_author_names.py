"""Names of authors as people and agents write them."""

from __future__ import annotations

from typing import Any

import pytest

from citeloom.bibliography.author_names import author_names


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ([{"family": "Smith", "given": "Jo"}], ["Smith, Jo"]),
        ({"family": "Berg", "given": "Anna", "non-dropping-particle": "van der"}, ["van der Berg, Anna"]),
        ([{"literal": "World Health Organization"}, {"family": "Plato"}], ["World Health Organization", "Plato"]),
        ("Jo Smith", ["Smith, Jo"]),
        ("Smith, Jo", ["Smith, Jo"]),
        (["Jo  Smith", "Doe, Ann"], ["Smith, Jo", "Doe, Ann"]),
        ("Jo Smith and Ann Doe", ["Smith, Jo", "Doe, Ann"]),
        ("Smith, Jo; Doe, Ann", ["Smith, Jo", "Doe, Ann"]),
        ("Karl von Frisch", ["von Frisch, Karl"]),
        ("van der Berg", ["van der Berg"]),
        ("Martin Luther King Jr.", ["King, Martin Luther, Jr."]),
        ("{World Health Organization}", ["World Health Organization"]),
        ("UNESCO", ["UNESCO"]),
        ("山田 太郎", ["山田, 太郎"]),
        ([], []),
    ],
    ids=str,
)
def test_a_name_is_read_however_it_is_written(written: Any, names: list[str]) -> None:
    assert author_names(written) == names


@pytest.mark.parametrize(
    "written",
    [5, True, None, "", " ; ", ",", [""], [["Smith"]], {}, {"given": "Jo"}, {"family": 5}, ["Jo Smith", {}]],
    ids=str,
)
def test_what_is_no_name_is_not_taken_for_one(written: Any) -> None:
    assert author_names(written) is None


def test_a_list_of_names_divided_by_commas_is_not_taken_for_one_name() -> None:
    assert author_names("Smith, Jo, Doe, Ann") is None
