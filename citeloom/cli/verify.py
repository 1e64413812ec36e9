"""`citeloom verify`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO, Any

import click

from citeloom.api.evidence import OtherWork, VerifyQuote, VerifyResult
from citeloom.cli.check_run import NOT_CHECKED, RIGHT, WRONG
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_json, coloured, count, coverage, json_option, line, one_line, print_notes
from citeloom.core.errors import CiteLoomError, Code

_COLOURS = {"exact": "bold green", "near": "bold yellow", "absent": "bold red", "inconclusive": "bold magenta"}


class _NotChecked(click.ClickException):
    """Error with an exit code that differs from those of verdicts."""

    exit_code = NOT_CHECKED

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"citeloom: {self.message}", file=file, err=True)


@click.command()
@click.argument("project")
@click.argument("quote")
@click.option("--citekey", metavar="KEY", help="The cited work; by default every work of the project.")
@click.option("--page", metavar="P", help="The cited printed page.")
@json_option
def verify(project: str, quote: str, citekey: str | None, page: str | None, json_: bool) -> int:
    """Look up a quotation in the works of PROJECT: is it word for word, and on which page?

    QUOTE is the quotation, or - to read it from the standard input. Ellipses (…) and [insertions] are understood.

    \b
    citeloom verify thesis "a quotation is a promise" --citekey hartmann2019 --page 33

    \b
    The verdicts, and the exit code:
      EXACT         0  found word for word (1 if it is on another page than the cited one)
      NEAR          1  found with other words; the difference is shown
      ABSENT        1  not found
      INCONCLUSIVE  2  too short or too common to prove anything; 2 also if it could not be looked up
    """
    try:
        wanted = _from_stdin() if quote == "-" else quote
        request = VerifyQuote(project=project, quote=wanted, citekey=citekey, page=page)
        result = ask(request, "Looking it up")
    except CiteLoomError as error:
        raise _NotChecked(str(error)) from error
    if json_:
        as_json(result)
    else:
        print_verdict(result)
    return exit_code(result)


def exit_code(result: VerifyResult) -> int:
    """Return the exit code of a verdict."""
    if result.verdict == "inconclusive":
        return NOT_CHECKED
    return RIGHT if result.verdict == "exact" and result.page_right is not False else WRONG


def print_verdict(result: VerifyResult) -> None:
    """Print the verdict, then the location of the quotation, the text there, and remarks."""
    line((result.verdict.upper(), _COLOURS[result.verdict]), f": {one_line(result.message)}")
    if result.cite:
        _print_place(result)
    for remark in _remarks(result):
        line(remark)
    if other := result.elsewhere:
        line("Elsewhere: ", (other.cite or "", "bold"), f"  {other.title or ''}{_pages(other)} ({other.verdict})")
        line(f"    {one_line(other.text or '')}")
    print_notes(result.warnings)
    pages, documents = result.searched.pages, result.searched.documents
    searched = count(documents, "document") + (f" of {count(pages, 'page')}" if pages else "")
    line((f"Searched {searched}; in the project {coverage(result.coverage)}.", "dim"))


def _print_place(result: VerifyResult) -> None:
    line((result.cite or "", "bold"), f"  {' > '.join(result.section_path)}")
    line((f"{result.title or ''}{_pages(result)}", "dim"))
    if result.diff:
        line("    ", *coloured(one_line(result.diff)))
    elif result.sentence or result.text:
        line(f"    {one_line(result.sentence or result.text or '')}")
    if result.open_uri:
        line((result.open_uri, "dim"))


def _pages(place: VerifyResult | OtherWork) -> str:
    if not place.page_span:
        return ""
    pdf = "–".join(str(page) for page in sorted(set(place.page_span)))
    labels = place.page_labels
    printed = "–".join(dict.fromkeys(labels[:1] + labels[-1:]))
    return f" (PDF page {pdf}{f', printed {printed}' if printed else ''})"


def _remarks(result: VerifyResult) -> Iterator[str]:
    """Return remarks in addition to the verdict's message."""
    if result.renamed_from:
        yield f"{result.renamed_from} has the citekey {result.citekey} now."
    if result.page_claimed and result.cite and result.page_right is not False:
        right = "is right" if result.page_right else "may be right or wrong: the work has no printed page numbers"
        yield f"Page {result.page_claimed} {right}."
    if result.places > 1 and result.verdict == "exact":
        yield f"It occurs in {result.places} places; this is the first."


def _from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise CiteLoomError(Code.INVALID_INPUT, "The input is not UTF-8 text.", "Send it as UTF-8.") from error
