"""Warnings that many documents of an import can cause: one line for each kind, with their number and a few names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from citeloom.api.importing import ImportResult
from citeloom.catalog.documents import Document
from citeloom.importing.sources.names import shown_source
from citeloom.importing.stages.match import why_unconfirmed

_NAMED = 3  # documents, in a warning
# What differs in warnings of the same kind: lists of pages, numbers and quoted names.
_VARIABLE = re.compile(r"pages? \d+(?:, \d+)*(?: and \d+ more)?|\d+|'[^']*'|\"[^\"]*\"")
_GENERATED, _UNCONFIRMED = "generated", "unconfirmed"


@dataclass(slots=True)
class _Kind:
    """Warnings of one kind so far."""

    place: int  # in the list of warnings
    first: str  # the first one in full
    count: int = 0
    documents: dict[str, None] = field(default_factory=dict)


class DocumentWarnings:
    """Adds warnings about documents to the result of an import."""

    def __init__(self, result: ImportResult) -> None:
        self._result = result
        self._kinds: dict[str, _Kind] = {}

    def citekey_generated(self, document: Document) -> None:
        """Warn that a document has no record."""
        self._result.citekeys_generated += 1
        kind = self._count(_GENERATED, f"{shown_source(document)} ({document.citekey})")
        one, many = "1 citekey was generated, because this file is", "citekeys were generated, because these files are"
        text = one if kind.count == 1 else f"{kind.count:,} {many}"
        listed = f"citeloom documents {document.project_id} --without-record"
        self._set(kind, f"{text} not in the references: {_names(kind, listed)}.")

    def unconfirmed(self, document: Document) -> None:
        """Warn that a document is only said to be a work."""
        self._result.unconfirmed += 1
        name = f"{shown_source(document)} ({document.claimed_citekey})"
        kind = self._count(_UNCONFIRMED, name, why_unconfirmed(document))
        decide = f"'citeloom documents {document.project_id} --doubtful'"
        if kind.count == 1:
            text = f"{kind.first} It does not count as that work until you confirm it: {decide}."
        else:
            documents = f"{kind.count:,} documents ({_names(kind)})"
            text = f"{documents} do not count as the works that they are said to be until you confirm it: {decide}."
        self._set(kind, text)

    def other(self, name: str, warning: str, listed: str) -> None:
        """Add a warning about a document; those that differ only in numbers and names are one kind."""
        kind = self._count(_VARIABLE.sub("#", warning), name, f"{name}: {warning}")
        like_it = f" ({kind.count:,} warnings like this one, about {_names(kind, listed)})" if kind.count > 1 else ""
        self._set(kind, f"{kind.first}{like_it}")

    def _count(self, key: str, document: str, warning: str = "") -> _Kind:
        """Count a warning; the first of its kind is put at the end of the list."""
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = _Kind(len(self._result.warnings), warning)
            self._result.warnings.append("")
        kind.count += 1
        kind.documents[document] = None
        return kind

    def _set(self, kind: _Kind, text: str) -> None:
        self._result.warnings[kind.place] = text


def _names(kind: _Kind, listed: str = "") -> str:
    """Return the first documents and the number of others, with the command that lists them all."""
    names, more = ", ".join(list(kind.documents)[:_NAMED]), len(kind.documents) - _NAMED
    command = f"; '{listed}' lists them" if listed else ""
    return f"{names} and {more:,} more{command}" if more > 0 else names
