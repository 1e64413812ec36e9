"""The quote check against quotations of the sample papers, as they are and altered: verdicts, pages and CPU time."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from citeloom.api.evidence import Verdict
from citeloom.conversion.convert import convert
from citeloom.core.types import Block, BlockKind, Converted, TextSource
from citeloom.evidence.quotes.lexicon import Lexicon
from citeloom.evidence.quotes.tokens import is_negation
from citeloom.evidence.quotes.verdict import QuoteFinding, verify
from citeloom.evidence.quotes.work_text import WorkText
from tests.bench.figures import ms, p50, p95, say, table
from tests.support import ROOT

_EACH = 240  # quotations of a kind
_PAPERS = ROOT / "citeloom" / "sample" / "papers"
_VOCABULARY = ROOT / "citeloom" / "index" / "models" / "data" / "tokenizer.json"
_GLYPHS = {
    "rn": "m", "cl": "d", "fi": "f", "fl": "f", "ff": "f", "vv": "w", "li": "h", "in": "m", "m": "rn", "d": "cl",
    "w": "vv", "h": "b", "b": "h", "l": "1", "i": "l", "e": "c", "c": "e", "o": "0", "u": "n", "n": "u", "s": "5",
    "g": "q", "t": "l", "a": "o", "é": "e", "ä": "a", "ö": "o", "ü": "u", "ø": "o",
}  # fmt: skip
_SYNONYMS = {
    "large": "great", "high": "elevated", "rate": "share", "found": "observed", "shows": "suggests",
    "important": "relevant", "small": "minor", "strong": "marked", "often": "frequently", "because": "since",
    "although": "though", "many": "numerous", "about": "roughly", "between": "among", "increase": "rise",
    "difference": "contrast", "study": "survey", "results": "findings", "method": "approach", "not": "hardly",
    "more": "less", "all": "most", "the": "a", "is": "was", "are": "were", "was": "is", "and": "or",
    "nicht": "kaum", "und": "oder", "der": "ein", "ist": "war",
}  # fmt: skip
_TIMED = ("untouched", "one word changed", "invented: other words in sentences of another paper")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ])")
_SMALL = re.compile(r"^(?:[a-zäöü]{1,3}|with|from|that|this|than|were|have|been|their|which|when|where|there|nicht|oder|eine|einer|sich|auch|durch|wurde|wurden|werden)$")  # fmt: skip # noqa: E501


@dataclass(frozen=True, slots=True)
class _Quote:
    text: str
    pages: tuple[int, int] | None  # where it stands; None where it stands nowhere


class _Paper:
    """A sample paper and its paragraphs, each word with the page it was read from."""

    def __init__(self, name: str, converted: Converted) -> None:
        self.name, self.converted = name, converted
        self.paragraphs: list[list[tuple[str, int]]] = []
        for block in converted.blocks:
            if block.kind is not BlockKind.TEXT or block.page is None:
                continue
            words = [(word, block.page) for word in block.text.split()]
            if block.continues and self.paragraphs:
                self.paragraphs[-1] += words
            else:
                self.paragraphs.append(words)
        self.long = [paragraph for paragraph in self.paragraphs if len(paragraph) >= 30]

    @cached_property
    def work(self) -> WorkText:
        return WorkText(self.converted)

    @cached_property
    def sentences(self) -> list[str]:
        texts = (" ".join(word for word, _ in paragraph) for paragraph in self.long)
        return [s for text in texts for s in _SENTENCE.split(text) if 8 <= len(s.split()) <= 40]

    @cached_property
    def by_shape(self) -> dict[str, list[str]]:
        """Its words that say something, by their endings, to build sentences of."""
        shapes: dict[str, list[str]] = {}
        for sentence in self.sentences:
            for word in sentence.split()[1:]:
                bare = word.strip(".,;:()“”\"'")
                if bare and not _SMALL.match(bare):
                    shapes.setdefault(_shape(bare), []).append(bare)
        return shapes


def measure() -> str:
    """The tables of verdicts and of time."""
    say("quotations: reading the sample papers")
    papers = [_Paper(path.name, convert(path)) for path in sorted(_PAPERS.glob("*.pdf"))]
    rows, missed, seconds = [], list[str](), dict[str, list[float]]()
    for kind in _KINDS:
        say(f"quotations: {kind.name}")
        chance = random.Random(kind.name)
        found = list(_checked(kind, papers, chance, seconds))
        count = Counter(finding.verdict for _, finding in found)
        placed = [(q, f) for q, f in found if q.pages and f.verdict in (Verdict.EXACT, Verdict.NEAR)]
        right = sum(f.page_span == q.pages for q, f in placed)
        pages = f"{right / len(placed):.1%}" if placed else "–"
        rows.append((kind.name, len(found), *(count[verdict] for verdict in Verdict), pages))
        missed += _missed(kind, found, right, len(placed))
    columns = ("quotation", "checked", *(str(verdict) for verdict in Verdict), "right pages")
    verdicts = table("Quotations of the sample papers, checked against them", columns, rows)
    goals = "Every goal is met." if not missed else "GOALS MISSED:\n" + "\n".join(f"- {line}" for line in missed)
    return "\n\n".join((verdicts, goals, _times(papers, seconds)))


def _times(papers: Sequence[_Paper], seconds: dict[str, list[float]]) -> str:
    book = _book(papers, 400)
    began = time.process_time()
    work = WorkText(book)
    rows = [("preparing a book of 400 pages", "1", ms(time.process_time() - began), "")]
    chance = random.Random("book")
    for kind in _KINDS:
        if kind.name in _TIMED:
            taken = []
            for _ in range(20):
                paper = chance.choice(papers)
                quote = kind.make(paper, papers, chance)
                began = time.process_time()
                verify(quote.text, work, _LEXICON)
                taken.append(time.process_time() - began)
            rows.append((f"a book of 400 pages: {kind.name}", "20", ms(p50(taken)), ms(p95(taken))))
    rows += [(f"a paper: {name}", str(len(t)), ms(p50(t)), ms(p95(t))) for name, t in seconds.items() if name in _TIMED]
    size = f"The book takes {work.size / 1_000_000:.1f} MB for {len(work.ids):,} words."
    return table("CPU time of a check", ("what", "checks", "p50 ms", "p95 ms"), rows) + "\n\n" + size


def _book(papers: Sequence[_Paper], pages: int) -> Converted:
    """The papers over and over, with other words in all but the first round, so that few sentences stand twice."""
    blocks: list[Block] = []
    number = 0
    chance = random.Random("a book")
    while number < pages:
        for paper in papers:
            for block in paper.converted.blocks:
                text = block.text if number < 40 else _swapped(block.text, chance.choice(papers), chance, 0.4)
                blocks.append(replace(block, text=text + " " + text[::2], page=number + (block.page or 1)))
            number += len(paper.converted.pages)
    return Converted("pdf", "bench", tuple(blocks))


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    make: Callable[[_Paper, Sequence[_Paper], random.Random], _Quote]
    only: frozenset[Verdict] = frozenset(Verdict)  # what is right
    prepare: Callable[[_Paper, random.Random], WorkText] | None = None  # where the work is altered, not the quotation


def _checked(
    kind: _Kind, papers: Sequence[_Paper], chance: random.Random, seconds: dict[str, list[float]]
) -> Iterator[tuple[_Quote, QuoteFinding]]:
    works = {paper.name: kind.prepare(paper, chance) if kind.prepare else paper.work for paper in papers}
    for number in range(_EACH):
        paper = papers[number % len(papers)]
        quote = kind.make(paper, papers, chance)
        began = time.process_time()
        finding = verify(quote.text, works[paper.name], _LEXICON)
        seconds.setdefault(kind.name, []).append(time.process_time() - began)
        yield quote, finding


def _missed(kind: _Kind, found: Sequence[tuple[_Quote, QuoteFinding]], right: int, placed: int) -> list[str]:
    lines = [
        f"{kind.name}: {finding.verdict}: {quote.text} {finding.diff or ''}"
        for quote, finding in found
        if finding.verdict not in kind.only
    ]
    if placed and right / placed < 0.99:
        lines.append(f"{kind.name}: the page is right for {right} of {placed}")
    return lines


# --- how quotations are made ---


def _taken(paper: _Paper, chance: random.Random, least: int = 8) -> tuple[list[str], tuple[int, int]]:
    paragraph = chance.choice(paper.long)
    count = chance.randint(least, min(40, len(paragraph)))
    begin = chance.randint(0, len(paragraph) - count)
    run = paragraph[begin : begin + count]
    return [word for word, _ in run], (run[0][1], run[-1][1])


def _untouched(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    words, pages = _taken(paper, chance)
    return _Quote(" ".join(words), pages)


def _typographic(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    words, pages = _taken(paper, chance)
    for at, word in enumerate(words):
        if chance.random() < 0.15 and word.isalpha() and len(word) > 6:
            cut = chance.randint(3, len(word) - 3)
            words[at] = word[:cut] + chance.choice(["-\n", "- ", "\u00ad"]) + word[cut:]
    text = chance.choice([" ", "\n", "  ", "\u00a0"]).join(words)
    for plain, set_ in (("“", '"'), ("”", '"'), ("’", "'"), ("–", "-"), ("—", " – "), ("fi", "ﬁ"), ("fl", "ﬂ")):
        text = text.replace(plain, set_) if chance.random() < 0.7 else text
    if chance.random() < 0.3:
        text = text.rstrip(".,;:") + chance.choice([",", ".", "", "…"])
    if chance.random() < 0.3:
        text = text[0].swapcase() + text[1:] if text[0].swapcase().swapcase() == text[0] else text
    return _Quote(text, pages)


def _across(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    breaks = [
        (paragraph, at)
        for paragraph in paper.paragraphs
        for at in range(1, len(paragraph))
        if paragraph[at][1] != paragraph[at - 1][1]
    ]
    if not breaks:  # from one paragraph into the next instead
        at = chance.randrange(len(paper.long) - 1)
        return _untouched(paper, (), random.Random(at))
    paragraph, at = chance.choice(breaks)
    count = chance.randint(8, 40)
    begin = max(0, at - chance.randint(1, count - 1))
    run = paragraph[begin : max(begin + count, at + 1)]
    return _Quote(" ".join(word for word, _ in run), (run[0][1], run[-1][1]))


def _ocr(rate: float) -> Callable[[_Paper, Sequence[_Paper], random.Random], _Quote]:
    def make(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
        words, pages = _taken(paper, chance)
        return _Quote(_misread(" ".join(words), rate, chance), pages)

    return make


def _scanned(rate: float) -> Callable[[_Paper, random.Random], WorkText]:
    def prepare(paper: _Paper, chance: random.Random) -> WorkText:
        blocks = tuple(
            replace(block, text=_misread(block.text, rate, chance), text_source=TextSource.OCR)
            for block in paper.converted.blocks
        )
        return WorkText(replace(paper.converted, blocks=blocks))

    return prepare


def _misread(text: str, rate: float, chance: random.Random) -> str:
    letters = sum(c.isalpha() for c in text)
    places = [(m.start(), m[0]) for m in re.finditer("|".join(sorted(_GLYPHS, key=len, reverse=True)), text)]
    chosen = chance.sample(places, min(len(places), round(letters * rate)))
    for at, glyph in sorted(chosen, reverse=True):
        text = text[:at] + _GLYPHS[glyph] + text[at + len(glyph) :]
    return text


def _one_word(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    words, pages = _taken(paper, chance)
    ways = [at for at, word in enumerate(words) if any(c.isalnum() for c in word)]
    at = chance.choice(ways)
    bare = re.search(r"\w[\w’'-]*", words[at])
    assert bare
    new = _another(bare[0], paper, chance)
    words[at] = words[at][: bare.start()] + new + words[at][bare.end() :]
    return _Quote(" ".join(words), pages)


def _another(word: str, paper: _Paper, chance: random.Random) -> str:
    if word.isdigit():
        return str(int(word) + chance.choice([-1, 1, 2, 10]))
    if word.casefold() in _SYNONYMS:
        return _SYNONYMS[word.casefold()]
    others = [w for w in paper.by_shape.get(_shape(word), ["matter"]) if w.casefold() != word.casefold()]
    return chance.choice(others or ["matter"])


def _number_changed(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    while True:
        words, pages = _taken(paper, chance)
        numbers = [at for at, word in enumerate(words) if any(c.isdigit() for c in word)]
        if numbers:
            at = chance.choice(numbers)
            digits = [n for n, c in enumerate(words[at]) if c.isdigit()]
            place = chance.choice(digits)
            new = chance.choice([d for d in "0123456789" if d != words[at][place]])
            words[at] = words[at][:place] + new + words[at][place + 1 :]
            return _Quote(" ".join(words), pages)


def _word_added(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    words, pages = _taken(paper, chance)
    at = chance.randint(1, len(words) - 1)
    return _Quote(" ".join([*words[:at], chance.choice(["very", "often", "the", "indeed"]), *words[at:]]), pages)


def _word_left_out(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    words, pages = _taken(paper, chance, least=9)
    while True:
        at = chance.randint(1, len(words) - 2)
        # Of two alike it does not show which was left out, and of dashes that any was.
        if words[at] not in (words[at - 1], words[at + 1]) and any(c.isalnum() for c in words[at]):
            return _Quote(" ".join(words[:at] + words[at + 1 :]), pages)


def _negation(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    words, pages = _taken(paper, chance)
    present = [
        at for at, word in enumerate(words) if word in ("not", "no", "nicht", "never") and 0 < at < len(words) - 1
    ]
    if present:
        del words[chance.choice(present)]
    else:
        words.insert(chance.randint(1, len(words) - 1), "nicht" if "Weißenborn" in paper.name else "not")
    return _Quote(" ".join(words), pages)


def _spliced(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    one, other = chance.sample(paper.sentences, 2)
    head, tail = one.split(), other.split()
    return _Quote(" ".join(head[: max(4, len(head) // 2)] + tail[-max(4, len(tail) // 2) :]), None)


def _ellipsis(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    while True:
        words, pages = _taken(paper, chance, least=16)
        at = chance.randint(5, len(words) - 9)
        if not any(is_negation(word.strip(".,;:()").casefold()) for word in words[at : at + 3]):
            break  # an ellipsis that hides a negation is told as a change
    mark = chance.choice(["…", "...", "[…]", "[...]", ". . .", "(…)"])
    return _Quote(" ".join([*words[:at], mark, *words[at + 3 :]]), pages)


def _other_paper(paper: _Paper, papers: Sequence[_Paper], chance: random.Random) -> _Quote:
    other = chance.choice([p for p in papers if p is not paper])
    return _Quote(chance.choice(other.sentences), None)


def _invented_from_other(paper: _Paper, papers: Sequence[_Paper], chance: random.Random) -> _Quote:
    sentence = _other_paper(paper, papers, chance).text
    return _Quote(_swapped(sentence, paper, chance, 1.0), None)


def _invented_from_own(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    return _Quote(_swapped(chance.choice(paper.sentences), paper, chance, 1.0), None)


def _invented_phrases(paper: _Paper, _: Sequence[_Paper], chance: random.Random) -> _Quote:
    """Three words of a sentence, three of another, and so on: every phrase is the paper's own."""
    parts = []
    for sentence in chance.sample(paper.sentences, chance.randint(3, 8)):
        words = sentence.split()
        at = chance.randrange(len(words) - 3)
        parts += words[at : at + 3]
    return _Quote(" ".join(parts), None)


def _swapped(text: str, source: _Paper, chance: random.Random, share: float) -> str:
    """The same sentence about something else: words that say something replaced by others of the same ending."""

    def other(match: re.Match[str]) -> str:
        if _SMALL.match(match[0]) or chance.random() > share:
            return match[0]
        choice = [w for w in source.by_shape.get(_shape(match[0]), []) if w.casefold() != match[0].casefold()]
        return chance.choice(choice or ["matter"])

    return re.sub(r"\w[\w’'-]*", other, text)


def _shape(word: str) -> str:
    if any(c.isdigit() for c in word):
        return "number"
    if word[0].isupper():
        return "Name"
    return next((end for end in ("ing", "ed", "ly", "tion", "ity", "al", "en", "er", "s") if word.endswith(end)), "")


def _vocabulary() -> frozenset[str]:
    pieces = json.loads(_VOCABULARY.read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(piece for piece in pieces if not piece.startswith("##"))


_LEXICON = Lexicon(_vocabulary())


_EXACT, _CHANGED = frozenset({Verdict.EXACT}), frozenset({Verdict.NEAR, Verdict.ABSENT, Verdict.INCONCLUSIVE})
_NOT_THERE = frozenset({Verdict.ABSENT, Verdict.INCONCLUSIVE})
_KINDS = (
    _Kind("untouched", _untouched, _EXACT),
    _Kind("typographic changes", _typographic, _EXACT),
    _Kind("across a page break", _across, _EXACT),
    _Kind("an ellipsis for three words", _ellipsis, _EXACT),
    # Some of the letters make other words, or are misread as nobody expects: no verdict is demanded, only the page.
    _Kind("2 % of letters misread, in the quotation", _ocr(0.02)),
    _Kind("5 % of letters misread, in the quotation", _ocr(0.05)),
    _Kind("2 % of letters misread, in the work", _untouched, prepare=_scanned(0.02)),
    _Kind("5 % of letters misread, in the work", _untouched, prepare=_scanned(0.05)),
    _Kind("one word changed", _one_word, _CHANGED),
    _Kind("one digit changed", _number_changed, _CHANGED),
    _Kind("a word added", _word_added, _CHANGED),
    _Kind("a word left out", _word_left_out, _CHANGED),
    _Kind("a negation added or removed", _negation, _CHANGED),
    _Kind("spliced from two sentences", _spliced, _CHANGED),
    _Kind("invented: a true sentence of another paper", _other_paper, _NOT_THERE),
    _Kind("invented: other words in sentences of another paper", _invented_from_other, _NOT_THERE),
    _Kind("invented: other words in the paper's own sentences", _invented_from_own, _NOT_THERE),
    _Kind("invented: the paper's own phrases of three words", _invented_phrases, _NOT_THERE),
)


if __name__ == "__main__":
    print(measure())
