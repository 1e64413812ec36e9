"""What is said of a job under way, for all that show it: the counts in words, how much is done, and the time left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.core.jobs import Progress, RunningJob, combined_progress, describe_job, describe_progress

PAGES = {"pages_total": 300, "pages_by_words": 120, "pages_embedded": 40, "pages_waiting": 12}
READING = Progress(20, searchable=8, stage="read", eta_seconds=25.0, **PAGES)
AWAY = "The server is away."


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (
            READING,
            "8 of 20 documents read · 120 of 300 pages found by words, 40 by meaning, 12 wait for OCR"
            " · about 25 s left",
        ),
        (
            replace(READING, failed=2, pages_waiting=1, pages_for_layout=3, pages_failed=1_500, eta_seconds=400.0),
            "8 of 20 documents read, 2 failed · 120 of 300 pages found by words, 40 by meaning, 1 waits for OCR,"
            " 3 for layout analysis, 1,500 failed · about 7 min left",
        ),
        (
            replace(READING, waits_for=AWAY),
            "8 of 20 documents read · 120 of 300 pages found by words, 40 by meaning, 12 wait for OCR"
            " · waiting: The server is away.",
        ),
        (Progress(0), "looking for changes"),
        (
            Progress(1_000_000, done=2_000, stage="copy", eta_seconds=9_000.0),
            "2,000 of 1,000,000 passages copied · about 2 h left",
        ),
        (Progress(9, done=9, stage="check", eta_seconds=1.0), "9 of 9 passages copied, comparing"),
    ],
    ids=["import", "all counts", "waiting", "planning", "move", "comparing"],
)
def test_progress_is_told_in_words(progress: Progress, words: str) -> None:
    assert describe_progress(progress) == words


def test_a_job_that_does_not_run_says_its_state_first() -> None:
    assert describe_job(RunningJob(job_id="j", project="p")) == "queued"
    paused = RunningJob(job_id="j", project="p", state="paused", stage="read", total=2, searchable=1)
    assert describe_job(paused) == "paused · 1 of 2 documents read"
    assert describe_job(replace(paused, state="running")) == "1 of 2 documents read"


@pytest.mark.parametrize(
    ("changes", "share"),
    [
        ({"pages_by_words": 0, "pages_embedded": 0}, 0.0),
        ({"pages_by_words": 300, "pages_embedded": 0}, 0.5),
        ({"pages_by_words": 300, "pages_embedded": 300, "pages_for_layout": 30}, 0.95),
        ({"pages_by_words": 270, "pages_embedded": 270, "pages_failed": 30}, 1.0),
        ({"pages_total": 0}, None),
        ({"stage": "check", "done": 20}, None),
        ({"stage": "copy", "done": 5}, 0.25),
    ],
)
def test_what_is_done_is_counted_in_pages_found_by_words_and_by_meaning(
    changes: dict[str, object], share: float | None
) -> None:
    assert replace(READING, **changes).share == share  # type: ignore[arg-type]


def test_several_imports_are_counted_together() -> None:
    other = Progress(
        5, searchable=5, done=1, failed=1, stage="embed", eta_seconds=90.0, pages_total=10, pages_by_words=10
    )
    waiting = replace(READING, eta_seconds=1000.0, waits_for=AWAY)
    both = combined_progress([READING, other, waiting])
    assert (both.total, both.searchable, both.done, both.failed) == (45, 21, 1, 1)
    assert (both.pages_total, both.pages_by_words, both.pages_waiting, both.seconds_left) == (610, 250, 24, 90.0)
    assert combined_progress([]).share is None
