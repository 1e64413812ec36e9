"""`citeloom verify`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import IO, Any

import click

from citeloom.cli.check_run import NOT_CHECKED, RIGHT, WRONG
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.lines import coloured, count, line, one_line
from citeloom.cli.shared.output import as_json, coverage
from citeloom.core.errors import CiteLoomError, Code

_COLOURS = {"exact": "bold green", "near": "bold yellow", "absent": "bold red", "inconclusive": "bold magenta"}


class _NotChecked(click.ClickException):
    """A failure whose exit code cannot be taken for a verdict."""

    exit_code = NOT_CHECKED

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"citeloom: {self.message}", file=file, err=True)


@click.command()
@click.argument("project")
@click.argument("quote")
@click.option("--citekey", metavar="KEY", help="The work it is said to come from; else every work of the project.")
@click.option("--page", metavar="P", help="The printed page it is said to stand on.")
@click.option("--json", "json_", is_flag=True, help="Print what an agent would get.")
def verify(project: str, quote: str, citekey: str | None, page: str | None, json_: bool) -> int:
    """Look a quotation up in the works of PROJECT: is it word for word, and on which page?

    QUOTE is the quotation, or - to read it from the standard input. Ellipses (…) and [insertions] are understood.

    \b
    citeloom verify thesis "a quotation is a promise" --citekey hartmann2019 --page 33

    \b
    The verdicts, and the exit code:
      EXACT         0  it stands there word for word (1 if it is on another page than you say)
      NEAR          1  it stands there with other words; the difference is shown
      ABSENT        1  it does not stand there
      INCONCLUSIVE  2  too short or too common to prove anything; 2 also if it could not be looked up
    """
    try:
        wanted = _from_stdin() if quote == "-" else quote
        answer = ask("verify", "Looking it up", project=project, quote=wanted, citekey=citekey, page=page)
    except CiteLoomError as error:
        raise _NotChecked(str(error)) from error
    if json_:
        as_json(answer)
    else:
        print_verdict(answer)
    return exit_code(answer)


def exit_code(answer: dict[str, Any]) -> int:
    """What a verdict says to a script."""
    if answer["verdict"] == "inconclusive":
        return NOT_CHECKED
    return RIGHT if answer["verdict"] == "exact" and answer["page_right"] is not False else WRONG


def print_verdict(answer: dict[str, Any]) -> None:
    """Print the verdict first, then where the quotation stands, how it reads there and what else matters."""
    line((answer["verdict"].upper(), _COLOURS[answer["verdict"]]), f": {one_line(answer['message'])}")
    if answer["cite"]:
        _print_place(answer)
    for said in _remarks(answer):
        line(said)
    if other := answer["elsewhere"]:
        line("Elsewhere: ", (other["cite"], "bold"), f"  {other['title'] or ''}{_pages(other)} ({other['verdict']})")
        line(f"    {one_line(other['text'])}")
    for warning in answer["warnings"]:
        line(f"Note: {warning}")
    pages, documents = answer["searched"]["pages"], answer["searched"]["documents"]
    looked_through = count(documents, "document") + (f" of {count(pages, 'page')}" if pages else "")
    line((f"Looked through {looked_through}; in the project {coverage(answer['coverage'])}.", "dim"))


def _print_place(answer: dict[str, Any]) -> None:
    line((answer["cite"], "bold"), f"  {' > '.join(answer['section_path'])}")
    line((f"{answer['title'] or ''}{_pages(answer)}", "dim"))
    if answer["diff"]:
        line("    ", *coloured(one_line(answer["diff"])))
    elif answer["sentence"] or answer["text"]:
        line(f"    {one_line(answer['sentence'] or answer['text'])}")
    if answer["open_uri"]:
        line((answer["open_uri"], "dim"))


def _pages(place: dict[str, Any]) -> str:
    if not place["page_span"]:
        return ""
    pdf = "–".join(str(page) for page in sorted(set(place["page_span"])))
    labels = place["page_labels"]
    printed = "–".join(dict.fromkeys(labels[:1] + labels[-1:]))
    return f" (PDF page {pdf}{f', printed {printed}' if printed else ''})"


def _remarks(answer: dict[str, Any]) -> Iterator[str]:
    """What a person should know beyond the verdict's own words."""
    if answer["renamed_from"]:
        yield f"{answer['renamed_from']} has the citekey {answer['citekey']} now."
    if answer["page_claimed"] and answer["cite"] and answer["page_right"] is not False:
        right = "is right" if answer["page_right"] else "may be right or wrong: the work's pages print no numbers"
        yield f"Page {answer['page_claimed']} {right}."
    if answer["places"] > 1 and answer["verdict"] == "exact":
        yield f"It stands in {answer['places']} places; this is the first."


def _from_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise CiteLoomError(Code.INVALID_INPUT, "What came in is not UTF-8 text.", "Send it as UTF-8.") from error
