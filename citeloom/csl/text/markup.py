"""Typography as single private characters, so that citeproc can join, case and trim text without breaking markup.

A record's own markup (`<i>`, `<sub>`, `<span class="nocase">`, quotation marks) becomes marks on the way in; a style's
formatting adds more; `citeloom.csl.text.output` turns them into Markdown, HTML or plain text on the way out.
"""

from __future__ import annotations

import re

_FIRST = 0xF0000  # a private plane: no font and no record uses it
_KINDS = (
    "italic",
    "bold",
    "underline",
    "super",
    "sub",
    "small-caps",
    "quote",
    "nocase",
    "link",
    "left",
    "block",
    "upright",
    "light",
    "full-caps",
    "own-italic",
    "own-bold",
    "own-small-caps",
    "inner-quote",
)
ON = {kind: chr(_FIRST + 2 * i) for i, kind in enumerate(_KINDS)}
OFF = {kind: chr(_FIRST + 2 * i + 1) for i, kind in enumerate(_KINDS)}
SEAL = chr(_FIRST + 2 * len(_KINDS))  # between two marks of punctuation that the record itself put together
HIDDEN = chr(_FIRST + 2 * len(_KINDS) + 1)  # stands where names would, had the writer not left them out
MARKS = frozenset((*ON.values(), *OFF.values(), SEAL, HIDDEN))
KIND = {mark: kind for kind, mark in (*ON.items(), *OFF.items())}
MARK_CLASS = f"[{ON['italic']}-{HIDDEN}]"
_PRIVATE = re.compile("[\U000f0000-\U000ffffd]")
_ANY_MARK = re.compile(MARK_CLASS)

_TAG = re.compile(
    r"<(/?)(i|em|b|strong|u|sub|sup|sc|span)\b([^<>]{0,200})>|"
    r"(?<![\w”])[\"'](?=\S)|(?<=\S)[\"'](?!\w)|(?<=\w)['’](?=\w)|[“”„‘‚]|(?<!\w)’(?!\w)|(?<=\w)’|«\s?|\s?»",
    re.IGNORECASE,
)
_OF_TAG = {
    "i": "own-italic",
    "em": "own-italic",
    "b": "own-bold",
    "strong": "own-bold",
    "u": "underline",
    "sub": "sub",
    "sup": "super",
    "sc": "own-small-caps",
}
_OF_SPAN = {
    "nocase": "nocase",
    "small-caps": "own-small-caps",
    "font-style:normal": "upright",
    "font-style: normal": "upright",
    "font-variant:normal": "full-caps",
    "font-variant: normal": "full-caps",
    "font-weight:normal": "light",
    "font-weight: normal": "light",
}
_LONGEST = 50_000  # characters; no title or abstract is longer
_DEEPEST = 12  # tags and quotation marks inside each other
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
# Between two marks of punctuation, or a closing quotation mark and one.
_OWN_RUN = re.compile(rf"(?<=[.,;:!?{OFF['quote']}{OFF['inner-quote']}])(?=[.,;:!?])")


def wrap(kind: str, text: str) -> str:
    """The text between the marks of a kind of typography."""
    return f"{ON[kind]}{text}{OFF[kind]}"


def plain(text: str) -> str:
    """The text without its marks."""
    return _ANY_MARK.sub("", text)


def read_line(text: str) -> str:
    """A value of a record on one line, free of marks of its own."""
    return " ".join(_PRIVATE.sub("", _CONTROL.sub(" ", text)).split())


def read_rich(text: str, quotes: tuple[str, str]) -> str:
    """A value of a record with its markup and quotation marks as marks; what is not balanced stays as it is.

    `quotes` are the opening quotation marks of the language, outer and inner: those of another language stay too.
    """
    text = read_line(text)
    if len(text) > _LONGEST:
        return text
    pieces: list[str] = []
    open_at: list[tuple[str, int, str]] = []  # what is open: kind, place in pieces, what closes it
    end = 0
    for found in _TAG.finditer(text):
        pieces.append(text[end : found.start()])
        end = found.end()
        token = found.group().strip()
        if len(open_at) > _DEEPEST:
            pieces.append(found.group())
            continue
        if token in "'’" and _inside_word(text, found):
            pieces.append("’")
        elif token.startswith("<"):
            _tag(found, pieces, open_at)
        else:
            _quotation_mark(token, found, pieces, open_at, quotes)
    pieces.append(text[end:])
    return seal("".join(pieces))


def _inside_word(text: str, found: re.Match[str]) -> bool:
    return found.start() > 0 and text[found.start() - 1].isalnum() and text[found.end() : found.end() + 1].isalnum()


def _tag(found: re.Match[str], pieces: list[str], open_at: list[tuple[str, int, str]]) -> None:
    closing, name, attributes = found.group(1), found.group(2).lower(), found.group(3).lower()
    if not closing:
        kind = _OF_TAG.get(name) or next((kind for word, kind in _OF_SPAN.items() if word in attributes), "")
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


def seal(text: str) -> str:
    """The text with its own runs of punctuation ("...", "?!") kept from being tidied away."""
    return _OWN_RUN.sub(SEAL, text)
