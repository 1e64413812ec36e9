"""Markup as single private-use characters, so that text can be joined, trimmed and changed in case without breaking it.

The markup of a record (`<i>`, `<sub>`, `<span class="nocase">`, quotation marks) is converted to marks when it is read,
the style adds more, and the output module converts them to Markdown, HTML or plain text.
"""

from __future__ import annotations

import re

_FIRST = 0xF0000  # a private-use plane, which records do not use
_KINDS = (
    "italic", "bold", "underline", "super", "sub", "small-caps", "quote", "nocase", "link", "left", "block", "upright",
    "light", "full-caps", "own-italic", "own-bold", "own-small-caps", "inner-quote",
)  # fmt: skip
ON = {kind: chr(_FIRST + 2 * i) for i, kind in enumerate(_KINDS)}
OFF = {kind: chr(_FIRST + 2 * i + 1) for i, kind in enumerate(_KINDS)}
NO_MERGE = chr(_FIRST + 2 * len(_KINDS))  # keeps adjacent punctuation of the record from being merged
HIDDEN = chr(_FIRST + 2 * len(_KINDS) + 1)  # placeholder of names that are suppressed
MARKS = frozenset((*ON.values(), *OFF.values(), NO_MERGE, HIDDEN))
KIND = {mark: kind for kind, mark in (*ON.items(), *OFF.items())}
MARK_CLASS = f"[{ON['italic']}-{HIDDEN}]"
_PRIVATE = re.compile("[\U000f0000-\U000ffffd]")
_ANY_MARK = re.compile(MARK_CLASS)

_TAG = re.compile(
    r"<(/?)(i|em|b|strong|u|sub|sup|sc|span)\b([^<>]{0,200})>|"
    r"(?<![\w”])[\"'](?=\S)|(?<=\S)[\"'](?!\w)|(?<=\w)['’](?=\w)|[“”„‘‚]|(?<!\w)’(?!\w)|(?<=\w)’|«\s?|\s?»",
    re.IGNORECASE,
)
_KIND_OF_TAG = {
    "i": "own-italic",
    "em": "own-italic",
    "b": "own-bold",
    "strong": "own-bold",
    "u": "underline",
    "sub": "sub",
    "sup": "super",
    "sc": "own-small-caps",
}
_KIND_OF_SPAN = {
    "nocase": "nocase",
    "small-caps": "own-small-caps",
    "font-style:normal": "upright",
    "font-variant:normal": "full-caps",
    "font-weight:normal": "light",
}
_MAX_LENGTH = 50_000  # characters; no title or abstract is longer
_MAX_DEPTH = 12  # nesting of tags and quotation marks
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
# Between two punctuation characters, or a closing quotation mark and one.
_PUNCTUATION_RUN = re.compile(rf"(?<=[.,;:!?{OFF['quote']}{OFF['inner-quote']}])(?=[.,;:!?])")


def wrap(kind: str, text: str) -> str:
    """Put the text between the marks of a kind of markup."""
    return f"{ON[kind]}{text}{OFF[kind]}"


def plain(text: str) -> str:
    """Remove all marks from a text."""
    return _ANY_MARK.sub("", text)


def read_line(text: str) -> str:
    """Return a value of a record on one line, without control and private-use characters."""
    return " ".join(_PRIVATE.sub("", _CONTROL.sub(" ", text)).split())


def read_rich(text: str, quotes: tuple[str, str]) -> str:
    """Convert the tags and quotation marks of a record's value to marks; unbalanced ones stay unchanged.

    `quotes` are the opening quotation marks of the language, outer and inner; those of other languages stay unchanged.
    """
    text = read_line(text)
    if len(text) > _MAX_LENGTH:
        return text
    pieces: list[str] = []
    open_at: list[tuple[str, int, str]] = []  # open markup: kind, index in pieces, closing token
    end = 0
    for found in _TAG.finditer(text):
        pieces.append(text[end : found.start()])
        end = found.end()
        token = found.group().strip()
        if len(open_at) > _MAX_DEPTH:
            pieces.append(found.group())
            continue
        if token in "'’" and _inside_word(text, found):
            pieces.append("’")
        elif token.startswith("<"):
            _tag(found, pieces, open_at)
        else:
            _quotation_mark(token, found, pieces, open_at, quotes)
    pieces.append(text[end:])
    return protect_punctuation("".join(pieces))


def _inside_word(text: str, found: re.Match[str]) -> bool:
    return found.start() > 0 and text[found.start() - 1].isalnum() and text[found.end() : found.end() + 1].isalnum()


def _tag(found: re.Match[str], pieces: list[str], open_at: list[tuple[str, int, str]]) -> None:
    closing, name, attributes = found[1], found[2].lower(), found[3].lower().replace(": ", ":")
    if not closing:
        kind = _KIND_OF_TAG.get(name) or next((kind for word, kind in _KIND_OF_SPAN.items() if word in attributes), "")
        open_at.append((kind, len(pieces), f"</{name}>"))
    elif open_at and open_at[-1][2] == f"</{name}>":
        kind, place, _ = open_at.pop()
        pieces[place] = ON[kind] if kind else ""
        pieces.append(OFF[kind] if kind else "")
        return
    pieces.append(found.group())


_CLOSES = {"“": "”", "«": "»", "„": "“", "‚": "‘", '"': '"', "'": "'", "‘": "’"}


def _quotation_mark(
    token: str,
    found: re.Match[str],
    pieces: list[str],
    open_at: list[tuple[str, int, str]],
    quotes: tuple[str, str],
) -> None:
    if open_at and open_at[-1][2] == token:
        kind, place, _ = open_at.pop()
        if kind:
            pieces[place] = ON[kind]
        pieces.append(OFF[kind] if kind else found.group())
        return
    if token in _CLOSES:
        kind = "quote" if token in ('"', "'", quotes[0]) else "inner-quote" if token == quotes[1] else ""
        open_at.append((kind, len(pieces), _CLOSES[token]))
    pieces.append("’" if token == "'" else found.group())


def protect_punctuation(text: str) -> str:
    """Protect runs of punctuation ("...", "?!") in a text from being merged."""
    return _PUNCTUATION_RUN.sub(NO_MERGE, text)
