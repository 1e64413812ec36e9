"""How well a converted document says what its paper says, each as a share from 0 to 1."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.conversion.chunking import chunk
from citeloom.conversion.tokens import TokenCounter
from citeloom.core.types import BlockKind, Converted, Passage, TextSource
from tests.papers.alignment import Places, longest_rise, tokens
from tests.papers.truth import IN_THE_FLOW, Kind, TrueBlock, Truth

_TOKENIZER = Path(__file__).parents[2] / "citeloom" / "index" / "models" / "data" / "tokenizer.json"
_LIMIT = 256  # tokens of the bundled model
_ANCHOR = 5  # words by which a sentence is found again
_PROSE = (BlockKind.TEXT, BlockKind.HEADING)
_TABLE_MARKS = str.maketrans("|\t", "  ")


@dataclass(slots=True)
class Share:
    """How many of how many, and what was wrong."""

    right: int = 0
    of: int = 0
    wrong: list[str] = field(default_factory=list)

    def __float__(self) -> float:
        return self.right / self.of if self.of else 1.0

    def count(self, good: bool, what: str) -> None:
        """Count one more."""
        self.of += 1
        self.right += good
        if not good:
            self.wrong.append(what)

    def __str__(self) -> str:
        shown = "; ".join(self.wrong[:5])
        return f"{float(self):.3f} ({self.right} of {self.of}{f', wrong: {shown}' if shown else ''})"


class Judgement:
    """A converted document beside the truth about its paper."""

    def __init__(self, doc: Converted, truth: Truth) -> None:
        self.doc, self.truth = doc, truth
        self.places = Places(truth)
        self.passages: list[Passage] = chunk(doc, TokenCounter(_TOKENIZER), _LIMIT)

    # --- words ------------------------------------------------------------------------------

    def word_coverage(self, pages: set[int] | None = None) -> Share:
        """The share of the paper's words, running lines aside, that the converted blocks hold."""
        wanted: Counter[str] = Counter()
        for block in self.truth.blocks:
            for word in block.words:
                if pages is None or set(word.pages) <= pages:
                    wanted.update(tokens(word.text))
        have: Counter[str] = Counter()
        for converted in self.doc.blocks:
            have.update(tokens(converted.text))
        missing = [word for word, count in (wanted - have).most_common() for _ in range(count)]
        return Share(wanted.total() - len(missing), wanted.total(), missing)

    def ocr_word_recall(self) -> Share:
        """The share of the words on pictures of pages that were recognised."""
        return self.word_coverage(self.truth.scanned_pages)

    def broken_words(self) -> Share:
        """The share of words broken at the end of a line that are whole again, their own hyphens kept."""
        have = Counter(word for block in self.doc.blocks for word in _bare(block.text))
        share = Share()
        for word in {word.text for block in self.truth.blocks for word in block.words if word.broken}:
            for bare in _bare(word.rstrip("0123456789")):  # the mark of a note may follow
                share.count(have[bare] > 0, bare)
        return share

    def running_lines_left(self) -> list[str]:
        """Running headers, footers and page numbers that are still in the text of their page."""
        left = []
        for page in self.truth.pages:
            own = [block.on_page(page.number) for block in self.truth.blocks if page.number in block.pages]
            own += page.imprint
            given = [block.text for block in self.doc.blocks if block.page == page.number]
            for line in page.running:
                words = tokens(line)
                if _times_in(words, given) > _times_in(words, own):
                    left.append(f"page {page.number}: {line}")
        return left

    # --- pages ------------------------------------------------------------------------------

    def page_attribution(self) -> Share:
        """The share of passages that stand on the pages they claim, from the first word to the last."""
        share = Share()
        for passage in self.passages:
            share.count(*self._stands_where_it_says(passage))
        return share

    def _stands_where_it_says(self, passage: Passage) -> tuple[bool, str]:
        start, end = passage.page_start, passage.page_end
        if start is None or end is None:
            return False, f"{passage.text[:40]!r} claims no page"
        claimed = set(range(start, end + 1))
        words = tokens(passage.text)
        located = self.places.locate(words)
        for word, places in zip(words, located, strict=True):
            pages = self.places.pages_of(places)
            if not pages and not claimed & self.truth.scanned_pages:  # a word alone may be misread for another
                pages = {page for page, held in self.places.on_page.items() if held[word]}
            if pages and not pages & claimed:
                return False, f"{word!r} of {passage.text[:40]!r} is on {sorted(pages)}, claimed {start}-{end}"
        known = [self.places.pages_of(places) for places in located if places]
        if known and start not in known[0]:
            return False, f"{passage.text[:40]!r} begins on {sorted(known[0])}, claimed {start}"
        if known and end not in known[-1]:
            return False, f"{passage.text[-40:]!r} ends on {sorted(known[-1])}, claimed {end}"
        return True, ""

    def labels(self) -> Share:
        """The share of pages that are called what a reader would call them."""
        share = Share()
        share.count(len(self.doc.pages) == len(self.truth.pages), f"{len(self.doc.pages)} pages")
        for page, true in zip(self.doc.pages, self.truth.pages, strict=False):
            share.count(page.label == true.label, f"page {true.number} is {page.label}, not {true.label}")
            share.count(page.pdf_label == true.pdf_label, f"page {true.number} has the PDF label {page.pdf_label}")
        return share

    def text_sources(self) -> Share:
        """The share of passages that say rightly whether their text was recognised in a picture."""
        share = Share()
        scanned = self.truth.scanned_pages
        by_others = {page.number for page in self.truth.pages if page.recognised}
        for passage in self.passages:
            pages = set(range(passage.page_start or 0, (passage.page_end or 0) + 1))
            if not (pages <= scanned or pages.isdisjoint(scanned)):
                continue  # over the border between the two either word is true
            source, sure = passage.text_source, passage.ocr_confidence
            if pages <= scanned:
                right = source is TextSource.OCR and sure is not None and 0 < sure <= 1
            else:
                right = sure is None and source is (TextSource.OCR if pages <= by_others else TextSource.NATIVE)
            share.count(right, f"pages {sorted(pages)} are called {source}, sure {sure}")
        return share

    # --- structure --------------------------------------------------------------------------

    def _headings(self) -> tuple[Counter[tuple[str, int]], Counter[tuple[str, int]]]:
        wanted = Counter((_joined(b.text), b.pages[0]) for b in self.truth.of_kind(Kind.HEADING))
        given = Counter((_joined(b.text), b.page or 0) for b in self.doc.blocks if b.kind is BlockKind.HEADING)
        # Whether a title is a heading is a matter of taste.
        for block in self.truth.of_kind(Kind.TITLE):
            given.pop((_joined(block.text), block.pages[0]), None)
        return wanted, given

    def heading_recall(self) -> Share:
        """The share of the paper's headings that were found, on their page."""
        wanted, given = self._headings()
        return Share((wanted & given).total(), wanted.total(), [str(key) for key in wanted - given])

    def heading_precision(self) -> Share:
        """The share of the headings given that are headings of the paper."""
        wanted, given = self._headings()
        return Share((wanted & given).total(), given.total(), [str(key) for key in given - wanted])

    def section_paths(self) -> Share:
        """The share of words of the running text that stand under the right chain of headings."""
        share = Share()
        title = _joined(self.truth.title)
        for block in self.doc.blocks:
            if block.kind is not BlockKind.TEXT:
                continue
            path = [name for name in map(_joined, block.section_path) if name != title]
            for places in self.places.locate(tokens(block.text)):
                owners = [
                    self.truth.blocks[self.places.blocks[place]] for place in places if self.places.blocks[place] >= 0
                ]
                owners = [owner for owner in owners if owner.kind in IN_THE_FLOW]
                if owners:
                    right = any(path == [_joined(name) for name in owner.section] for owner in owners)
                    share.count(right, f"{block.section_path} for {owners[0].section} on page {block.page}")
        share.wrong = list(dict.fromkeys(share.wrong))
        return share

    def reading_order(self) -> Share:
        """The share of sentences that come in the order in which they are read."""
        found = self._sentence_places()
        return Share(longest_rise(found), len(found))

    def whole_sentences(self) -> Share:
        """The share of sentences that nothing interrupts, neither a page's end nor a note or figure."""
        share = Share()
        text = " ".join(tokens(" ".join(block.text for block in self.doc.blocks if block.kind in _PROSE)))
        for block in self.truth.of_kind(Kind.TEXT):
            for sentence in _sentences_of(block):
                share.count(" ".join(sentence) in text, " ".join(sentence[:8]))
        return share

    def _sentence_places(self) -> list[int]:
        words = [word for block in self.doc.blocks for word in tokens(block.text)]
        where: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at in range(len(words) - _ANCHOR + 1):
            where[tuple(words[at : at + _ANCHOR])].append(at)
        anchors = [
            tuple(sentence[:_ANCHOR])
            for block in self.truth.of_kind(*IN_THE_FLOW)
            for sentence in _sentences_of(block)
            if len(sentence) >= _ANCHOR
        ]
        # An anchor that stands in two places tells none.
        return [where[anchor][0] for anchor in anchors if len(where.get(anchor, ())) == 1]

    def asides_apart(self) -> Share:
        """The share of captions and footnotes that are blocks of their own kind."""
        share = Share()
        kinds = {
            Kind.CAPTION: (BlockKind.CAPTION, BlockKind.TABLE, BlockKind.FIGURE),
            Kind.FOOTNOTE: (BlockKind.FOOTNOTE,),
        }
        for kind, allowed in kinds.items():
            given = [" ".join(tokens(block.text)) for block in self.doc.blocks if block.kind in allowed]
            for block in self.truth.of_kind(kind):
                wanted = " ".join(tokens(block.text))
                share.count(any(wanted in text for text in given), f"{kind} on page {block.pages[0]}: {wanted[:50]}")
        return share

    def table_rows(self) -> Share:
        """The share of the rows of tables whose cells stand in one row, in order."""
        rows = [
            tokens(line.translate(_TABLE_MARKS))
            for block in self.doc.blocks
            if block.kind is BlockKind.TABLE
            for line in block.text.splitlines()
        ]
        share = Share()
        for table in self.truth.of_kind(Kind.TABLE):
            for row in table.rows:
                wanted = tokens(" ".join(row))
                share.count(any(row_words == wanted for row_words in rows), " | ".join(row))
        return share


Measure = Callable[[Judgement], Share]
MEASURES: dict[str, Measure] = {
    "word coverage": Judgement.word_coverage,
    "page attribution": Judgement.page_attribution,
    "page labels": Judgement.labels,
    "heading recall": Judgement.heading_recall,
    "heading precision": Judgement.heading_precision,
    "section paths": Judgement.section_paths,
    "reading order": Judgement.reading_order,
    "whole sentences": Judgement.whole_sentences,
    "broken words mended": Judgement.broken_words,
    "captions and notes apart": Judgement.asides_apart,
    "table rows": Judgement.table_rows,
    "passages' text source": Judgement.text_sources,
}


def _joined(text: str) -> str:
    return " ".join(tokens(text))


def _bare(text: str) -> list[str]:
    """Words as they are written, without the marks around them."""
    return [bare for word in text.split() if (bare := word.strip(".,;:!?()[]“”„’\"'"))]


def _times_in(words: Sequence[str], texts: Sequence[str]) -> int:
    """How often words stand in a row in the texts."""
    count = 0
    for text in texts:
        given = tokens(text)
        count += sum(given[at : at + len(words)] == list(words) for at in range(len(given) - len(words) + 1))
    return count


def _sentences_of(block: TrueBlock) -> Iterator[list[str]]:
    ends = [*block.sentences[1:], len(block.words)]
    for start, end in zip(block.sentences, ends, strict=True):
        yield tokens(" ".join(word.text for word in block.words[start:end]))
