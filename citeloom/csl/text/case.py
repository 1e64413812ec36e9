"""Text case: lower, upper, sentence and title case as CSL defines them. Text marked as "nocase" is not changed."""

from __future__ import annotations

import re

from citeloom.csl.text.markup import MARK_CLASS, OFF, ON, plain

_STOP_WORDS = frozenset({
    "a", "about", "above", "across", "after", "against", "along", "among", "an", "and", "around", "as", "at",
    "before", "behind", "below", "beneath", "beside", "between", "beyond", "but", "by", "d'", "de", "despite",
    "down", "during", "except", "for", "from", "in", "inside", "into", "l'", "like", "near", "nor", "of", "off",
    "on", "onto", "or", "out", "outside", "over", "per", "since", "so", "the", "through", "throughout", "till",
    "to", "toward", "towards", "under", "underneath", "until", "up", "upon", "v", "van", "via", "von", "vs", "with",
    "within", "without", "yet",
})  # fmt: skip
_WORD = re.compile(r"[^\s\-–—/]+")
_PROTECTED_KINDS = ("nocase", "super", "sub", "own-small-caps")
_PROTECTED = re.compile(f"({'|'.join(f'{ON[kind]}[^{OFF[kind]}]*{OFF[kind]}' for kind in _PROTECTED_KINDS)})")
_FIRST_LETTER = re.compile(rf"^((?:{MARK_CLASS}|[^\w\s])*)(\w)")


def change_case(text: str, case: str | None, language: str) -> str:
    """Apply a CSL text case: lowercase, uppercase, capitalize-first, capitalize-all, sentence or title."""
    if not case or not text:
        return text
    if case == "title":
        return _title(text) if language == "en" else text
    if case == "sentence":
        return _sentence(text)
    if case == "capitalize-first":
        return text if _PROTECTED.match(text) else _capital_word(text)
    change = {"lowercase": str.lower, "uppercase": str.upper}.get(case, _capitalize_all)
    return "".join(change(piece) if i % 2 == 0 else piece for i, piece in enumerate(_PROTECTED.split(text)))


def _capitalize_all(text: str) -> str:
    return re.sub(r"\S+", lambda word: _capital_word(word.group()), text)


def _capital(word: str) -> str:
    return _FIRST_LETTER.sub(lambda found: found[1] + found[2].upper(), word)


def _capital_word(text: str) -> str:
    """Capitalize the first word unless it has a capital already: arXiv, iPad."""
    word = _WORD.search(text)
    return _capital(text) if word and word.group() == word.group().lower() else text


def _sentence(text: str) -> str:
    all_caps = plain(text).isupper()
    pieces = []
    for i, piece in enumerate(_PROTECTED.split(text)):
        lowered = re.sub(r"\S+", lambda word: _sentence_word(word.group(), all_caps), piece) if i % 2 == 0 else piece
        pieces.append(_capital(lowered) if i == 0 else lowered)
    return "".join(pieces)


def _sentence_word(word: str, all_caps: bool) -> str:
    bare = plain(word).strip(".,;:!?()[]'’\"")
    return word.lower() if all_caps or bare[1:].islower() or len(bare) == 1 else word


def _title(text: str) -> str:
    output: list[str] = []
    words = list(_WORD.finditer(text))
    protected = [(found.start(), found.end()) for found in _PROTECTED.finditer(text)]
    end, place = 0, 0
    for i, found in enumerate(words):
        output.append(text[end : found.start()])
        word = found.group()
        while place < len(protected) and protected[place][1] <= found.start():
            place += 1
        if place < len(protected) and protected[place][0] < found.end():
            output.append(word)
        else:
            after = plain("".join(output[-2:])).rstrip()[-1:] if i else ":"
            output.append(_title_word(word, first=after in ":.?!", last=i == len(words) - 1))
        end = found.end()
    output.append(text[end:])
    return "".join(output)


def _title_word(word: str, *, first: bool, last: bool) -> str:
    bare = plain(word).strip('.,;:!?()[]“”"')
    if bare.lower() in _STOP_WORDS and not first and not last:
        return word if bare.isupper() else word.lower()  # "from A to Z", "vitamin A"
    return _capital(word) if bare.islower() and (len(bare) > 1 or first) else word
