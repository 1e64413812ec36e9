"""Tables that map Zotero's item types, fields and creators to CSL."""

from __future__ import annotations

TYPES = {
    **{name: name for name in ("bill", "book", "dataset", "document", "hearing", "interview", "manuscript", "map")},
    **{name: name for name in ("patent", "report", "standard", "thesis", "webpage")},
    "artwork": "graphic",
    "attachment": "document",
    "audioRecording": "song",
    "blogPost": "post-weblog",
    "bookSection": "chapter",
    "case": "legal_case",
    "computerProgram": "software",
    "conferencePaper": "paper-conference",
    "dictionaryEntry": "entry-dictionary",
    "email": "personal_communication",
    "encyclopediaArticle": "entry-encyclopedia",
    "film": "motion_picture",
    "forumPost": "post",
    "instantMessage": "personal_communication",
    "journalArticle": "article-journal",
    "letter": "personal_communication",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "note": "document",
    "podcast": "broadcast",
    "preprint": "article",
    "presentation": "speech",
    "radioBroadcast": "broadcast",
    "statute": "legislation",
    "tvBroadcast": "broadcast",
    "videoRecording": "motion_picture",
}

# CSL types without a Zotero item type, which a "type:" line in Extra may name.
CSL_TYPES = frozenset(TYPES.values()) | {
    *("classic", "collection", "entry", "event", "figure", "musical_score", "pamphlet", "performance", "periodical"),
    *("regulation", "review", "review-book", "treaty"),
}

# Base fields, with the names that they have in some item types.
SPECIFIC_FIELDS: dict[str, tuple[str, ...]] = {
    "authority": ("court", "issuingAuthority", "legislativeBody", "organization"),
    "date": ("dateDecided", "dateEnacted", "issueDate"),
    "medium": (
        *("artworkMedium", "audioFileType", "audioRecordingFormat"),
        *("format", "interviewMedium", "videoRecordingFormat"),
    ),
    "number": (
        *("archiveID", "billNumber", "docketNumber", "documentNumber", "episodeNumber"),
        *("identifier", "patentNumber", "publicLawNumber", "reportNumber"),
    ),
    "originalDate": ("priorityDate",),
    "pages": ("codePages", "firstPage"),
    "place": ("repositoryLocation",),
    "publicationTitle": (
        *("blogTitle", "bookTitle", "dictionaryTitle", "encyclopediaTitle", "forumTitle"),
        *("proceedingsTitle", "programTitle", "sessionTitle", "websiteTitle"),
    ),
    "publisher": ("company", "distributor", "institution", "label", "network", "repository", "studio", "university"),
    "status": ("legalStatus",),
    "title": ("caseName", "nameOfAct", "subject"),
    "type": (
        *("genre", "letterType", "manuscriptType", "mapType", "postType"),
        *("presentationType", "reportType", "thesisType", "websiteType"),
    ),
    "volume": ("codeVolume", "reporterVolume"),
}
BASE_FIELDS = {name: base for base, names in SPECIFIC_FIELDS.items() for name in names}

# CSL variables with the fields that fill them; the first with a value wins. Extra is parsed separately.
TEXTS: dict[str, tuple[str, ...]] = {
    "abstract": ("abstractNote",),
    "archive": ("archive",),
    "archive_location": ("archiveLocation",),
    "authority": ("authority",),
    "call-number": ("callNumber", "applicationNumber"),
    "chapter-number": ("session",),
    "collection-number": ("seriesNumber",),
    "collection-title": ("seriesTitle", "series"),
    "container-title": ("publicationTitle", "reporter", "code"),
    "dimensions": ("artworkSize", "runningTime"),
    "DOI": ("DOI",),
    "edition": ("edition",),
    "event-place": ("eventPlace",),
    "event-title": ("meetingName", "conferenceName"),
    "genre": ("type", "programmingLanguage"),
    "ISBN": ("ISBN",),
    "ISSN": ("ISSN",),
    "issue": ("issue", "priorityNumbers"),
    "journalAbbreviation": ("journalAbbreviation",),
    "language": ("language",),
    "license": ("rights",),
    "medium": ("medium", "system"),
    "number": ("number",),
    "number-of-pages": ("numPages",),
    "number-of-volumes": ("numberOfVolumes",),
    "original-publisher": ("originalPublisher",),
    "original-publisher-place": ("originalPlace",),
    "part-number": ("partNumber",),
    "part-title": ("partTitle",),
    "page": ("pages",),
    "PMID": ("PMID",),
    "PMCID": ("PMCID",),
    "publisher": ("publisher",),
    "publisher-place": ("place",),
    "references": ("history", "references"),
    "scale": ("scale",),
    "section": ("section", "committee"),
    "source": ("libraryCatalog",),
    "status": ("status",),
    "title": ("title",),
    "title-short": ("shortTitle",),
    "URL": ("url",),
    "version": ("versionNumber",),
    "volume": ("volume", "codeNumber"),
}

DATES = {
    "accessed": "accessDate",
    "issued": "date",
    "original-date": "originalDate",
    "submitted": "filingDate",
}

# The place of these types is the event place, not the publisher place.
PERFORMED = frozenset({"audioRecording", "presentation", "videoRecording"})

# The primary creators of a type are its CSL authors, whatever Zotero calls them.
NAMES = {
    **dict.fromkeys(("author", "creator", "artist", "performer", "sponsor", "programmer", "interviewee"), "author"),
    **dict.fromkeys(("cartographer", "inventor", "presenter"), "author"),
    **{name: name for name in ("chair", "composer", "contributor", "director", "editor", "guest", "host")},
    **{name: name for name in ("interviewer", "narrator", "organizer", "producer", "recipient", "translator")},
    "bookAuthor": "container-author",
    "castMember": "performer",
    "executiveProducer": "executive-producer",
    "originalCreator": "original-author",
    "podcaster": "host",
    "reviewedAuthor": "reviewed-author",
    "scriptwriter": "script-writer",
    "seriesCreator": "series-creator",
    "seriesEditor": "collection-editor",
}

# Variables that only a line in Extra can give.
_ONLY_IN_EXTRA = (
    *("annote", "container-title-short", "division", "event", "jurisdiction", "keyword", "original-title"),
    *("page-first", "printing-number", "reviewed-genre", "reviewed-title", "supplement-number", "volume-title"),
    "year-suffix",
)
_DATES_ONLY_IN_EXTRA = ("available-date", "event-date")
_NAMES_ONLY_IN_EXTRA = ("compiler", "curator", "editorial-director", "illustrator")

DATE_VARIABLES = frozenset((*DATES, *_DATES_ONLY_IN_EXTRA))
NAME_VARIABLES = frozenset((*NAMES.values(), *_NAMES_ONLY_IN_EXTRA))


def folded(name: str) -> str:
    """Return a name for comparison in Extra: "Original Date", "original-date" and originalDate are equal."""
    return name.replace(" ", "").replace("-", "").replace("_", "").lower()


# Names of lines in Extra: Zotero's field, or CSL's own name, which takes precedence ("type").
VARIABLES = {
    **{folded(field): variable for variable, fields in TEXTS.items() for field in fields},
    **{folded(field): variable for variable, field in DATES.items()},
    **{folded(variable): variable for variable in (*TEXTS, *_ONLY_IN_EXTRA, *DATE_VARIABLES, *NAME_VARIABLES, "type")},
}

# Every field that an item can have, by its base name.
FIELDS = frozenset(
    (*(field for fields in TEXTS.values() for field in fields), *DATES.values(), "assignee", "citationKey", "country")
) | {"extra", "seriesText"}
