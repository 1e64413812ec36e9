"""Entry point of the command line. A failure prints one line with the next step; a traceback only with --debug."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from typing import cast

import click

from citeloom import __version__
from citeloom.cli import app
from citeloom.cli.shared import output
from citeloom.core.errors import CiteLoomError

# In the order a newcomer needs them. Each is a function in the module of its name.
_COMMANDS = (
    "app",
    "zotero",
    "project",
    "ingest",
    "sync",
    "search",
    "documents",
    "show",
    "open",
    "verify",
    "check",
    "cite",
    "export",
    "notes",
    "clients",
    "log",
    "index",
    "backup",
    "restore",
    "models",
    "cache",
    "engine",
    "doctor",
)


class _Commands(click.Group):
    """Command group that imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.commands, *_COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS:
            return cast(click.Command, getattr(import_module(f"citeloom.cli.{cmd_name}"), cmd_name))
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="citeloom")
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
@click.pass_context
def commands(context: click.Context, debug: bool) -> int:
    """Your library as page-exact evidence inside any editor.

    \b
    A first session:
      citeloom zotero status
      citeloom project add thesis --zotero "Thesis/Chapter 2"
      citeloom sync thesis
      citeloom search thesis "how often are quotations wrong?"
    Then connect your editor:
      citeloom clients list
      citeloom clients install cursor --project thesis
    And before you hand it in:
      citeloom check thesis.md
    Without a command, the desktop app starts.
    """
    if context.invoked_subcommand is not None:
        return 0
    if app.has_screen():
        return int(context.invoke(app.app))
    click.echo(context.get_help())
    return 0


@commands.command("mcp", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def mcp(arguments: tuple[str, ...]) -> None:
    """The MCP server that an editor launches (see 'citeloom mcp --help')."""
    from citeloom.bridge import main as bridge

    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # MCP output must not be changed
    sys.exit(bridge(list(arguments)))


def main(arguments: list[str]) -> int:
    """Run the command line and return the exit code."""
    with output.safe_streams():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    debug = "--debug" in arguments
    # --debug is accepted anywhere: people append it to the command that failed.
    arguments = [a for a in arguments if a != "--debug"]
    try:
        result = commands.main(args=arguments, prog_name="citeloom", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("Stopped.", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.exceptions.Exit as error:
        return error.exit_code
    except CiteLoomError as error:
        output.print_line(f"citeloom: {error}", err=True)
        if debug:
            traceback.print_exc()
        return 1
    except BrokenPipeError:
        return 1
    except Exception as error:
        output.print_line(
            f"citeloom: something unexpected happened ({type(error).__name__}: {error})."
            " Run it again with --debug to see where.",
            err=True,
        )
        if debug:
            traceback.print_exc()
        return 1
    return result if isinstance(result, int) else 0
