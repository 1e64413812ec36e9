"""Wording of the projects page: the status, record and text of documents, sources, and the progress of jobs."""

from __future__ import annotations

from itertools import chain

from citeloom.api.library import DocumentRow
from citeloom.core.text.numerals import ranges
from citeloom.core.types import Source
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.widgets import basics

STATUSES = ("ready", "pending", "failed", "without_file", "duplicate")
STATUS_ICONS = {
    "ready": "check",
    "doubtful": "warning",
    "pending": "sync",
    "failed": "warning",
    "without_file": "file",
    "duplicate": "copy",
}


def status_text(status: str) -> str:
    """Return the name of a document's status."""
    return {
        "ready": translate("Projects", "Searchable"),
        "doubtful": translate("Projects", "Doubtful"),
        "pending": translate("Projects", "Still to be read"),
        "failed": translate("Projects", "Could not be read"),
        "without_file": translate("Projects", "Without a file"),
        "duplicate": translate("Projects", "Duplicate"),
    }.get(status, status)


def shown_status(document: DocumentRow) -> str:
    """Return the status of a document, or "doubtful" if a claim waits for a decision."""
    return "doubtful" if document.status == "ready" and document.claimed_citekey else document.status


def doubt_text(document: DocumentRow) -> str:
    """Return the claim of a document that waits for a decision; "" if there is none."""
    key = document.claimed_citekey
    return translate("Projects", "Doubtful: claims to be @{key}").format(key=key) if key else ""


def words_only_text(document: DocumentRow) -> str:
    """Return that a searchable document is not embedded yet; "" if it is."""
    return translate("Projects", "Found by its words only so far") if document.without_vector else ""


def match_text(document: DocumentRow) -> str:
    """Return how the record of a document was found."""
    found = {
        "zotero": translate("Projects", "It is an item of Zotero."),
        "file": translate("Projects", "Its record in the references names this file."),
        "name": translate("Projects", "Its record in the references names a file of this name."),
        "doi": translate("Projects", "Its DOI is in the references."),
        "title": translate("Projects", "Its title is in the references."),
        "confirmed": translate("Projects", "You confirmed which work it is."),
    }.get(document.matched_by or "")
    if found:
        return found
    if doubtful := doubt_text(document):
        why = (
            translate("Projects", "Only an editor says so.")
            if document.claimed_by == "agent"
            else translate("Projects", "That work has another file.")
        )
        return f"{doubtful}. {why}"
    return (
        translate("Projects", "No record was found; the citekey was generated from the file.")
        if document.citekey_made
        else ""
    )


def text_origin(document: DocumentRow) -> str:
    """Return where the text of a document comes from."""
    if document.quick:
        return translate("Projects", "Searchable already; pages that need OCR or layout analysis follow.")
    share = document.ocr_share
    parts = [
        {
            "native": translate("Projects", "The text of the file itself."),
            "ocr": translate("Projects", "Recognised by OCR; some characters may be wrong."),
            "mixed": translate("Projects", "The text of the file; some pages were recognised by OCR."),
            "annotation": translate("Projects", "Your annotations."),
            "note": translate("Projects", "Your notes."),
            "agent": translate("Projects", "Stored by an agent; no file was read."),
            "zotero_fulltext": translate(
                "Projects", "Zotero’s full text of a file that is not on this computer; it has no pages."
            ),
        }.get(document.text_source or "", ""),
        translate("Projects", "Recognised pages: {share}.").format(share=basics.percent(share)) if share else "",
        translate("Projects", "Read by OCR or layout analysis: {pages}.").format(pages=slow)
        if (slow := ranges(chain(*document.slow_pages.values())))
        else "",
        translate("Projects", "Read as plain text: {why}").format(why=document.fallback_reason)
        if document.fallback_reason
        else "",
    ]
    return " ".join(part for part in parts if part)


def source_text(source: Source) -> str:
    """Return the name of a source."""
    name = source.label or source.path
    if source.recursive or source.kind == "file":
        return name
    return translate("Projects", "{name}, without subfolders or subcollections").format(name=name)
