"""Exports the records of a project, or of the works that manuscripts cite, for LaTeX or a reference manager.

Called by the service for `evidence.export` and `evidence.record`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from citeloom.api.evidence import RECORD_FORMATS, ExportResult, RecordResult, UnknownKey
from citeloom.bibliography.bibtex.writer import to_bibtex
from citeloom.bibliography.csl_json import to_csl_json
from citeloom.bibliography.export import check_form, write_library
from citeloom.catalog.projects import Project
from citeloom.evidence.manuscripts.reader import file_bytes, read_manuscript
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.works import Work, Works, shared_keys

# LaTeX's command to cite every work.
_NOCITE_ALL = re.compile(r"^[^%\n]*\\nocite\s*\{\s*\*\s*\}", re.MULTILINE)
_MAX_SUGGESTIONS = 100  # unknown keys for which similar ones are suggested


def record_with_key(works: Works, project: Project, citekey: str, form: str) -> RecordResult:
    """Return the record of a work by its current or a former citekey."""
    check_form(form, RECORD_FORMATS)
    work = works.get(project, citekey)
    text = to_bibtex(work.csl, work.citekey) if form == "bibtex" else to_csl_json([work.csl])
    return RecordResult(text, work.citekey, work.renamed_from)


def export(
    works: Works, project: Project, form: str, *, escaped: bool = False, cited_in: Sequence[Path] = ()
) -> ExportResult:
    """Export every work once, sorted by citekey; with `cited_in`, only the works that these manuscripts cite."""
    check_form(form)
    exported: dict[str, Work] = {} if cited_in else {work.citekey: work for work in works.all(project)}
    unknown: list[UnknownKey] = []
    warnings = works.problems([project])
    for path in cited_in:
        manuscript = read_manuscript(path.name, file_bytes(path))
        warnings += [f"{path.name}: {warning}" for warning in manuscript.warnings]
        if manuscript.format == "latex" and _NOCITE_ALL.search(manuscript.text):
            exported |= {work.citekey: work for work in works.all(project)}
        elif not manuscript.citations:
            warnings.append(f"{path.name} cites nothing.")
        first: dict[str, Citation] = {}  # citation of each key
        for citation in manuscript.citations:
            first.setdefault(citation.key, citation)
        for citation in first.values():
            line, _ = manuscript.line_and_column(citation.span.start)
            work = works.cited(project, citation)
            if work is None:
                unknown.append(UnknownKey(citation.key, (), str(path), line))
                continue
            if work.renamed_from:
                warnings.append(
                    f"{path.name}, line {line}: {work.renamed_from} is {work.citekey} now, and is exported so."
                    " 'citeloom check --fix' corrects the manuscript."
                )
            exported[work.citekey] = work
    in_order = sorted(exported.values(), key=lambda work: (work.citekey.casefold(), work.citekey))
    written = write_library([(work.citekey, work.csl) for work in in_order], form, escaped=escaped)
    return ExportResult(
        text=written.text,
        count=written.count,
        unknown=_with_suggestions(works, project, unknown),
        references=project.references_path,
        warnings=(*warnings, *shared_keys(in_order), *written.warnings),
    )


def _with_suggestions(works: Works, project: Project, unknown: Sequence[UnknownKey]) -> tuple[UnknownKey, ...]:
    if not unknown:
        return ()
    keys = works.keys(project)
    suggested = (replace(entry, near=tuple(keys.similar(entry.key))) for entry in unknown[:_MAX_SUGGESTIONS])
    return (*suggested, *unknown[_MAX_SUGGESTIONS:])
