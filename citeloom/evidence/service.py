"""Service of the `evidence` verbs. Heavy modules are imported with the first request, for a fast engine start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.api import evidence as api
from citeloom.api.verbs import handles
from citeloom.catalog import Catalog
from citeloom.core.cancel import Cancel
from citeloom.evidence.works import Works
from citeloom.index.models.embedding import ModelRegistry
from citeloom.library.document_text import DocumentTexts
from citeloom.library.projects import ProjectService
from citeloom.search.query import SearchService

if TYPE_CHECKING:
    from citeloom.evidence.verify import QuoteVerifier


@dataclass(eq=False)
class EvidenceService:
    """Verifies quotations, checks manuscripts, formats citations and exports records."""

    catalog: Catalog
    works: Works
    projects: ProjectService
    texts: DocumentTexts
    search: SearchService
    models: ModelRegistry

    @handles(api.VerifyQuote)
    def verify(self, request: api.VerifyQuote, cancel: Cancel) -> api.VerifyResult:
        """Verify a quotation and find its actual place."""
        project = self.catalog.projects.get(request.project)
        return self._verifier.verify(project, request.quote, request.citekey, request.page, cancel)

    @handles(api.CheckManuscript)
    def check(self, request: api.CheckManuscript, cancel: Cancel) -> api.CheckReport:
        """Check the key, quotation and page of every citation of a manuscript."""
        from citeloom.evidence.check import check_manuscript

        named = request.project
        project = self.catalog.projects.get(named) if named else self.projects.default_project()
        return check_manuscript(self._verifier, project, request, cancel)

    @handles(api.Cite)
    def cite(self, request: api.Cite) -> api.CiteResult:
        """Format citations and their bibliography."""
        from citeloom.evidence.cite import format_cites

        named = request.project
        projects = [self.catalog.projects.get(named)] if named else self.catalog.projects.all()
        return format_cites(self.works, projects, request)

    @handles(api.GetRecords)
    def records(self, request: api.GetRecords) -> api.RecordsResult:
        """Return the records of the works that citations name, each once."""
        from citeloom.evidence.cite import cited_records

        return cited_records(self.works, self.catalog.projects.get(request.project), request.cites, request.format)

    @handles(api.GetRecord)
    def record(self, request: api.GetRecord) -> api.RecordResult:
        """Return the record of one work."""
        from citeloom.evidence.export import record_with_key

        return record_with_key(self.works, self.catalog.projects.get(request.project), request.citekey, request.format)

    @handles(api.Export)
    def export(self, request: api.Export) -> api.ExportResult:
        """Export the works of a project, or those that manuscripts cite."""
        from citeloom.evidence.export import export

        project, manuscripts = self.catalog.projects.get(request.project), [Path(p) for p in request.cited_in]
        return export(self.works, project, request.format, escaped=request.escaped, cited_in=manuscripts)

    @cached_property
    def _verifier(self) -> QuoteVerifier:
        from citeloom.evidence.verify import QuoteVerifier

        return QuoteVerifier(self.catalog, self.works, self.texts, self.search, self.models)
