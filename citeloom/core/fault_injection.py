"""Fault injection: lets a test kill, hold, slow down or fail a running engine at declared points.

Called by product code at the moments that matter for crash safety and timing: `point("import.embedded", source)` marks
a moment, `number("index.batch", 64)` a constant that a test may replace. Tests start an engine with CITELOOM_FAULTS set
to a JSON list of rules, which its worker processes inherit:

    [{"point": "import.embedded", "match": "moths.md", "action": "kill"}, {"point": "index.batch", "value": 1}]

`match` is a part of the point's detail, `nth` acts the n-th time only (of that process), `value` belongs to the action.

For tests only, and safe by default: the variable is read once, at import, and has no effect unless CITELOOM_HOME names
the data folder as well, so the default data folder of a user is out of reach. A rule that is not understood ends the
process at its start. No action changes or deletes anything but the marker files that its rule names.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from citeloom.core.errors import CiteLoomError, Code

log = logging.getLogger(__name__)

VARIABLE = "CITELOOM_FAULTS"
POINTS = {
    "catalog.document_saved": "A document's row was written (its source).",
    "catalog.job_saving": "A job's row is about to be written (the job's state).",
    "conversion.ended": "A worker has answered or failed (the file's path).",
    "conversion.quick": "A quick conversion is about to wait for a worker (the file's path).",
    "conversion.whole": "A whole conversion is about to wait for a worker (the file's path).",
    "engine.calls_waiting": "A call was queued, started, ended or abandoned (how many wait).",
    "engine.verb": "A request of a control connection is about to run, on the event loop (the verb).",
    "engine.warm_up": "An engine has started and is about to load models and open indexes.",
    "import.begin": "An import is about to begin (the project).",
    "import.convert": "A file was read with its slow pages (its source).",
    "import.embedded": "Passages have their vectors, which are not written yet (the sources).",
    "import.fetch": "A file is on this disk and about to be read (its path).",
    "import.matched": "A document has its record (its source).",
    "import.read": "A file was read, except its slow pages (its source).",
    "import.row_saved": "A document's new passages are current in the catalog, the old ones still there (its source).",
    "import.row_saving": "Within the transaction: ids are moved, the row is not yet written (its source).",
    "import.written": "A document is written completely (its source).",
    "index.batch_written": "A batch of passages was written (the source of the first).",
    "index.deleted": "Passages were deleted.",
    "index.field_indexed": "A payload index was made (the collection's folder).",
    "index.folder_made": "A new collection is complete in its temporary folder (the final folder).",
    "index.folder_renamed": "A new collection is in its final folder (the folder).",
    "index.tidied": "Old generations of a collection were deleted (its name).",
    "index.vectors_written": "A batch of dense vectors was added to passages (the id of the first).",
    "index.visible": "A reader has determined what it may see.",
    "library.document": "The text of a document was requested (its citekey).",
    "library.project_add": "A new project was requested (its id).",
    "library.project_added": "A new project has its row, and no index yet (its id).",
    "models.embed": "Passages are about to be embedded (how many).",
    "models.openvino_trial": "OpenVINO is about to be tried, in a child process (the model).",
    "notes.added": "A note was written, its suggestions are not (its title).",
    "search.answered": "A search has its result (the question).",
    "search.query": "A search is about to begin (the question).",
    "tools.help": "An agent asked for help (the topic).",
    "worker.convert": "A worker process is about to convert a file (its path).",
}
NUMBERS = {
    "conversion.quick_seconds": "How long a quick conversion may take, without its pages.",
    "engine.call_threads": "How many calls the engine serves at once.",
    "engine.protocol": "The protocol version that the engine accepts.",
    "engine.unused_seconds": "How long models and indexes stay open that nobody uses.",
    "import.embedding_batch": "Passages that an import embeds together.",
    "index.batch": "Passages written to an index in one step.",
    "index.free_bytes": "Free space on the disk of the indexes.",
    "index_copy.batch": "Passages copied to another index in one step.",
    "watch.longest_wait_seconds": "The longest wait between two probes while Zotero is closed.",
    "watch.rest_seconds": "The wait between two syncs of Zotero.",
}
_ACTIONS = ("kill", "abort", "sleep", "pause", "note", "fail")
_POLL_SECONDS = 0.01
_MAX_DETAIL_LENGTH = 4096  # characters
_LONGEST_PAUSE_SECONDS = 600.0

Number = TypeVar("Number", int, float)


def _act(action: str, value: Any, detail: str) -> None:
    match action:
        case "kill" if value:  # after some seconds
            threading.Timer(float(value), _act, ("kill", None, detail)).start()
        case "kill":  # end this process as `kill -9` does
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        case "abort":  # end this process as a crash in native code does
            os.abort()
        case "sleep":
            time.sleep(float(value))
        case "pause":
            _pause(Path(f"{value}.reached"), Path(f"{value}.go"))
        case "note":  # append the detail to a file
            with Path(value).open("a", encoding="utf-8") as file:
                file.write(f"{detail}\n")
        case "fail" if value:  # with a code
            raise CiteLoomError(Code(value), "A fault was injected.", "Try again.")
        case "fail":
            raise CiteLoomError(Code.STORAGE_ERROR, "The disk is full.", "Free some disk space and try again.")


def _pause(reached: Path, go: Path) -> None:
    """Write this process's id to `reached`, and wait until `go` exists."""
    until = time.monotonic() + _LONGEST_PAUSE_SECONDS
    part = reached.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    part.write_text(str(os.getpid()), encoding="ascii")
    part.replace(reached)
    while not go.exists() and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)


@dataclass(slots=True)
class Rule:
    """Rule with the action at a point, or the value of a number."""

    point: str
    action: str = ""  # of a point
    value: Any = None
    match: str = ""
    nth: int = 0  # 0: every time
    _reached: int = 0
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        known = self.action in _ACTIONS if self.point in POINTS else self.point in NUMBERS and not self.action
        if not known:
            raise ValueError(f"{VARIABLE}: there is no action '{self.action}' at a point '{self.point}'")

    def is_due(self, name: str, detail: str) -> bool:
        """Count a point that was reached; return whether the rule applies."""
        if self.point != name or self.match not in detail:
            return False
        with self._counting:
            self._reached += 1
            return self.nth in (0, self._reached)


def parse(text: str) -> tuple[Rule, ...]:
    """Parse a JSON list of rules. Raises ValueError or TypeError for invalid ones."""
    return tuple(Rule(**rule) for rule in json.loads(text))


RULES = parse(os.environ[VARIABLE]) if VARIABLE in os.environ and os.environ.get("CITELOOM_HOME") else ()


def point(name: str, detail: object = "") -> None:
    """Run the actions of the rules for this point; without rules, do nothing."""
    for rule in RULES:
        text = str(detail)[:_MAX_DETAIL_LENGTH]
        if rule.is_due(name, text):
            log.warning("injected fault at %s (%s): %s", name, text, rule.action)
            _act(rule.action, rule.value, text)


def number(name: str, value: Number) -> Number:
    """Return the value that a rule sets for a number, else the default."""
    return next((type(value)(rule.value) for rule in RULES if rule.point == name), value)
