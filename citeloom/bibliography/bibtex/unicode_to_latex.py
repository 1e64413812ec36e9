"""Plain Unicode and CSL's markup to LaTeX, as bibliographies hold it."""

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
_ACCENTS = {mark: name for name, mark in ACCENTS.items() if name != "t"}  # a tie stands over two letters
_ABOVE = frozenset("`'^~=u.\"rHv")  # an i under one of these loses its dot
_MARKS = r"[\u0300-\u036f]"
# A character that LaTeX does not take as it stands, with the accents on it.
_CLUSTER = re.compile(rf"([\\{{}}~^`<>|@$%&#_]|[^\x00-\x7f]|[A-Za-z](?={_MARKS}))({_MARKS}*)")
_LIGATURES = re.compile(r"-(?=-)|'(?=')|,(?=,)")
_TAG = re.compile(r"(</?(?:i|b|sc|sub|sup|nc|span)\b[^<>]*>)", re.IGNORECASE)
_COMMANDS = {"i": r"\textit", "b": r"\textbf", "sc": r"\textsc", "sub": r"\textsubscript", "sup": r"\textsuperscript"}
_RANGE, _HYPHENS = re.compile(r"\s*[\u2012-\u2015\u2212]+\s*"), re.compile(r"\s*[\u2010\u2011-]+\s*")


class Latex:
    """Writes texts so that LaTeX prints them as they are: in UTF-8, or escaped as far as there are commands."""

    def __init__(self, *, escaped: bool = False) -> None:
        self._escaped = escaped

    def text(self, text: str) -> str:
        """Text in which nothing is a command, and whose braces are balanced."""
        text = without_controls(unicodedata.normalize("NFC", text))
        if self._escaped and not text.isascii():
            text = _CLUSTER.sub(_escaped, text)
        else:
            text = text.translate(_AS_COMMANDS)
        return _LIGATURES.sub(r"\g<0>{}", text)

    def marked_up(self, text: str) -> str:
        """Text with CSL's markup as commands; a tag that nobody closes ends with the text."""
        return self._marked_up(text, None)

    def title(self, title: str, language: str) -> str:
        """A title that keeps the capitals that mean something when a style writes titles in lower case."""
        if language and not language.lower().startswith("en"):
            # Styles that change the case of titles know English only.
            return f"{{{self.marked_up(title)}}}" if title else ""
        return self._marked_up(title, _Capitals(self, _TAG.sub("", title)))

    def pages(self, text: str) -> str:
        """Pages with LaTeX's dash between the first and the last."""
        # Where ranges have a dash of their own, a hyphen belongs to a page's name: "A-1–A-9".
        dashes = _RANGE if _RANGE.search(text) else _HYPHENS
        return "--".join(self.text(part) for part in dashes.split(text))

    def _marked_up(self, text: str, protected: _Capitals | None) -> str:
        out: list[str] = []
        depth = 0
        for at, piece in enumerate(_TAG.split(text)):
            if at % 2 == 0:
                # What stands in braces keeps its capitals in any case.
                out.append(protected.kept(piece) if protected and not depth else self.text(piece))
            elif not piece.startswith("</"):
                name = re.split(r"[\s/>]", piece[1:].lower(), maxsplit=1)[0]
                out.append((r"\textsc" if "small-caps" in piece.lower() else _COMMANDS.get(name, "")) + "{")
                depth += 1
            elif depth:
                out.append("}")
                depth -= 1
        return "".join(out) + "}" * depth


def address(text: str) -> str:
    """A DOI or URL, which LaTeX takes as it stands: what would end the value is written in percent."""
    return re.sub(r"[{}\\ ]", lambda match: f"%{ord(match[0]):02X}", without_controls(text))


def without_controls(text: str) -> str:
    """Text without the characters that no file should hold."""
    return _CONTROLS.sub("", text)


def _escaped(cluster: re.Match[str]) -> str:
    letter, marks = cluster.groups()
    if not marks and (command := _SPECIAL.get(letter) or _SYMBOLS.get(letter)):
        return command
    base, *accents = list(unicodedata.normalize("NFD", cluster[0]))
    # LaTeX sets one accent on a letter; with several, the letter stays as it is.
    if len(accents) == 1 and accents[0] in _ACCENTS and base.isascii() and base.isalpha():
        return _accented(_ACCENTS[accents[0]], base)
    return _SPECIAL.get(letter, letter) + marks


def _accented(accent: str, base: str) -> str:
    if base in "ij" and accent in _ABOVE:
        return f"{{\\{accent}{{\\{base}}}}}"
    return f"{{\\{accent}{{{base}}}}}" if accent.isalpha() else f"{{\\{accent}{base}}}"


def _marks_before(text: str) -> int:
    """How many characters stand before the first letter or digit."""
    return next((at for at, letter in enumerate(text) if letter.isalnum()), len(text))


class _Capitals:
    """Which words of a title keep their capitals."""

    def __init__(self, latex: Latex, title: str) -> None:
        later = [word for word in re.findall(r"[^\W\d_]{4,}", title)[1:] if not word.isupper()]
        # In a title with few capitals each one is a name; in one with many they say nothing.
        self._each_counts = sum(word[0].isupper() for word in later) * 2 < len(later)
        self._begun = False
        self._latex = latex

    def kept(self, text: str) -> str:
        """The text as LaTeX, with braces around the words whose capitals must stay."""
        return re.sub(r"\S+", self._word, text)

    def _word(self, match: re.Match[str]) -> str:
        start, rest = _marks_before(match[0]), _marks_before(match[0][::-1])
        end = max(start, len(match[0]) - rest)
        before, word, after = match[0][:start], match[0][start:end], match[0][end:]
        keeps = bool(word) and self._keeps(word)
        self._begun = self._begun or bool(word)
        if not keeps:
            return self._latex.text(match[0])
        return f"{self._latex.text(before)}{{{self._latex.text(word)}}}{self._latex.text(after)}"

    def _keeps(self, word: str) -> bool:
        if any(letter.isupper() for part in re.split(r"[-‐–—/]", word) for letter in part[1:]):
            return True
        if len(word) == 1:
            return word.isupper() and word != "A"
        return self._each_counts and self._begun and word[0].isupper()
