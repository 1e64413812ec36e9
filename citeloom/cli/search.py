"""`citeloom search`."""

from __future__ import annotations

import json
import re
from typing import Any

import click
from rich.text import Text

from citeloom.api.search import Query, SearchHit
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_json, citation, console, coverage, json_option, print_notes
from citeloom.core.errors import CiteLoomError, Code

_OPERATORS = {">=": "$gte", "<=": "$lte", "!=": "$ne", ">": "$gt", "<": "$lt", "~": "$contains"}
_FILTER = re.compile(r"\s*(\w+)\s*(>=|<=|!=|=|>|<|~)\s*(.+)")


@click.command()
@click.argument("project")
@click.argument("words", nargs=-1, required=True)
@click.option("--dense", is_flag=True, help="By meaning only, not by words.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="F",
    help="KEY=VALUE, KEY>=N, KEY!=VALUE, KEY~PART or JSON (repeatable).",
)
@click.option("--top", "top_k", type=int, help="How many passages (default 6).")
@click.option("--per-document", type=int, metavar="N", help="At most so many passages of one work.")
@json_option
def search(
    project: str,
    words: tuple[str, ...],
    dense: bool,
    filters: tuple[str, ...],
    top_k: int | None,
    per_document: int | None,
    json_: bool,
) -> None:
    """Search PROJECT as an agent would.

    \b
    citeloom search thesis "how often are quotations wrong?"
    citeloom search thesis "reef recovery" --filter "year>=2015" --filter author=Tamatoa
    """
    request = Query(
        project=project,
        text=" ".join(words),
        hybrid=False if dense else None,
        filters=read_filters(filters),
        top_k=top_k,
        per_document=per_document,
    )
    result = ask(request, "Searching")
    if json_:
        as_json(result)
        return
    for number, hit in enumerate(result.items, start=1):
        _print_hit(number, hit)
    if not result.items:
        click.echo("Nothing was found.")
    print_notes(result.warnings)
    if cost := result.reranked:
        click.echo(f"Reranked by {cost.model}: {cost.candidates} passages in {cost.seconds:.1f} s.")
    click.echo(coverage(result.coverage) + ".")


def read_filters(given: tuple[str, ...]) -> dict[str, Any] | None:
    """Parse filters from the command line into the object that agents send."""
    made: dict[str, Any] = {}
    for text in given:
        for key, value in _read_filter(text).items():
            before = made.setdefault(key, value)
            if before is value:
                continue
            if not (isinstance(before, dict) and isinstance(value, dict)) or set(before) & set(value):
                raise CiteLoomError(
                    Code.INVALID_INPUT, f"The filter {key} is given twice.", f"Write several values as {key}=a|b."
                )
            before.update(value)
    return made or None


def _read_filter(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        try:
            return dict(json.loads(text))
        except ValueError as error:
            raise _bad_filter(text) from error
    match = _FILTER.fullmatch(text)
    if not match:
        raise _bad_filter(text)
    key, operator, value = match[1], match[2], match[3].strip()
    if operator != "=":
        return {key: {_OPERATORS[operator]: value}}
    values = [v.strip() for v in value.split("|")]
    return {key: values[0] if len(values) == 1 else values}


def _bad_filter(text: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"The filter {text!r} is not understood.",
        "Write it as author=Evans, tags=method|review, year>=2015, citekey!=x or title~sleep.",
    )


def _print_hit(number: int, hit: SearchHit) -> None:
    section = " > ".join(hit.section_path)
    score = f"{hit.score:.2f}{' by words only' if hit.by_words_only else ''}"
    # As text, never as markup: a passage may contain \[ and other markup of rich.
    console.print(Text.assemble((f"{number}. {citation(hit)}", "bold"), f"  {score}  {section}"))
    title = f"{'; '.join(hit.authors)} ({hit.year or 'n. d.'}): {hit.title or ''}" if hit.authors else hit.title
    pages = f", PDF page {'–'.join(str(p) for p in sorted(set(hit.page_span)))}" if hit.page_span else ""
    console.print(Text(f"{title or ''} ({hit.source}{pages})", "dim"))
    console.print(Text(hit.render_text))
    if others := [other.cite for other in hit.also_in if other.cite]:
        console.print(Text(f"Also in {', '.join(others)}", "dim"))
    console.print(Text(f"{hit.chunk_id}\n", "dim"))
