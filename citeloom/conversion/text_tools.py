"""Text functions that several readers share: tidying, DOIs, word coverage, joining hyphenated lines."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

_LIGATURES = {
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "\u00a0": " ", "\u2002": " ", "\u2003": " ", "\u2009": " ", "\u200a": " ", "\u202f": " ",
    "\u200b": "", "\u2060": "", "\ufeff": "",
}  # fmt: skip
_LIGATURE = re.compile(f"[{''.join(_LIGATURES)}]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_LOOSE_ACCENT = re.compile(r"([¨´ˆ˜ˇ˚])([A-Za-zı])")
_COMBINING = {"¨": "\u0308", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c", "˚": "\u030a"}
_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LINE_END_HYPHEN = re.compile(r"[\ufffe\x02]\s*|(?<=\w)[-\u00ad\u2010]\r?\n")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`]+", re.I)
_HYPHENS = "-\u00ad\u2010\u2011"
_SUSPENDED = {"und", "oder", "bzw", "bis", "and", "or", "to", "nor", "sowie", "noch", "et", "ou"}
_ALWAYS_HYPHENED = {"self", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
_PREFIXES = {"over", "under", "inter", "super", "with", "some", "every", "fore", "after", "counter", "multi", "trans"}


def tidy(text: str) -> str:
    """Return text with ligatures expanded and invisible characters removed."""
    if text.isascii():  # most lines are, and for them little is to be done
        return text if text.isprintable() else _CONTROL.sub("", text)
    text = _CONTROL.sub("", _LIGATURE.sub(lambda found: _LIGATURES[found[0]], text))
    return unicodedata.normalize("NFC", _LOOSE_ACCENT.sub(_accented, text))


def _accented(match: re.Match[str]) -> str:
    """Combine an accent printed before its letter, as TeX does, with the letter if the result exists."""
    letter = "i" if match[2] == "ı" else match[2]
    composed = unicodedata.normalize("NFC", letter + _COMBINING[match[1]])
    return composed if len(composed) == 1 else match[0]


def is_binary(data: bytes) -> bool:
    """Return whether data without a byte-order mark cannot be text."""
    sample = data[:65_536]
    control = sum(byte < 32 and byte not in b"\t\n\r\f\x1b\b" for byte in sample)
    return b"\x00" in data or control > 0.1 * len(sample)


def find_dois(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the DOIs of texts in order, each once, in lower case."""
    found: dict[str, None] = {}
    for text in texts:
        for match in _DOI.findall(text):
            doi = match.lower()
            while doi and (doi[-1] in ".,;:'\"”’»!?*" or _unbalanced(doi)):
                doi = doi[:-1]
            if not doi.endswith("/") and doi.split("/", 1)[1:] != [""]:
                found.setdefault(doi)
    return tuple(found)


def _unbalanced(doi: str) -> bool:
    return any(doi.endswith(close) and doi.count(close) > doi.count(open_) for open_, close in ("()", "[]"))


def words_of(text: str) -> list[str]:
    """Return the words of a text without hyphens and case, for comparison."""
    text = tidy(text)
    for hyphen in _HYPHENS:
        text = text.replace(hyphen, "")
    return _WORD.findall(text.casefold())


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Return how often each word occurs in converted texts."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(words_of(text))
    return counts


def count_raw_words(text: str) -> Counter[str]:
    """Return how often each word occurs in a text with the line breaks of the file."""
    # pdfium marks a word broken at the end of a line; print shows a hyphen before the line break.
    return Counter(words_of(_LINE_END_HYPHEN.sub("", text)))


def word_coverage(expected: Counter[str], actual: Counter[str]) -> float:
    """Return the share of the expected words that are among the actual ones."""
    expected = +expected
    total = expected.total()
    found = (expected & actual).total() + _joined_halves(expected - actual, actual - expected)
    return round(found / total, 4) if total else 1.0


def _joined_halves(missing: Counter[str], surplus: Counter[str]) -> int:
    """Return the number of missing words that are halves of words joined at a line end."""
    found = 0
    for word in surplus.elements():
        for at in range(1, len(word)):
            if missing[word[:at]] > 0 and missing[word[at:]] > 0:
                missing[word[:at]] -= 1
                missing[word[at:]] -= 1
                found += 2
                break
    return found


def mean_confidence(parts: Iterable[tuple[float | None, str]]) -> float | None:
    """Return the mean OCR confidence weighted by length; None if unknown."""
    known = [(confidence, len(text)) for confidence, text in parts if confidence is not None]
    letters = sum(length for _, length in known)
    return round(sum(confidence * length for confidence, length in known) / letters, 3) if letters else None


class Vocabulary:
    """Words of a document, which decide how words hyphenated at line ends are joined."""

    def __init__(self, lines: Iterable[str]) -> None:
        printed: list[str] = []
        broken = False
        for line in lines:
            words = _LETTERS.findall(line)
            first, broken = int(broken), line.rstrip()[-1:] in _HYPHENS
            # The words around a hyphen at the end of a line are halves.
            printed += words[first : len(words) - broken]
        self._count: Counter[str] = Counter()
        for word, count in Counter(printed).items():
            self._count[word.casefold().replace("‐", "-")] += count

    def join(self, before: str, after: str) -> str:
        """Join two lines of a paragraph."""
        if not before or not after or _continues_unspaced(before, after):
            return before + after
        if before[-1] not in _HYPHENS or len(before) < 2 or not before[-2].isalnum():
            return f"{before} {after}"
        last = re.search(r"[^\W_]+(?:[-‐][^\W_]+)*$", before[:-1])
        first = re.match(r"[^\W_]+", after)
        if not last or not first or first[0].casefold() in _SUSPENDED:  # "pre- and post-test"
            return f"{before} {after}"
        keeps_hyphen = before[-1] != "\u00ad" and self._is_compound(last[0], first[0])
        if keeps_hyphen or not first[0][0].islower():  # "Smith-" "Jones", "2010-" "2015"
            return before + after
        return before[:-1] + after

    def _is_compound(self, head: str, tail: str) -> bool:
        """Return whether the hyphen belongs to the word ("market-driven") and not to the line break."""
        head, tail = head.casefold(), tail.casefold()
        if "-" in head or "‐" in head or head[-1].isdigit() or head in _ALWAYS_HYPHENED:
            return True
        whole, hyphened = self._count[head + tail], self._count[f"{head}-{tail}"]
        if whole or hyphened:
            return hyphened > whole
        long_enough = len(head) >= 4 and len(tail) >= 4 and head not in _PREFIXES
        return long_enough and bool(self._count[head] and self._count[tail])


def _continues_unspaced(before: str, after: str) -> bool:
    """Return whether the line ends inside an address or DOI that continues on the next line."""
    last = before.rsplit(None, 1)[-1]
    if len(last) < 8 or last[-1] not in "/._-=&?" or not re.search(r"https?://|www\.|10\.\d{4,9}/", last):
        return False
    return last[-1] != "." or after[0].islower() or after[0].isdigit()
