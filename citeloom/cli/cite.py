"""`citeloom cite`."""

from __future__ import annotations

import click

from citeloom.api.evidence import Cite, Markup
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.output import absolute, as_json, json_option, print_notes


@click.command()
@click.argument("cites", nargs=-1, required=True, metavar="KEY...")
@click.option("--project", metavar="ID", help="Use the records of this project; by default those of all projects.")
@click.option(
    "--style", metavar="STYLE", default="apa", show_default=True, help="A CSL style by id, title or .csl file."
)
@click.option("--locale", metavar="CODE", help="Language of words such as 'and' and 'p.': de-DE, fr-FR, …")
@click.option(
    "--format",
    "markup",
    type=click.Choice(["markdown", "html", "text"]),
    default="markdown",
    show_default=True,
    help="How italics and links are written.",
)
@json_option
def cite(
    cites: tuple[str, ...], project: str | None, style: str, locale: str | None, markup: Markup, json_: bool
) -> None:
    """Format citations and their bibliography from the records of your library.

    Each KEY is a citekey, or a citation as in Markdown. 'citeloom documents PROJECT' lists the citekeys.

    \b
    citeloom cite hartmann2019
    citeloom cite "[see @hartmann2019, p. 33; @okafor2021]" "@okafor2021 [p. 4]" --style "Chicago author-date"
    citeloom cite hartmann2019 --style house.csl --format text
    """
    request = Cite(
        cites=cites,
        project=project,
        style=absolute(style) if style.lower().endswith(".csl") else style,
        locale=locale,
        markup=markup,
    )
    result = ask(request, "Formatting")
    if json_:
        as_json(result)
        return
    click.echo("In the text:\n")
    for citation in result.citations:
        click.echo(citation)
    if result.bibliography:
        click.echo(f"\nBibliography ({result.style.title}):\n")
        click.echo("\n\n".join(result.bibliography))
    print_notes(result.warnings, err=True)
