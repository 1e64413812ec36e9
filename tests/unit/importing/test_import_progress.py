"""Every page of an import is counted once: as found, as waiting, as failed, or as still to be read."""

from __future__ import annotations

from citeloom.core.jobs import Progress
from citeloom.importing.import_progress import ImportProgress


class Import:
    """An import of documents that are read one by one, and what it reported last."""

    def __init__(self, *sources: str) -> None:
        self.reports: list[Progress] = []
        self.progress = ImportProgress(self.reports.append)
        for source in sources:
            self.progress.add(source, 10)

    def counts(self, *, share: float | None = None) -> dict[str, int]:
        """The counts that are not zero; `share` must have been reached."""
        self.progress.report(stage="read")
        last = self.reports[-1]
        assert share is None or last.share == share
        names = ("searchable", "done", *(name for name in Progress.__dataclass_fields__ if name.startswith("pages_")))
        return {name: count for name in names if (count := getattr(last, name))}


def test_pages_are_found_by_words_then_by_meaning_and_scanned_ones_wait_for_ocr() -> None:
    run = Import("scan.pdf")
    assert run.counts(share=0.0) == {"pages_total": 10}
    run.progress.opened("scan.pdf", 8, passages=20, without_vector=20, waiting=2, for_layout=1)
    found = {"searchable": 1, "pages_total": 8, "pages_by_words": 6, "pages_waiting": 2, "pages_for_layout": 1}
    assert run.counts() == found
    run.progress.embedded("scan.pdf", 10)
    assert run.counts() == {**found, "pages_embedded": 3}
    run.progress.opened("scan.pdf", 8, passages=24, without_vector=4)
    run.progress.embedded("scan.pdf", 3)
    assert run.counts()["pages_embedded"] == 7, "not 8 before all passages are embedded"
    run.progress.embedded("scan.pdf", 1)
    run.progress.finished("scan.pdf")
    whole = {"searchable": 1, "done": 1, "pages_total": 8, "pages_by_words": 8, "pages_embedded": 8}
    assert run.counts(share=1.0) == whole


def test_what_could_not_be_read_is_failed_and_a_work_without_a_file_has_no_pages() -> None:
    run = Import("broken.pdf", "half.pdf", "copy.pdf", "missing")
    run.progress.opened("broken.pdf", 5, passages=0, without_vector=0)
    run.progress.finished("broken.pdf", searchable=False, lost=5)
    run.progress.opened("half.pdf", 6, passages=9, without_vector=0)
    run.progress.finished("half.pdf", lost=2)
    run.progress.opened("copy.pdf", 4, passages=0, without_vector=0)
    run.progress.finished("copy.pdf")
    run.progress.finished("missing", searchable=False)
    assert run.counts(share=1.0) == {
        "searchable": 2,
        "done": 4,
        "pages_total": 15,
        "pages_by_words": 8,
        "pages_embedded": 8,
        "pages_failed": 7,
    }


def test_a_document_that_is_read_again_or_taken_over_is_not_counted_twice() -> None:
    run = Import("paper.pdf", "other.pdf")
    run.progress.opened("paper.pdf", 8, passages=20, without_vector=0)
    run.progress.finished("paper.pdf")
    run.progress.add("paper.pdf", 8)
    run.progress.forget("other.pdf")
    assert run.counts(share=0.0) == {"pages_total": 8}
