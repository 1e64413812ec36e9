"""A minute of `make attack`: by chance, but always by the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.attack import PARTS
from tests.attack.library import Library
from tests.support import stop_engine

_ATTACKS = {"tools": 1500, "connections": 1200, "files": 20, "backups": 30}  # about a quarter of a minute each


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library whose engine all parts attack, one after the other."""
    made = Library.made(tmp_path_factory.mktemp("attacked"))
    yield made
    stop_engine(made.home)


@pytest.mark.parametrize("part", PARTS)
def test_what_is_attacked_by_chance_holds(library: Library, part: str) -> None:
    assert PARTS[part](library, lambda count: count >= _ATTACKS[part], 1) >= _ATTACKS[part]
