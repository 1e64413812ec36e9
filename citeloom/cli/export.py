"""`citeloom export`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from citeloom.api.evidence import Export
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import absolute, as_file, count, print_notes
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.files import atomic_file

_FORMATS = ("bibtex", "biblatex", "csl-json")


@click.command()
@click.argument("project")
@click.argument("more", nargs=-1, metavar="")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="What to write; without it, CSL-JSON where FILE ends in .json, else BibTeX.",
)
@click.option("--ascii", "escaped", is_flag=True, help='Write ü as {\\"u} and so on, for LaTeX without UTF-8.')
@click.option("--cited-in", multiple=True, metavar="FILE...", help="Only the works that these manuscripts cite.")
@click.option("-o", "--output", metavar="FILE", help="Write to this file, not to the screen.")
def export(
    project: str,
    more: tuple[str, ...],
    form: str | None,
    escaped: bool,
    cited_in: tuple[str, ...],
    output: str | None,
) -> int:
    """Export the works of PROJECT for LaTeX or a reference manager, under their citekeys.

    \b
    citeloom export thesis -o library.bib
    citeloom export thesis --format biblatex --cited-in chapters/*.tex -o thesis.bib
    citeloom export thesis -o library.json

    The exit code is 1 if a manuscript cites a work that the project does not have; the others are written.
    """
    if more and not cited_in:
        raise click.UsageError(f"'{more[0]}' is unexpected here: manuscripts follow --cited-in.")
    file = Path(output).expanduser().absolute() if output is not None else None
    manuscripts = [absolute(path) for path in (*cited_in, *more)]
    if file:
        _check_folder(file)
        if any(_is_same_file(file, manuscript) for manuscript in manuscripts):
            raise _not_overwritten(file, "a manuscript that the works are looked up in")
    request = Export(
        project=project,
        format=form or ("csl-json" if file and file.suffix.lower() == ".json" else "bibtex"),
        escaped=escaped,
        cited_in=tuple(manuscripts),
    )
    result = ask(request, "Exporting")
    if file:
        if result.references and _is_same_file(file, result.references):
            raise _not_overwritten(file, "the references file of this project, and an export contains less")
        _write(file, result.text.encode())
        click.echo(f"{count(result.count, 'work')} written to {output}.")
    else:
        as_file(result.text)
    for unknown in result.unknown:
        near = f" Similar: {', '.join(unknown.near)}." if unknown.near else ""
        place = f"{unknown.file}:{unknown.line}"
        click.echo(f"{place}: no work here has the citekey '{unknown.key}'.{near}", err=True)
    print_notes(result.warnings, err=True)
    return 1 if result.unknown else 0


def _check_folder(file: Path) -> None:
    if not file.parent.is_dir():
        raise CiteLoomError(
            Code.FILE_NOT_FOUND, f"There is no folder {file.parent}.", "Create it, or choose another folder."
        )
    if file.is_dir():
        raise CiteLoomError(Code.INVALID_INPUT, f"{file} is a folder.", "Name a file in it.")


def _is_same_file(file: Path, other: str) -> bool:
    try:
        return file.samefile(other)
    except OSError:  # one of them does not exist
        return False


def _not_overwritten(file: Path, what: str) -> CiteLoomError:
    return CiteLoomError(Code.INVALID_INPUT, f"{file} is {what}.", "Nothing was written: name another file with -o.")


def _write(file: Path, content: bytes) -> None:
    atomic_file.check_writable(file)
    before = atomic_file.read(file)
    atomic_file.replace(file, before, content)
    if before is None and os.name == "posix":  # the usual permissions of a new file, so that co-authors can read it
        mask = os.umask(0)
        os.umask(mask)
        file.chmod(0o666 & ~mask)
