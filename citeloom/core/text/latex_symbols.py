"""Tables of LaTeX commands for accents and symbols, used to read and write LaTeX in bibliographies and manuscripts."""

from __future__ import annotations

import unicodedata

ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip

# Characters and the text command that is written for each.
TEXT = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "i": "ı",
    "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
    "textendash": "–", "textemdash": "—", "textellipsis": "…", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "quotesinglbase": "‚", "quotedblbase": "„",
    "guillemotleft": "«", "guillemotright": "»", "guilsinglleft": "‹", "guilsinglright": "›",
    "textdegree": "°", "textregistered": "®", "texttrademark": "™", "textcopyright": "©", "S": "§", "P": "¶",
    "textsterling": "£", "texteuro": "€", "textyen": "¥", "textcent": "¢", "textperiodcentered": "·",
    "textbullet": "•", "textmu": "µ", "textexclamdown": "¡", "textquestiondown": "¿", "textordfeminine": "ª",
    "textordmasculine": "º", "textonesuperior": "¹", "texttwosuperior": "²", "textthreesuperior": "³",
    "textonehalf": "½", "textonequarter": "¼", "textthreequarters": "¾", "textnumero": "№",
}  # fmt: skip

# Characters and the math command that is written for each.
MATH = {
    "times": "×", "div": "÷", "pm": "±", "neg": "¬", "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈",
    "equiv": "≡", "propto": "∝", "sim": "∼", "infty": "∞", "sum": "∑", "prod": "∏", "int": "∫",
    "partial": "∂", "nabla": "∇", "surd": "√", "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔",
    "Rightarrow": "⇒", "in": "∈", "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "forall": "∀",
    "exists": "∃", "emptyset": "∅", "ell": "ℓ", "hbar": "ℏ", "prime": "′", "circ": "∘", "star": "⋆",
    "ast": "∗", "dagger": "†", "ddagger": "‡", "cdots": "⋯", "vartheta": "ϑ", "varsigma": "ς",
}  # fmt: skip

_GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
# LaTeX has no commands for Greek capitals with the shape of Latin ones.
_GREEK_CAPITALS = ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega")


def _greek(name: str) -> str:
    # Unicode spells the letter LAMDA.
    small = unicodedata.lookup(f"GREEK SMALL LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    return small.upper() if name[0].isupper() else small


MATH |= {name: _greek(name) for name in (*_GREEK, *_GREEK_CAPITALS)}

# All commands that are read, including those that are never written.
SYMBOLS = {
    **{name.capitalize(): _greek(name.capitalize()) for name in _GREEK},
    **TEXT,
    **MATH,
    "aa": "å", "AA": "Å", "SS": "ẞ", "ldots": "…", "dots": "…", "lips": "…", "textquotesingle": "'",
    "textquotedbl": '"', "lq": "‘", "rq": "’", "glqq": "„", "grqq": "“", "glq": "‚", "grq": "‘", "flqq": "«",
    "frqq": "»", "flq": "‹", "frq": "›", "guillemetleft": "«", "guillemetright": "»", "og": "« ", "fg": " »",
    "textbackslash": "\\", "backslash": "\\", "textasciitilde": "~", "textasciicircum": "^",
    "textunderscore": "_", "textbraceleft": "{", "textbraceright": "}", "textasciigrave": "`", "textbar": "|",
    "textless": "<", "textgreater": ">", "degree": "°", "copyright": "©", "pounds": "£", "euro": "€",
    "cdot": "·", "bullet": "•", "texttimes": "×", "textdiv": "÷", "textpm": "±", "textlnot": "¬", "le": "≤",
    "ge": "≥", "ne": "≠", "sqrt": "√", "to": "→", "textdagger": "†", "textdaggerdbl": "‡", "varepsilon": "ε",
    "varphi": "φ", "omicron": "ο", "quad": " ", "qquad": " ", "enspace": " ", "space": " ", "newline": " ",
    "linebreak": " ", "hfill": " ", "tabularnewline": " ", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX",
}  # fmt: skip
