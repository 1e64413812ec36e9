"""Hints of a manuscript check: sentences whose cited work has no similar passage. Called by `check`."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence

from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.evidence import check_messages
from citeloom.evidence.check_issues import Issue
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.verify import QuoteVerifier
from citeloom.evidence.works import Work
from citeloom.search.query import SearchService

# The score that the best passage of a cited work must have, for the bundled model. Measured on the sample
# papers: 21 sentences that paraphrase their work scored at least 0.33, four in five about other works below 0.25.
_MIN_SCORE = 0.25
# "This has been argued before" is similar to no work: a sentence needs this many words of this many letters.
_MIN_WORDS, _MIN_LETTERS = 4, 5
_MIN_KNOWN = 0.7  # share of its words that must be in the model's vocabulary


class Hints:
    """Compares sentences with the passages of the works that they cite, within a time limit."""

    def __init__(
        self, search: SearchService, verifier: QuoteVerifier, project: Project, seconds: float, cancel: Cancel
    ) -> None:
        self._search = search
        self._verifier = verifier
        self._project = project
        self._seconds = seconds
        self._cancel = cancel
        self.omitted = 0  # sentences that were not compared for lack of time

    def issues(self, citations: Sequence[Citation], works: Mapping[str, Work | None]) -> Iterator[Issue]:
        """Yield the citations whose work has no passage similar to their sentence; quotations are checked elsewhere."""
        if self._project.dense_model != BUNDLED_DENSE:  # the threshold was measured for the bundled model only
            return
        deadline: float | None = None  # set after the first comparison, which may load the model
        quoting = {citation.sentence for citation in citations if citation.quotations}
        for citation in citations:
            work = works[citation.key]
            if work is None or not work.readable or citation.sentence in quoting:
                continue
            if deadline and time.monotonic() > deadline:
                self.omitted += 1
                continue
            if not self._is_comparable(citation.sentence):
                continue
            self._cancel.check()
            ids = [document.doc_id for document in work.readable]
            score = self._search.best_score_in(self._project, citation.sentence, ids)
            deadline = deadline or time.monotonic() + self._seconds
            if score is not None and score < _MIN_SCORE:
                message = check_messages.no_near_passage(work)
                yield Issue("no-near-passage", "note", citation.span, citation, message)

    def _is_comparable(self, sentence: str) -> bool:
        """Whether a sentence is long enough, and in the language of the model."""
        words = re.findall(r"[^\W\d_]+", sentence.casefold())
        long_words = {word for word in words if len(word) >= _MIN_LETTERS}
        return len(long_words) >= _MIN_WORDS and sum(map(self._verifier.lexicon.has, words)) >= _MIN_KNOWN * len(words)
