"""Encodes Unicode text and CSL markup as LaTeX for BibTeX values. Used by the BibTeX and biblatex writers.

pylatexenc is not used: it encodes character by character, so letters with combining accents stay unescaped.
"""

from __future__ import annotations

import re
import unicodedata

from citeloom.core.text.latex_symbols import ACCENTS, MATH, TEXT

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "`": r"\textasciigrave{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "@": "{@}", **{mark: f"\\{mark}" for mark in "$%&#_"},
}  # fmt: skip
_AS_COMMANDS = str.maketrans(_SPECIAL)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SYMBOLS = {sign: f"{{\\{name}}}" for name, sign in TEXT.items()}
_SYMBOLS |= {sign: f"{{$\\{name}$}}" for name, sign in MATH.items()}
_ACCENTS = {mark: name for name, mark in ACCENTS.items() if name != "t"}  # a tie is over two letters
_ABOVE = frozenset("`'^~=u.\"rHv")  # an i under one of these loses its dot
_MARKS = r"[\u0300-\u036f]"
# A character that must be encoded for LaTeX, with its accents.
_CLUSTER = re.compile(rf"([\\{{}}~^`<>|@$%&#_]|[^\x00-\x7f]|[A-Za-z](?={_MARKS}))({_MARKS}*)")
_LIGATURES = re.compile(r"-(?=-)|'(?=')|,(?=,)")
_TAG = re.compile(r"(</?(?:i|b|sc|sub|sup|nc|span)\b[^<>]*>)", re.IGNORECASE)
_COMMANDS = {"i": r"\textit", "b": r"\textbf", "sc": r"\textsc", "sub": r"\textsubscript", "sup": r"\textsuperscript"}
_RANGE, _HYPHENS = re.compile(r"\s*[\u2012-\u2015\u2212]+\s*"), re.compile(r"\s*[\u2010\u2011-]+\s*")


class LatexEncoder:
    """Encodes text so that LaTeX prints it unchanged: as UTF-8, or escaped to ASCII where there is a command."""

    def __init__(self, *, escaped: bool = False) -> None:
        self._escaped = escaped

    def text(self, text: str) -> str:
        """Encode plain text; the result has balanced braces and no unintended command."""
        text = without_controls(unicodedata.normalize("NFC", text))
        if self._escaped and not text.isascii():
            text = _CLUSTER.sub(_escaped, text)
        else:
            text = text.translate(_AS_COMMANDS)
        return _LIGATURES.sub(r"\g<0>{}", text)

    def rich_text(self, text: str) -> str:
        """Encode text with CSL markup as commands; a tag that is never closed ends with the text."""
        return self._rich_text(text, None)

    def title(self, title: str, language: str) -> str:
        """Encode a title, with braces around the capitals that a style must not change to lower case."""
        if language and not language.lower().startswith("en"):
            # Styles change the case of English titles only.
            return f"{{{self.rich_text(title)}}}" if title else ""
        return self._rich_text(title, _Capitals(self, _TAG.sub("", title)))

    def pages(self, text: str) -> str:
        """Encode a page range with an en dash between first and last page."""
        # Where a range has a dash, a hyphen is part of a page label: "A-1–A-9".
        dashes = _RANGE if _RANGE.search(text) else _HYPHENS
        return "--".join(self.text(part) for part in dashes.split(text))

    def _rich_text(self, text: str, protected: _Capitals | None) -> str:
        out: list[str] = []
        depth = 0
        for at, piece in enumerate(_TAG.split(text)):
            if at % 2 == 0:
                # Text inside braces keeps its capitals anyway.
                out.append(protected.protect(piece) if protected and not depth else self.text(piece))
            elif not piece.startswith("</"):
                name = re.split(r"[\s/>]", piece[1:].lower(), maxsplit=1)[0]
                out.append((r"\textsc" if "small-caps" in piece.lower() else _COMMANDS.get(name, "")) + "{")
                depth += 1
            elif depth:
                out.append("}")
                depth -= 1
        return "".join(out) + "}" * depth


def encode_url(text: str) -> str:
    """Encode a DOI or URL, which LaTeX takes verbatim; braces, backslashes and spaces are percent-encoded."""
    return re.sub(r"[{}\\ ]", lambda match: f"%{ord(match[0]):02X}", without_controls(text))


def without_controls(text: str) -> str:
    """Remove control characters and lone surrogates."""
    return _CONTROLS.sub("", text)


def _escaped(cluster: re.Match[str]) -> str:
    letter, marks = cluster.groups()
    if not marks and (command := _SPECIAL.get(letter) or _SYMBOLS.get(letter)):
        return command
    base, *accents = list(unicodedata.normalize("NFD", cluster[0]))
    # LaTeX puts one accent on a letter; a letter with several is left unescaped.
    if len(accents) == 1 and accents[0] in _ACCENTS and base.isascii() and base.isalpha():
        return _accented(_ACCENTS[accents[0]], base)
    return _SPECIAL.get(letter, letter) + marks


def _accented(accent: str, base: str) -> str:
    if base in "ij" and accent in _ABOVE:
        return f"{{\\{accent}{{\\{base}}}}}"
    return f"{{\\{accent}{{{base}}}}}" if accent.isalpha() else f"{{\\{accent}{base}}}"


def _leading_punctuation(text: str) -> int:
    """Count the characters before the first letter or digit."""
    return next((at for at, letter in enumerate(text) if letter.isalnum()), len(text))


class _Capitals:
    """Decides which words of a title keep their capitals, and puts those in braces."""

    def __init__(self, latex: LatexEncoder, title: str) -> None:
        later = [word for word in re.findall(r"[^\W\d_]{4,}", title)[1:] if not word.isupper()]
        # In a title with few capitals each one marks a name; in one with many (title case) they mean nothing.
        self._capitals_mark_names = sum(word[0].isupper() for word in later) * 2 < len(later)
        self._after_first_word = False
        self._latex = latex

    def protect(self, text: str) -> str:
        """Encode the text, with braces around the words whose capitals must stay."""
        return re.sub(r"\S+", self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        start, rest = _leading_punctuation(match[0]), _leading_punctuation(match[0][::-1])
        end = max(start, len(match[0]) - rest)
        before, word, after = match[0][:start], match[0][start:end], match[0][end:]
        protected = bool(word) and self._must_keep_capitals(word)
        self._after_first_word = self._after_first_word or bool(word)
        if not protected:
            return self._latex.text(match[0])
        return f"{self._latex.text(before)}{{{self._latex.text(word)}}}{self._latex.text(after)}"

    def _must_keep_capitals(self, word: str) -> bool:
        if any(letter.isupper() for part in re.split(r"[-‐–—/]", word) for letter in part[1:]):
            return True
        if len(word) == 1:
            return word.isupper() and word != "A"
        return self._capitals_mark_names and self._after_first_word and word[0].isupper()
