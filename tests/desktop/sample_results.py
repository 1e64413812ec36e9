"""Results of the engine with all that they have to have, for pages on an engine that is made up."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from citeloom.api.library import DocumentRow, NewProject, ProjectDetails, ProjectSummary
from citeloom.core.types import Coverage

EMPTY = Coverage(documents=0, searchable=0, by_meaning=0, pending=0, failed=0, without_file=0)


def summary(name: str, coverage: Coverage = EMPTY, **more: Any) -> ProjectSummary:
    """A project in a list."""
    values: dict[str, Any] = {
        "collection": f"proj-{name}",
        "dense_model": "some/model",
        "sparse_model": "some/words",
        "hybrid_enabled": True,
        "document_count": coverage.documents,
        "chunk_count": 0,
        "coverage": coverage,
    }
    return ProjectSummary(id=name, **{**values, **more})


def projects(*names: str, coverage: Coverage = EMPTY) -> list[ProjectSummary]:
    """A list of projects."""
    return [summary(name, coverage) for name in names]


def details(name: str, coverage: Coverage = EMPTY, **more: Any) -> ProjectDetails:
    """A project on its own."""
    return ProjectDetails(**_details(name, coverage, more))


def new_project(name: str, **more: Any) -> NewProject:
    """A project that was made."""
    return NewProject(**{"records": None, "warnings": [], **_details(name, EMPTY, more)})


def _details(name: str, coverage: Coverage, more: dict[str, Any]) -> dict[str, Any]:
    return {
        **{**asdict(summary(name)), "coverage": coverage},
        "references": None,
        "sources": [],
        "server": None,
        "bytes": 0,
        "created_at": "",
        "jobs": [],
        "last_jobs": [],
        **more,
    }


def document_row(doc_id: str, **more: Any) -> DocumentRow:
    """A document in a table."""
    values: dict[str, Any] = {
        "citekey": f"key-{doc_id}",
        "claimed_citekey": None,
        "citekey_made": False,
        "title": f"Title of {doc_id}",
        "source": f"{doc_id}.pdf",
        "file_type": "pdf",
        "pages": 3,
        "chunk_count": 0,
        "without_vector": 0,
        "content_hash": None,
        "status": "ready",
        "reason": None,
        "matched_by": None,
        "text_source": None,
        "converter_engine": None,
        "fallback_reason": None,
        "quick": False,
        "word_coverage": 1.0,
        "warnings": [],
        "claimed_by": "",
        "decision": "",
        "reason_code": None,
        "ocr_share": None,
        "slow_pages": {},
        "year": None,
        "authors": [],
        "path": f"/papers/{doc_id}.pdf",
        "open_uri": "file:///papers/x.pdf",
        "created_at": "2026-01-01T00:00:00.000+00:00",
        "last_modified": None,
        "metadata": {},
    }
    return DocumentRow(doc_id=doc_id, **{**values, **more})
