"""Hints of a manuscript check: sentences whose cited work has no similar passage. Called by `check`."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.evidence.check_issues import Issue
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.verify import QuoteVerifier
from citeloom.evidence.works import Work
from citeloom.search.query import SearchService

# The score that the best passage of a cited work must have, for the bundled model. Measured on the sample
# papers: 21 sentences that paraphrase their work scored at least 0.33, four in five about other works below 0.25.
_MIN_SCORE = 0.25
# "This has been argued before" is similar to no work: a sentence needs this many words of this many letters.
_MIN_WORDS, _MIN_LETTERS = 4, 5
_MIN_KNOWN = 0.7  # share of its words that must be in the model's vocabulary


def find_hints(
    search: SearchService,
    verifier: QuoteVerifier,
    project: Project,
    cited: Sequence[tuple[Citation, Work | None]],
    seconds: float,
    cancel: Cancel,
) -> tuple[list[Issue], int]:
    """Return the citations whose work has no passage similar to their sentence; quotations are checked elsewhere.

    Also returns how many sentences were not compared for lack of time.
    """
    issues: list[Issue] = []
    omitted = 0
    if project.dense_model != BUNDLED_DENSE:  # the threshold was measured for the bundled model only
        return issues, omitted
    deadline: float | None = None  # set after the first comparison, which may load the model
    quoting = {citation.sentence for citation, _ in cited if citation.quotations}
    for citation, work in cited:
        if work is None or not work.readable or citation.sentence in quoting:
            continue
        if deadline and time.monotonic() > deadline:
            omitted += 1
            continue
        if not _is_comparable(citation.sentence, verifier.lexicon):
            continue
        cancel.check()
        ids = [document.doc_id for document in work.readable]
        score = search.best_score_in(project, citation.sentence, ids)
        deadline = deadline or time.monotonic() + seconds
        if score is not None and score < _MIN_SCORE:
            message = f"Nothing in {work.citekey} comes near to this sentence: a hint to look again, no proof."
            issues.append(Issue("no-near-passage", "note", citation.span, citation, message))
    return issues, omitted


def _is_comparable(sentence: str, lexicon: Lexicon) -> bool:
    """Whether a sentence is long enough, and in the language of the model."""
    words = re.findall(r"[^\W\d_]+", sentence.casefold())
    long_words = {word for word in words if len(word) >= _MIN_LETTERS}
    return len(long_words) >= _MIN_WORDS and sum(map(lexicon.has, words)) >= _MIN_KNOWN * len(words)
