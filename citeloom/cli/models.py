"""`citeloom models …`."""

from __future__ import annotations

import sys
import time

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from citeloom.api.library import ShowProject
from citeloom.api.maintenance import (
    DenseTrial,
    DownloadModel,
    ListModels,
    ModelInfo,
    ModelTrial,
    RerankerInfo,
    RerankerTrial,
    TryModel,
    UseModel,
)
from citeloom.api.verbs import encode
from citeloom.cli.shared.engine_call import ask, connected, waiting
from citeloom.cli.shared.follow_job import print_import, wait_for_job
from citeloom.cli.shared.output import about, as_json, console, json_option, print_notes, size, table
from citeloom.ipc.client import Client

_GIGABYTE = 1_000_000_000
_POLL_SECONDS = 0.5  # how often the progress of a download is requested
_LINE_SHARE = 0.1  # of a download, between two lines of output without a terminal


@click.group()
def models() -> None:
    """Models: what makes passages findable by meaning, in which languages."""


@models.command("list")
@click.option(
    "--rerankers", "rerankers_", is_flag=True, help="Those that read the best passages again (search.rerank)."
)
@json_option
def list_(rerankers_: bool, json_: bool) -> None:
    """List the models, with a star at those that suit the languages of your library."""
    known = ask(ListModels(), "Looking at the models")
    if json_:
        as_json(known)
    elif rerankers_:
        rows = [(r.name, r.description, _size(r), "yes" if r.installed else "no") for r in known.rerankers]
        table(("reranker", "about it", "size", "here"), rows)
    else:
        users = {one.name: [p.id for p in known.projects if p.dense_model == one.name] for one in known.models}
        columns = ("", "model", "languages", "dimensions", "reads", "size", "here", "used by")
        table(columns, [_row(one, users[one.name]) for one in known.models])
        if console.is_terminal:
            spoken = ", ".join(f"{code} {count}" for code, count in known.languages.items())
            click.echo(f"* suits your library ({spoken or 'no languages known yet'}).")


def _row(model: ModelInfo, projects: list[str]) -> tuple[object, ...]:
    languages = ["many" if code == "*" else code for code in model.languages]
    return (
        "*" if model.recommended else "",
        model.name,
        " ".join(languages) or "?",
        model.dimensions,
        f"{model.tokens} tokens" if model.tokens else "",
        _size(model),
        "built in" if model.bundled else "yes" if model.installed else "no",
        ", ".join(projects),
    )


def _size(model: ModelInfo | RerankerInfo) -> str:
    return size(model.size_gb * _GIGABYTE)


@models.command()
@click.argument("model")
def download(model: str) -> None:
    """Fetch MODEL to this machine. What was fetched is kept: a download that was stopped continues the next time."""
    with connected() as client:
        _fetch(client, model)
    click.echo(f"{model} is on this machine. Next: citeloom models test {model}")


def _fetch(client: Client, model: str) -> None:
    """Wait until the model is downloaded, and show progress."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task, printed = bar.add_task(model, total=None), 0.0
        while not (progress := client.call(DownloadModel(model=model))).complete:
            bar.update(task, completed=progress.done, total=progress.total or None)
            share = progress.done / progress.total if progress.total else 0.0
            if not console.is_terminal and share - printed >= _LINE_SHARE:
                click.echo(f"{model}: {size(progress.done)} of {size(progress.total)}")
                printed = share
            time.sleep(_POLL_SECONDS)


@models.command()
@click.argument("project")
@click.argument("model")
@click.option("--download", "download_", is_flag=True, help="Fetch the model first where it is not here.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def use(project: str, model: str, download_: bool, yes: bool) -> None:
    """Give PROJECT another MODEL. Its index is rebuilt; until that is done, the old one is used."""
    shown = ask(ShowProject(project=project))
    if shown.dense_model == model:
        ask(UseModel(project=project, model=model))
        click.echo(f"Project {project} has this model, and keeps it whatever the settings say.")
        return
    with connected(events=True) as client:
        if download_:
            _fetch(client, model)
        with waiting("Trying the model"):
            tried = client.call(TryModel(model=model))
        if tried.dense is None:
            raise click.UsageError(f"{model} is a reranker: name it as search.rerank in the settings.")
        _print_problems(tried)
        seconds = shown.chunk_count / tried.dense.passages_per_second
        click.echo(
            f"Project {project} has {shown.chunk_count} passages; to embed them with {model} takes {about(seconds)}"
            " on this machine. Until then, the current index is used."
        )
        if not yes:
            click.confirm("Build it?", abort=True)
        job_id = client.call(UseModel(project=project, model=model))
        if job_id is None:
            return  # the project got this model meanwhile
        finished = wait_for_job(client, job_id, quiet=False)
    sys.exit(print_import(project, finished, json_=False))


@models.command()
@click.argument("model")
@json_option
def test(model: str, json_: bool) -> None:
    """Try MODEL, or the model of the project of this name. Exit code 1 when something is wrong with it."""
    tried = ask(TryModel(model=model), "Trying the model")
    if json_:
        measured = {**encode(tried.dense or {}), **encode(tried.reranker or {})}
        rest = {"megabytes": tried.megabytes, "problems": tried.problems}
        as_json({"model": tried.model, "kind": "dense" if tried.dense else "reranker", **measured, **rest})
    else:
        rows = _dense_rows(tried.dense) if tried.dense else _reranker_rows(tried.reranker) if tried.reranker else []
        kind = "model" if tried.dense else "reranker"
        table(("", ""), [(kind, tried.model), *rows, ("memory", f"{tried.megabytes} MB")])
        if not _print_problems(tried):
            click.echo("It works.")
    sys.exit(1 if tried.problems else 0)


def _dense_rows(tried: DenseTrial) -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = [
        ("dimensions", tried.dimensions),
        ("reads", f"{tried.tokens} tokens of a passage"),
    ]
    for code, seen in tried.languages.items():
        from_english = "" if code == "en" else f"; {seen.apart_from_english:.2f} to an English question"
        rows.append((f"in {code}", f"near texts are nearer by {seen.apart:.2f}{from_english}"))
    if tried.not_tried:
        rows.append(("not tried in", ", ".join(tried.not_tried)))
    speed = f"{tried.passages_per_second} passages/s; {tried.milliseconds_per_question} ms a question"
    return [*rows, ("speed", speed)]


def _reranker_rows(tried: RerankerTrial) -> list[tuple[str, object]]:
    return [
        ("judges", f"{tried.near:.2f} for what answers, {tried.far:.2f} for what does not"),
        ("cost", f"{tried.milliseconds_per_passage} ms a passage"),
    ]


def _print_problems(tried: ModelTrial) -> bool:
    print_notes(tried.problems, err=True)
    return bool(tried.problems)
