"""What a researcher does in a day, as one program that can be watched: `python -m tests.flows.offline_work FOLDER`.

FOLDER holds `papers`; the data folder is in CITELOOM_HOME, as for every command.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from citeloom.api.library import GetPageImage
from citeloom.core.paths import app_log
from citeloom.ipc.client import Client
from tests.support import SAMPLE, WAIT, Editor, wait_for

_COMMAND = (sys.executable, "-m", "citeloom")


def main(folder: Path) -> None:
    """Import papers, ask an editor's questions, check a manuscript, look at a page, and open the app."""
    try:
        run("project", "add", "p", "--references", str(SAMPLE / "library.json"), "--folder", str(folder / "papers"))
        run("sync", "p")
        with Editor(Path(os.environ["CITELOOM_HOME"])) as editor:
            hits = editor.call("query_hybrid", project="p", text="How often is the cited page off by one?")["items"]
        with Client() as client:
            client.call(GetPageImage(project="p", chunk_id=hits[0]["chunk_id"], width=400))
        run("check", str(SAMPLE / "manuscript.md"), expect=1)
        run("cite", hits[0]["citekey"])
        run("zotero", "status", expect=1)
        run("models", "list")
        run("doctor")
        use_app()
    finally:
        run("engine", "stop")


def run(*arguments: str, expect: int = 0) -> None:
    """A command as a person gives it."""
    done = subprocess.run([*_COMMAND, *arguments], check=False, timeout=4 * WAIT)
    assert done.returncode == expect, f"citeloom {' '.join(arguments)} ended with {done.returncode}"


def use_app() -> None:
    """Open the desktop app, go through its pages, and end it."""
    screen = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen([*_COMMAND, "app"], env=screen) as app:
        try:
            wait_for(Path(app_log()).exists, "the app to start")
            for page in ("search", "projects", "activity", "connect", "settings"):
                # A second start raises the window of the first, which on a busy machine may not answer at once.
                second = [*_COMMAND, "app", "--page", page]
                wait_for(lambda: subprocess.run(second, env=screen, check=False).returncode == 0, f"the page {page}")  # noqa: B023
        finally:
            app.send_signal(signal.SIGTERM)
        assert app.wait(WAIT) == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]))
