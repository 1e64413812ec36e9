"""Backups changed by somebody else: each is refused with a reason, or restored as data and nothing more."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.attack.files import Change, changed, changes
from tests.attack.library import SEEN, UNSEEN, Library
from tests.attack.rounds import attack
from tests.attack.values import values
from tests.crafted_backups import InCatalog, in_manifest, repacked
from tests.flows.steps import connect, hello, rows
from tests.support import citeloom, done, engine_address, wait_for

_STATEMENTS = (
    "CREATE TRIGGER t AFTER UPDATE ON projects BEGIN DELETE FROM sources; END;",
    "CREATE TRIGGER t AFTER INSERT ON jobs BEGIN UPDATE projects SET server = 'http://127.0.0.1:1'; END;",
    "CREATE VIEW seen AS SELECT * FROM documents;",
    "ALTER TABLE documents RENAME TO d; CREATE VIEW documents AS SELECT * FROM d;",
    "CREATE TABLE more (x); INSERT INTO more VALUES (randomblob(1000));",
    "DROP TABLE documents;",
    "DROP TABLE access_log;",
    "ALTER TABLE projects ADD COLUMN evil TEXT DEFAULT 'x';",
    "UPDATE projects SET collection = '../../evil';",
    "UPDATE projects SET server = 'http://127.0.0.1:1';",
    "UPDATE projects SET generation = -1;",
    "UPDATE projects SET references_path = '/etc/passwd';",
    "UPDATE documents SET record = '[[[';",
    "UPDATE documents SET pages = 'many';",
    "UPDATE documents SET doc_id = '../../evil' || doc_id;",
    "UPDATE documents SET chunks = 9223372036854775807;",
    "UPDATE documents SET title = char(27) || ']0;owned' || char(7);",
    "UPDATE sources SET path = '/';",
    "UPDATE jobs SET state = 'parked', kind = 'move';",
    "PRAGMA user_version = 3;",
    "PRAGMA user_version = 999999;",
    "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'x' WHERE name = 'jobs';",
)
Attack = tuple[str, Any]


def run(library: Library, enough: Callable[[int], bool], seed: int) -> int:
    """Restore changed backups until there were enough; gives how many there were."""
    base = library.papers.parent
    whole = base / "whole.zip"
    done(citeloom(library.home, "backup", str(whole)))
    before = _around(base)

    def check(example: Attack) -> None:
        crafted = base / "crafted.zip"
        _craft(example, whole, crafted, base / "scratch.db")
        _check(library, crafted)
        assert _around(base) == before, "something was written beside the data folder"

    examples: st.SearchStrategy[Attack] = st.one_of(
        st.tuples(st.just("bytes"), st.lists(changes(), min_size=1, max_size=3)),
        st.tuples(st.just("list"), st.tuples(st.integers(0, 1000), values())),
        st.tuples(st.just("catalog"), st.lists(st.sampled_from(_STATEMENTS), min_size=1, max_size=2)),
    )
    return attack(examples, check, enough, seed)


def _craft(example: Attack, whole: Path, crafted: Path, scratch: Path) -> None:
    kind, how = example
    crafted.unlink(missing_ok=True)
    if kind == "bytes":
        made: list[Change] = how
        crafted.write_bytes(changed(whole.read_bytes(), made))
    elif kind == "list":
        repacked(whole, crafted, in_manifest(_with_value(*how)))
    else:
        repacked(whole, crafted, _changed_catalog(whole, scratch, how))
    scratch.unlink(missing_ok=True)


def _with_value(number: int, value: Any) -> Callable[[dict[str, Any]], None]:
    """Put a value into some place of a list of contents."""

    def change(manifest: dict[str, Any]) -> None:
        places: list[tuple[Any, Any]] = []
        waiting: list[Any] = [manifest]
        while waiting:
            one = waiting.pop()
            keys = one if isinstance(one, dict) else range(len(one))
            places += [(one, key) for key in keys]
            waiting += [one[key] for key in keys if isinstance(one[key], dict | list)]
        holder, key = places[number % len(places)]
        holder[key] = value

    return change


def _changed_catalog(whole: Path, scratch: Path, statements: list[str]) -> InCatalog:
    """A change of the catalog; statements that do not go together change nothing."""
    sql = "".join(statements)
    with zipfile.ZipFile(whole) as archive:
        scratch.write_bytes(archive.read("catalog.db"))
    try:
        with closing(sqlite3.connect(scratch)) as catalog:
            catalog.executescript(sql)
    except sqlite3.Error:
        sql = ""
    return InCatalog(scratch, sql)


def _check(library: Library, crafted: Path) -> None:
    """A restore is refused with a reason, or what it brought is data."""
    pid = engine_address(library.home)["pid"]
    seen = _call(library, "maintenance.read_backup", file=str(crafted))
    accepted = [source["path"] for source in seen.get("new_sources", [])]
    answer = _call(library, "maintenance.restore", file=str(crafted), replace=True, accepted=accepted)
    if "code" in answer:
        assert answer["code"] != "INTERNAL_ERROR" and answer["message"], answer
        assert engine_address(library.home)["pid"] == pid
        return
    wait_for(lambda: not (library.home / "engine.json").exists(), "the engine to end after a restore")
    done(citeloom(library.home, "engine", "start"))
    for replaced in library.home.glob("before-restore-*"):
        shutil.rmtree(replaced)
    kinds = {row["type"] for row in rows(library.home, "SELECT type FROM sqlite_master")}
    assert kinds <= {"table", "index"}, kinds
    with closing(sqlite3.connect(library.home / "catalog.db")) as catalog:
        assert {name for (name,) in catalog.execute("SELECT id FROM projects")} == {SEEN, UNSEEN}
        assert {server for (server,) in catalog.execute("SELECT server FROM projects")} == {""}


def _call(library: Library, verb: str, **arguments: Any) -> dict[str, Any]:
    """Ask for a verb; gives its result or its error."""
    with connect(library.home, hello(library.home)) as connection, connection.makefile("rb") as lines:
        assert json.loads(lines.readline())["ok"] is True
        connection.sendall(json.dumps({"id": 1, "verb": verb, "args": arguments}).encode() + b"\n")
        answer = json.loads(lines.readline())
    result: dict[str, Any] = answer.get("error") or answer["result"]
    return result


def _around(base: Path) -> set[str]:
    """What lies beside the data folder, but what an attack makes itself."""
    return {file.name for file in base.iterdir()} - {"crafted.zip", "scratch.db"}
