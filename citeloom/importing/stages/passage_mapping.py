"""Maps ids of old passages to new ones when the same content was converted better. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeloom.index.base import Point

_WORD = re.compile(r"\w+")
_MIN_SHARE = 0.5  # minimum share of an old passage's words, for a new passage on other pages


def map_passages(old: Sequence[Point], new: Sequence[Point]) -> dict[str, str]:
    """Map each old passage to the new one that contains most of its words, on a common page if there is one."""
    words = [_words(passage) for passage in new]
    by_page: dict[int, list[int]] = {}
    for at, passage in enumerate(new):
        for page in _pages(passage):
            by_page.setdefault(page, []).append(at)
    found = {}
    for passage in old:
        own = _words(passage)
        near = sorted({at for page in _pages(passage) for at in by_page.get(page, ())})
        shared = {at: len(own & words[at]) for at in near or range(len(new))}
        best = max(shared, key=lambda at: shared[at], default=None)
        if best is not None and (near or shared[best] > _MIN_SHARE * len(own)):
            found[passage.id] = new[best].id
    return found


def _words(passage: Point) -> set[str]:
    return set(_WORD.findall(str(passage.payload.get("chunk_text", "")).casefold()))


def _pages(passage: Point) -> range:
    first, last = passage.payload.get("page_start"), passage.payload.get("page_end")
    return range(0) if first is None else range(first, (last or first) + 1)
