"""Nothing goes to another machine by itself, and nothing is written but to CiteLoom's own and the temporary folder."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import docx
import pytest

from tests.flows.watched import Watched, cannot_watch, watched
from tests.papers import make
from tests.support import ROOT, SAMPLE, WAIT, environment

pytestmark = pytest.mark.skipif(bool(cannot_watch()), reason=cannot_watch())

LONG = 5 * WAIT  # for a whole day's work, which is slower when it is watched
# Every format's own way to name something on another machine.
REMOTE = "https://elsewhere.invalid"
PAGE = f"""<html><head><title>On peat</title><link rel="stylesheet" href="{REMOTE}/style.css">
<script src="{REMOTE}/count.js"></script></head><body><h1>On peat</h1>
<p>The peat was measured twice in the same summer.</p><img src="{REMOTE}/peat.png" alt="A bog"></body></html>"""


@pytest.fixture
def places(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """Empty folders: a person's own, CiteLoom's, and the temporary one, whose sockets need a short path."""
    found = {name: tmp_path / name for name in ("person", "home")}
    for folder in found.values():
        folder.mkdir()
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        yield {**found, "temporary": Path(short)}


def watch(places: dict[str, Path], folder: Path, *command: str) -> Watched:
    """Run a Python program as a person would who has just signed in for the first time."""
    own = environment(places["home"], HOME=str(places["person"]), TMPDIR=str(places["temporary"]))
    for name in ("CITELOOM_WATCH", "CITELOOM_WARM_UP", "ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY"):
        own.pop(name, None)
    usual = {name: value for name, value in own.items() if not name.startswith(("XDG_", "HF_", "DO_NOT_"))}
    return watched([sys.executable, *command], usual, folder, LONG)


def test_a_days_work_speaks_to_no_other_machine_and_writes_nowhere_else(
    places: dict[str, Path], tmp_path: Path
) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    make("scan", papers, pages=1)
    shutil.copy(SAMPLE / "papers" / "hartmann2019quotation.pdf", papers)
    (papers / "peat.html").write_text(PAGE)
    (papers / "peat.md").write_text(f"# On peat\n\nThe peat was measured once.\n\n![A bog]({REMOTE}/peat.png)\n")
    document = docx.Document()
    document.add_paragraph("The peat was measured three times.")
    document.part.relate_to(f"{REMOTE}/letter.dotx", docx.opc.constants.RELATIONSHIP_TYPE.IMAGE, is_external=True)
    document.save(str(papers / "peat.docx"))

    seen = watch(places, tmp_path / "calls", "-m", "tests.flows.offline_work", str(tmp_path))

    assert seen.code == 0, seen.output
    assert "Everything works." in seen.output
    assert seen.beyond_this_machine == []
    assert seen.written_outside(places["home"], places["temporary"]) == []
    kept = [path for path in places["person"].rglob("*") if path.is_file() and "fontconfig" not in path.parts]
    assert kept == [*places["temporary"].iterdir()] == []


def test_what_is_sent_or_written_elsewhere_is_seen(places: dict[str, Path], tmp_path: Path) -> None:
    program = """
import pathlib, socket
here = socket.create_server(("127.0.0.1", 0))
socket.create_connection(here.getsockname()).close()
pathlib.Path.home().joinpath(".machine").mkdir()
pathlib.Path.home().joinpath(".machine", "id").write_text("7")
for attempt in (
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("192.0.2.7", 443)),
    lambda: socket.create_connection(("2001:db8::7", 443), timeout=1),
    lambda: socket.getaddrinfo("elsewhere.invalid", 443),
):
    try:
        attempt()
    except OSError as error:
        print(error.errno)
"""
    seen = watch(places, tmp_path / "calls", "-c", program)

    assert seen.code == 0, seen.output
    said = "\n".join(seen.beyond_this_machine)
    assert "127.0.0.1" not in said and "192.0.2.7" in said
    assert "2001:db8::7" in said or str(errno.EAFNOSUPPORT) in seen.output.split()  # not every machine has IPv6
    assert "htons(53)" in said or "nscd" in said
    machine = places["person"] / ".machine"
    assert seen.written_outside(places["home"], places["temporary"]) == [str(machine / "id")]


@pytest.mark.parametrize("program", ["citeloom", "tests.bench.__main__"])
def test_libraries_that_report_to_their_makers_are_told_not_to_before_they_are_imported(program: str) -> None:
    look = f"import sys, {program}, os; print(os.environ['ORT_DISABLE_TELEMETRY'], 'onnxruntime' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", look],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ORT_DISABLE_TELEMETRY": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "1 False\n"
