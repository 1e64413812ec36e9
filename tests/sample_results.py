"""Results of verbs with every field filled, for tests of what shows them; each field can be given."""

from __future__ import annotations

from typing import Any

from citeloom.api.evidence import CheckReport, Finding, FindingCounts, Searched, Verdict, VerifyResult
from citeloom.api.search import FoundPassage, Neighbour, PassageResult, QueryResult, SearchHit
from citeloom.core.types import Coverage

COVERAGE = Coverage(documents=10, searchable=9, by_meaning=9, pending=0, failed=1, without_file=0)


def passage_fields(**other: Any) -> dict[str, Any]:
    fields = {
        "chunk_id": "p1",
        "doc_id": "d",
        "source": "paper.pdf",
        "render_text": "Moths fly 1 times.",
        "citekey": "okafor2021",
        "claimed_citekey": None,
        "citekey_made": False,
        "renamed_from": (),
        "title": "On moths",
        "authors": ("Okafor, Ada",),
        "year": 2021,
        "section": "Traps",
        "section_path": ("2 Methods", "Traps"),
        "page_span": (3, 3),
        "page_labels": ("33",),
        "doi": None,
        "url": None,
        "text_source": "native",
        "ocr_confidence": None,
        "cite": "[@okafor2021, p. 33]",
        "open_uri": "zotero://open-pdf/library/items/ABC?page=3",
        "full_text": "Moths fly 1 times.",
    }
    return {**fields, **other}


def search_hit(**other: Any) -> SearchHit:
    return SearchHit(**{"score": 0.9, "merged": (), "also_in": (), **passage_fields(**other)})


def query_result(*hits: SearchHit, **other: Any) -> QueryResult:
    fields = {
        "items": hits,
        "count": len(hits),
        "dense_model": "m",
        "sparse_model": "s",
        "fusion": "rrf",
        "reranked": None,
        "coverage": COVERAGE,
        "total_tokens": 10,
        "budget_utilized": None,
        "truncated": False,
        "truncated_count": 0,
        "warnings": (),
    }
    return QueryResult(**{**fields, **other})


def neighbour(text: str, chunk_id: str = "n") -> Neighbour:
    return Neighbour(chunk_id, text, (), None, (), None)


def passage_result(
    *, before: tuple[Neighbour, ...] = (), after: tuple[Neighbour, ...] = (), **other: Any
) -> PassageResult:
    passage = FoundPassage(**passage_fields(**other))
    return PassageResult(project="p", passage=passage, refined_from=None, before=before, after=after, page=None)


def finding(rule: str = "unknown-key", level: str = "error", **other: Any) -> Finding:
    fields = {
        "rule": rule,
        "level": level,
        "line": 3,
        "column": 7,
        "end_line": 3,
        "end_column": 19,
        "citekey": "hartman2019",
        "message": "No work has this key.",
        "quotation": None,
        "sentence": "So it is.",
        "near": (),
        "page_claimed": None,
        "page_labels": (),
        "page_span": None,
        "diff": None,
        "source": None,
        "matched_by": None,
        "edit": None,
    }
    return Finding(**{**fields, **other})


def check_report(*findings: Finding, **other: Any) -> CheckReport:
    levels = [one.level for one in findings]
    fields = {
        "project": "thesis",
        "format": "markdown",
        "citations": 4,
        "works": 2,
        "quotations": 1,
        "findings": findings,
        "counts": FindingCounts(levels.count("error"), levels.count("warning"), levels.count("note")),
        "edits": (),
        "texts": (),
        "fixable": True,
        "encoding": "utf-8",
        "coverage": COVERAGE,
        "warnings": (),
        "file": None,
        "sha256": None,
    }
    return CheckReport(**{**fields, **other})


def verify_result(verdict: str, **other: Any) -> VerifyResult:
    fields: dict[str, Any] = dict.fromkeys(("citekey", "renamed_from", "title", "doc_id", "cite", "page_span"))
    fields |= dict.fromkeys(("page_claimed", "page_right", "text", "sentence", "diff", "source", "matched_by"))
    fields |= dict.fromkeys(("text_source", "ocr_confidence", "open_uri", "elsewhere", "unconfirmed"))
    fields |= dict.fromkeys(("page_labels", "section_path", "allowed", "changes", "warnings"), ())
    fields |= {"in_references": False, "is_quotation": False, "places": 0, "quote": "a quotation"}
    fields |= {"message": "So it is.", "searched": Searched(8, 120), "coverage": COVERAGE}
    return VerifyResult(**{"verdict": Verdict(verdict), **fields, **other})
