"""The names, dates, numbers and types that CSL defines."""

from __future__ import annotations

NAMESPACE = "http://purl.org/net/xbiblio/csl"
NS = f"{{{NAMESPACE}}}"  # prefix of the element names of a style

NAMES = frozenset({
    "author", "chair", "collection-editor", "compiler", "composer", "container-author", "contributor", "curator",
    "director", "editor", "editor-translator", "editorial-director", "executive-producer", "guest", "host",
    "illustrator", "interviewer", "narrator", "organizer", "original-author", "performer", "producer", "recipient",
    "reviewed-author", "script-writer", "series-creator", "translator",
})  # fmt: skip
DATES = frozenset({
    "accessed", "available-date", "container", "event-date", "issued", "original-date", "submitted",
})  # fmt: skip
NUMBERS = frozenset({
    "chapter-number", "citation-number", "collection-number", "edition", "first-reference-note-number", "issue",
    "locator", "number", "number-of-pages", "number-of-volumes", "page", "page-first", "part-number",
    "printing-number", "section", "supplement-number", "version", "volume",
})  # fmt: skip
TYPES = frozenset({
    "article", "article-journal", "article-magazine", "article-newspaper", "bill", "book", "broadcast", "chapter",
    "classic", "collection", "dataset", "document", "entry", "entry-dictionary", "entry-encyclopedia", "event",
    "figure", "graphic", "hearing", "interview", "legal_case", "legislation", "manuscript", "map", "motion_picture",
    "musical_score", "pamphlet", "paper-conference", "patent", "performance", "periodical",
    "personal_communication", "post", "post-weblog", "regulation", "report", "review", "review-book", "software",
    "song", "speech", "standard", "thesis", "treaty", "webpage",
})  # fmt: skip
# Values that are not prose: their apostrophes and hyphens are not changed.
VERBATIM = frozenset({"DOI", "ISBN", "ISSN", "PMCID", "PMID", "URL", "call-number", "language"})
# Variables that the first lines of a Zotero note may add to a record.
NOTE_VARIABLES = NAMES | DATES | VERBATIM | frozenset({
    "archive", "archive-place", "citation-key", "collection-number", "collection-title", "collection-title-short",
    "container-title", "container-title-short", "dimensions", "edition", "event-place", "event-title", "genre",
    "issue", "medium", "number", "number-of-pages", "number-of-volumes", "original-publisher",
    "original-publisher-place", "original-title", "page", "part-number", "part-title", "publisher",
    "publisher-place", "reviewed-title", "section", "status", "title-short", "version", "volume", "volume-title",
})  # fmt: skip
