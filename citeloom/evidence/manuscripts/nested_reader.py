"""Base of the readers of nested formats, LaTeX and Typst: their prose, citations and block quotations."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from citeloom.evidence.manuscripts.prose import Prose
from citeloom.evidence.manuscripts.types import Citation

Range = tuple[int, int]
Job = Range | Callable[[], None]  # a part of the text to read, or something to do between two parts


class NestedReader(ABC):
    """Reads a text part by part; pending parts are on an explicit stack, since nesting may be very deep."""

    special: re.Pattern[str]  # finds everything that is not plain prose

    def __init__(self, text: str) -> None:
        self.text = text
        self.prose = Prose()
        self.groups = 0  # number of groups of citations
        self._block_quotes = 0
        self._pending: list[Job] = []

    @abstractmethod
    def read_special(self, found: re.Match[str], end: int) -> int:
        """Read something special in a part that ends at `end`, and return where reading continues."""

    def read(self, start: int, end: int) -> Prose:
        """Return the prose between two positions."""
        self._pending.append((start, end))
        while self._pending:
            job = self._pending.pop()
            if isinstance(job, tuple):
                self._scan(*job)
            else:
                job()
        self.end_paragraph()
        return self.prose.finish()

    def schedule(self, jobs: Sequence[Job], rest: Job, end: int) -> int:
        """Schedule these jobs, then the rest of the current part; return the end of that part."""
        self._pending.append(rest)
        self._pending.extend(reversed(jobs))
        return end

    def show(self, text: str, at: int) -> None:
        """Add text in place of the markup at this position."""
        self.prose.add(text, at, verbatim=False)

    def cite(self, citations: tuple[Citation, ...], at: int, *, hidden: bool = False) -> None:
        """Add a group of citations; a hidden one, like that of a nocite command, belongs to no sentence."""
        self.groups += 1
        if hidden:
            self.prose.open_note()
        self.prose.cite(citations, at)
        if hidden:
            self.prose.close_note(separate=True)

    def end_paragraph(self) -> None:
        """End the paragraph."""
        self.prose.end_paragraph(block_quote=self._block_quotes > 0)

    def begin_block_quote(self) -> None:
        """End the paragraph and begin a block quotation."""
        self.end_paragraph()
        self._block_quotes += 1

    def end_block_quote(self) -> None:
        """End the paragraph and the block quotation."""
        self.end_paragraph()
        self._block_quotes -= 1

    def _scan(self, at: int, end: int) -> None:
        while at < end:
            found = self.special.search(self.text, at, end)
            start = found.start() if found else end
            if start > at:
                self.prose.add(self.text[at:start], at)
            at = self.read_special(found, end) if found else end
