"""A project's works, or those that manuscripts cite, as a file for LaTeX or a reference manager."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from citeloom.bibliography.export import check_form, write_library
from citeloom.catalog.projects import Project
from citeloom.evidence.manuscripts.files import bytes_of
from citeloom.evidence.manuscripts.reader import read_manuscript
from citeloom.evidence.manuscripts.types import Citation, Manuscript
from citeloom.evidence.works import Work, Works, shared_keys

# LaTeX's way to cite every work there is.
_EVERYTHING = re.compile(r"^[^%\n]*\\nocite\s*\{\s*\*\s*\}", re.MULTILINE)
_MOST_NEAR = 100  # unknown keys for which near ones are looked for


@dataclass(slots=True)
class _Cited:
    """What manuscripts cite."""

    works: dict[str, Work] = field(default_factory=dict)
    unknown: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class ExportService:
    """Writes bibliographies."""

    def __init__(self, works: Works) -> None:
        self._works = works

    def export(self, project: Project, form: str, *, escaped: bool, cited_in: Sequence[Path]) -> dict[str, Any]:
        """Every work once, by citekey; with manuscripts, only the works that they cite."""
        check_form(form)
        cited = self._cited(project, cited_in) if cited_in else _Cited({w.citekey: w for w in self._works.all(project)})
        works = sorted(cited.works.values(), key=lambda work: (work.citekey.casefold(), work.citekey))
        written = write_library([(work.citekey, work.csl) for work in works], form, escaped=escaped)
        return {
            "text": written.text,
            "count": written.count,
            "unknown": cited.unknown,
            "references": project.references_path,
            "warnings": [*self._works.problems([project]), *cited.warnings, *shared_keys(works), *written.warnings],
        }

    def _cited(self, project: Project, paths: Sequence[Path]) -> _Cited:
        cited = _Cited()
        for path in paths:
            manuscript = read_manuscript(path.name, bytes_of(path))
            cited.warnings += [f"{path.name}: {warning}" for warning in manuscript.warnings]
            if manuscript.format == "latex" and _EVERYTHING.search(manuscript.text):
                cited.works |= {work.citekey: work for work in self._works.all(project)}
            elif not manuscript.citations:
                cited.warnings.append(f"{path.name} cites nothing.")
            self._add(project, path, manuscript, cited)
        if cited.unknown:
            names = self._works.names(project)
            for missing in cited.unknown[:_MOST_NEAR]:
                missing["near"] = names.near(missing["key"])
        return cited

    def _add(self, project: Project, path: Path, manuscript: Manuscript, cited: _Cited) -> None:
        first: dict[str, Citation] = {}
        for citation in manuscript.citations:
            first.setdefault(citation.key, citation)
        for citation in first.values():
            line, _ = manuscript.place(citation.span.start)
            work = self._works.cited(project, citation)
            if work is None:
                cited.unknown.append({"key": citation.key, "near": [], "file": str(path), "line": line})
                continue
            if work.renamed_from:
                cited.warnings.append(
                    f"{path.name}, line {line}: {work.renamed_from} is {work.citekey} now, and is exported so."
                    " 'citeloom check --fix' mends the manuscript."
                )
            cited.works[work.citekey] = work
