"""Usual section names of research papers in English and German, and names of reference lists in more languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeloom.core.types import Block, BlockKind

_REFERENCES = {
    "references", "reference list", "list of references", "bibliography", "works cited", "literature",
    "literature cited", "literatur", "literaturverzeichnis", "quellen", "quellenverzeichnis",
    "literatur- und quellenverzeichnis", "referenzen", "references and notes", "notes and references",
    "bibliografie", "bibliographie", "quellen- und literaturverzeichnis", "cited literature", "références",
    "références bibliographiques", "referencias", "bibliografía", "referências", "bibliografia",
    "riferimenti bibliografici", "literatuur", "literatuurlijst", "参考文献",
}  # fmt: skip
_OUTSIDE_OUTLINE = _REFERENCES | {
    "abstract", "summary", "zusammenfassung", "kurzfassung", "acknowledgements", "acknowledgments",
    "acknowledgement", "acknowledgment", "danksagung", "appendix", "appendices", "anhang", "keywords",
}  # fmt: skip
_NAMES = _OUTSIDE_OUTLINE | {
    "introduction", "background", "related work", "previous work", "literature review", "theory",
    "theoretical background", "theoretical framework", "motivation", "method", "methods", "methodology",
    "materials and methods", "material and methods", "methods and materials", "data", "data and methods",
    "experiments", "experimental setup", "experimental results", "evaluation", "results", "findings",
    "results and discussion", "discussion", "general discussion", "discussion and conclusion",
    "discussion and conclusions", "limitations", "conclusion", "conclusions", "conclusion and outlook",
    "conclusions and future work", "conclusion and future work", "future work", "outlook", "implications",
    "funding", "data availability", "author contributions", "conflict of interest", "competing interests",
    "ethics statement", "supplementary material", "supplementary materials", "glossary", "index",
    "preface", "foreword", "contents", "table of contents", "einleitung", "einführung", "hintergrund",
    "stand der forschung", "theoretischer hintergrund", "theorie", "methode", "methoden", "methodik",
    "material und methoden", "daten", "ergebnisse", "resultate", "diskussion", "fazit", "schluss",
    "schlussfolgerung", "schlussfolgerungen", "ausblick", "fazit und ausblick",
    "zusammenfassung und ausblick", "vorwort", "inhalt", "inhaltsverzeichnis",
}  # fmt: skip

_ABSTRACT = {"abstract", "summary", "zusammenfassung", "kurzfassung", "résumé", "resumen", "extended abstract"}
_FRONT_MATTER = {
    "contents", "table of contents", "inhalt", "inhaltsverzeichnis", "preface", "foreword", "vorwort", "keywords",
    "list of figures", "list of tables", "abbildungsverzeichnis", "tabellenverzeichnis", "dedication",
}  # fmt: skip
_APPENDIX = re.compile(
    r"^(?:appendi(?:x|ces)|anhang|anhänge|supplementa(?:ry|l)\b.*|online appendix|supporting information)\b", re.I
)
_LETTERED = re.compile(r"^[A-Z](?:\.\d+)*[.:)]?\s+\S")

_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-H])\.?\s+")
_RUN_IN = re.compile(r"^(abstract|zusammenfassung|summary)\s*(?:[—–:.]\s*[-—–]?\s*|-\s+)(?=\S)", re.I)


def _name(heading: str) -> str:
    return " ".join(_NUMBER.sub("", heading.strip()).strip(" .:").casefold().split())


def is_section_name(heading: str, *, outside_outline: bool = False) -> bool:
    """Return whether a line consists of a usual section name, with or without a number."""
    return _name(heading) in (_OUTSIDE_OUTLINE if outside_outline else _NAMES)


def is_reference_list(section_path: tuple[str, ...]) -> bool:
    """Return whether a section is the document's list of references."""
    return any(_name(heading) in _REFERENCES for heading in section_path)


def section_roles(blocks: Sequence[Block]) -> list[str | None]:
    """Return the part of the document that each block belongs to; None for the body.

    The parts are `front matter`, `abstract`, `references` and `appendix`, whatever the headings are called.
    """
    roles: list[str | None] = []
    headed = any(block.kind is BlockKind.HEADING for block in blocks)
    after_references = False
    for block in blocks:
        path = block.section_path
        top = path[0] if path else ""
        if is_reference_list(path):
            role: str | None = "references"
            after_references = True
        elif not path:
            # The title, the authors and their addresses are above the first heading.
            role = "front matter" if headed and block.page is not None and block.page <= 2 else None
        elif _name(top) in _ABSTRACT:
            role = "abstract"
        elif _name(top) in _FRONT_MATTER:
            role = "front matter"
        elif _APPENDIX.match(_NUMBER.sub("", top)) or (after_references and _LETTERED.match(top)):
            role = "appendix"
        else:
            role = None
        roles.append(role)
    return roles


def run_in_abstract(text: str) -> str | None:
    """Return "Abstract" with its punctuation if a paragraph begins with it on the same line, else None."""
    match = _RUN_IN.match(text)
    return match[0] if match else None
