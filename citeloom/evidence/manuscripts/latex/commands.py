"""Tables of LaTeX commands and their effect on the prose. Used by `reader`."""

from __future__ import annotations

import re
import unicodedata

from citeloom.core.text.latex_symbols import ACCENTS

# Commands of one character. An escaped character that is not listed stands for itself.
SIGNS = {"\\": " ", ",": " ", ";": " ", ":": " ", ">": " ", "!": "", "-": "", "/": "", "@": "", "(": "", ")": "",
         "[": "", "]": "", "+": "", "<": "", "=": "", "'": "", "`": "", '"': "", "^": "", ".": "", "~": ""}  # fmt: skip

LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "'": "’", "~": " ", "&": " ", ",,": "„", "<<": "«",
             ">>": "»", '"`': "„", "\"'": "“", '"<': "«", '">': "»"}  # fmt: skip

_ACCENTED = re.compile(
    r"\\(?:([\"'`^~=.])|([uvHcdbkrt])(?![A-Za-z]))[ \t]*+"
    r"(?:\{[ \t]*+\\?([^\W\d_])[ \t]*+\}|\{\}|\\([ij])(?![A-Za-z])[ \t]*+|([^\W\d_]))?"
)


def accented(text: str, at: int) -> tuple[str, int] | None:
    """Return the letter made by an accent command at this position, and the position after it."""
    found = _ACCENTED.match(text, at)
    if not found:
        return None
    letter = found[3] or found[4] or found[5]
    if not letter:
        # \~{} and \^{} are the characters themselves.
        return (found[1] if found[1] and found[1] in "~^" and found[0].endswith("{}") else "", found.end())
    return unicodedata.normalize("NFC", letter + ACCENTS[found[1] or found[2]]), found.end()


# How many {arguments} of a command are not prose; the following ones are.
DROPPED: dict[str, int] = {
    **dict.fromkeys(
        (
            "label", "ref", "eqref", "pageref", "autoref", "cref", "Cref", "vref", "Vref", "nameref", "subref",
            "cpageref", "url", "nolinkurl", "href", "hypertarget", "hyperlink", "index", "glossary",
            "includegraphics", "input", "include", "includeonly", "subfile", "bibliography", "nocite",
            "bibliographystyle", "addbibresource", "printbibliography", "usepackage", "RequirePackage",
            "documentclass", "vspace", "hspace", "color", "textcolor", "colorbox", "pagestyle", "thispagestyle",
            "pagenumbering", "selectlanguage", "foreignlanguage", "raisebox", "parbox", "scalebox", "pdfbookmark",
            "phantom", "hphantom", "vphantom", "geometry", "hypersetup", "lstset", "tikzset", "graphicspath",
            "linespread", "citestyle", "setcitestyle", "citesetup", "newcites", "usetikzlibrary", "bibitem", "tikz",
            "pgfplotsset", "captionsetup", "sisetup", "hyphenation", "lstinputlisting", "inputminted", "includepdf",
            "bookmark", "glsreset", "newacronym", "tag", "ding",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "setlength", "addtolength", "setcounter", "addtocounter", "fontsize", "rule", "resizebox", "multicolumn",
            "multirow", "markboth", "setkeys", "cmidrule", "definecolor", "addcontentsline", "newlength", "settowidth",
            "import", "subimport", "inputfrom", "includefrom", "subinputfrom", "subincludefrom",
        ),
        2,
    ),
    "definecolor": 3,
    "addcontentsline": 3,
}  # fmt: skip

# Their last {argument} names a file; files with the extensions below contain no prose.
INCLUDES = frozenset({
    "input", "include", "subfile", "import", "subimport", "inputfrom", "includefrom", "subinputfrom", "subincludefrom",
})  # fmt: skip
NO_PROSE = (".tikz", ".pgf", ".bbl", ".pdf_tex", ".sty", ".cls", ".def", ".cfg")

DEFINITIONS = frozenset({
    "newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "NewDocumentCommand",
    "RenewDocumentCommand", "newenvironment", "renewenvironment", "def", "gdef", "edef", "let", "newtheorem",
    "DeclareMathOperator", "DeclareCiteCommand", "DeclareMultiCiteCommand", "DeclareAutoCiteCommand", "newcounter",
    "newif",
})  # fmt: skip

NOTES = frozenset({
    "footnote", "footnotetext", "endnote", "sidenote", "marginnote", "marginpar", "thanks", "todo", "pagenote",
})  # fmt: skip

PARAGRAPHS = frozenset({
    "part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "addchap", "addsec",
    "addpart", "minisec", "title", "subtitle", "author", "date", "caption", "captionof", "frametitle", "epigraph",
})  # fmt: skip

BREAKS = frozenset({"par", "item", "bigskip", "medskip", "newpage", "clearpage", "maketitle"})

BLOCK_QUOTES = frozenset({"quote", "quotation", "verse", "displayquote", "displaycquote", "foreigndisplayquote",
                          "foreigndisplaycquote", "hyphendisplayquote", "hyphendisplaycquote", "quoting"})  # fmt: skip

TABLES = frozenset({"tabular", "tabular*", "tabularx", "tabulary", "longtable"})  # each row is a paragraph

# How many {arguments} of an environment are not prose.
ENVIRONMENT_ARGUMENTS = {
    "tabular": 1, "tabular*": 2, "tabularx": 2, "tabulary": 2, "longtable": 1, "array": 1, "minipage": 1,
    "multicols": 1, "wrapfigure": 2, "wraptable": 2, "spacing": 1, "otherlanguage": 1, "otherlanguage*": 1,
    "adjustbox": 1, "subfigure": 1, "subtable": 1, "list": 2, "foreigndisplayquote": 1, "hyphendisplayquote": 1,
    "foreigndisplaycquote": 1, "hyphendisplaycquote": 1, "adjustwidth": 2, "addmargin": 1,
}  # fmt: skip
