"""`citeloom search`, `citeloom show` and `citeloom log`."""

from __future__ import annotations

import json
import re
from typing import Any

import click
from rich.text import Text

from citeloom.api.activity import ShowAccessLog
from citeloom.api.verbs import encode
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_json, console, coverage, say, table
from citeloom.core.errors import CiteLoomError, Code

_SIGNS = {">=": "$gte", "<=": "$lte", "!=": "$ne", ">": "$gt", "<": "$lt", "~": "$contains"}
_FILTER = re.compile(r"\s*(\w+)\s*(>=|<=|!=|=|>|<|~)\s*(.+)")


@click.command()
@click.argument("project")
@click.argument("words", nargs=-1, required=True)
@click.option("--dense", is_flag=True, help="By meaning only, without the words.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="F",
    help="KEY=VALUE, KEY>=N, KEY!=VALUE, KEY~PART or JSON (repeatable).",
)
@click.option("--top", "top_k", type=int, help="How many passages (default 6).")
@click.option("--per-document", type=int, metavar="N", help="At most so many passages of one work.")
@click.option("--json", "json_", is_flag=True, help="Print what an agent would get.")
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
    wanted = read_filters(filters)
    answer = ask(
        "search",
        "Searching",
        project=project,
        text=" ".join(words),
        hybrid=not dense,
        filters=wanted,
        top_k=top_k,
        per_document=per_document,
    )
    if json_:
        as_json(answer)
        return
    for number, hit in enumerate(answer["items"], start=1):
        _print_hit(number, hit)
    if not answer["items"]:
        click.echo("Nothing was found.")
    for warning in answer["warnings"]:
        say(f"Note: {warning}")
    if cost := answer["reranked"]:
        click.echo(f"Reranked by {cost['model']}: {cost['candidates']} passages in {cost['seconds']:.1f} s.")
    click.echo(coverage(answer["coverage"]) + ".")


def read_filters(given: tuple[str, ...]) -> dict[str, Any] | None:
    """Filters as people type them, as the object that agents send."""
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
    key, sign, value = match[1], match[2], match[3].strip()
    if sign != "=":
        return {key: {_SIGNS[sign]: value}}
    values = [v.strip() for v in value.split("|")]
    return {key: values[0] if len(values) == 1 else values}


def _bad_filter(text: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"The filter {text!r} is not understood.",
        "Write it as author=Evans, tags=method|review, year>=2015, citekey!=x or title~sleep.",
    )


def cited(passage: dict[str, Any]) -> str:
    """The citation of a passage, or why it has none; what an agent stored is always said to be its."""
    by_agent = passage["text_source"] == "agent"
    if passage["cite"]:
        return f"{passage['cite']} (stored by an agent)" if by_agent else str(passage["cite"])
    said = f"says it is {passage['claimed_citekey']}, not confirmed" if passage["claimed_citekey"] else "no work"
    return f"[{'stored by an agent; ' if by_agent else ''}{said}]"


def _print_hit(number: int, hit: dict[str, Any]) -> None:
    place = " > ".join(hit["section_path"])
    # As texts, never as markup: a passage may hold \[ and other signs that mean something to rich.
    console.print(Text.assemble((f"{number}. {cited(hit)}", "bold"), f"  {hit['score']:.2f}  {place}"))
    title = (
        f"{'; '.join(hit['authors'])} ({hit['year'] or 'n. d.'}): {hit['title'] or ''}"
        if hit["authors"]
        else hit["title"]
    )
    pages = "" if not hit["page_span"] else f", PDF page {'–'.join(str(p) for p in sorted(set(hit['page_span'])))}"
    console.print(Text(f"{title or ''} ({hit['source']}{pages})", "dim"))
    console.print(Text(hit["render_text"]))
    if any(other["cite"] for other in hit["also_in"]):
        console.print(Text(f"Also in {', '.join(filter(None, (other['cite'] for other in hit['also_in'])))}", "dim"))
    console.print(Text(f"{hit['chunk_id']}\n", "dim"))


@click.command()
@click.argument("chunk")
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def show(chunk: str, json_: bool) -> None:
    """Show a passage by its id (the last line of a hit), with what stands before and after it."""
    answer = ask("show", chunk_id=chunk)
    if json_:
        as_json(answer)
        return
    passage = answer["passage"]
    if answer["refined_from"]:
        click.echo(f"Its document has been read better since: this is what {answer['refined_from']} became.")
    place = " > ".join(passage["section_path"])
    console.print(Text.assemble((cited(passage), "bold"), f"  {place}  ({answer['project']})"))
    for neighbour in answer["before"]:
        console.print(Text(f"{neighbour['render_text']}\n", "dim"))
    console.print(Text(f"{passage['full_text']}\n"))
    for neighbour in answer["after"]:
        console.print(Text(f"{neighbour['render_text']}\n", "dim"))
    if passage["open_uri"]:
        click.echo(passage["open_uri"])


@click.command()
@click.option("--project", help="Only this project.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many calls.")
@click.option("--json", "json_", is_flag=True, help="Print for other programs.")
def log(project: str | None, limit: int, json_: bool) -> None:
    """What went to which editor: when, which client, which project, which passages."""
    entries = ask(ShowAccessLog(project=project, limit=limit)).entries
    if json_:
        as_json(encode(entries))
    elif not entries:
        click.echo("No editor has asked anything yet.")
    else:
        rows = [
            (
                e.at[:19].replace("T", " "),
                e.client,
                e.project_id,
                e.tool,
                e.outcome,
                f"{len(e.passages)} passages" if e.passages else "",
                e.asked[:60],
            )
            for e in reversed(entries)
        ]
        table(("when", "editor", "project", "tool", "outcome", "passages", "asked"), rows)
