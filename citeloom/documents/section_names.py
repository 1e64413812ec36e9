"""The names under which sections go in research writing, English and German."""

from __future__ import annotations

import re

_REFERENCES = {
    "references", "reference list", "list of references", "bibliography", "works cited", "literature",
    "literature cited", "literatur", "literaturverzeichnis", "quellen", "quellenverzeichnis",
    "literatur- und quellenverzeichnis", "referenzen", "references and notes", "notes and references",
    "bibliografie", "bibliographie",
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

_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-H])\.?\s+")
_RUN_IN = re.compile(r"^(abstract|zusammenfassung|summary)\s*(?:[—–:.]\s*[-—–]?\s*|-\s+)(?=\S)", re.I)


def _name(heading: str) -> str:
    return " ".join(_NUMBER.sub("", heading.strip()).strip(" .:").casefold().split())


def is_section_name(heading: str, *, outside_outline: bool = False) -> bool:
    """Whether a line is nothing but a usual section name, with or without a number."""
    return _name(heading) in (_OUTSIDE_OUTLINE if outside_outline else _NAMES)


def is_reference_list(section_path: tuple[str, ...]) -> bool:
    """Whether a section is the document's list of references."""
    return any(_name(heading) in _REFERENCES for heading in section_path)


def run_in_abstract(text: str) -> str | None:
    """The word "Abstract" and its mark where a paragraph opens with it on the same line, else None."""
    match = _RUN_IN.match(text)
    return match[0] if match else None
