"""`citeloom check`."""

from __future__ import annotations

import click

from citeloom.cli.check_fix import fix as fix_manuscript
from citeloom.cli.check_report import print_coverage, print_result
from citeloom.cli.check_run import check_all, exit_code
from citeloom.cli.check_sarif import as_sarif
from citeloom.cli.check_watch import watch
from citeloom.cli.shared.output import as_json, json_option


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--project", metavar="ID", help="Check against this project; else against your only or default one.")
@json_option
@click.option("--sarif", is_flag=True, help="Print the findings as SARIF 2.1.0, which editors and code hosts read.")
@click.option("--fix", is_flag=True, help="Correct renamed keys and wrong pages; the changes are shown first.")
@click.option("--yes", is_flag=True, help="With --fix: write without asking.")
@click.option("--watch", "watch_", is_flag=True, help="Check again whenever a file is saved, until Ctrl-C.")
def check(
    files: tuple[str, ...], project: str | None, json_: bool, sarif: bool, fix: bool, yes: bool, watch_: bool
) -> int:
    """Check the citations in manuscripts: every key, quotation and page, against the works themselves.

    Reads Markdown, Quarto, R Markdown, LaTeX, Typst, Org, AsciiDoc, and Word documents with Zotero's citations.

    \b
    citeloom check thesis.md
    citeloom check chapters/*.tex --project thesis
    citeloom check thesis.md --fix

    \b
    The exit code says:
      0  nothing is wrong (there may be warnings and notes)
      1  errors were found
      2  something could not be checked
    """
    if sum((json_, sarif, fix, watch_)) > 1:
        raise click.UsageError("Of --json, --sarif, --fix and --watch only one can be given.")
    if yes and not fix:
        raise click.UsageError("--yes goes with --fix.")
    if watch_:
        return watch(files, project)
    manuscripts = []
    for manuscript in check_all(files, project):
        if fix:
            manuscript = fix_manuscript(manuscript, project, ask_first=not yes)  # noqa: PLW2901 - what it has become
        if not json_ and not sarif:
            print_result(manuscript)
        manuscripts.append(manuscript)
    if json_:
        as_json([manuscript.as_dict() for manuscript in manuscripts])
    elif sarif:
        as_json(as_sarif(manuscripts))
    else:
        print_coverage(manuscripts)
    return exit_code(manuscripts)
