"""What the results of a tool call disclose or change, for the access log: passages, works, numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from citeloom.api.evidence import CheckReport, VerifyResult
from citeloom.api.library import DeletedDocument, StoredChunks
from citeloom.api.notes import Note
from citeloom.api.search import PassageResult, QueryResult

_MAX_DOCUMENTS = 10  # in one line of the log


@dataclass(slots=True)
class AccessRecord:
    """The part of an entry of the access log that comes from results, whatever the answer makes of them."""

    projects: set[str] = field(default_factory=set)
    passages: list[str] = field(default_factory=list)  # whose text was sent
    summary: str = ""  # works that were quoted, or what was written

    @property
    def project(self) -> str | None:
        """The project of the call; None if it had none, or several."""
        return next(iter(self.projects)) if len(self.projects) == 1 else None

    def add(self, result: object) -> None:
        """Record what a result discloses."""
        match result:
            case QueryResult():  # a hit may consist of several passages
                for hit in result.items:
                    self.passages += [part.chunk_id for part in hit.merged] or [hit.chunk_id]
            case PassageResult():
                around = [one.chunk_id for one in (*result.before, *result.after)]
                self.passages += [result.passage.chunk_id, *around]
            case Note():
                self.passages += [passage.chunk_id for passage in result.evidence]
            case VerifyResult():
                self._works([result.cite, result.elsewhere.cite if result.elsewhere else None])
            case CheckReport():
                self._works([f"[@{finding.citekey}]" for finding in result.findings if finding.diff])
            case StoredChunks():
                self.summary = f"stored {result.chunks_written} passages in {_documents(result)}"
            case DeletedDocument():
                self.summary = f"deleted {result.deleted_chunks} passages"

    def add_import(self, result: dict[str, Any]) -> None:
        """Record what a finished import has written."""
        if "documents_processed" in result:
            self.summary = f"{result['documents_processed']} documents, {result['chunks_written']} passages"

    def _works(self, cites: list[str | None]) -> None:
        self.summary = "; ".join(dict.fromkeys(filter(None, cites)))


def _documents(stored: StoredChunks) -> str:
    named = [
        f"{one.source} as {one.claimed_citekey}" if one.claimed_citekey else one.source for one in stored.documents
    ]
    more = f" and {len(named) - _MAX_DOCUMENTS} more" if len(named) > _MAX_DOCUMENTS else ""
    return f"{', '.join(named[:_MAX_DOCUMENTS])}{more}"
