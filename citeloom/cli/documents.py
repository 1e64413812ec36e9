"""`citeloom documents`."""

from __future__ import annotations

import click

from citeloom.api.library import ConfirmClaim, DocumentRow, ListClaims, ListDocuments, RefuseClaim
from citeloom.cli.shared.engine_call import ask, connected
from citeloom.cli.shared.output import as_json, coverage, json_option, table
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.numerals import ranges


def _text_columns(document: DocumentRow) -> tuple[str | None, str | None, str]:
    """Return the columns on a document's text: source, converter engine, and the share of words kept."""
    if not document.chunk_count:
        return "", "", ""
    words_kept = "" if document.word_coverage is None else f"{document.word_coverage:.2f}"
    return document.text_source, document.converter_engine, words_kept


@click.command()
@click.argument("project")
@click.option("--status", help="Only these: ready, pending, failed, duplicate or without_file.")
@click.option("--without-record", is_flag=True, help="Only those in no references: CiteLoom generated their citekeys.")
@click.option("--doubtful", is_flag=True, help="Only those with a claim to be a work that you have not decided on.")
@click.option("--confirm", metavar="DOC_ID", multiple=True, help="Confirm that it is the claimed work (repeatable).")
@click.option("--as", "key", metavar="CITEKEY", help="With --confirm: it is this work, whatever was claimed.")
@click.option("--refuse", metavar="DOC_ID", multiple=True, help="Reject its claim for good (repeatable).")
@json_option
def documents(
    project: str,
    status: str | None,
    without_record: bool,
    doubtful: bool,
    confirm: tuple[str, ...],
    key: str | None,
    refuse: tuple[str, ...],
    json_: bool,
) -> None:
    """List the documents of PROJECT with citekey, pages and status, how each was read, and why one failed.

    \b
    text        native, ocr (recognised in images), mixed, or agent (an agent stored it)
    read by     quick (some pages still need OCR or layout analysis), docling (some did), or plain
    words kept  how much of a PDF's own words the conversion holds, from 0 to 1

    A document that an agent stored, or a file that says it is a work whose record names another file, is searched but
    does not count as that work: verify and check leave it out until you confirm it.
    """
    if key and len(confirm) != 1:
        raise CiteLoomError(Code.INVALID_INPUT, "--as names the work of one document.", "Give it with one --confirm.")
    if confirm or refuse:
        _decide(project, confirm, key, refuse, json_=json_)
    elif doubtful:
        _list_doubtful(project, json_=json_)
    else:
        _list(project, status, without_record=without_record, json_=json_)


def _decide(project: str, confirm: tuple[str, ...], key: str | None, refuse: tuple[str, ...], *, json_: bool) -> None:
    decided = [ask(ConfirmClaim(project=project, doc_id=doc_id, citekey=key)) for doc_id in confirm]
    decided += [ask(RefuseClaim(project=project, doc_id=doc_id)) for doc_id in refuse]
    if json_:
        as_json(decided)
        return
    for document in decided:
        counts = f"counts as {document.citekey} from now on" if document.citekey else "counts as no work"
        click.echo(f"{document.source} {counts}.")


def _list_doubtful(project: str, *, json_: bool) -> None:
    found = ask(ListClaims(project=project))
    if json_:
        as_json(found)
        return
    if not found:
        click.echo("No document has a claim to decide on.")
        return
    rows = [(d.doc_id, d.claimed_citekey, d.source, d.chunk_count, d.why) for d in found]
    table(("id", "claims to be", "file", "passages", "why it does not count"), rows)
    click.echo(f"Decide: citeloom documents {project} --confirm ID, or --refuse ID.")


def _list(project: str, status: str | None, *, without_record: bool, json_: bool) -> None:
    found: list[DocumentRow] = []
    with connected() as client:
        offset: int | None = 0
        while offset is not None:
            page = client.call(ListDocuments(project=project, status=status, offset=offset))
            found += page.documents
            offset = page.next_offset
    if without_record:
        found = [document for document in found if document.citekey_made and document.matched_by is None]
    if json_:
        as_json(found)
        return
    rows = [
        (
            _key(d),
            d.status,
            d.pages,
            d.chunk_count,
            *_text_columns(d),
            d.source,
            "; ".join(filter(None, (d.reason, d.fallback_reason, _by_words(d), _slow_pages(d), *d.warnings))),
        )
        for d in found
    ]
    table(("citekey", "status", "pages", "passages", "text", "read by", "words kept", "file", "note"), rows)
    click.echo(coverage(page.coverage) + ".")
    if waiting := sum(bool(d.claimed_citekey) for d in found):
        click.echo(f"{waiting} are said to be a work and do not count as it: citeloom documents {project} --doubtful.")


def _by_words(document: DocumentRow) -> str:
    return "found by words only, until it is embedded" if document.without_vector else ""


def _slow_pages(document: DocumentRow) -> str:
    pages = [f"{ranges(numbers)} ({reason})" for reason, numbers in document.slow_pages.items()]
    still = "still to be read" if document.quick else "read"
    return f"{still} by OCR or layout analysis: PDF pages {', '.join(pages)}" if pages else ""


def _key(document: DocumentRow) -> str:
    """Return the citekey, whether CiteLoom generated it, and a claimed one."""
    made = " (made)" if document.citekey_made else ""
    claimed = f"says {document.claimed_citekey}" if document.claimed_citekey else ""
    return " ".join(filter(None, (document.citekey + made, claimed)))
