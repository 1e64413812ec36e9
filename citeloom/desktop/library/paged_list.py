"""Paging of the documents table: which blocks of rows are loaded, and which to request next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citeloom.api.library import DocumentRow, ListDocuments

BLOCK = 200  # rows asked for at once
_KEPT = 30  # blocks; the ones farthest from where somebody looks are let go
_WAITING = 6  # blocks; whoever scrolls through a long list does not wait for all that flew past

Row = DocumentRow


@dataclass(frozen=True)
class Question:
    """Which documents, in which order."""

    project: str
    status: str | None = None
    find: str = ""
    sort: str = "citekey"
    descending: bool = False

    def request(self, offset: int, limit: int = BLOCK) -> ListDocuments:
        """The request of some of its documents."""
        return ListDocuments(**vars(self), offset=offset, limit=limit)


class Blocks:
    """The rows that are here, in blocks."""

    def __init__(self) -> None:
        self.total = 0
        self._rows: dict[int, Sequence[Row]] = {}
        self._fresh: set[int] = set()  # those that are as the last question to the engine found them
        self._wanted: list[int] = []  # the last one is looked at now
        self._under_way: set[int] = set()
        self._given_up: set[int] = set()  # the engine refused; asked again only when everything is

    def row(self, number: int) -> Row | None:
        """A row as far as it is known."""
        rows = self._rows.get(number // BLOCK, ())
        return rows[number % BLOCK] if number % BLOCK < len(rows) else None

    def want(self, block: int) -> None:
        """Ask for a block before all others, unless it is here as the engine has it."""
        if block in self._fresh or block in self._under_way or block in self._given_up:
            return
        if self._wanted[-1:] != [block]:
            others = [one for one in self._wanted if one != block]
            self._wanted = [*others[1 - _WAITING :], block]

    @property
    def wants(self) -> bool:
        """Whether there is something to ask for."""
        return bool(self._wanted)

    def next(self) -> int:
        """The block to ask for now; it is under way from here on."""
        block = self._wanted.pop()
        self._under_way.add(block)
        return block

    def take(self, block: int, rows: Sequence[Row]) -> None:
        """A block has come."""
        self._under_way.discard(block)
        self._rows[block] = rows
        self._fresh.add(block)
        for far in sorted(self._rows, key=lambda one: abs(one - block))[_KEPT:]:
            del self._rows[far]
            self._fresh.discard(far)

    def give_up(self, block: int) -> None:
        """A block cannot be had."""
        self._under_way.discard(block)
        self._given_up.add(block)

    def all_may_have_changed(self) -> None:
        """What is here stays to be shown until it has been asked for again."""
        self._fresh.clear()
        self._given_up.clear()
        self._wanted.clear()
        self._under_way.clear()

    def known(self) -> Iterator[tuple[int, Row]]:
        """The rows that are here with their numbers, those last that are surely up to date."""
        for block in sorted(self._rows, key=lambda one: (one in self._fresh, one)):
            for at, row in enumerate(self._rows[block], block * BLOCK):
                if at < self.total:
                    yield at, row
