"""`citeloom models …`."""

from __future__ import annotations

import sys
import time

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from citeloom.api.library import ShowProject
from citeloom.api.models import (
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
from citeloom.cli.shared.output import as_json, console, json_option, print_notes, size, table
from citeloom.core.jobs import describe_seconds
from citeloom.ipc.client import Client

_GIGABYTE = 1_000_000_000
_POLL_SECONDS = 0.5  # how often the progress of a download is requested
_LINE_SHARE = 0.1  # of a download, between two lines of output without a terminal


@click.group()
def models() -> None:
    """Models for search by meaning: list, download, test and use them."""


@models.command("list")
@click.option(
    "--rerankers",
    "rerankers_",
    is_flag=True,
    help="List the rerankers, which rate the best passages again (setting search.rerank).",
)
@json_option
def list_(rerankers_: bool, json_: bool) -> None:
    """List the models; a star marks those that suit the languages of your library."""
    known = ask(ListModels(), "Listing the models")
    if json_:
        as_json(known)
    elif rerankers_:
        rows = [(r.name, r.description, _size(r), "yes" if r.installed else "no") for r in known.rerankers]
        table(("reranker", "description", "size", "installed"), rows)
    else:
        users = {model.name: [p.id for p in known.projects if p.dense_model == model.name] for model in known.models}
        columns = ("", "model", "languages", "dimensions", "reads", "size", "installed", "used by")
        table(columns, [_row(model, users[model.name]) for model in known.models])
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
    """Download MODEL. A download that was stopped continues the next time."""
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
@click.option("--download", "download_", is_flag=True, help="Download the model first if it is not installed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def use(project: str, model: str, download_: bool, yes: bool) -> None:
    """Change the model of PROJECT to MODEL. Its index is rebuilt; until then, the old one is used."""
    shown = ask(ShowProject(project=project))
    if shown.dense_model == model:
        ask(UseModel(project=project, model=model))
        click.echo(f"Project {project} has this model, and keeps it if the settings change.")
        return
    with connected(events=True) as client:
        if download_:
            _fetch(client, model)
        with waiting("Testing the model"):
            tried = client.call(TryModel(model=model))
        if tried.dense is None:
            raise click.UsageError(f"{model} is a reranker: name it as search.rerank in the settings.")
        _print_problems(tried)
        seconds = shown.chunk_count / tried.dense.passages_per_second
        click.echo(
            f"Project {project} has {shown.chunk_count} passages; to embed them with {model} takes"
            f" {describe_seconds(seconds)} on this machine. Until then, the current index is used."
        )
        if not yes:
            click.confirm("Rebuild the index?", abort=True)
        job_id = client.call(UseModel(project=project, model=model))
        if job_id is None:
            return  # the project got this model meanwhile
        finished = wait_for_job(client, job_id, quiet=False)
    sys.exit(print_import(project, finished, json_=False))


@models.command()
@click.argument("model")
@json_option
def test(model: str, json_: bool) -> None:
    """Test MODEL, or the model of the project with this name. Exit code 1 if it has a problem."""
    tried = ask(TryModel(model=model), "Testing the model")
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
        rows.append((f"in {code}", f"similar texts are nearer by {seen.apart:.2f}{from_english}"))
    if tried.not_tried:
        rows.append(("not tested in", ", ".join(tried.not_tried)))
    speed = f"{tried.passages_per_second} passages/s; {tried.milliseconds_per_question} ms a question"
    return [*rows, ("speed", speed)]


def _reranker_rows(tried: RerankerTrial) -> list[tuple[str, object]]:
    return [
        ("scores", f"{tried.near:.2f} for an answer, {tried.far:.2f} for another text"),
        ("cost", f"{tried.milliseconds_per_passage} ms a passage"),
    ]


def _print_problems(tried: ModelTrial) -> bool:
    print_notes(tried.problems, err=True)
    return bool(tried.problems)
