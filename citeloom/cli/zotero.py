"""`citeloom zotero …`."""

from __future__ import annotations

import sys

import click

from citeloom.api.importing import (
    GetZoteroStatus,
    ListZoteroCollections,
    LocalZotero,
    LogInToZotero,
    LogOutOfZotero,
    ZoteroAccount,
    ZoteroDatabase,
    ZoteroLibrary,
    ZoteroStatus,
)
from citeloom.cli.shared.engine_call import ask
from citeloom.cli.shared.keys import read_key, warn_of_environment_key
from citeloom.cli.shared.output import as_json, console, json_option, table

_NEW_KEY = "https://www.zotero.org/settings/keys/new"
_SOURCES = {
    "local": "the running Zotero",
    "sqlite": "Zotero's database on this disk",
    "web": "zotero.org",
}
_KEYS = {"keyring": "a key in the keyring", "environment": "a key from the environment"}


@click.group()
def zotero() -> None:
    """Your Zotero library: access and contents."""


@zotero.command()
@json_option
def status(json_: bool) -> None:
    """Show how Zotero is reached, and what to do if it is not. Exit code 1 if it is not reached."""
    seen = ask(GetZoteroStatus(), "Looking for Zotero")
    if json_:
        as_json(seen)
    else:
        table(("", ""), _status_rows(seen))
        if seen.next_step:
            click.echo(seen.next_step)
    sys.exit(0 if seen.in_use else 1)


def _status_rows(seen: ZoteroStatus) -> list[tuple[str, str]]:
    in_use = _SOURCES.get(seen.in_use or "", "nothing: Zotero is not reached")
    rows = [
        ("in use", _with_remark(in_use, seen.why)),
        ("Zotero", _running(seen.local)),
        ("Better BibTeX", seen.local.better_bibtex or "does not answer"),
        ("database", _database(seen.sqlite)),
        ("zotero.org", _web(seen.web)),
        ("data folder", seen.data_folder or "not found"),
        ("linked files", seen.base_folder or "no base folder is set"),
    ]
    libraries = (f"{one.name} ({one.id}): {one.items} items, {one.collections} collections" for one in seen.libraries)
    return [*rows, *(("library", library) for library in libraries)]


def _running(local: LocalZotero) -> str:
    if not local.running:
        return f"not running (no answer at {local.url})"
    api = {"on": "lets CiteLoom read", "off": "does not let CiteLoom read"}.get(local.api or "", "")
    return ", ".join(filter(None, (f"running at {local.url}", local.version or "version unknown", api)))


def _database(sqlite: ZoteroDatabase) -> str:
    if not sqlite.database:
        return sqlite.problem or "not found"
    found = _with_remark(sqlite.database, f"schema {sqlite.schema}" if sqlite.schema else "")
    return _with_problem(found, sqlite.problem)


def _web(web: ZoteroAccount) -> str:
    if not web.key:
        return _with_problem("not logged in", web.problem)
    return _with_problem(_with_remark(f"logged in as {web.user or 'an unknown user'}", _KEYS[web.key]), web.problem)


def _with_remark(what: str, remark: str) -> str:
    return f"{what} ({remark.rstrip('.')})" if remark else what


def _with_problem(what: str, problem: str | None) -> str:
    return f"{what}: {problem}" if problem else what


@zotero.command()
def login() -> None:
    """Let CiteLoom read your library at zotero.org with a key.

    \b
    Create a key at https://www.zotero.org/settings/keys/new – read access is enough – and paste it here,
    or pipe it in. It is stored in the system's keyring.
    """
    if sys.stdin.isatty():
        click.echo(f"Create a key at {_NEW_KEY} – read access is enough.")
    key = read_key(f"Create one at {_NEW_KEY}, and paste it or pipe it in.")
    done = ask(LogInToZotero(key=key), "Asking zotero.org")
    click.echo(f"Logged in as {done.user}. The key is in the keyring; citeloom zotero logout deletes it.")
    warn_of_environment_key("zotero", done.key)


@zotero.command()
def logout() -> None:
    """Delete the stored key for zotero.org."""
    done = ask(LogOutOfZotero())
    click.echo("The key was deleted." if done.forgotten else "There was no key in the keyring.")
    warn_of_environment_key("zotero", done.key)


@zotero.command()
@click.option("--library", metavar="L", help="Only this one: its name, or an id such as groups/4242.")
@json_option
def collections(library: str | None, json_: bool) -> None:
    """List collections and saved searches, for 'citeloom project add --zotero'."""
    found = ask(ListZoteroCollections(library=library), "Reading the library")
    if json_:
        as_json(found)
    elif console.is_terminal:
        for one in found.libraries:
            click.echo(f"{one.name} ({one.id}), {one.items} items")
            table(("collection", "items", "key"), _tree(one))
    else:
        rows: list[tuple[object, ...]] = []
        for one in found.libraries:
            rows += [(one.id, "collection", c.path, c.items, c.key) for c in one.collections]
            rows += [(one.id, "search", s.name, None, s.key) for s in one.searches]
        table((), rows)


def _tree(library: ZoteroLibrary) -> list[tuple[object, ...]]:
    rows = [("  " * (c.depth + 1) + c.name, c.items, c.key) for c in library.collections]
    return [*rows, *((f"  {search.name} (saved search)", None, search.key) for search in library.searches)]
