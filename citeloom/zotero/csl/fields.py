"""Tables that map Zotero's item types, fields and creators to CSL."""

from __future__ import annotations

TYPES = {
    "artwork": "graphic",
    "attachment": "document",
    "audioRecording": "song",
    "bill": "bill",
    "blogPost": "post-weblog",
    "book": "book",
    "bookSection": "chapter",
    "case": "legal_case",
    "computerProgram": "software",
    "conferencePaper": "paper-conference",
    "dataset": "dataset",
    "dictionaryEntry": "entry-dictionary",
    "document": "document",
    "email": "personal_communication",
    "encyclopediaArticle": "entry-encyclopedia",
    "film": "motion_picture",
    "forumPost": "post",
    "hearing": "hearing",
    "instantMessage": "personal_communication",
    "interview": "interview",
    "journalArticle": "article-journal",
    "letter": "personal_communication",
    "magazineArticle": "article-magazine",
    "manuscript": "manuscript",
    "map": "map",
    "newspaperArticle": "article-newspaper",
    "note": "document",
    "patent": "patent",
    "podcast": "broadcast",
    "preprint": "article",
    "presentation": "speech",
    "radioBroadcast": "broadcast",
    "report": "report",
    "standard": "standard",
    "statute": "legislation",
    "thesis": "thesis",
    "tvBroadcast": "broadcast",
    "videoRecording": "motion_picture",
    "webpage": "webpage",
}

# CSL types without a Zotero item type, which a "type:" line in Extra may name.
CSL_TYPES = frozenset(TYPES.values()) | {
    *("classic", "collection", "entry", "event", "figure", "musical_score", "pamphlet", "performance", "periodical"),
    *("regulation", "review", "review-book", "treaty"),
}

# Type-specific field names, with the base field of each.
BASE_FIELDS = {
    "archiveID": "number",
    "artworkMedium": "medium",
    "audioFileType": "medium",
    "audioRecordingFormat": "medium",
    "billNumber": "number",
    "blogTitle": "publicationTitle",
    "bookTitle": "publicationTitle",
    "caseName": "title",
    "codePages": "pages",
    "codeVolume": "volume",
    "company": "publisher",
    "court": "authority",
    "dateDecided": "date",
    "dateEnacted": "date",
    "dictionaryTitle": "publicationTitle",
    "distributor": "publisher",
    "docketNumber": "number",
    "documentNumber": "number",
    "encyclopediaTitle": "publicationTitle",
    "episodeNumber": "number",
    "firstPage": "pages",
    "format": "medium",
    "forumTitle": "publicationTitle",
    "genre": "type",
    "identifier": "number",
    "institution": "publisher",
    "interviewMedium": "medium",
    "issueDate": "date",
    "issuingAuthority": "authority",
    "label": "publisher",
    "legalStatus": "status",
    "legislativeBody": "authority",
    "letterType": "type",
    "manuscriptType": "type",
    "mapType": "type",
    "nameOfAct": "title",
    "network": "publisher",
    "organization": "authority",
    "patentNumber": "number",
    "postType": "type",
    "presentationType": "type",
    "priorityDate": "originalDate",
    "proceedingsTitle": "publicationTitle",
    "programTitle": "publicationTitle",
    "publicLawNumber": "number",
    "reportNumber": "number",
    "reportType": "type",
    "reporterVolume": "volume",
    "repository": "publisher",
    "repositoryLocation": "place",
    "sessionTitle": "publicationTitle",
    "studio": "publisher",
    "subject": "title",
    "thesisType": "type",
    "university": "publisher",
    "videoRecordingFormat": "medium",
    "websiteTitle": "publicationTitle",
    "websiteType": "type",
}

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
    "bookAuthor": "container-author",
    "castMember": "performer",
    "chair": "chair",
    "composer": "composer",
    "contributor": "contributor",
    "director": "director",
    "editor": "editor",
    "executiveProducer": "executive-producer",
    "guest": "guest",
    "host": "host",
    "interviewer": "interviewer",
    "narrator": "narrator",
    "organizer": "organizer",
    "originalCreator": "original-author",
    "podcaster": "host",
    "producer": "producer",
    "recipient": "recipient",
    "reviewedAuthor": "reviewed-author",
    "scriptwriter": "script-writer",
    "seriesCreator": "series-creator",
    "seriesEditor": "collection-editor",
    "translator": "translator",
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
