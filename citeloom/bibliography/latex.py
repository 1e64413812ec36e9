"""LaTeX, as bibliographies use it, to plain Unicode."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip

_GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip

_SYMBOLS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø", "O": "Ø", "l": "ł",
    "L": "Ł", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
    "NG": "Ŋ", "textendash": "–", "textemdash": "—", "ldots": "…", "dots": "…", "textellipsis": "…",
    "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“", "textquotedblright": "”",
    "textquotesingle": "'", "textquotedbl": '"', "quotedblbase": "„", "guillemotleft": "«",
    "guillemotright": "»", "guilsinglleft": "‹", "guilsinglright": "›", "textbackslash": "\\",
    "backslash": "\\", "textasciitilde": "~", "sim": "∼", "textasciicircum": "^", "textunderscore": "_",
    "textbraceleft": "{", "textbraceright": "}", "textasciigrave": "`",
    "textbar": "|", "textless": "<", "textgreater": ">", "textdegree": "°", "degree": "°",
    "textregistered": "®", "texttrademark": "™", "copyright": "©", "textcopyright": "©", "S": "§", "P": "¶",
    "pounds": "£", "textsterling": "£", "euro": "€", "texteuro": "€", "textperiodcentered": "·", "cdot": "·",
    "textbullet": "•", "bullet": "•", "times": "×", "texttimes": "×", "div": "÷", "pm": "±", "leq": "≤",
    "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡", "propto": "∝",
    "infty": "∞", "sum": "∑", "prod": "∏", "int": "∫", "partial": "∂", "nabla": "∇", "sqrt": "√",
    "rightarrow": "→", "to": "→", "leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "in": "∈",
    "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "emptyset": "∅",
    "ell": "ℓ", "hbar": "ℏ", "prime": "′", "circ": "∘", "star": "⋆", "ast": "∗", "dagger": "†",
    "varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varsigma": "ς", "omicron": "ο", "quad": " ",
    "qquad": " ", "space": " ", "newline": " ", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX",
    "\\": " ", " ": " ", ",": " ", ";": " ", ":": " ", "!": "", "-": "", "/": "", "\n": " ", "\t": " ",
}  # fmt: skip

for _name in _GREEK:
    # Unicode spells the letter LAMDA.
    _small = unicodedata.lookup(f"GREEK SMALL LETTER {_name.upper().replace('LAMBDA', 'LAMDA')}")
    _SYMBOLS[_name] = _small
    _SYMBOLS[_name.capitalize()] = _small.upper()

_DROPPED_ARGUMENT = frozenset({"href", "noopsort", "label", "ref", "cite", "color", "textcolor", "hspace", "vspace"})
_QUOTED = frozenset({"enquote", "mkbibquote"})
_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "~": " "}

_TOKEN = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|[{}$^_~]|---?|``|''|`|[^\\{}$^_~`'-]+|.", re.DOTALL)
_DEEPEST = 100


def to_unicode(text: str) -> str:
    """Decode accents, symbols, dashes and quotes, and drop the braces and formatting commands."""
    if not re.search(r"[\\{}$~`]|--|''", text):
        return text
    tokens = _TOKEN.findall(text)
    tokens.reverse()
    return unicodedata.normalize("NFC", _until_closed(tokens, 0))


def verbatim(text: str) -> str:
    """Undo the escapes of a URL, DOI or path, where dashes and quotes stand for themselves."""
    text = re.sub(r"\\url\b\s*|\\path\b\s*", "", text)
    text = re.sub(r"\{?\\textasciitilde\b\s*(?:\{\})?\}?|\$\\sim\$|\\~(?:\{\})?", "~", text)
    text = re.sub(r"\\textunderscore\b\s*(?:\{\})?", "_", text)
    return re.sub(r"\\([_%&#$ ])", r"\1", text).replace("{", "").replace("}", "").strip()


def _until_closed(tokens: list[str], depth: int) -> str:
    """Decode up to the brace that closes this group, or to the end."""
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
        # Deeper nesting than any real title has is read flat: its braces vanish all the same.
        return _until_closed(tokens, depth + 1) if depth < _DEEPEST else ""
    if not token.startswith("\\"):
        return _LIGATURES.get(token, token)
    name = token[1:].rstrip("* \t\n") or token[1:]
    if name in _ACCENTS:
        return _accented(name, _argument(tokens, depth))
    if name in _DROPPED_ARGUMENT:
        if tokens and tokens[-1] == "{":
            _argument(tokens, depth)
        return ""
    if name in _QUOTED:
        return f"“{_argument(tokens, depth)}”"
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    # An escaped character stands for itself; a formatting command leaves its argument.
    return "" if name[:1].isascii() and name[:1].isalpha() else name


def _argument(tokens: list[str], depth: int) -> str:
    """What a command applies to: the next group, command or character."""
    while tokens and tokens[-1].isspace():
        tokens.pop()
    if not tokens or tokens[-1] in "}$":
        return ""
    token = tokens.pop()
    if depth >= _DEEPEST:
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
    return base[0] + _ACCENTS[accent] + base[1:]
