"""The end of a sync is a summary of a few lines."""

from __future__ import annotations

from citeloom.api.importing import ImportResult
from citeloom.cli.shared.import_summary import import_failures, import_summary


def test_a_large_import_ends_with_a_few_lines() -> None:
    result = ImportResult(
        new=90,
        replaced=2,
        skipped=1005,
        duplicates=5,
        removed=1,
        without_file=3,
        failed=22,
        recognised=4,
        pages_processed=1240,
        chunks_written=5321,
        errors=[{"source": f"{n}.pdf", "code": "CONVERSION_FAILED", "reason": "It has no text."} for n in range(22)],
        warnings=[f"line {n}: entry 'x' has no fields" for n in range(40)] + ["92 citekeys were generated."],
        searchable_seconds=31.2,
        duration_seconds=120.0,
    )
    assert list(import_summary("thesis", result)) == [
        "90 new, 2 replaced, 1,000 unchanged, 5 with the same content as another, 1 removed, 3 without a file,"
        " 22 failed; 1,240 pages, 5,321 passages, 4 of the documents by OCR.",
        "Found by words after 31.2 s, complete after 120.0 s.",
        *(f"Note: line {n}: entry 'x' has no fields" for n in range(35, 40)),
        "Note: 92 citekeys were generated.",
        "Note: there are 35 more notes, mostly on the references: citeloom sync thesis --json",
    ]
    failures = list(import_failures("thesis", result))
    assert failures[0] == "Failed: 0.pdf: It has no text. [CONVERSION_FAILED]"
    assert failures[10:] == ["and 12 more: citeloom documents thesis --status failed"]


def test_an_import_with_nothing_to_do_says_so() -> None:
    assert list(import_summary("p", ImportResult(duration_seconds=0.31))) == ["Nothing to do."]
    assert list(import_summary("p", ImportResult(skipped=20, duration_seconds=0.3))) == ["20 unchanged."]
