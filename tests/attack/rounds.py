"""Runs a property over new examples until the time is over; one that breaks it is reduced to its smallest form."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

_EXAMPLES = 10  # between two looks at the clock: a file or a backup takes a second


def attack(examples: SearchStrategy[Any], check: Callable[[Any], None], seconds: float, first_seed: int) -> int:
    """Have `check` look at examples for so many seconds, at least one round; gives how many there were."""
    until, number, count = time.monotonic() + seconds, first_seed, 0

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
    while number == first_seed or time.monotonic() < until:
        seed(number)(limits(given(examples)(counted)))()
        number += 1
    return count
