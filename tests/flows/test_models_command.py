"""`citeloom models`, and words of several languages in one project, as a person meets them."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from citeloom.core.settings import BUNDLED_DENSE
from tests.flows.steps import Project, paper
from tests.flows.test_other_models import HUB, OTHER, Hub, put_on_this_machine
from tests.support import citeloom, done, stop_engine

GERMAN = "Die Provenienz ist für die Archive das wichtigste Prinzip, weil sie den Zusammenhang der Akten bewahrt."
TREATY = "Der Vertrag von Münster wurde in der Stadt geschlossen und nicht auf dem Land."


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    """The address of a hub that has one model."""
    put_on_this_machine(tmp_path)
    Hub.files = {file.name: file for file in (tmp_path / "cache" / "models" / HUB / "snapshots" / "0000").iterdir()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_project_in_two_languages_gets_a_model_that_was_fetched_and_tried(
    home: Path, tmp_path: Path, hub: str
) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    offline = citeloom(home, "models", "download", OTHER, HF_ENDPOINT=closed)
    assert offline.returncode == 1 and "cannot be reached" in offline.stderr and "Traceback" not in offline.stderr
    stop_engine(home)

    done(citeloom(home, "project", "list", HF_ENDPOINT=hub))
    paper(tmp_path / "papers" / "german.md", "Archive", GERMAN, TREATY)
    paper(tmp_path / "papers" / "english.md", "On contracts", "A contract is kept in the archive of the city.")
    project = Project.made(home, tmp_path / "papers", name="thesis")
    project.ingest()
    # Neither word stands in its text: they are found by the stem of their own language.
    assert "Vertrag" in project.search("Verträge")[0]["render_text"]
    assert "contract" in project.search("contracts")[0]["render_text"]

    known = json.loads(done(citeloom(home, "models", "list", "--json")))
    assert known["languages"] == {"de": 1, "en": 1}
    suiting = {model["name"] for model in known["models"] if model["recommended"]}
    assert "intfloat/multilingual-e5-large" in suiting and BUNDLED_DENSE not in suiting
    refused = citeloom(home, "models", "use", "thesis", OTHER, "--yes")
    assert refused.returncode == 1 and f"citeloom models download {OTHER}" in refused.stderr

    assert f"{OTHER} is on this machine." in done(citeloom(home, "models", "download", OTHER))
    trial = citeloom(home, "models", "test", OTHER, "--json")
    tried = json.loads(trial.stdout)
    assert tried["dimensions"] == 384 and set(tried["languages"]) == {"en", "de"}
    # It is made for English, and half of the library is not.
    assert trial.returncode == 1 and [p for p in tried["problems"] if "German" in p] == tried["problems"]
    said = done(citeloom(home, "models", "use", "thesis", OTHER, "--yes"))
    assert "Until then, the current index is used." in said
    assert f"{OTHER}\t" in done(citeloom(home, "models", "list")) and "thesis" in said
    assert "Vertrag" in project.search("Verträge")[0]["render_text"], "a rebuild keeps the languages"
