"""Runs a property over new examples until there were enough; one that breaks it is reduced to its smallest form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

_EXAMPLES = 10  # of one round: a file or a backup takes a second


def attack(
    examples: SearchStrategy[Any], check: Callable[[Any], None], enough: Callable[[int], bool], first_seed: int
) -> int:
    """Have `check` look at examples until `enough` says so of their number, at least one round; gives that number."""
    number, count = first_seed, 0

    def counted(example: Any) -> None:
        nonlocal count
        count += 1
        check(example)

    limits = settings(
        max_examples=_EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    while number == first_seed or not enough(count):
        seed(number)(limits(given(examples)(counted)))()
        number += 1
    return count
