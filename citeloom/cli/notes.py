"""`citeloom notes …`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from citeloom.api.notes import (
    AddedNote,
    AddNote,
    DeleteNote,
    ExportedFile,
    ExportNotes,
    GeneralizeNotes,
    ListNotes,
    SearchNotes,
    ShowNote,
)
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import as_file, as_json, count, json_option, print_line, print_notes, table
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file

_PAGE = 100  # notes in one list


@click.group()
def notes() -> None:
    """Your notebook: claims, findings and questions with the passages they rest on."""


@notes.command("list")
@click.option("--project", help="Only notes of this project.")
@click.option("--type", "type_", help="Only notes of this type, such as finding.")
@click.option("--tag", help="Only notes with this tag.")
@click.option("--find", "query", metavar="WORDS", help="Only the notes nearest to these words, best first.")
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Leave out so many of the newest.")
@json_option
def list_notes(
    project: str | None, type_: str | None, tag: str | None, query: str | None, offset: int, json_: bool
) -> None:
    """List the notes, the newest first, or search them by meaning and words."""
    if query is not None:
        if tag or offset:
            raise click.UsageError("--find goes with --project and --type only.")
        found = ask(SearchNotes(query=query, type=type_, project=project, limit=20), "Searching")
        if json_:
            as_json(found)
            return
        rows = [(one.id, one.type, f"{one.score:.2f}", one.title, one.snippet) for one in found.results]
        table(("id", "type", "score", "title", "text"), rows)
        click.echo(f"{count(found.total, 'note')} of {found.searched}.")
        return
    page = ask(ListNotes(project=project, type=type_, tag=tag, limit=_PAGE, offset=offset))
    if json_:
        as_json(page)
        return
    table(
        ("id", "type", "title", "project", "tags", "made"),
        [(n.id, n.type, n.title, n.project, ", ".join(n.tags), n.created_at[:10]) for n in page.notes],
    )
    more = f" The next: --offset {page.next_offset}." if page.next_offset is not None else ""
    click.echo(f"{count(page.total, 'note')}.{more}" if page.total else "There are no notes. citeloom notes add --help")


@notes.command()
@click.argument("id_", metavar="ID")
@json_option
def show(id_: str, json_: bool) -> None:
    """Show a note with its links and passages. ID may be its first characters, five or more."""
    note = ask(ShowNote(id=id_))
    if json_:
        as_json(note)
        return
    print_line(note.title)
    about = [note.type, note.memory_type, f"confidence {note.confidence} of 5", note.status, note.created_at[:10]]
    print_line(" · ".join([*about, *([note.project] if note.project else []), *(f"#{tag}" for tag in note.tags)]))
    if note.content:
        click.echo(f"\n{note.content}")
    for passage in note.evidence:
        place = passage.cite or passage.title
        gone = "" if passage.found else "  (its document is no longer in the library)"
        click.echo(f"\n  {passage.relation_type}: {place}{gone}\n  {passage.text}")
    passages = {passage.chunk_id for passage in note.evidence}
    for to in note.links.outgoing:
        if to.target_id not in passages:
            print_line(f"  {to.relation_type} → {to.target_title} ({to.target_id})")
    for origin in note.links.incoming:
        if origin.source_id not in passages:
            print_line(f"  {origin.relation_type} ← {origin.source_title} ({origin.source_id})")
    print_line(note.id)


@notes.command()
@click.argument("title")
@click.option("--type", "type_", default="idea", show_default=True, help="claim, finding, method, question, …")
@click.option("--content", default="", help="The note itself; - reads it from standard input.")
@click.option("--tag", "tags", multiple=True, help="A tag (repeatable).")
@click.option("--project", help="The project it belongs to; else none.")
@click.option("--confidence", type=click.IntRange(0, 5), default=3, show_default=True, help="How sure you are.")
@click.option("--evidence", multiple=True, metavar="CHUNK", help="A passage it rests on, by its id (repeatable).")
@json_option
def add(
    title: str,
    type_: str,
    content: str,
    tags: tuple[str, ...],
    project: str | None,
    confidence: int,
    evidence: tuple[str, ...],
    json_: bool,
) -> None:
    """Add a note.

    \b
    citeloom notes add "Canopy warms narrow streets at night" --type finding --evidence CHUNK
    """
    request = AddNote(
        type=type_,
        title=title,
        content=sys.stdin.read() if content == "-" else content,
        tags=tags,
        project=project,
        confidence=confidence,
        evidence=evidence,
    )
    _print_added(ask(request), json_=json_)


@notes.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--title", help="The title of the new note.")
@click.option("--content", help="What it says; else the titles and texts of the notes.")
@json_option
def generalize(ids: tuple[str, ...], title: str | None, content: str | None, json_: bool) -> None:
    """Add a general note that is derived from several (two or more IDs)."""
    _print_added(ask(GeneralizeNotes(ids=ids, title=title, content=content)), json_=json_)


def _print_added(note: AddedNote, *, json_: bool) -> None:
    if json_:
        as_json(note)
        return
    print_line(f"{'Added' if note.created else 'It is there already'}: {note.id}  {note.title}")
    for similar in note.similar_entries:
        print_line(f"  similar: {similar.title} ({similar.id}, {similar.score:.2f})")
    print_notes(note.warnings)


@notes.command()
@click.argument("id_", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(id_: str, yes: bool) -> None:
    """Delete a note for good, with its links."""
    note = ask(ShowNote(id=id_))
    if not yes:
        click.confirm(f"Delete '{note.title}'?", abort=True)
    click.echo(f"Deleted: {ask(DeleteNote(id=note.id)).title}")


@notes.command()
@click.option("--project", help="Only notes of this project.")
@click.option("-o", "--output", metavar="FILE", help="Write one Markdown file; else it goes to the screen.")
@click.option("--folder", metavar="DIR", help="Write a file for each note, linked as Obsidian does.")
@click.option("--replace", is_flag=True, help="With --folder: write files of earlier exports anew.")
def export(project: str | None, output: str | None, folder: str | None, replace: bool) -> None:
    """Write the notes as Markdown, with citations such as [@key, p. 3]."""
    if output and folder:
        raise click.UsageError("Choose one of --output and --folder.")
    made = ask(ExportNotes(project=project, file_per_note=folder is not None), "Exporting")
    if folder:
        written, kept = _write_folder(Path(folder).expanduser(), made.files, replace=replace)
        click.echo(f"{count(written, 'note')} written to {folder}.")
        if kept:
            click.echo(f"{count(kept, 'file')} of an earlier export or of yours stayed as they are (--replace).")
    elif output:
        atomic_file.write(Path(output).expanduser(), made.files[0].text.encode())
        click.echo(f"{count(made.notes, 'note')} written to {output}.")
    else:
        as_file(made.files[0].text)


def _write_folder(folder: Path, files: tuple[ExportedFile, ...], *, replace: bool) -> tuple[int, int]:
    """Write a file for each note; return how many were written, and how many existed and stayed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CiteLoomError(Code.INVALID_INPUT, f"{folder} is not a folder: {error.strerror}.") from error
    written = 0
    for file in files:
        path = folder / file.name
        before = atomic_file.read(path)
        # Only the file of the same note is replaced: its first lines name the note.
        if before is None or (replace and before.splitlines()[:2] == file.text.encode().splitlines()[:2]):
            atomic_file.write(path, file.text.encode())
            written += 1
    return written, len(files) - written
