"""Mapping between CSL types and variables and the entry types and fields of BibTeX and biblatex.

Where BibTeX has no type or field for something (a web page, an event, a subtype), that of biblatex is written: BibTeX
ignores unknown fields and treats unknown entry types as @misc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from citeloom.bibliography.bibtex.dates import biblatex_date, bibtex_date
from citeloom.bibliography.bibtex.unicode_to_latex import LatexEncoder

CSL_TYPES = {
    "article": "article-journal", "suppperiodical": "article-journal", "periodical": "periodical",
    "book": "book", "mvbook": "book", "collection": "book", "mvcollection": "book", "reference": "book",
    "mvreference": "book", "proceedings": "book", "mvproceedings": "book", "booklet": "pamphlet",
    "manual": "report", "inbook": "chapter", "bookinbook": "chapter", "suppbook": "chapter",
    "incollection": "chapter", "suppcollection": "chapter", "inreference": "entry-encyclopedia",
    "inproceedings": "paper-conference", "conference": "paper-conference", "phdthesis": "thesis",
    "mastersthesis": "thesis", "thesis": "thesis", "techreport": "report", "report": "report",
    "online": "webpage", "electronic": "webpage", "www": "webpage", "webpage": "webpage",
    "patent": "patent", "dataset": "dataset", "software": "software", "unpublished": "manuscript",
    "letter": "personal_communication", "legislation": "legislation", "jurisdiction": "legal_case",
    "legal": "legislation", "standard": "standard", "movie": "motion_picture", "video": "motion_picture",
    "audio": "song", "music": "song", "image": "graphic", "artwork": "graphic", "review": "review",
    "performance": "performance", "misc": "document",
}  # fmt: skip

_ENTRY_TYPES = {
    "article-journal": "article", "periodical": "periodical", "review": "review", "book": "book",
    "pamphlet": "booklet", "chapter": "incollection", "entry-encyclopedia": "inreference",
    "paper-conference": "inproceedings", "report": "report", "thesis": "thesis", "webpage": "online",
    "patent": "patent", "dataset": "dataset", "software": "software", "standard": "standard",
    "manuscript": "unpublished", "personal_communication": "letter", "legislation": "legislation",
    "legal_case": "jurisdiction", "motion_picture": "video", "song": "audio", "graphic": "image",
    "performance": "performance", "document": "misc",
}  # fmt: skip

# CSL types that share an entry type with another, and the `entrysubtype` that distinguishes them.
_SUBTYPES = {
    "article-magazine": ("article", "magazine"), "article-newspaper": ("article", "newspaper"),
    "article": ("misc", "preprint"), "review-book": ("review", "review-book"), "classic": ("book", "classic"),
    "entry": ("inreference", "entry"), "entry-dictionary": ("inreference", "entry-dictionary"),
    "post": ("online", "post"), "post-weblog": ("online", "post-weblog"), "bill": ("legislation", "bill"),
    "regulation": ("legislation", "regulation"), "treaty": ("legal", "treaty"),
    "broadcast": ("video", "broadcast"), "musical_score": ("music", "musical_score"), "map": ("image", "map"),
    "figure": ("image", "figure"), "speech": ("unpublished", "speech"), "interview": ("misc", "interview"),
    "hearing": ("misc", "hearing"), "event": ("misc", "event"), "collection": ("misc", "collection"),
}  # fmt: skip
_TYPE_BY_SUBTYPE = {kind_and_subtype: csl_type for csl_type, kind_and_subtype in _SUBTYPES.items()}


def csl_type_of(kind: str, subtype: str) -> str:
    """Return the CSL type for an entry type and its `entrysubtype`."""
    return _TYPE_BY_SUBTYPE.get((kind, subtype.lower())) or CSL_TYPES.get(kind, "document")


def entry_type_of(csl_type: str) -> tuple[str, str]:
    """Return the entry type for a CSL type, and the `entrysubtype`, which may be empty."""
    return _SUBTYPES.get(csl_type) or (_ENTRY_TYPES.get(csl_type, "misc"), "")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The field names and date format of BibTeX or of biblatex."""

    date: Callable[[object, LatexEncoder], Iterator[tuple[str, str]]]
    journal: str
    publishers: Mapping[str, str]  # by entry type, where it is not `publisher`
    fields: Mapping[str, str]  # by CSL variable; plain texts only
    # BibTeX: theses and reports have entry types of their own, and citekeys are case-insensitive.
    classic: bool = False


_FIELDS = {
    "collection-title": "series",
    "volume": "volume",
    "number-of-volumes": "volumes",
    "edition": "edition",
    "chapter-number": "chapter",
    "event-title": "eventtitle",
    "event-place": "venue",
    "genre": "type",
    "version": "version",
    "number-of-pages": "pagetotal",
    "status": "pubstate",
    "title-short": "shorttitle",
    "original-title": "origtitle",
    "original-publisher": "origpublisher",
    "original-publisher-place": "origlocation",
    "abstract": "abstract",
}

BIBTEX = Dialect(
    date=bibtex_date,
    journal="journal",
    publishers={**dict.fromkeys(("phdthesis", "mastersthesis", "thesis"), "school"), "techreport": "institution"},
    fields={"publisher-place": "address", **_FIELDS, "annote": "annote"},
    classic=True,
)
BIBLATEX = Dialect(
    date=biblatex_date,
    journal="journaltitle",
    publishers={
        **dict.fromkeys(("thesis", "report"), "institution"),
        # Types that biblatex treats as @misc print an organization, no publisher.
        **dict.fromkeys(
            ("misc", "software", "audio", "image", "jurisdiction", "legislation", "legal", "letter", "music",
             "performance", "standard", "video"),
            "organization",
        ),
    },
    fields={"publisher-place": "location", **_FIELDS, "annote": "annotation"},
)  # fmt: skip
