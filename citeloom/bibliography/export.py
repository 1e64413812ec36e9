"""Exports works as a BibTeX, biblatex or CSL-JSON file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from citeloom.bibliography.bibtex.fields import BIBLATEX, BIBTEX
from citeloom.bibliography.bibtex.writer import ExportedFile, write_bib
from citeloom.bibliography.csl_json import to_csl_json
from citeloom.core.errors import CiteLoomError, Code

FORMS = ("bibtex", "biblatex", "csl-json")


def check_form(form: str, known: Sequence[str] = FORMS) -> None:
    """Raise INVALID_INPUT for an unknown format."""
    if form not in known:
        raise CiteLoomError(
            Code.INVALID_INPUT,
            f"There is no format '{form[:60]}'.",
            f"It can be: {', '.join(known)}.",
            valid=list(known),
        )


def write_library(works: Iterable[tuple[str, Mapping[str, Any]]], form: str, *, escaped: bool = False) -> ExportedFile:
    """Export (citekey, CSL-JSON item) pairs in a format; `escaped` writes ASCII instead of UTF-8."""
    check_form(form)
    if form == "csl-json":
        items = [{**csl, "id": citekey, "citation-key": citekey} for citekey, csl in works]
        return ExportedFile(to_csl_json(items, ascii_only=escaped), len(items))
    return write_bib(works, BIBTEX if form == "bibtex" else BIBLATEX, escaped=escaped)
