"""Paging of the documents table: which blocks of rows are loaded, and which to request next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citeloom.api.library import DocumentRow

BLOCK = 200  # rows in one request
_MAX_LOADED = 30  # blocks; those farthest from the visible rows are dropped
_MAX_WAITING = 6  # blocks; those scrolled past are not requested

Row = DocumentRow


class PagedRows:
    """The loaded rows in blocks, and the queue of blocks to request."""

    def __init__(self) -> None:
        self.total = 0
        self._rows: dict[int, Sequence[Row]] = {}
        self._fresh: set[int] = set()  # blocks that are up to date
        self._queued: list[int] = []  # most recently visible last
        self._requested: set[int] = set()
        self._failed: set[int] = set()  # requested again only after `invalidate`

    def row(self, number: int) -> Row | None:
        """Return a row, if it is loaded."""
        rows = self._rows.get(number // BLOCK, ())
        return rows[number % BLOCK] if number % BLOCK < len(rows) else None

    def enqueue(self, block: int) -> None:
        """Request a block before all others, unless it is loaded and up to date."""
        if block in self._fresh or block in self._requested or block in self._failed:
            return
        if self._queued[-1:] != [block]:
            others = [one for one in self._queued if one != block]
            self._queued = [*others[1 - _MAX_WAITING :], block]

    @property
    def has_queued(self) -> bool:
        """Whether there is a block to request."""
        return bool(self._queued)

    def dequeue(self) -> int:
        """Return the next block to request."""
        block = self._queued.pop()
        self._requested.add(block)
        return block

    def store(self, block: int, rows: Sequence[Row]) -> None:
        """Store the rows of a requested block."""
        self._requested.discard(block)
        self._rows[block] = rows
        self._fresh.add(block)
        for far in sorted(self._rows, key=lambda one: abs(one - block))[_MAX_LOADED:]:
            del self._rows[far]
            self._fresh.discard(far)

    def fail(self, block: int) -> None:
        """Record that the request of a block failed."""
        self._requested.discard(block)
        self._failed.add(block)

    def invalidate(self) -> None:
        """Mark all blocks as outdated: they are requested again when visible, and shown until then."""
        self._fresh.clear()
        self._failed.clear()
        self._queued.clear()
        self._requested.clear()

    def loaded(self) -> Iterator[tuple[int, Row]]:
        """Iterate over the loaded rows with their numbers, up-to-date ones last."""
        for block in sorted(self._rows, key=lambda one: (one in self._fresh, one)):
            for at, row in enumerate(self._rows[block], block * BLOCK):
                if at < self.total:
                    yield at, row
