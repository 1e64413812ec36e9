"""Hints of a check: sentences whose cited work has no passage like them. Worth a look, never a verdict."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence

from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.evidence import check_messages
from citeloom.evidence.check_findings import NOTE, Finding
from citeloom.evidence.manuscripts.types import Citation
from citeloom.evidence.verify import QuoteVerifier
from citeloom.evidence.works import Work
from citeloom.search.query import SearchService

# How near the nearest passage of a cited work must come to a sentence, for the bundled model. Measured on the sample
# papers: 21 sentences that paraphrase their work came to 0.33 and more, four in five of other works stayed below 0.25.
_NEAR_ENOUGH = 0.25
# "This has been argued before" is near to no work: a sentence must have so many words that are more than short ones.
_FEWEST_WORDS, _LETTERS = 4, 5
_KNOWN = 0.7  # of its words, those that the model's vocabulary has


class Hints:
    """Compares sentences with the passages of the works that they cite."""

    def __init__(
        self, questions: SearchService, quoting: QuoteVerifier, project: Project, seconds: float, cancel: Cancel
    ) -> None:
        self._questions = questions
        self._quoting = quoting
        self._project = project
        self._seconds = seconds
        self._cancel = cancel
        self.left_out = 0  # sentences there was no time for

    def findings(self, citations: Sequence[Citation], works: Mapping[str, Work | None]) -> Iterator[Finding]:
        """Citations whose work has nothing like their sentence; one that quotes is proved or not by what it quotes."""
        if self._project.dense_model != BUNDLED_DENSE:  # what is near to another model has not been measured
            return
        until: float | None = None  # the first comparison may have to wait for the model, which is not its fault
        quoting = {citation.sentence for citation in citations if citation.quotations}
        for citation in citations:
            work = works[citation.key]
            if work is None or not work.readable or citation.sentence in quoting:
                continue
            if until and time.monotonic() > until:
                self.left_out += 1
                continue
            if not self._says_something(citation.sentence):
                continue
            self._cancel.check()
            ids = [document.doc_id for document in work.readable]
            near = self._questions.nearest_in(self._project, citation.sentence, ids)
            until = until or time.monotonic() + self._seconds
            if near is not None and near < _NEAR_ENOUGH:
                said = check_messages.no_near_passage(work)
                yield Finding("no-near-passage", NOTE, citation.span, citation, said)

    def _says_something(self, sentence: str) -> bool:
        """Whether it is long enough, and in the language that the model compares by."""
        words = re.findall(r"[^\W\d_]+", sentence.casefold())
        telling = {word for word in words if len(word) >= _LETTERS}
        return len(telling) >= _FEWEST_WORDS and sum(map(self._quoting.lexicon.has, words)) >= _KNOWN * len(words)
