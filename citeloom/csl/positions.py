"""CSL positions of cites: first, subsequent, ibid, ibid-with-locator and near-note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citeloom.csl.context import Cite


@dataclass(frozen=True, slots=True)
class CitePosition:
    """The CSL positions that hold for a cite, and the number of the note that cited the item first."""

    names: frozenset[str]
    first_note: int = 0


def positions(groups: Sequence[Sequence[Cite]], near_distance: int) -> list[list[CitePosition]]:
    """Return the positions of every cite; each group is a note, in the order of the text."""
    first_note: dict[str, int] = {}
    last_note: dict[str, int] = {}
    places: list[list[CitePosition]] = []
    before: Sequence[Cite] = ()
    for number, group in enumerate(groups, start=1):
        row = []
        for i, cite in enumerate(group):
            if cite.key not in first_note:
                row.append(CitePosition(frozenset({"first"})))
                first_note[cite.key] = number
            else:
                last = group[i - 1] if i else before[0] if len(before) == 1 else None
                names = {"subsequent"} | _ibid(last, cite)
                if number - last_note[cite.key] <= near_distance:
                    names.add("near-note")
                row.append(CitePosition(frozenset(names), first_note[cite.key]))
            last_note[cite.key] = number
        places.append(row)
        before = group
    return places


def _ibid(last: Cite | None, cite: Cite) -> set[str]:
    if last is None or last.key != cite.key or (last.locator and not cite.locator):
        return set()
    same = (last.locator, last.label) == (cite.locator, cite.label)
    return {"ibid"} if same or not cite.locator else {"ibid", "ibid-with-locator"}
