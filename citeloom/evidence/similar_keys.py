"""Names that come near to one that was not found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher

_MOST_COMPARED = 30  # letter by letter; the others share fewer of their threes
_ENOUGH = 0.5
_OF_BEST = 0.75  # what is much farther off than the nearest one is not meant
_LONGEST = 200


class NearNames:
    """Looks through thousands of names by the threes of letters that they share."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(set(filter(None, names)))
        self._by_three: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            for three in _threes(name):
                self._by_three.setdefault(three, []).append(number)

    def near(self, wanted: str, most: int = 3) -> list[str]:
        """The nearest names, best first; none where nothing is near."""
        threes = _threes(wanted)
        shared: Counter[int] = Counter()
        for three in threes:
            shared.update(self._by_three.get(three, ()))
        scored = []
        for number, count in shared.most_common(_MOST_COMPARED):
            name = self._names[number]
            # A short key may be the beginning of a long one: what counts is how much of the shorter is in the other.
            overlap = count / max(1, min(len(threes), len(_threes(name))))
            alike = SequenceMatcher(None, wanted[:_LONGEST].casefold(), name[:_LONGEST].casefold()).ratio()
            if max(overlap, alike) >= _ENOUGH:
                scored.append((-(overlap + alike), name))
        scored.sort()
        return [name for score, name in scored[:most] if score <= scored[0][0] * _OF_BEST]


def _threes(name: str) -> set[str]:
    padded = f"  {name[:_LONGEST].casefold()} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
