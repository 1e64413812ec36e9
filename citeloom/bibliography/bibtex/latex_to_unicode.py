"""Decodes the LaTeX of BibTeX values to plain Unicode. Used by the BibTeX reader.

pylatexenc is not used: decoding a .bib file of 5,000 entries takes it fifty times as long, and malformed values, which
bibliographies have, make it raise or leave braces behind.
"""

from __future__ import annotations

import re
import unicodedata

from citeloom.core.text.latex_symbols import ACCENTS, SYMBOLS

_DROPPED_ARGUMENT = frozenset({"href", "noopsort", "label", "ref", "cite", "color", "textcolor", "hspace", "vspace"})
_QUOTED = frozenset({"enquote", "mkbibquote"})
# Commands of one character. An escaped character that is not listed is printed as it is.
_CHARACTER_COMMANDS = {
    "\\": " ", " ": " ", ",": " ", ";": " ", ":": " ", "!": "", "-": "", "/": "", "\n": " ", "\t": " ",
}  # fmt: skip
_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "~": " "}

_TOKEN = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|[{}$^_~]|---?|``|''|`|[^\\{}$^_~`'-]+|.", re.DOTALL)
_MAX_DEPTH = 100


def to_unicode(text: str) -> str:
    """Decode accents, symbols, dashes and quotes, and drop the braces and formatting commands."""
    if not re.search(r"[\\{}$~`]|--|''", text):
        return text
    tokens = _TOKEN.findall(text)
    tokens.reverse()
    return unicodedata.normalize("NFC", _until_closed(tokens, 0))


def unescape_verbatim(text: str) -> str:
    """Remove the escapes from a URL, DOI or path, in which dashes and quotes are literal."""
    text = re.sub(r"\\url\b\s*|\\path\b\s*", "", text)
    text = re.sub(r"\{?\\textasciitilde\b\s*(?:\{\})?\}?|\$\\sim\$|\\~(?:\{\})?", "~", text)
    text = re.sub(r"\\textunderscore\b\s*(?:\{\})?", "_", text)
    return re.sub(r"\\([_%&#$ ])", r"\1", text).replace("{", "").replace("}", "").strip()


def _until_closed(tokens: list[str], depth: int) -> str:
    """Decode up to the brace that closes the current group, or to the end."""
    out: list[str] = []
    math = False
    while tokens:
        token = tokens.pop()
        if token == "}":
            if depth:
                break
        elif token == "$":
            math = not math
        elif token not in "^_" or not math:
            out.append(_decoded(token, tokens, depth))
    return "".join(out)


def _decoded(token: str, tokens: list[str], depth: int) -> str:
    if token == "{":
        # Deeper nesting than any real title has is not followed; its braces are dropped all the same.
        return _until_closed(tokens, depth + 1) if depth < _MAX_DEPTH else ""
    if not token.startswith("\\"):
        return _LIGATURES.get(token, token)
    name = token[1:].rstrip("* \t\n") or token[1:]
    if name in ACCENTS:
        return _accented(name, _argument(tokens, depth))
    if name in _DROPPED_ARGUMENT:
        if tokens and tokens[-1] == "{":
            _argument(tokens, depth)
        return ""
    if name in _QUOTED:
        return f"“{_argument(tokens, depth)}”"
    if name in SYMBOLS:
        return SYMBOLS[name]
    # An unknown command is taken for formatting: its argument stays.
    return "" if name[:1].isascii() and name[:1].isalpha() else _CHARACTER_COMMANDS.get(name, name)


def _argument(tokens: list[str], depth: int) -> str:
    """Decode the argument of a command: the next group, command or character."""
    while tokens and tokens[-1].isspace():
        tokens.pop()
    if not tokens or tokens[-1] in "}$":
        return ""
    token = tokens.pop()
    if depth >= _MAX_DEPTH:
        return "" if token == "{" else token
    if token[0] in "{\\":
        return _decoded(token, tokens, depth + 1) if token[0] == "\\" else _until_closed(tokens, depth + 1)
    token = token.lstrip()
    if len(token) > 1:
        tokens.append(token[1:])
    return token[0]


def _accented(accent: str, base: str) -> str:
    if not base.strip():
        return accent if accent in "~^" else base
    base = base.replace("ı", "i").replace("ȷ", "j") if base[0] in "ıȷ" else base
    return base[0] + ACCENTS[accent] + base[1:]
